"""The page: a thin face in a browser, served on this machine alone. It holds no mechanism.

It asks the library what the command line asks it, and shows the same documents. `guard.py` says who may talk to it.
"""
