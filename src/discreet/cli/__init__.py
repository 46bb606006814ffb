"""The command `discreet`: a thin face on the library, one file for each group of commands."""

import gc
import os
import sys
from importlib.machinery import ModuleSpec, PathFinder
from importlib.util import LazyLoader

INTERRUPTED = 130
"""The exit code that shells give to a command stopped by Ctrl-C."""

UNCHARGED = "interrupted: nothing was charged"

QUIET = "DISCREET_QUIET"
"""The variable of the environment that says what `--quiet` says."""

POSTPONED = {
    *("numpy.ctypeslib", "numpy.f2py", "numpy.ma", "numpy.polynomial", "numpy.random", "numpy.testing", "scipy.fft"),
    "discreet.figures.releases",
}
"""What SciPy or a command imports in passing, a tenth of a second of every command, and few commands use."""


BLAS_WAIT = "OPENBLAS_THREAD_TIMEOUT"
"""How long idle threads of NumPy's linear algebra wait busily: without this the import alone costs 0.1 s of CPU."""


class Postponing:
    """Lets what is `POSTPONED` be run when something is first asked of it, and not when it is imported."""

    def find_spec(self, name: str, path: object, target: object = None) -> ModuleSpec | None:
        """The module, to be run later; None for all others."""
        spec = PathFinder.find_spec(name, path) if name in POSTPONED else None  # type: ignore[arg-type]
        if spec is not None and spec.loader is not None:
            spec.loader = LazyLoader(spec.loader)
        return spec


def main() -> None:
    """Run the command line and exit with its code."""
    sys.meta_path.insert(0, Postponing())
    os.environ.setdefault(BLAS_WAIT, "4")  # the least that it takes; they wake quickly enough
    gc.set_threshold(50_000, 20, 100)  # what is imported stays: to look through it for garbage costs and finds nothing
    try:
        from discreet.cli.app import run  # Ctrl-C may come while this loads

        code = run(sys.argv[1:])
    except KeyboardInterrupt:
        code = INTERRUPTED
    # A release takes longest to load; before it is, it cannot have been charged. Later it knows best itself.
    if code == INTERRUPTED and "release" in sys.argv and "discreet.cli.release" not in sys.modules:
        print(UNCHARGED, file=sys.stderr)
    if "_duckdb" not in sys.modules:  # whose bindings take what is frozen for leaked, and say so
        gc.freeze()  # nor is anything gained by looking through it once more at the end
    sys.exit(code)


__all__ = ["INTERRUPTED", "QUIET", "UNCHARGED", "main"]
