"""Every planted fault in one sentence, with the test that rejects it. `test_registry.py` walks this list.

A fault is something that the library might get wrong, done wrong on purpose. A test that no fault can fail says
nothing. Each of these tests passes where the fault is not, and says no where it is.
"""

from __future__ import annotations

FAULTS: dict[str, tuple[str, str]] = {}
"""The name of a fault: what is wrong, and `file::test`. The file is looked for below tests, wherever it lies."""


def _rejected_by(test: str, **faults: str) -> None:
    FAULTS.update({name: (what, test) for name, what in faults.items()})


# Bits: the operating system's, and nobody else's.

_rejected_by(
    "test_every_bit_is_the_systems.py::test_bits_from_anywhere_else_are_rejected",
    TwoBytesHashed="Every draw is a hash of two of the system's bytes.",
    SeededOnce="Four of the system's bytes are a seed; what is drawn is a hash of it, the process and a counter.",
    SurplusKept="What is left of a byte is kept for the next draw.",
    Mixed="Something of one's own is mixed into the system's bytes.",
    Reversed="The system's bytes are taken in the other order.",
)
_rejected_by(
    "test_forked_children_draw_different_bits.py::test_bits_that_are_read_ahead_are_drawn_by_every_child_alike",
    Buffered="The system's bytes are read ahead, and a forked child draws the same ones.",
)

# Samplers: the law that is drawn from is the law that is meant.

_rejected_by(
    "test_sampling_faults.py::test_a_fault_in_a_sampler_changes_the_law_that_is_read_off_it",
    bound_three_per_cent_too_low="The bound on the weights of a block is 3 % too low.",
    bound_one_per_cent_too_low="The bound on the weights of a block is 1 % too low.",
    coin_five_per_cent_too_low="The coin that keeps a candidate of a line falls true 5 % too seldom.",
    coin_five_per_cent_too_high="The coin that keeps a candidate of a line falls true 5 % too often.",
    coin_one_per_cent_too_low="The coin that keeps a candidate of a line falls true 1 % too seldom.",
    coin_decided_by_a_float_too_high="The float that lets a coin fall true at once is 1 % above the weight.",
    blocks_without_their_size="Blocks are chosen by the bound on one of their candidates.",
    end_of_the_line_forgotten="A line ends one candidate too early.",
    proposal_of_its_own_term="A candidate is kept as if the likeliest term alone could propose it.",
    atom_forgotten="The chance of the data itself leaves out the atom that proposes it.",
    table_of_short_weights="The weights of a small law are rounded to eight bits.",
    uniform_of_eight_bits="A table is read with eight bits, and what they leave open is called decided.",
    rate_of_geometric_off="The rate of one-sided noise is 1 % too large.",
    rate_of_two_sided_off="The rate of two-sided noise is 1 % too large.",
    rate_of_zero_sum_off="The rate of noise that sums to zero is 1 % too large.",
    ways_not_squared="The total of zero-sum noise counts the ways to gain, and not those to lose.",
    digit_of_the_next="Each binary digit of geometric noise has the chance of the next one.",
    zero_twice="Zero comes from either sign, twice as often as it should.",
    zero_coin_of_the_floor="Laplace noise rounded to the nearest is tossed for zero as if it were rounded down.",
)
_rejected_by(
    "test_sampling_faults.py::test_a_remainder_is_no_uniform_number",
    remainder="A whole number below a bound is a remainder, and small ones come too often.",
)
_rejected_by(
    "test_sampling_faults.py::test_cuts_that_may_fall_together_make_no_even_composition",
    bars_with_repetition="A composition is made of cuts that may fall together.",
)
_rejected_by(
    "test_sampling_faults.py::test_a_coin_of_four_bits_is_told_from_one_that_asks_for_more",
    short_coin="A coin compares four bits with its chance and asks for no more.",
)
_rejected_by(
    "test_exponential_majorant.py::test_a_cover_that_is_not_raised_is_caught",
    cover_not_raised="The cover of a law's weights is not raised where it is too low.",
)
_rejected_by(
    "test_bulk_rejection.py::test_a_cover_of_smaller_weights_is_found_too_low",
    cover_of_a_faster_rate="The cover is that of a law whose weights are smaller.",
)

# Formulas: sensitivities, the growth of 1/S, neighbours.

