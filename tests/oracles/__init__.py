"""Slow references, written from the definitions of the mathematics and sharing no code with the library.

Nothing here imports discreet. Every function is as plain as its definition; where a shorter way is offered beside it,
`test_oracles.py` checks that the two agree.
"""
