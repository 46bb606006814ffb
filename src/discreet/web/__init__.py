"""The page: a thin face in a browser, served on this machine alone. It holds no mechanism.

It asks the library what the command line asks it, and shows the same documents. `guard.py` says who may talk to it.
"""

from __future__ import annotations

from importlib.util import find_spec

from discreet.errors import InvalidInput


def require_packages() -> None:
    """Refuse to serve where a package is missing: the modules of this room import them."""
    for package in ("starlette", "uvicorn"):
        if find_spec(package) is None:
            raise InvalidInput(f"the page needs {package}", hint="pip install 'discreet[web,workflow]'")
