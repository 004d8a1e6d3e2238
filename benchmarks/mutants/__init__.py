"""Whether the tests notice when the code is wrong: small faults are put into it, and their tests run.

See `python -m benchmarks.mutants --help`.
"""
