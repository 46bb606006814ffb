"""Options in groups: a command with many takes a few dataclasses, whose fields are its options."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import MISSING, fields
from functools import wraps
from inspect import Parameter, Signature
from typing import Any

from typer.models import OptionInfo


def in_groups(command: Callable[..., None]) -> Callable[..., None]:
    """A command whose parameters are dataclasses, as Typer wants it: with a parameter for each of their fields.

    The `HEADING` of a dataclass, if it has one, is what the help puts its options under. Their module must not postpone
    its annotations.
    """
    groups = {name: kind for name, kind in command.__annotations__.items() if name != "return"}
    parameters = [parameter for group in groups.values() for parameter in _parameters(group)]

    @wraps(command)
    def run(**options: Any) -> None:
        command(**{
            name: group(**{field.name: options[field.name] for field in fields(group)})
            for name, group in groups.items()
        })  # fmt: skip

    vars(run)["__signature__"] = Signature(parameters)
    run.__annotations__ = {parameter.name: parameter.annotation for parameter in parameters}
    return run


def _parameters(group: Any) -> list[Parameter]:
    found = []
    for field in fields(group):
        hint: Any = field.type
        for info in hint.__metadata__:
            if isinstance(info, OptionInfo):
                info.rich_help_panel = getattr(group, "HEADING", None)
        default = Parameter.empty if field.default is MISSING else field.default
        found.append(Parameter(field.name, Parameter.KEYWORD_ONLY, default=default, annotation=hint))
    return found
