"""How many questions about earlier conversations a language model answers right with what the product gives it:
`python -m benchmarks.answers SET --out FILE`.

A set is read from a path in the format of LoCoMo, LongMemEval or BEAM; none is shipped but a tiny one that tests this.
Its conversations are stored as a host stores them, each question is asked with the block before a prompt, and two
endpoints of chat completions answer it and judge the answer. Every judged answer is one line of a file, so that a run
that was killed goes on where it was.
"""