_rejected_by(
    "test_formula_faults.py::test_a_fault_in_a_formula_is_rejected_by_the_check_that_the_right_one_passes",
    smooth_rate_too_large="The smooth sensitivity fades 1 % faster than its γ says.",
    reciprocal_rate_doubled="The reciprocal sensitivity counts every moved record twice.",
    first_way_forgotten="One of the two steps that may be the largest is left out.",
    one_end_only="The global sensitivity of two categories is that of one end.",
    emptied_targets_forgotten="Smoothing leaves out the arrangements that empty the target.",
    growth_halved="Γ of the reciprocal sensitivity is half of its rate.",
    growth_rounded_down="Γ is rounded down.",
    corners_skipped="The audit leaves out data sets with an empty category.",
    last_records_skipped="The audit takes no category's last record.",
    one_direction_only="The audit compares neighbours one way round.",
    normalisers_forgotten="The bound on a block of rows takes normalisers for equal.",
    far_outputs_forgotten="The bound on a block of rows looks at the two nearest outputs alone.",
    middle_skipped="Beyond enumeration the rows between the ends are left out.",
    windows_too_short="Outputs are taken for equally unlikely where they are not.",
)

# Mechanisms that claim more privacy than they have, found by brute force.

_rejected_by(
    "test_faults.py::test_loss_exceeds_what_is_claimed_with_the_fault_and_not_without_it",
    HalvedSensitivity="The global sensitivity is halved.",
    WrongNeighbour="Noise is made for a record that is added, where one is replaced.",
    BelowLocalSomewhere="The sensitivity of balanced data is used for all data.",
    BelowLocalAtOneDataSet="The sensitivity is a third of what it should be at one corner.",
    GrowthLeftOut="The local sensitivity is claimed to cost as little as a fixed one.",
    NoiseTooSmall="Noise that is enough for two categories is used for three.",
    FloatWeights="Weights are floats, and underflow for some data sets before others.",
    FlooredWeights="Weights are rounded down to multiples of 2⁻¹².",
)

# Mechanisms that claim more privacy than they have, found by their audit or their certificate.

_rejected_by(
    "test_faults.py::test_an_epsilon_off_by_one_percent_is_rejected_by_its_loss",
    OnePercentMore="Noise is 1 % too small.",
)
_rejected_by(
    "test_faults.py::test_a_scale_one_percent_above_the_calibrated_one_is_rejected_by_its_loss",
    scale_one_per_cent_above="A scale 1 % above the calibrated one has the calibrated one's claim.",
)
_rejected_by(
    "test_faults.py::test_a_claim_that_nobody_checked_is_rejected_by_its_loss",
    flattered="A loss is claimed that nobody checked.",
)
_rejected_by(
    "test_faults.py::test_a_scale_certified_for_another_n_is_rejected_by_its_loss_and_by_its_certificate",
    AnotherN="A scale that was certified for fifty records is used for four hundred.",
)
_rejected_by(
    "test_faults.py::test_weights_floored_at_zero_are_rejected_by_an_infinite_loss",
    LinearWeights="Weights fall in a straight line and are floored at zero.",
)
_rejected_by(
    "test_faults.py::test_float_weights_that_underflow_for_one_neighbour_only_are_rejected_by_an_infinite_loss",
    UnderflowingWeights="Weights are floats, and underflow for one of two neighbours.",
)
_rejected_by(
    "test_faults.py::test_noise_proved_for_another_adjacency_is_rejected_by_its_loss",
    ProvedForAddRemove="Noise is proved for records that are added or removed.",
)
_rejected_by(
    "test_faults.py::test_an_audit_of_one_adjacency_never_certifies_another",
    ClaimedForAddRemove="A mechanism for n records claims to protect their number.",
)
_rejected_by(
    "test_faults.py::test_a_law_that_differs_in_one_weight_is_rejected_by_its_loss_and_by_its_certificate",
    OneWeight="One weight of one law is too large.",
)
_rejected_by(
    "test_faults.py::test_a_drawn_weight_that_differs_in_one_place_or_is_no_number_is_rejected_by_its_audit",
    OneDrawnWeight="One weight that is drawn from is not the one that floats show.",
    NotANumber="One weight is no number.",
)
_rejected_by(
    "test_faults.py::test_a_geometric_law_of_another_rate_is_not_taken_for_the_right_one",
    DoubledRate="Geometric noise forgets the half in its rate.",
)
_rejected_by(
    "test_audits.py::test_a_scan_that_the_law_does_not_confirm_is_no_audit",
    drifting_floats="The floats of a law are off by a millionth.",
)
_rejected_by(
    "test_edge_rows.py::test_a_halved_sensitivity_is_still_rejected_beyond_enumeration",
    scale_eight_times_too_large="Beyond enumeration, a scale is eight times too large for its claim.",
)
_rejected_by(
    "test_scan.py::test_a_scale_that_is_too_large_is_rejected",
    swept_scale_too_large="Of three categories, a scale is too large for its claim.",
)
_rejected_by(
    "test_interior_bounds.py::test_a_bound_that_forgets_the_change_of_the_rates_is_caught",
    change_of_rates_forgotten="The bound on a block of rows takes rates for equal.",
)
_rejected_by(
    "test_calibration.py::test_a_scale_that_no_audit_certified_would_be_rejected",
    scale_not_certified="A calibration returns a scale that no audit certified.",
)
_rejected_by(
    "test_deltas.py::test_a_delta_that_is_rounded_to_the_nearest_float_would_be_found_below",
    delta_to_the_nearest="δ is rounded to the nearest float.",
)
_rejected_by(
    "test_deltas.py::test_a_delta_that_is_only_summed_in_floats_would_be_found_below",
    delta_in_floats="δ is summed in floats.",
)
_rejected_by(
    "test_variation.py::test_a_second_crossing_that_is_forgotten_would_be_noticed",
    second_crossing_forgotten="Total variation looks at one crossing of two.",
)
_rejected_by(
    "test_prices.py::test_others_are_priced_by_their_epsilon_and_half_of_it_would_be_false",
    price_of_half_the_range="Additive noise is priced as if its losses had half their range.",
)

