"""The functions and caches that live in this process, and how one file's functions are changed in place."""

from __future__ import annotations

import gc
import inspect
from collections import defaultdict
from collections.abc import Iterator
from functools import _lru_cache_wrapper
from types import CodeType, FunctionType
from typing import Any

OURS = ("discreet.", "discreet_papers.")


class NotInMemory(Exception):
    """The change is not inside functions that live: the file has to be imported anew."""


class Live:
    """What lives once all modules are imported; to be made before the garbage collector freezes it, or once for all."""

    def __init__(self) -> None:
        gc.unfreeze()  # what tests/conftest.py froze is not listed
        self._functions: defaultdict[str, list[FunctionType]] = defaultdict(list)
        self._caches: list[_lru_cache_wrapper[Any]] = []
        for thing in gc.get_objects():
            if type(thing) is FunctionType:
                self._functions[thing.__code__.co_filename].append(thing)
            elif type(thing) is _lru_cache_wrapper and (thing.__module__ or "").startswith(OURS):
                self._caches.append(thing)
        gc.freeze()

    def clear_caches(self) -> None:
        """Forget what functions of the library remember."""
        for cache in self._caches:
            cache.cache_clear()

    def change(self, path: str, old_text: str, new_text: str) -> None:
        """Let the functions of a file run the code of its new text.

        However a function is wrapped, by a cache, a property or a context manager: its code is replaced inside it.
        """
        old, new = (compile(text, path, "exec", dont_inherit=True) for text in (old_text, new_text))
        functions = self._functions[path]
        replacements = [
            (function, code) for was, code in _pairs(old, new) for function in functions if _runs(function, was)
        ]
        if not replacements:
            raise NotInMemory
        for function, code in replacements:
            if len(function.__code__.co_freevars) != len(code.co_freevars):
                raise NotInMemory
        for function, code in replacements:
            function.__code__ = code


def _runs(function: FunctionType, code: CodeType) -> bool:
    """Whether this is its code, which was compiled from the same text at another time."""
    return function.__code__.co_qualname == code.co_qualname and function.__code__ == code


def _pairs(old: CodeType, new: CodeType) -> Iterator[tuple[CodeType, CodeType]]:
    """The functions that differ, those inside functions too, since some may live already."""
    before, after = ([code for code in one.co_consts if isinstance(code, CodeType)] for one in (old, new))
    aligned = [code.co_name for code in before] == [code.co_name for code in after]
    if old.co_flags & inspect.CO_OPTIMIZED:
        if old != new:
            yield old, new
    elif not aligned or _outside(old) != _outside(new):  # a module or a class: this code has run already
        raise NotInMemory
    if aligned:
        for inner_old, inner_new in zip(before, after, strict=True):
            yield from _pairs(inner_old, inner_new)


def _outside(code: CodeType) -> tuple[object, ...]:
    """What a body does, apart from the functions that it defines."""
    constants = [(type(value), "" if isinstance(value, CodeType) else repr(value)) for value in code.co_consts]
    return code.co_code, constants, code.co_names, code.co_varnames, code.co_cellvars
