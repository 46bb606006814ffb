"""All mutants of a room, by the operators of mutmut, and a choice of them that stays."""

from __future__ import annotations

import hashlib
from collections import Counter
from dataclasses import dataclass, replace
from pathlib import Path

import libcst as cst
from libcst.metadata import CodeRange, MetadataWrapper, PositionProvider, WhitespaceInclusivePositionProvider
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
    code: str
    """A digest of the text of the outermost function or class around it. If it differs, the record is of other code."""

    before: str = ""
    after: str = ""
    killed_by: str = ""
    is_hole: str = ""
    """Not empty if it lived at first, without a reason, and some test kills it now."""

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
    statement: int
    """The line where its statement begins."""
    span: CodeRange
    is_absence: bool
    """Whether an argument is left out, or a value replaced by None."""

    @property
    def text(self) -> str:
        """The text of the file as it is."""
        return self.module.code

    def new_text(self) -> str:
        """The text of the changed file."""
        lines, start, end = self.text.splitlines(keepends=True), self.span.start, self.span.end
        if start.line != end.line:  # libcst indents the lines of a node only as a part of its module
            return cst.ensure_type(self.module.deep_replace(self.old, self.new), cst.Module).code
        line, node = lines[start.line - 1], self.module.code_for_node(self.new)
        lines[start.line - 1] = line[: start.column] + node + line[end.column :]
        return "".join(lines)

    def described(self) -> Mutant:
        """The mutant with the lines that differ."""
        before, after = self.text.splitlines(), self.new_text().splitlines()
        for last in (0, -1):  # what is the same at the beginning, and at the end
            while before and after and before[last] == after[last]:
                del before[last], after[last]
        lost, added = (" ".join(line.strip() for line in lines) for lines in (before, after))
        return replace(self.mutant, before=lost, after=added)


class Finder(cst.CSTVisitor):
    """All changes of a file. Texts, annotations, decorators, what only builds a message or a repr, are left alone."""

    METADATA_DEPENDENCIES = (PositionProvider, WhitespaceInclusivePositionProvider)
    LEFT = (cst.Annotation, cst.Decorator, cst.Raise, cst.Import, cst.ImportFrom, cst.TypeAlias)

    def __init__(self, room: str, file: str, module: cst.Module) -> None:
        super().__init__()
        self.room, self.file, self.module = room, file, module
        self.names: list[str] = []
        self.outermost = ""
        self.statement = 0
        self.seen: Counter[str] = Counter()
        self.changes: list[Change] = []

    def on_visit(self, node: cst.CSTNode) -> bool:
        """Every node once, with the functions around it."""
        if isinstance(node, self.LEFT) or _only_shown(node):
            return False
        if isinstance(node, cst.FunctionDef | cst.ClassDef):
            if not self.names:
                self.outermost = _digest(self.module.code_for_node(node))[:8]
            self.names.append(node.name.value)
        if isinstance(node, cst.SimpleStatementLine | cst.BaseCompoundStatement):
            self.statement = self.get_metadata(PositionProvider, node).start.line
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
        name = _digest(f"{text}\0{self.seen[text]}")[:12]
        line = self.get_metadata(PositionProvider, old).start.line
        span = self.get_metadata(WhitespaceInclusivePositionProvider, old)
        mutant = Mutant(name, self.room, self.file, function, self.outermost if self.names else "")
        self.changes.append(Change(mutant, self.module, old, new, line, self.statement, span, is_absence))


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()


def _only_shown(node: cst.CSTNode) -> bool:
    return (isinstance(node, cst.FunctionDef) and node.name.value in SHOWN) or (
        isinstance(node, cst.If) and isinstance(node.test, cst.Name) and node.test.value == "TYPE_CHECKING"
    )


def changes_of(room: str) -> list[Change]:
    """All changes of a room, in the order in which they are chosen."""
    changes: list[Change] = []
    for path in sorted((ROOT / PACKAGE).glob(ROOMS[room])):
        if room == "receipts" and path.name not in VERIFICATION:
            continue
        wrapper = MetadataWrapper(cst.parse_module(path.read_text("utf-8")))
        finder = Finder(room, path.relative_to(ROOT / PACKAGE).as_posix(), wrapper.module)
        wrapper.visit(finder)
        changes += finder.changes
    return sorted(changes, key=lambda change: change.mutant.id)


def choose(every: dict[str, list[Change]], number: int | None) -> list[Change]:
    """The first ones of each room, as evenly as their number allows; without it, all."""
    if number is None:
        return [change for changes in every.values() for change in changes]
    each, more = divmod(number, len(ROOMS))
    first = {room: each + (i < more) for i, room in enumerate(ROOMS)}
    return [change for room, changes in every.items() for change in changes[: first[room]]]
