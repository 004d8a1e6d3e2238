"""The files of recollect-encoder-1. Recollect finds this folder, checks the files and runs them."""
