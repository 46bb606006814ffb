"""All mutants of a room, by the operators of mutmut, and a choice of them that stays."""

from __future__ import annotations

import difflib
import hashlib
from collections import Counter
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path

import libcst as cst
from libcst.metadata import MetadataWrapper, PositionProvider
from mutmut.mutation.mutators import mutation_operators, operator_arg_removal, operator_assignment, operator_string

from bench.mutants.places import PACKAGE, ROOMS, ROOT, VERIFICATION

SHOWN = {"__repr__", "__str__", "_repr_html_", "_repr_mimebundle_"}
ABSENCES = {operator_arg_removal, operator_assignment}
OPERATORS = [(kind, operator) for kind, operator in mutation_operators if operator is not operator_string]


@dataclass(frozen=True)
class Mutant:
    """One change of one file, as it is recorded."""

    id: str
    room: str
    file: str
    function: str
    change: str = ""
    killed_by: str = ""
    reason: str = ""
    is_hole: str = ""
    """Not empty if it lived at first, and the test that kills it was written because of it."""

    @property
    def path(self) -> Path:
        """The file, from the root of the repository."""
        return PACKAGE / self.file


@dataclass(frozen=True)
class Change:
    """Where a mutant is, and how its text is made."""

    mutant: Mutant
    module: cst.Module
    old: cst.CSTNode
    new: cst.CSTNode
    line: int
    is_absence: bool
    """Whether an argument is left out, or a value replaced by None."""

    @cached_property
    def code(self) -> str:
        """The text of the changed file."""
        return self.module.deep_replace(self.old, self.new).code

    def described(self) -> Mutant:
        """The mutant with the lines that differ."""
        before, after = self.module.code.splitlines(), self.code.splitlines()
        blocks = difflib.SequenceMatcher(None, before, after, autojunk=False).get_opcodes()
        lost = " ".join(line.strip() for tag, i, j, _, _ in blocks if tag != "equal" for line in before[i:j])
        made = " ".join(line.strip() for tag, _, _, i, j in blocks if tag != "equal" for line in after[i:j])
        return replace(self.mutant, change=f"{lost} → {made}")


class Finder(cst.CSTVisitor):
    """All changes of a file. Texts, annotations, decorators, what only builds a message or a repr, are left alone."""

    METADATA_DEPENDENCIES = (PositionProvider,)
    LEFT = (cst.Annotation, cst.Decorator, cst.Raise, cst.Import, cst.ImportFrom, cst.TypeAlias)

    def __init__(self, room: str, file: str, module: cst.Module) -> None:
        super().__init__()
        self.room, self.file, self.module = room, file, module
        self.names: list[str] = []
        self.seen: Counter[str] = Counter()
        self.changes: list[Change] = []

    def on_visit(self, node: cst.CSTNode) -> bool:
        """Every node once, with the functions around it."""
        if isinstance(node, self.LEFT) or _only_shown(node):
            return False
        if isinstance(node, cst.FunctionDef | cst.ClassDef):
            self.names.append(node.name.value)
        for kind, operator in OPERATORS:
            if isinstance(node, kind):
                for new in operator(node):
                    self._add(node, new, operator in ABSENCES)
        return True

    def on_leave(self, original_node: cst.CSTNode) -> None:
        """The end of a function."""
        if isinstance(original_node, cst.FunctionDef | cst.ClassDef) and not _only_shown(original_node):
            self.names.pop()

    def _add(self, old: cst.CSTNode, new: cst.CSTNode, is_absence: bool) -> None:
        function = ".".join(self.names)
        text = "\0".join([self.file, function, self.module.code_for_node(old), self.module.code_for_node(new)])
        self.seen[text] += 1
        name = hashlib.sha256(f"{text}\0{self.seen[text]}".encode()).hexdigest()[:12]
        line = self.get_metadata(PositionProvider, old).start.line
        mutant = Mutant(name, self.room, self.file, function)
        self.changes.append(Change(mutant, self.module, old, new, line, is_absence))


def _only_shown(node: cst.CSTNode) -> bool:
    return (isinstance(node, cst.FunctionDef) and node.name.value in SHOWN) or (
        isinstance(node, cst.If) and isinstance(node.test, cst.Name) and node.test.value == "TYPE_CHECKING"
    )


def changes_of(room: str) -> list[Change]:
    """All changes of a room, in the order in which they are chosen."""
    found = []
    for path in sorted((ROOT / PACKAGE).glob(ROOMS[room])):
        if room == "receipts" and path.name not in VERIFICATION:
            continue
        wrapper = MetadataWrapper(cst.parse_module(path.read_text("utf-8")))
        finder = Finder(room, path.relative_to(ROOT / PACKAGE).as_posix(), wrapper.module)
        wrapper.visit(finder)
        found += finder.changes
    return sorted(found, key=lambda change: change.mutant.id)


def choice(every: dict[str, list[Change]], asked: str) -> list[Change]:
    """The first of each room, as evenly as the number asked for allows."""
    if asked == "all":
        return [change for changes in every.values() for change in changes]
    each, more = divmod(int(asked), len(ROOMS))
    first = {room: each + (i < more) for i, room in enumerate(ROOMS)}
    return [change for room, changes in every.items() for change in changes[: first[room]]]
