"""The models that come with the package, over one table of words, and the code that runs them.

    files/           words, tokenizer, one graph for each model
    bundled          which files were released, and the check that these are the installed ones
    word_pieces      a text cut into the pieces that all models share
    runtime          a graph opened and run
    local            the ports `Reader` (a user's message, read) and `Reranker` (how well texts answer a question)
    reader_graph     messages of any length through the reader's graph, and what its numbers mean
    reranker_graph   question and text through the reranker's graph, within a time budget

Importing this package loads no model.
"""
