"""What an attacker would try, what answers, the test that holds it, and planted faults that prove that tests say no.

`python -m tests.faults.threats` writes the table of docs/attack-model.md; `tests/contracts/test_threats.py` holds the
page to this list. A threat of kind C makes the stated ε false with no adversary at all; one of kind A needs one.
"""

from __future__ import annotations

import re
from pathlib import Path
from typing import NamedTuple

from tests.faults.registry import FAULTS

TESTS = Path(__file__).resolve().parents[1]
PAGE = TESTS.parent / "docs" / "attack-model.md"
BEGIN, END = "<!-- threats: written by python -m tests.faults.threats -->\n", "<!-- end of threats -->\n"

LIST = """
C: an output that is possible for one data set only, because a float weight underflowed
    laws have exact weights; every output is possible for every data set
    test_every_data_set_has_the_same_outcomes.py::test_what_has_a_weight_for_one_data_set_has_one_for_all
    UnderflowingWeights, FlooredWeights
C: a sensitivity that cancelled to something too small: in floats a fifth at ten million records, all of it at thirty
    stable forms and enclosures, checked against slow references up to n = 10¹²
    test_sensitivities_do_not_cancel.py::test_local_sensitivity_meets_the_oracle_from_ten_to_a_trillion_records
    sensitivity_in_floats
C: a prior below 1, not whole, unequal or huge
    one formula for all of them
    test_odd_priors_obey_the_same_formula.py::test_every_sensitivity_of_an_odd_prior_equals_enumeration
    first_way_forgotten, emptied_targets_forgotten
C: a loss that was proved for the replacement of a record, charged for its addition or removal
    the adjacency stands in every mechanism, certificate, charge and receipt; what does not match is refused
    test_adjacencies.py::test_a_release_costs_as_many_losses_as_its_steps_lead_from_neighbour_to_neighbour
    ProvedForAddRemove, ClaimedForAddRemove, factor_forgotten
C: the loss, or the error, of *this* data set charged or shown
    the public worst case, the same for all data sets of one size
    test_nothing_said_of_a_release_depends_on_its_data.py::test_all_data_sets_of_one_size_are_charged_and_told_the_same
    error_of_this_data_set
C: categories that are discovered in the data
    they are declared; with `--other` nothing depends on what else is there, and without it the stop comes
        before the charge and names nothing
    test_neighbouring_files_look_alike.py::test_without_other_a_stray_stops_before_the_charge_in_words_that_name_nothing
    strays_told_apart
C: the size of a group, or of a filtered table, published as if it were a public n
    [groups](groups.md) are cells of one table with total n; only `--group-public` publishes sizes, and names
        the weaker promise; a [filter](private-n.md) is refused where n is public
    test_groups_are_cells_of_one_table.py::test_the_loss_of_a_joint_table_is_epsilon_whatever_of_a_record_changes
    naive_groups, filter_after_n_is_public
C: an error, warning, log line or exit code that depends on a count
    texts are templates over public values; an unexpected error is named by its type alone; warnings are silent
    test_neighbouring_files_look_alike.py::test_documents_and_tables_of_neighbours_have_one_shape
    empty_category_warned_of
A: counts in a log or a traceback
    counts don't show themselves: their `repr` is `<counts>`; what others say in an error is kept nowhere
    test_no_count_survives_a_failing_release.py::test_a_failure_tells_no_count
    count_in_an_error
C: two processes that spend the last of a budget
    one atomic transaction
    test_a_budget_is_never_spent_twice.py::test_of_24_who_ask_for_a_tenth_at_once_exactly_ten_are_charged
    UnlockedLedger, slot_taken_twice
C: a crash, a kill or a power failure between the charge and the release
    the charge is on the disk first, and never refunded
    test_a_killed_release_is_paid_once.py::test_kills_leave_no_outcome_without_its_charge_and_one_charge_a_request
    test_a_power_failure_loses_no_answered_charge.py::test_a_file_keeps_every_answered_charge_whatever_the_disk_kept_of_the_rest
    charged_after_the_draw, file_not_synced, commit_not_synced
C: a budget in floats: a tenth ten times, NaN, a negative charge
    fractions; a charge is greater than 0
    test_budgets.py::test_accepted_charges_never_exceed_the_budget_exactly
    budget_in_floats
C: odd values in an engine: a count that wraps, NULL, NaN, empty text, case, trailing blanks, forms of Unicode
    64-bit counts, and one rule for each kind of value, held to it on every engine
    test_same_counts.py::test_nasty_texts_are_counted_by_the_rule
    counts_of_32_bits, texts_in_capitals
C: a certificate from other parameters
    a digest over mechanism, parameters, adjacency and law
    test_certificates.py::test_a_certificate_with_any_value_changed_is_refused
    facts_without_n, facts_without_adjacency, digest_without_loss
C: an audit that cannot say no
    planted faults, each of which it rejects
    test_faults.py::test_loss_exceeds_what_is_claimed_with_the_fault_and_not_without_it
    HalvedSensitivity, WrongNeighbour, FloatWeights, OneWeight, kernel_of_a_solver
C: noise that is only nearly right
    exact samplers: bits are drawn until the comparison with an enclosure is decided
    test_release_paths.py::test_a_law_is_drawn_exactly_by_inversion_from_its_blocks_and_from_its_terms
    coin_decided_by_a_float_too_high, rate_of_two_sided_off, remainder
C: several rows of one person
    the receipt says whom it protects; `--id-column` takes one row of each person by a fixed rule
    test_nothing_said_of_a_release_depends_on_its_data.py::test_rows_of_one_person_move_many_counts_without_an_id_column_and_one_with_it
    rows_for_people
C: rows and people in one budget; a column that is public in one request and protected in another
    unit and public columns are part of the budget
    test_a_budget_adds_up_the_same_neighbours.py::test_a_column_is_not_public_in_one_request_and_protected_in_another
    unit_forgotten, columns_forgotten
C: two names of one ledger (a hard link, a bind mount), a stale journal that is played back
    one file with one lock on itself; nothing lies beside it
    test_a_ledger_with_two_names_loses_no_charge.py::test_kills_through_a_hard_link_lose_no_charge
    lock_of_a_name
C: the number of records, where it is private: in a digest, an error, an exit code, a progress text, the length
        of a file, an empty table that stops
    nothing asks for it: with the draw and the clock held still, every byte is the same for neighbours and for
        the empty table
    test_the_number_of_records_is_never_told.py::test_not_a_byte_depends_on_how_many_records_there_are
    n_published, digest_with_the_size, error_on_the_empty_table, strays_looked_at
C: a composition that was proved for fixed ε, used for chosen ones
    a [schedule](composition.md) fixes them; a charge that is not in it is refused
    test_schedules.py::test_what_fits_no_slot_is_refused_and_the_free_ones_are_named
    charge_above_its_slot, slots_as_one_likes, schedule_too_cheap
C: a numerical shortcut in what a reader is told, stated as exact
    a stated error that holds, on the safe side where an ε is chosen by it
    test_line.py::test_blocks_agree_with_all_counts_within_what_they_state
    kink_forgotten, line_totals_off, transform_too_short
A: noise that repeats, or can be predicted: seeds, other generators, forked workers
    `os.urandom`, unbuffered; no seed can be given to a release
    test_forked_children_draw_different_bits.py::test_eight_forked_children_and_their_parent_draw_different_bits_and_outcomes
    Buffered, SeededOnce
A: bits that hold less than they seem to: few bytes stretched, a seed that is kept
    the bits are the system's bytes, in order
    test_every_bit_is_the_systems.py::test_the_systems_bits_are_its_bytes_in_order_no_more_and_no_fewer
    TwoBytesHashed, SurplusKept, Mixed
A: the time that a draw takes
    small laws draw the same number of bits for every data set; the rest is named below
    test_a_draw_costs_the_same_bits_for_all_data.py::test_small_laws_read_the_same_number_of_bits_for_every_data_set_and_outcome
    walk_to_the_outcome
A: asking again until the answer pleases
    a request id is bound to a digest of all parameters and returns the sealed outcome; any other release is a
        new draw and a new ε; destinations are checked before the draw, so that none is lost and drawn again
    test_budgets.py::test_a_request_with_another_parameter_is_refused
    digests_not_compared
A: a disk that is nearly full, so that only short answers can be sealed, and long ones are drawn again for free
    every seal of a request has one length, whatever was drawn; a belief that cannot be computed undoes no draw
    test_every_seal_has_the_same_length.py::test_every_draw_takes_the_same_room
    test_every_seal_has_the_same_length.py::test_no_draw_is_lost_because_floats_cannot_tell_what_may_be_believed
    seal_as_long_as_its_draw
A: a ledger that is edited, truncated or swapped
    a hash chain, and on a server triggers, against accidents; against forgery and truncation only a head that
        is [pinned elsewhere](ledger.md)
    test_a_changed_ledger_is_named.py::test_a_flipped_byte_in_any_field_of_any_row_is_named
    hashes_not_recomputed
A: a curator with the documented roles who writes a row of his own
    every charge adds up anew all that it rests on
    test_servers.py::test_a_curator_who_forges_a_row_by_hand_resets_no_budget
    sums_believed
A: numbers as text: `nan`, `1e1000000`, `1/0`, `٣`, `1_000`
    one parser for ASCII numbers, with a cap on their length and size
    test_a_number_means_one_thing_or_nothing.py::test_every_bad_number_is_refused_at_once
    numbers_as_python_reads_them
A: an n or k so large that a table would not fit
    refused from public facts, before counting
    test_what_would_not_fit_is_refused_at_once.py::test_a_list_that_would_not_fit_is_refused_before_anything_is_allocated
    no_limit_on_tables
A: a receipt that takes hours to check
    its sizes are public: refused before anything is computed, unless it is to be thorough; its numbers are
        fractions of bounded length
    test_a_hostile_receipt_is_refused_before_it_is_computed.py::test_what_takes_too_long_to_verify_is_refused_by_its_sizes
    test_a_hostile_receipt_is_refused_before_it_is_computed.py::test_a_number_whose_digits_never_end_is_no_receipt
    no_limit_on_receipts, numbers_without_end
A: any bytes, in a number, an option, an address, a table, a receipt, a ledger or a request to the page, on which a
        parser fails with a traceback, hangs, or fills the memory
    every parser is fuzzed, for ten minutes before a release; what was ever found is kept and read again by every test
    test_fuzzing.py::test_what_is_kept_is_read_or_refused
    test_fuzzing.py::test_a_parser_reads_or_refuses_whatever_it_is_given
    parser_that_raises, parser_that_hangs, parser_that_hoards
A: SQL through the name of a column, a table, a file or a category
    names are looked up, quoted or bound; the engine is locked down
    test_names_never_become_sql.py::test_a_hostile_column_is_that_column_and_a_hostile_category_that_category
    test_names_never_become_sql.py::test_even_sql_of_the_attackers_own_reaches_nothing_but_the_source
    engine_not_locked
A: a record that changes how other records are read, or stops the release: an open quote, a bare CR, a field too
        many, bytes that are not UTF-8; a malicious Parquet or Arrow file
    a CSV file is well-formed or refused before the charge, in one sentence; one broken record is always found;
        other bytes are values ([the promise](promise.md))
    test_bad_files_fail_in_constant_words.py::test_a_bad_csv_file_is_refused
    test_bad_files_fail_in_constant_words.py::test_a_cut_or_flipped_file_is_refused_or_read_but_never_quoted
    lenient_reader
A: formulas in our own sheets
    JSON by default; cells that begin like a formula are quoted
    test_foreign_text_steers_nothing.py::test_an_exported_sheet_computes_nothing_and_steers_nothing
    cells_as_they_come
A: names that steer the terminal, the page or the picture, in a receipt or a ledger of somebody else's
    control, direction and zero-width characters are refused where names come in, and shown escaped everywhere;
        markup is shown and not obeyed
    test_foreign_text_steers_nothing.py::test_a_receipt_with_any_names_verifies_and_shows_them_escaped
    tables_unescaped
A: a script in the name of a category, another site that calls the [page](page.md) on the curator's machine, a
        name that is made to lead there
    text nodes under a policy that refuses markup; loopback, Host check, token; a GET asks nothing
    test_the_page_obeys_only_its_owner.py::test_a_stranger_is_turned_away_and_nothing_is_spent
    test_the_page_obeys_only_its_owner.py::test_another_site_in_the_same_browser_gets_and_spends_nothing
    page_makes_markup, page_adds_a_script, page_adds_a_handler, sixteen_bits
A: pickle, eval, YAML
    JSON alone
    test_doors.py::test_dangerous_things_are_used_only_behind_their_door
    dangerous_imports
A: another user of the machine who reads what an engine keeps on disk
    DuckDB and SQLite, where discreet opens them, keep everything in memory; Spark's files are encrypted, and
        the driver's are private ([clusters](cluster.md)); a process that reads rows leaves no core file
    test_no_other_user_reads_what_spark_writes.py::test_nobody_reads_a_file_of_a_release_that_is_killed_and_root_finds_no_word_in_it
    test_a_release_writes_only_what_it_is_asked_to.py::test_counting_on_any_local_engine_writes_not_one_byte
    files_as_spark_writes_them, counts_spilled, counts_in_a_file
"""
"""Threats: the kind and the attempt, then what answers, the tests, and the faults of tests/faults/registry.py. A line
that is indented further goes on with the one before."""


