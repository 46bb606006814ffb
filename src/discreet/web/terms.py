"""Every term of privacy that the page uses, in the words of the glossary of the documentation."""

from __future__ import annotations

TERMS = {
    "epsilon": (
        "The most that one record can change the logarithm of the probability of any output. Small is strong: at "
        "ε = 0.5 the factor is at most 1.65, at ε = 1 at most 2.72."
    ),
    "delta": "A probability with which the bound by ε may fail. It is 0 for most releases here.",
    "adjacency": (
        "Two data sets that differ in one record. Which differences count is the adjacency: `replace-one` replaces one "
        "record, `add-remove` adds or removes one, and `replace-answer` replaces one answer in a group whose members "
        "are public."
    ),
    "record": (
        "What is protected: one row of the table, or with `--id-column` all rows of one person, of which one counts."
    ),
    "mechanism": "A rule that turns counts into a random output.",
    "prior": "The distribution of the shares before any data: a Beta or Dirichlet distribution.",
    "noise-aware": "The exact posterior given what was released, with the privacy noise included.",
    "face value": "The posterior of the noisy counts, read as if they were the true ones.",
    "interval": "Two ends between which the share lies with a stated probability, 95 % unless said otherwise.",
    "Hellinger": "A distance between two distributions, between 0 (the same) and 1 (nothing in common).",
    "budget": "The most ε, and δ, that all releases from one dataset may cost together.",
    "composition": (
        "What several releases from the same people cost together. By the basic rule their ε add up; other rules give "
        "less for many small releases."
    ),
    "receipt": "One JSON document with the release and all that a reader needs to check it.",
    "public n": "The number of records, where it is published.",
}
"""By the name under which the page asks for it. `tests/web/test_terms.py` holds them to the glossary."""
