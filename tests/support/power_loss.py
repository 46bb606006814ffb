"""What a disk may hold after a power failure: what was synced, and of what was not, anything.

`strace` says what a program asked of the kernel, in order. A write, a truncation or a new name is certain only once a
sync of its file or directory has returned; until then each of them may be on the disk, missing, cut, or a hole of
zeros. `states` lists what may be found, and which answers had been given by then.
"""

import random
import re
import shutil
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import product
from pathlib import Path
from typing import NamedTuple

CALLS = "pwrite64,write,ftruncate,fsync,fdatasync,link,linkat"
STRACE = shutil.which("strace")
NO_STRACE = "no strace: apt-get install strace"
SECTOR = 512

_CALL = re.compile(
    r"""^(?:\d+\s+)?(?:(?P<time>\d+\.\d+)\s+)?(?P<name>\w+)\((?P<fd>\w+)?(?:<(?P<path>[^>]*)>)?(?P<rest>.*)\)\s+=\s
        (?P<result>-?\d+).*?(?:<(?P<took>[\d.]+)>)?$""",
    re.VERBOSE,
)
_DATA = re.compile(r'"((?:\\x[0-9a-f]{2})*)"')


@dataclass(frozen=True)
class Call:
    """One thing that was asked of the kernel, and had been done at `end`."""

    name: str
    path: str
    data: bytes
    numbers: tuple[int, ...]
    end: float


def command(trace: Path, *, pids: Sequence[int] = ()) -> list[str]:
    """A strace of what follows it, or of these processes and their children."""
    assert STRACE is not None
    options = ["-f", "-qq", "-y", "-xx", "-ttt", "-T", "-s", str(1 << 20), "-e", f"trace={CALLS}", "-o", str(trace)]
    return [STRACE, *options, *(f"-p{pid}" for pid in pids)]


def read(trace: Path) -> list[Call]:
    """The calls that were carried out, in the order in which they ended."""
    calls, begun = [], dict[str, str]()
    for line in trace.read_text().splitlines():
        process, _, text = line.partition(" ")
        if text.endswith("<unfinished ...>"):
            begun[process] = text.removesuffix(" <unfinished ...>")
            continue
        if "resumed>" in text:
            text = begun.pop(process) + text.partition("resumed>")[2]
        match = _CALL.match(text.strip())
        if match is None or int(match["result"]) < 0:
            continue
        strings = _DATA.findall(match["rest"])
        numbers = tuple(int(number) for number in re.findall(r"(?<![\w\\])\d+(?!\w)", _DATA.sub("", match["rest"])))
        data = b"".join(bytes.fromhex(each.replace("\\x", "")) for each in strings[-1:])
        path = bytes.fromhex(match["path"].replace("\\x", "")).decode() if match["path"] else ""
        end = float(match["time"] or 0) + float(match["took"] or 0)
        calls.append(Call(match["name"], path, data, numbers, end))
    return sorted(calls, key=lambda call: call.end)


class Answer(NamedTuple):
    """What a program was answered, and when it told so."""

    text: str
    time: float


def answers(text: str) -> list[Answer]:
    """The answers that `tests.ledger.power` tells of."""
    words = (line.split() for line in text.splitlines())
    return [Answer(answer, float(time)) for _, answer, time in words]


@dataclass(frozen=True)
class State:
    """A file as it may be found, None if its name is not; and the answers that had been given."""

    content: bytes | None
    answers: tuple[str, ...]


def states(calls: list[Call], file: Path) -> Iterator[State]:
    """All that may be found of a file that was made beside its name, linked to it and then only written to.

    The plug is pulled after each call. Answers are what was written to standard output.
    """
    durable, pending, answered = b"", list[Call](), list[str]()
    named, name_is_durable = False, False
    for call in (call for call in calls if _concerns(call, file)):
        match call.name:
            case "link" | "linkat":
                named = True
            case "write":
                answered += [answer.text for answer in answers(call.data.decode())]
            case "pwrite64" | "ftruncate":
                pending.append(call)
            case _ if Path(call.path) == file.parent:
                name_is_durable = named
            case _:
                durable, pending = _apply_writes(durable, [(each, each.data) for each in pending]), []
        contents = sorted(_contents(durable, pending)) if named else []
        for content in contents if name_is_durable else [None, *contents]:
            yield State(content, tuple(answered))


def _concerns(call: Call, file: Path) -> bool:
    """Whether a call is about the file, its name or an answer."""
    if call.name in {"link", "linkat"}:
        return True
    if call.name == "write":
        return call.data.startswith(b"answer ")
    return Path(call.path) == file.parent or _is_of(call.path, file)


def _is_of(path: str, file: Path) -> bool:
    """Whether a path is the file's, or that of the nameless one which it was made from."""
    name = Path(path.removesuffix(" (deleted)"))
    return name.parent == file.parent and (name.name == file.name or name.name.startswith(f".{file.name}."))


def _contents(durable: bytes, pending: list[Call]) -> set[bytes]:
    """Each pending call may have reached the disk, or not, or in part; a part that is missing may be a hole.

    Of many that were never synced, the first ones are taken to be there.
    """
    durable = _apply_writes(durable, [(call, call.data) for call in pending[:-3]])
    forms = []
    for call in pending[-3:]:
        half, data = len(call.data) // 2, call.data
        torn = {data, data[:half], b"\0" * len(data), b"\0" * half + data[half:]} if data else {b""}
        forms.append([None, *((call, each) for each in sorted(torn))])
    return {_apply_writes(durable, [each for each in chosen if each is not None]) for chosen in product(*forms)}


def _apply_writes(content: bytes, writes: list[tuple[Call, bytes]]) -> bytes:
    image = bytearray(content)
    for call, data in writes:
        if call.name == "ftruncate":
            size = call.numbers[0]
            image = image[:size] + bytes(max(0, size - len(image)))
        else:
            place = call.numbers[-1]
            image += bytes(max(0, place - len(image)))
            image[place : place + len(data)] = data
    return bytes(image)


def log_writes(calls: list[Call], end: float, chance: random.Random) -> dict[str, list[tuple[int, bytes]]]:
    """What a server's disk holds of its write-ahead log at a moment: what was synced, and any sectors of the rest."""
    durable, pending = defaultdict[str, list[tuple[int, bytes]]](list), defaultdict[str, list[Call]](list)
    for call in calls:
        if call.end > end or "/pg_wal/" not in call.path:
            continue
        if call.name == "fdatasync":
            durable[call.path] += [(each.numbers[-1], each.data) for each in pending.pop(call.path, [])]
        elif call.name == "pwrite64":
            pending[call.path].append(call)
    for path, writes in pending.items():
        for call in writes:
            sectors = range(0, len(call.data), SECTOR)
            durable[path] += [
                (call.numbers[-1] + start, call.data[start : start + SECTOR])
                for start in sectors
                if chance.random() < 1 / 2
            ]
    return durable
