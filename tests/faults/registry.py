"""Every planted fault in one sentence, with the test that rejects it. `test_registry.py` walks this list.

A fault is something that the library might get wrong, done wrong on purpose. A test that no fault can fail says
nothing. Each of these tests passes where the fault is not, and says no where it is.
"""

from __future__ import annotations

import inspect

from tests.faults import (
    command,
    formulas,
    losses,
    planted,
    private_n,
    randomness,
    sampling,
    sizes,
    snapping,
    tight,
    told,
    unlocked_ledger,
)

MODULES = (
    command, formulas, losses, planted, private_n, randomness, sampling, sizes, snapping, tight, told, unlocked_ledger,
)  # fmt: skip

LIST = """
# Bits: the operating system's, and nobody else's.
test_every_bit_is_the_systems.py::test_bits_from_anywhere_else_are_rejected
    TwoBytesHashed, SeededOnce, SurplusKept, Mixed, Reversed
test_forked_children_draw_different_bits.py::test_bits_that_are_read_ahead_are_drawn_by_every_child_alike
    Buffered

# Samplers: the law that is drawn from is the law that is meant.
test_sampling_faults.py::test_a_fault_in_a_sampler_changes_the_law_that_is_read_off_it
    coin_decided_by_a_float_too_high, blocks_without_their_size, end_of_the_line_forgotten,
    proposal_of_its_own_term, atom_forgotten, table_of_short_weights, uniform_of_eight_bits, ways_not_squared,
    digit_of_the_next, zero_twice, zero_coin_of_the_floor
    bound_three_per_cent_too_low: The bound on the weights of a block is 3 % too low.
    bound_one_per_cent_too_low: The bound on the weights of a block is 1 % too low.
    coin_five_per_cent_too_low: The coin that keeps a candidate of a line falls true 5 % too seldom.
    coin_five_per_cent_too_high: The coin that keeps a candidate of a line falls true 5 % too often.
    coin_one_per_cent_too_low: The coin that keeps a candidate of a line falls true 1 % too seldom.
    rate_of_geometric_off: The rate of one-sided noise is 1 % too large.
    rate_of_two_sided_off: The rate of two-sided noise is 1 % too large.
    rate_of_zero_sum_off: The rate of noise that sums to zero is 1 % too large.
test_sampling_faults.py::test_a_remainder_is_no_uniform_number
    remainder
test_sampling_faults.py::test_cuts_that_may_fall_together_make_no_even_composition
    bars_with_repetition
test_sampling_faults.py::test_a_coin_of_four_bits_is_told_from_one_that_asks_for_more
    short_coin
test_gaussian_noise.py::test_a_sampler_that_skips_the_acceptance_step_is_rejected
    sum_not_accepted: Gaussian noise of total zero is not kept with the probability of its last number.
test_exponential_majorant.py::test_a_majorant_that_is_not_raised_is_caught
    majorant_not_raised: The majorant of a law's weights is not raised where it is too low.
test_bulk_rejection.py::test_a_majorant_of_smaller_weights_is_found_too_low
    majorant_of_a_faster_rate: The majorant is that of a law whose weights are smaller.

# Formulas: sensitivities, the growth of 1/S, neighbours.
test_formula_faults.py::test_a_fault_in_a_formula_is_rejected_by_the_check_that_the_right_one_passes
    smooth_rate_too_large, reciprocal_rate_doubled, first_way_forgotten, one_end_only, emptied_targets_forgotten,
    growth_halved, growth_rounded_down, corners_skipped, last_records_skipped, one_direction_only,
    normalisers_forgotten, far_outputs_forgotten, middle_skipped, windows_too_short

test_sensitivities_do_not_cancel.py::test_float_differences_of_large_gammas_would_be_rejected
    sensitivity_in_floats: A sensitivity is a difference of floats of lnΓ.

# Mechanisms that claim more privacy than they have, found by brute force.
test_faults.py::test_loss_exceeds_what_is_claimed_with_the_fault_and_not_without_it
    HalvedSensitivity, WrongNeighbour, BelowLocalSomewhere, BelowLocalAtOneDataSet, GrowthLeftOut, NoiseTooSmall,
    FloatWeights, FlooredWeights

test_private_n.py::test_a_wrong_form_under_add_remove_loses_more_than_it_claims
    TotalKept, RateDoubled, NoiseClamped, EmptyTableTold

test_tight.py::test_a_wrong_form_of_it_is_found_wrong
    WeightOffByAMillionth, NegativeWeightAccepted, HalfTheDistance, TwiceTheDistance

# Mechanisms that claim more privacy than they have, found by their audit or their certificate.
test_faults.py::test_an_epsilon_off_by_one_percent_is_rejected_by_its_loss
    OnePercentMore
test_faults.py::test_a_scale_one_percent_above_the_calibrated_one_is_rejected_by_its_loss
    scale_one_per_cent_above: A scale 1 % above the calibrated one has the calibrated one's claim.
test_faults.py::test_a_claim_that_nobody_checked_is_rejected_by_its_loss
    flattered
test_faults.py::test_a_scale_certified_for_another_n_is_rejected_by_its_loss_and_by_its_certificate
    AnotherN
test_faults.py::test_weights_floored_at_zero_are_rejected_by_an_infinite_loss
    LinearWeights
test_faults.py::test_float_weights_that_underflow_for_one_neighbour_only_are_rejected_by_an_infinite_loss
    UnderflowingWeights
test_faults.py::test_noise_proved_for_another_adjacency_is_rejected_by_its_loss
    ProvedForAddRemove
test_faults.py::test_an_audit_of_one_adjacency_never_certifies_another
    ClaimedForAddRemove
test_faults.py::test_a_law_that_differs_in_one_weight_is_rejected_by_its_loss_and_by_its_certificate
    OneWeight
test_faults.py::test_a_drawn_weight_that_differs_in_one_place_or_is_no_number_is_rejected_by_its_audit
    OneDrawnWeight, NotANumber
test_faults.py::test_a_geometric_law_of_another_rate_is_not_taken_for_the_right_one
    DoubledRate
test_optimal.py::test_the_kernel_is_not_private_to_the_last_digit_which_is_why_it_is_never_released
    kernel_of_a_solver: What a solver found optimal is taken for private to the last digit.
test_audits.py::test_a_scan_that_the_law_does_not_confirm_is_no_audit
    drifting_floats: The floats of a law are off by a millionth.
test_edge_rows.py::test_a_halved_sensitivity_is_still_rejected_beyond_enumeration
    scale_eight_times_too_large: Beyond enumeration, a scale is eight times too large for its claim.
test_scan.py::test_a_scale_that_is_too_large_is_rejected
    swept_scale_too_large: Of three categories, a scale is too large for its claim.
test_interior_bounds.py::test_a_bound_that_forgets_the_change_of_the_rates_is_caught
    change_of_rates_forgotten: The bound on a block of rows takes rates for equal.
test_calibration.py::test_a_scale_that_no_audit_certified_would_be_rejected
    scale_not_certified: A calibration returns a scale that no audit certified.
test_deltas.py::test_a_delta_that_is_rounded_to_the_nearest_float_would_be_found_below
    delta_to_the_nearest: δ is rounded to the nearest float.
test_deltas.py::test_a_delta_that_is_only_summed_in_floats_would_be_found_below
    delta_in_floats: δ is summed in floats.
test_gaussian.py::test_a_deviation_of_seven_tenths_exceeds_what_is_claimed
    seven_tenths_of_sigma: Gaussian noise has 0.7 of the deviation that its claim needs.
test_gaussian.py::test_a_delta_that_is_rounded_down_would_be_found_below_the_truth
    gaussian_delta_rounded_down: The δ of Gaussian noise is rounded down.
test_variation.py::test_a_second_crossing_that_is_forgotten_would_be_noticed
    second_crossing_forgotten: Total variation looks at one crossing of two.
test_prices.py::test_others_are_priced_by_their_epsilon_and_half_of_it_would_be_false
    price_of_half_the_range: Additive noise is priced as if its losses had half their range.

# Certificates, roundings, prices.
test_formula_faults.py::test_a_digest_without_a_field_would_let_it_be_changed
    digest_without_facts: A certificate's digest leaves out the mechanism's facts.
    digest_without_loss: A certificate's digest leaves out the loss.
    digest_without_method: A certificate's digest leaves out the method.
    digest_without_statement: A certificate's digest leaves out the statement.
    digest_without_worst: A certificate's digest leaves out where the loss is reached.
test_formula_faults.py::test_a_certificate_that_leaves_out_a_fact_would_cover_another_mechanism
    facts_without_n: A certificate does not say for how many records it holds.
    facts_without_prior: A certificate does not say for which prior it holds.
    facts_without_parameters: A certificate does not say for which scale and γ it holds.
    facts_without_adjacency: A certificate does not say which data sets are neighbours.
    facts_without_law: A certificate does not say whose law it speaks of.
test_formula_faults.py::test_an_epsilon_that_is_shown_rounded_to_the_nearest_float_is_below_the_truth
    epsilon_of_certificates: A certificate shows the float nearest to its loss.
    epsilon_of_audits: An audit shows the float nearest to its loss.
    epsilon_of_receipts: A receipt shows the float nearest to its ε.
    epsilon_of_bundles: A bundle shows the float nearest to its ε.
    epsilon_of_accounts: An account shows the float nearest to what was spent.
    epsilon_of_snapping: A snapped release shows the float nearest to its ε.
test_formula_faults.py::test_a_rho_that_is_rounded_down_is_below_the_truth
    rho_rounded_down
test_group_releases.py::test_several_columns_cost_the_sum_of_their_rho_and_not_the_greatest
    greatest_rho_of_columns: Several columns cost the greatest of their ρ.

# What many releases cost together.
test_loss_distributions.py::test_an_average_of_epsilons_would_be_below_the_truth
    averaged_epsilons: Releases are composed as if all had the average of their ε.
test_loss_distributions.py::test_without_the_atom_at_zero_all_together_would_be_below_the_truth
    no_atom_at_zero: A composition leaves out that a release may tell nothing.
test_loss_distributions.py::test_losses_that_are_rounded_down_would_be_below_the_truth
    losses_rounded_down: Losses are rounded down to a grid.
test_renyi_bounds.py::test_the_divergence_at_order_one_would_be_too_little_where_the_condition_fails
    rho_without_its_condition: ρ is the divergence at order one, whether the condition for that holds or not.
test_loss_pairs.py::test_half_of_a_range_would_be_below_the_truth
    range_halved: The losses of the exponential family are taken to have half their range.

# Snapping.
test_snapping_faults.py::test_a_fault_has_another_distribution
    LogOneUnitOff, TowardZero, TiesToEven, FixedGrid, LatticeTooSmall, ScaledInFloats, ScaleTooSmall,
    EndsWithBinary64

# The steps of a release, and what is said of it.
test_nothing_said_of_a_release_depends_on_its_data.py::test_a_receipt_that_tells_the_error_of_its_own_data_is_found_out
    error_of_this_data_set
test_nothing_said_of_a_release_depends_on_its_data.py::test_rows_of_one_person_move_many_counts_without_an_id_column_and_one_with_it
    rows_for_people: All rows of one person are counted, where people are protected.
test_neighbouring_files_look_alike.py::test_a_warning_that_depends_on_a_count_is_found_out
    empty_category_warned_of
test_neighbouring_files_look_alike.py::test_a_refusal_that_tells_strays_apart_is_found_out
    strays_told_apart
test_no_count_survives_a_failing_release.py::test_the_canary_would_be_seen
    count_in_an_error: An error of others, with a count in its words, reaches the outside.
test_every_seal_has_the_same_length.py::test_seals_that_are_only_as_long_as_what_was_drawn_differ
    seal_as_long_as_its_draw: A seal is as long as what was drawn.
test_a_killed_release_is_paid_once.py::test_a_budget_that_is_charged_after_the_draw_is_found_out
    charged_after_the_draw
test_a_draw_costs_the_same_bits_for_all_data.py::test_a_draw_that_walks_from_candidate_to_candidate_is_found_out
    walk_to_the_outcome: A draw asks one candidate after the other, so that its length tells which it is.

# The doors: numbers, names, files, sizes.
test_a_number_means_one_thing_or_nothing.py::test_what_python_reads_as_a_number_is_more_than_has_one_meaning
    numbers_as_python_reads_them: Numbers are read by Python's own rules.
test_names_never_become_sql.py::test_the_locked_engine_would_have_been_open_without_the_lock
    engine_not_locked: The query engine may open other files.
test_bad_files_fail_in_constant_words.py::test_a_reader_that_makes_the_best_of_a_bad_file_is_found_out
    lenient_reader: A CSV file that is not well-formed is read as well as can be.
test_what_would_not_fit_is_refused_at_once.py::test_without_the_limit_it_would_be_allocated
    no_limit_on_tables: A list of all candidates is made, whatever their number.
test_a_hostile_receipt_is_refused_before_it_is_computed.py::test_without_the_bound_it_would_be_computed
    no_limit_on_receipts: A receipt is checked, whatever it says its sizes are.
test_a_hostile_receipt_is_refused_before_it_is_computed.py::test_without_the_rule_python_would_read_it
    numbers_without_end: The numbers of a receipt are read by Python's own rules.
test_fuzzing.py::test_a_parser_that_raises_hangs_or_hoards_is_found_out
    parser_that_raises: A parser fails on some bytes with an exception that is no refusal.
    parser_that_hangs: A parser never ends on some bytes.
    parser_that_hoards: A parser asks for gigabytes on some bytes.
test_doors.py::test_the_scan_sees_what_it_looks_for
    dangerous_imports: A module reads pickles or YAML, evaluates a text, or draws from another generator.

# Ledgers, groups, counting.
test_budgets.py::test_a_sum_in_floats_would_let_an_eleventh_through
    budget_in_floats: What a budget has spent is a sum of floats.
test_budgets.py::test_cells_as_they_come_would_be_formulas
    cells_as_they_come: Names go into a sheet as they are, formulas too.
test_a_changed_ledger_is_named.py::test_without_its_hash_a_changed_row_would_pass
    hashes_not_recomputed: Nobody computes the hash of a row again.
test_servers.py::test_a_curator_who_forges_a_row_by_hand_resets_no_budget
    sums_believed: A ledger believes the running sum that a row says.
test_no_other_user_reads_what_spark_writes.py::test_files_that_spark_writes_by_itself_are_found_by_nobody_and_by_root
    files_as_spark_writes_them: Spark keeps its files as it does by itself, readable and in the clear.
test_a_budget_is_never_spent_twice.py::test_the_same_race_overspends_a_ledger_that_takes_no_lock
    UnlockedLedger
test_a_budget_is_never_spent_twice.py::test_without_a_lock_a_slot_is_taken_twice_and_the_reader_says_so
    slot_taken_twice: Two processes take the last slot of a schedule.
test_schedules.py::test_whoever_reads_a_ledger_finds_a_charge_above_its_slot_and_a_slot_taken_twice
    charge_above_its_slot: A charge takes a slot that is smaller than it.
    slots_as_one_likes: A charge takes a slot that does not exist, or one slot for two releases.
test_schedules.py::test_a_price_below_the_composition_of_its_slots_is_found
    schedule_too_cheap: A schedule is opened for less than all of its slots cost.
test_outside_accountant.py::test_a_ledger_that_accepts_too_much_is_found_out
    eighth_of_what_was_spent: A budget under basic composition is compared with an eighth of what was spent.
    half_of_rho: A release is charged half of its ρ.
    half_of_the_slots: The price of a schedule is that of half of its slots.
    steps_forgotten: A release under add-remove is charged once where a record is replaced.
test_slips.py::test_without_the_comparison_of_digests_the_second_charge_would_be_made
    digests_not_compared: A question that was charged before is charged again without a word.
test_a_ledger_with_two_names_loses_no_charge.py::test_a_lock_beside_the_file_in_place_of_one_on_it_is_found_out
    lock_of_a_name: The lock lies beside the file, so that a ledger with two names has two.
test_a_power_failure_loses_no_answered_charge.py::test_a_file_that_is_not_synced_loses_charges
    file_not_synced: A ledger in a file answers before its row is on the disk.
test_a_power_failure_loses_no_answered_charge.py::test_a_server_that_answers_before_it_syncs_loses_charges
    commit_not_synced: A ledger on a server answers before its commit is on the disk.
test_a_budget_adds_up_the_same_neighbours.py::test_a_ledger_that_forgets_whom_or_what_it_protects_is_found_out
    unit_forgotten: A budget forgets whether it protects rows or people.
    columns_forgotten: A budget forgets which of its columns are public, and which protected.
test_groups_are_cells_of_one_table.py::test_groups_by_themselves_with_their_sizes_as_n_are_caught
    naive_groups: Groups are released one by one, with their sizes as public n.
test_databases.py::test_a_database_that_gets_our_texts_wrong_is_refused
    texts_in_capitals: A database compares texts without their case.
test_a_release_writes_only_what_it_is_asked_to.py::test_a_file_with_the_counts_is_seen
    counts_in_a_file: The counts are written to a file in the temporary directory.
test_a_release_writes_only_what_it_is_asked_to.py::test_a_release_that_writes_a_byte_dies_of_it
    counts_spilled: An engine spills its rows to a file.
test_large_counts.py::test_a_count_that_wraps_is_seen
    counts_of_32_bits: Counts wrap around at 2³².

# The number of records, where it is private.
test_the_number_of_records_is_never_told.py::test_whatever_tells_the_number_of_records_is_found_out
    n_published, digest_with_the_size, error_on_the_empty_table, strays_looked_at
test_the_number_of_records_is_never_told.py::test_a_filter_where_n_is_published_would_tell_how_many_were_selected
    filter_after_n_is_public
test_adjacencies.py::test_a_ledger_whose_charge_was_paid_by_another_factor_is_named
    factor_forgotten: A budget under replace-one pays ε for a release under add-remove.

# Seen from outside: on the way of the command, from a file to what is printed.
test_a_black_box_tester_finds_every_fault_and_nothing_else.py::test_every_planted_fault_is_found
    noise_of_twice_epsilon, noise_that_keeps_a_private_total, noise_forgotten_in_a_cell, cut_at_the_true_total,
    drawn_until_the_order_is_right, sensitivity_of_a_quarter, deviation_without_delta, distance_of_both_counts,
    two_bits_of_each_word, counted_by_a_join, seeded_anew
test_black_box.py::test_an_event_that_is_tested_on_the_draws_it_was_chosen_on_would_raise_false_alarms
    tested_where_it_was_chosen: A black-box tester tests an event on the draws that it was chosen on.

# The measurement that OpenDP is given.
test_opendp_measurement.py::test_a_wrong_map_would_be_seen
    map_of_one_change: The map of a bridged measurement is the loss of one change, whatever the distance.
    map_rounded_down: The map of a bridged measurement is rounded down.
    map_of_twice_the_changes: The map of a bridged measurement counts two changes as one.

# What is shown of foreign texts.
test_foreign_text_steers_nothing.py::test_a_printer_that_does_not_escape_is_found_out
    tables_unescaped: The tables of ledgers and receipts print foreign texts as they are.

# The page.
test_the_page_obeys_only_its_owner.py::test_a_token_of_fewer_bits_is_found_out
    sixteen_bits: The page's token has sixteen bits of the system, whatever its length.
test_the_page_obeys_only_its_owner.py::test_the_browser_would_refuse_a_page_that_made_markup_or_ran_a_text
    page_makes_markup: The page makes markup of a text.
    page_adds_a_script: The page adds a script.
    page_adds_a_handler: The page sets a handler from a text.

# What a reader may believe.
test_weighted_draws.py::test_what_is_wrong_would_be_seen
    drawn_totals_off: The normalisers of drawn data sets are off.
    drawn_chances_off: The chances of drawn data sets are off.
    drawn_prior_off: The prior of drawn data sets is off.
test_line.py::test_totals_that_are_off_would_be_seen
    line_totals_off: The normalisers of a line are off by a thousandth.
test_line.py::test_blocks_without_the_kink_of_the_law_would_be_seen
    kink_forgotten: Blocks of counts run across a kink of the law.
test_line.py::test_fewer_records_with_the_weights_of_others_would_be_seen
    weights_of_others: Counts that stand for fewer records keep the weights of others.
test_noisy.py::test_noise_that_is_stated_too_small_would_be_seen
    stated_too_small: The noise of somebody else's table is stated at a third of its size.
test_noisy.py::test_a_clamped_zero_that_is_read_as_a_zero_would_be_seen
    clamped_as_zero: A zero of a clamped table is read as a zero.
test_sums.py::test_a_transform_that_is_too_short_would_be_seen
    transform_too_short: The law of a sum of many cells is wrapped into too few counts.
test_synthetic.py::test_the_rule_that_adds_what_each_copy_adds_would_be_seen
    synthetic_as_imputed: Analyses of synthetic copies are combined by the rule for imputed data.
test_predictive.py::test_differences_of_large_gammas_would_be_noticed
    large_gammas_subtracted: The prior predictive is a difference of large values of lnΓ.

# The papers' figures and claims.
test_streams.py::test_runs_of_a_neighbouring_law_are_rejected
    noise_twice_as_wide: Runs are drawn with noise of twice the scale.
test_any_score.py::test_without_the_greatest_score_the_theorem_would_be_false
    greatest_score_forgotten: The theorem for scores up to 1 is claimed for scores beyond.
test_printed_values.py::test_the_papers_distance_is_a_power_of_the_right_one
    legacy_power_one: The papers' own distance is taken for the Hellinger distance.
test_claims.py::test_a_claim_that_holds_would_fail_if_it_said_something_wrong
    wrong_claims: Each claim that holds is read wrongly, one by one.
"""
"""Tests, each with the faults that it rejects. A test is `file::test`; the file lies anywhere below tests. A fault has
a name and a sentence; one that stands in a module of this room says itself, in its docstring, what is wrong."""


def faults_in(module: object) -> dict[str, str]:
    """The faults of a module by name, each with the first line of its docstring."""
    return {
        name: inspect.getdoc(kind).splitlines()[0]  # type: ignore[union-attr]
        for name, kind in vars(module).items()
        if (inspect.isclass(kind) or inspect.isfunction(kind))
        and kind.__module__ == module.__name__  # type: ignore[attr-defined]
        and not name.startswith("_")
    }


def _read(text: str) -> dict[str, tuple[str, str]]:
    documented = {name: what for module in MODULES for name, what in faults_in(module).items()}
    faults, test = {}, ""
    for line in text.splitlines():
        name, told, what = line.strip().partition(": ")
        if line.startswith("test_"):
            test = line
        elif line.startswith("    ") and told:
            faults[name] = (what, test)
        elif line.startswith("    "):
            faults |= {name: (documented[name], test) for name in line.strip(" ,").split(", ")}
    return faults


FAULTS = _read(LIST)
"""The name of a fault: what is wrong, and the test that rejects it."""
