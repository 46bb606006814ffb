"""The questions, one a file. Importing this package registers them in the order of the table."""

from importlib import import_module

ORDER = (
    "release first_release geometric tight growth simulation audit scale snapping lifting counts spark ledger "
    "ledger_postgres composition inference cross_tables tables private_n comparison reach startup commands slider "
    "first_version"
)

for _name in ORDER.split():
    import_module(f"{__name__}.{_name}")
