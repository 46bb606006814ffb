"""discreet beside its peers: `python -m bench` measures everything in one run and writes docs/benchmarks.md.

One file of `bench.questions` answers one question; to add one, write the file and list it there.
"""
