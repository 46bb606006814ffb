"""How long and how often `make soak` repeats things. Each number may be given to make, and is smaller in `.ci/run`."""

import os

FUZZ_SECONDS = int(os.environ.get("FUZZ_SECONDS", "600"))
"""Of each parser."""

LOAD_SECONDS = int(os.environ.get("LOAD_SECONDS", "600"))
"""Of clients of a ledger, and of readers of a page; Spark's workers die for a tenth of it."""

POWER_FAILURES = int(os.environ.get("POWER_FAILURES", "500"))
"""Of a ledger's server."""

KILLS = int(os.environ.get("KILLS", "200"))
"""Of charges, and of releases."""

SHARE = int(os.environ.get("SHARE", "1"))
"""One of so many tests of the soak is run, chosen by its name."""

EXAMPLES = int(os.environ.get("EXAMPLES", "100"))
"""Of a property."""
