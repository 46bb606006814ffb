"""A ledger's tables in PostgreSQL: what they are made of, and whether their guards still are as they were made.

Everything lies in the schema `discreet` and is always named with it, so that no search path leads elsewhere. The table
`entries` holds the rows. The one row of `mark` says which version they are, and whoever writes locks it first: a lock
on a row of `entries` would take the right to change it. Triggers refuse everything but the next row; they fire ALWAYS,
so that a session which plays a replica does not get past them. The owner of the tables can still drop them: charge
under another role (docs/ledger.md).
"""

from __future__ import annotations

from typing import LiteralString, cast

from discreet.ledger.entries import Entry
from discreet.ledger.postgres_link import Link

COLUMNS = cast("tuple[LiteralString, ...]", Entry._fields)

VERSION, EARLIER = 3, 2
"""Tables of version 2 have no columns for units and columns; they are read, and charged as they are."""

VERSION_OF: LiteralString = "SELECT version FROM discreet.mark"

ONLY_GROWS: LiteralString = "BEGIN RAISE EXCEPTION 'the ledger only grows'; END"

ONLY_NEXT: LiteralString = """
DECLARE
    last RECORD;
BEGIN
    SELECT seq, hash INTO last FROM discreet.entries ORDER BY seq DESC LIMIT 1;
    IF NEW.seq IS DISTINCT FROM coalesce(last.seq, 0) + 1
        OR NEW.previous IS DISTINCT FROM coalesce(last.hash, repeat('0', 64))
    THEN
        RAISE EXCEPTION 'the ledger only grows';
    END IF;
    RETURN NEW;
END"""

FUNCTIONS: dict[LiteralString, LiteralString] = {"only_grows": ONLY_GROWS, "only_next": ONLY_NEXT}

GUARDS: dict[tuple[LiteralString, LiteralString], tuple[LiteralString, LiteralString, int]] = {
    ("entries", "no_update"): ("BEFORE UPDATE ON discreet.entries", "only_grows", 18),
    ("entries", "no_delete"): ("BEFORE DELETE ON discreet.entries", "only_grows", 10),
    ("entries", "no_truncate"): ("BEFORE TRUNCATE ON discreet.entries", "only_grows", 34),
    ("entries", "only_next"): ("BEFORE INSERT ON discreet.entries FOR EACH ROW", "only_next", 7),
    ("mark", "no_change"): ("BEFORE INSERT OR UPDATE OR DELETE OR TRUNCATE ON discreet.mark", "only_grows", 62),
}
"""Each trigger with its function and with the bits by which the catalogue knows when it fires."""

INDEXES: dict[LiteralString, LiteralString] = {
    "one_request": "UNIQUE INDEX one_request ON discreet.entries (request_id, kind)",
    "one_budget": "UNIQUE INDEX one_budget ON discreet.entries (dataset) WHERE kind = 'budget'",
    "one_successor": "UNIQUE INDEX one_successor ON discreet.entries (previous)",
    "by_dataset": "INDEX by_dataset ON discreet.entries (dataset, kind, seq)",
}


def make(link: Link) -> None:
    """Make the tables and their guards, within the transaction that is open."""
    columns: list[LiteralString] = ["seq integer PRIMARY KEY"]
    for name in COLUMNS[1:]:
        required: LiteralString = " NOT NULL" if name in {"kind", "dataset", "time", "previous", "hash"} else ""
        columns.append(name + ' text COLLATE "C"' + required)
    link.execute("CREATE SCHEMA IF NOT EXISTS discreet")
    link.execute("CREATE TABLE discreet.entries (" + ", ".join(columns) + ")")
    for index in INDEXES.values():
        link.execute("CREATE " + index)
    link.execute("CREATE TABLE discreet.mark (version integer PRIMARY KEY)")
    link.execute("INSERT INTO discreet.mark VALUES (%s)", (VERSION,))
    for name, body in FUNCTIONS.items():
        head: LiteralString = "CREATE FUNCTION discreet." + name + "() RETURNS trigger LANGUAGE plpgsql "
        link.execute(head + "SET search_path = pg_catalog AS $guard$" + body + "$guard$")
    for (table, name), (when, function, _) in GUARDS.items():
        link.execute("CREATE TRIGGER " + name + " " + when + " EXECUTE FUNCTION discreet." + function + "()")
        link.execute("ALTER TABLE discreet." + table + " ENABLE ALWAYS TRIGGER " + name)


def insertion(entry: Entry) -> tuple[LiteralString, tuple[object, ...]]:
    """The statement for one more row, and its values; what an earlier version has no column for is not said."""
    columns = {name: value for name, value in zip(COLUMNS, entry, strict=True) if value is not None}
    names, places = ", ".join(columns), ", ".join(["%s"] * len(columns))
    query = "INSERT INTO discreet.entries (" + names + ") VALUES (" + places + ")"  # noqa: S608 - our own names
    return query, tuple(columns.values())


def upgrade(link: Link) -> None:
    """Bring tables of the version before to this one, within the transaction that is open. Only their owner can."""
    for name in COLUMNS[-2:]:
        link.execute("ALTER TABLE discreet.entries ADD COLUMN " + name + ' text COLLATE "C"')
    link.execute("ALTER TABLE discreet.mark DISABLE TRIGGER no_change")
    link.execute("UPDATE discreet.mark SET version = %s", (VERSION,))
    link.execute("ALTER TABLE discreet.mark ENABLE ALWAYS TRIGGER no_change")


_TRIGGERS: LiteralString = """
    SELECT c.relname, t.tgname, p.proname, t.tgtype::integer, t.tgenabled::text, t.tgqual IS NULL, p.prosrc
    FROM pg_trigger t JOIN pg_class c ON c.oid = t.tgrelid JOIN pg_namespace s ON s.oid = c.relnamespace
    JOIN pg_proc p ON p.oid = t.tgfoid WHERE s.nspname = 'discreet' AND NOT t.tgisinternal"""

_INDEXES: LiteralString = """
    SELECT c.relname, i.indisunique AND i.indisvalid AND i.indisready
    FROM pg_index i JOIN pg_class c ON c.oid = i.indexrelid JOIN pg_namespace s ON s.oid = c.relnamespace
    WHERE s.nspname = 'discreet'"""

_TABLES: LiteralString = """
    SELECT c.relname, c.relpersistence::text, c.relkind::text,
        EXISTS (SELECT FROM pg_rewrite r WHERE r.ev_class = c.oid)
    FROM pg_class c JOIN pg_namespace s ON s.oid = c.relnamespace
    WHERE s.nspname = 'discreet' AND c.relname IN ('entries', 'mark')"""


def is_guarded(link: Link) -> bool:
    """Whether the tables are logged, no rule rewrites what is said of them, and guards and indexes are as made."""
    triggers = {(row[0], row[1]): row[2:] for row in link.execute(_TRIGGERS)}
    expected = {key: (function, bits, "A", True, FUNCTIONS[function]) for key, (_, function, bits) in GUARDS.items()}
    indexes = {row[0]: row[1] for row in link.execute(_INDEXES)}
    unique = all(indexes.get(name) for name in ("entries_pkey", "one_request", "one_budget", "one_successor"))
    tables = sorted(link.execute(_TABLES).fetchall())
    return triggers == expected and unique and tables == [(name, "p", "r", False) for name in ("entries", "mark")]
