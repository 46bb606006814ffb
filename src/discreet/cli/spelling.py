"""Greek letters and signs for terminals that have only ASCII: spelled, so that they can still be read."""

from __future__ import annotations

import codecs

SPELLED = {
    "α": "alpha", "γ": "gamma", "Γ": "Gamma", "δ": "delta", "ε": "eps", "η": "eta", "λ": "lambda", "Λ": "Lambda",
    "ρ": "rho", "χ": "chi", "–": "-", "−": "-", "…": "...", "≤": "<=", "≥": ">=", "±": "+-", "×": "x", "·": "*",
    "‖": "||", "₁": "1", "²": "^2",
}  # fmt: skip

HANDLER = "discreet-spelled"


def spell(failure: UnicodeError) -> tuple[str, int]:
    r"""What is written in the place of text that the terminal's encoding does not have; escapes for all other.

    >>> "ε ≤ 1, “ü”".encode("ascii", HANDLER).decode()
    'eps <= 1, \\u201c\\xfc\\u201d'
    """
    if not isinstance(failure, UnicodeEncodeError):
        raise failure
    lacking = failure.object[failure.start : failure.end]
    return "".join(SPELLED.get(sign) or ascii(sign)[1:-1] for sign in lacking), failure.end


codecs.register_error(HANDLER, spell)