class Threat(NamedTuple):
    """One row of the page."""

    kind: str
    attempt: str
    answer: str
    tests: tuple[str, ...]
    """Each `file::test`; the file lies anywhere below tests."""
    faults: tuple[str, ...]


def _read(text: str) -> list[Threat]:
    threats = []
    for block in re.split(r"\n(?=[AC]: )", text.strip().replace("\n        ", " ")):
        head, answer, *tests, faults = map(str.strip, block.strip().split("\n"))
        threats.append(Threat(head[0], head[3:], answer, tuple(tests), tuple(faults.split(", "))))
    return threats


THREATS = _read(LIST)


def table() -> str:
    """The threats as the page shows them: tests by the files whose names are sentences, faults in words."""
    lines = [
        "| | what they would try | what answers | the test | planted faults that are rejected |",
        "|---|---|---|---|---|",
    ]
    for threat in THREATS:
        tests = "<br>".join(f"`{path_of(test)}`" for test in threat.tests)
        faults = "<br>".join(FAULTS[fault][0] for fault in threat.faults)
        lines.append(f"| {threat.kind} | {threat.attempt} | {threat.answer} | {tests} | {faults} |")
    return "\n".join(lines) + "\n"


def path_of(test: str) -> str:
    """Where a test is, from the root of the repository."""
    file, _, function = test.partition("::")
    [path] = [path for path in TESTS.rglob(file) if f"def {function}(" in path.read_text(encoding="utf-8")]
    return f"{path.relative_to(TESTS.parent).as_posix()}::{function}"


def written(page: str) -> str:
    """The page with today's table in it."""
    before, _, rest = page.partition(BEGIN)
    _, _, after = rest.partition(END)
    return f"{before}{BEGIN}\n{table()}\n{END}{after}"


if __name__ == "__main__":
    PAGE.write_text(written(PAGE.read_text(encoding="utf-8")), encoding="utf-8")
