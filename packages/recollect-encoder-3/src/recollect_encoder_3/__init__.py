"""The graph of recollect-encoder-3. Recollect finds this folder, checks the graph and runs it with its word table."""