# Certificates, roundings, prices.

_rejected_by(
    "test_formula_faults.py::test_a_digest_without_a_field_would_let_it_be_changed",
    digest_without_facts="A certificate's digest leaves out the mechanism's facts.",
    digest_without_loss="A certificate's digest leaves out the loss.",
    digest_without_method="A certificate's digest leaves out the method.",
    digest_without_statement="A certificate's digest leaves out the statement.",
    digest_without_worst="A certificate's digest leaves out where the loss is reached.",
)
_rejected_by(
    "test_formula_faults.py::test_a_certificate_that_leaves_out_a_fact_would_cover_another_mechanism",
    facts_without_n="A certificate does not say for how many records it holds.",
    facts_without_prior="A certificate does not say for which prior it holds.",
    facts_without_parameters="A certificate does not say for which scale and γ it holds.",
    facts_without_adjacency="A certificate does not say which data sets are neighbours.",
    facts_without_law="A certificate does not say whose law it speaks of.",
)
_rejected_by(
    "test_formula_faults.py::test_an_epsilon_that_is_shown_rounded_to_the_nearest_float_is_below_the_truth",
    epsilon_of_certificates="A certificate shows the float nearest to its loss.",
    epsilon_of_audits="An audit shows the float nearest to its loss.",
    epsilon_of_receipts="A receipt shows the float nearest to its ε.",
    epsilon_of_bundles="A bundle shows the float nearest to its ε.",
    epsilon_of_accounts="An account shows the float nearest to what was spent.",
    epsilon_of_snapping="A snapped release shows the float nearest to its ε.",
)
_rejected_by(
    "test_formula_faults.py::test_a_rho_that_is_rounded_down_is_below_the_truth",
    rho_rounded_down="A ρ is cut to a short number below it.",
)
_rejected_by(
    "test_group_releases.py::test_several_columns_cost_the_sum_of_their_rho_and_not_the_greatest",
    greatest_rho_of_columns="Several columns cost the greatest of their ρ.",
)

# Snapping.

_rejected_by(
    "test_snapping_faults.py::test_a_fault_has_another_distribution",
    LogOneUnitOff="A logarithm is one unit in the last place too large.",
    TowardZero="The sum is cut to a multiple of Λ.",
    TiesToEven="Ties are rounded to the even multiple of Λ.",
    FixedGrid="Uniforms are multiples of 2⁻⁵³.",
    EndsWithBinary64="Uniforms end where binary64 ends.",
    LatticeTooSmall="Λ is the power of two below λ.",
    ScaledInFloats="The value is divided by its sensitivity in floats.",
    ScaleTooSmall="λ is too small by a millionth.",
)

# Ledgers, groups, counting.

_rejected_by(
    "test_a_budget_is_never_spent_twice.py::test_the_same_race_overspends_a_ledger_that_takes_no_lock",
    UnlockedLedger="A ledger looks whether a charge fits, and then spends it, in two transactions.",
)
_rejected_by(
    "test_a_ledger_with_two_names_loses_no_charge.py::test_a_lock_beside_the_file_in_place_of_one_on_it_is_found_out",
    lock_of_a_name="The lock lies beside the file, so that a ledger with two names has two.",
)
_rejected_by(
    "test_a_budget_adds_up_the_same_neighbours.py::test_a_ledger_that_forgets_whom_or_what_it_protects_is_found_out",
    unit_forgotten="A budget forgets whether it protects rows or people.",
    columns_forgotten="A budget forgets which of its columns are public, and which protected.",
)
_rejected_by(
    "test_groups_are_cells_of_one_table.py::test_groups_by_themselves_with_their_sizes_as_n_are_caught",
    naive_groups="Groups are released one by one, with their sizes as public n.",
)
_rejected_by(
    "test_databases.py::test_a_database_that_gets_our_texts_wrong_is_refused",
    texts_in_capitals="A database compares texts without their case.",
)
_rejected_by(
    "test_a_release_writes_only_what_it_is_asked_to.py::test_a_file_with_the_counts_is_seen",
    counts_in_a_file="The counts are written to a file in the temporary directory.",
)
_rejected_by(
    "test_a_release_writes_only_what_it_is_asked_to.py::test_a_release_that_writes_a_byte_dies_of_it",
    counts_spilled="An engine spills its rows to a file.",
)
_rejected_by(
    "test_large_counts.py::test_a_count_that_wraps_is_seen",
    counts_of_32_bits="Counts wrap around at 2³².",
)

# What is shown of foreign texts.

_rejected_by(
    "test_foreign_text_steers_nothing.py::test_a_printer_that_does_not_escape_is_found_out",
    tables_unescaped="The tables of ledgers and receipts print foreign texts as they are.",
)

# The page.

_rejected_by(
    "test_the_page_obeys_only_its_owner.py::test_a_token_of_fewer_bits_is_found_out",
    sixteen_bits="The page's token has sixteen bits of the system, whatever its length.",
)

_rejected_by(
    "test_the_page_obeys_only_its_owner.py::test_the_browser_would_refuse_a_page_that_made_markup_or_ran_a_text",
    page_makes_markup="The page makes markup of a text.",
    page_adds_a_script="The page adds a script.",
    page_adds_a_handler="The page sets a handler from a text.",
)

# What a reader may believe.

_rejected_by(
    "test_weighted_draws.py::test_what_is_wrong_would_be_seen",
    drawn_totals_off="The normalisers of drawn data sets are off.",
    drawn_chances_off="The chances of drawn data sets are off.",
    drawn_prior_off="The prior of drawn data sets is off.",
)
_rejected_by(
    "test_line.py::test_totals_that_are_off_would_be_seen",
    line_totals_off="The normalisers of a line are off by a thousandth.",
)
_rejected_by(
    "test_line.py::test_blocks_without_the_kink_of_the_law_would_be_seen",
    kink_forgotten="Blocks of counts run across a kink of the law.",
)
_rejected_by(
    "test_line.py::test_fewer_records_with_the_weights_of_others_would_be_seen",
    weights_of_others="Counts that stand for fewer records keep the weights of others.",
)
_rejected_by(
    "test_predictive.py::test_differences_of_large_gammas_would_be_noticed",
    large_gammas_subtracted="The prior predictive is a difference of large values of lnΓ.",
)

# The papers' figures and claims.

_rejected_by(
    "test_streams.py::test_runs_of_a_neighbouring_law_are_rejected",
    noise_twice_as_wide="Runs are drawn with noise of twice the scale.",
)
_rejected_by(
    "test_any_score.py::test_without_the_greatest_score_the_theorem_would_be_false",
    greatest_score_forgotten="The theorem for scores up to 1 is claimed for scores beyond.",
)
_rejected_by(
    "test_printed_values.py::test_the_papers_distance_is_a_power_of_the_right_one",
    legacy_power_one="The papers' own distance is taken for the Hellinger distance.",
)
_rejected_by(
    "test_claims.py::test_a_claim_that_holds_would_fail_if_it_said_something_wrong",
    wrong_claims="Each claim that holds is read wrongly, one by one.",
)
