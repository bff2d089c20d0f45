/* Applies the rules of findings, and orders what they find. */
#include "advice/findings.h"

#include <stdlib.h>
#include <string.h>

#include "advice/finding_rules.h"
#include "base/error.h"
#include "base/text.h"
#include "partition/undelegated_kernels.h"

typedef bool rule(struct ets_finder *finder);

static rule *const of_block[] = {ets_find_unjoined, ets_find_captured};

/* Of runs in which no tensor was captured: the time of others is not that of the model. */
static rule *const of_times[] = {
    ets_find_between,  ets_find_not_reported, ets_find_outside,
    ets_find_copies,   ets_find_phases,       ets_find_few_runs,
    ets_find_overhead, ets_find_below_roof,   ets_find_small_operators,
};

/* Rules about what can go away come first: no later one asks to delegate that. */
static rule *const of_method[] = {
    ets_find_constant_work,
    ets_find_weights_dequantized,
    ets_find_repeated,
    ets_find_requantized,
    ets_find_expanded,
    ets_find_attention_guard,
    ets_find_refused,
    ets_find_without_rule,
    ets_find_not_delegated,
    ets_find_portable_products,
    ets_find_split,
    ets_find_small_calls,
    ets_find_transposes,
    ets_find_float_island,
    ets_find_state_copied,
    ets_find_batch_norm,
    ets_find_activation,
    ets_find_wrong_layout,
    ets_find_refused_layout,
    ets_find_wrong_softmax,
    ets_find_wrong_gelu,
    ets_find_lost_scales,
    ets_find_too_many_dimensions,
    ets_find_mixed_types,
    ets_find_refusing_kernels,
    ets_find_broadcast,
};

static rule *const of_trace[] = {
    ets_find_load,   ets_find_clocks,        ets_find_losses,
    ets_find_damage, ets_find_other_program, ets_find_threads,
};

static rule *const of_model[] = {
    ets_find_plan,
    ets_find_peak,
    ets_find_plan_mistakes,
    ets_find_duplicates,
    ets_find_unused_constants,
    ets_find_packed_twice,
    ets_find_coarse_weights,
    ets_find_whole_weights,
    ets_find_numbers,
    ets_find_cut_off,
    ets_find_nonfinite,
};

static rule *const of_rest[] = {ets_find_expensive};

#define COUNT(array) (sizeof(array) / sizeof *(array))

/* Several methods are told apart by their name, before the sentence of a block. */
static void name_block(struct ets_finder *finder)
{
    finder->line.used = 0;
    if (finder->blocks.count < 2) return;
    ets_add_timed_block_name(&finder->line, &finder->blocks, finder->block);
    ets_find_say(finder, ": ");
}

static bool apply_to_block(struct ets_finder *finder, rule *const *rules, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        name_block(finder);
        if (!rules[i](finder)) return false;
    }
    return true;
}

static bool examine_block(struct ets_finder *finder)
{
    struct ets_arena *arena = finder->arena;
    const struct ets_timed_blocks *blocks = &finder->blocks;
    const struct ets_timed_block *block = finder->block;
    if (!apply_to_block(finder, of_block, COUNT(of_block))) return false;
    if (finder->blocks.captured[block->block] > 0) return true;
    return ets_timed_block_group(arena, blocks, block, ETS_GROUP_BACKEND, NULL,
                                 &finder->backends) &&
           ets_timed_block_group(arena, blocks, block, ETS_GROUP_OP, NULL, &finder->operators) &&
           apply_to_block(finder, of_times, COUNT(of_times));
}

static bool apply(struct ets_finder *finder, rule *const *rules, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        finder->line.used = finder->evidence.used = finder->action.used = 0;
        if (!rules[i](finder)) return false;
    }
    return true;
}

static bool examine_blocks(struct ets_finder *finder)
{
    if (!ets_timed_blocks_find(finder->arena, finder->subject->inspection, ETS_NO_INDEX,
                               ETS_NO_INDEX, 0, &finder->blocks)) {
        return false;
    }
    for (uint32_t i = 0; i < finder->blocks.count; i++) {
        finder->block = &finder->blocks.items[i];
        if (!examine_block(finder)) return false;
    }
    return apply(finder, of_trace, COUNT(of_trace));
}

/* Of a method that several blocks ran, the one with the longest runs. */
static const struct ets_delegate_section *longest_of(const struct ets_finder *finder,
                                                     const struct ets_delegate_sections *sections,
                                                     uint32_t *at)
{
    const struct ets_delegate_section *longest = &sections->items[*at];
    uint32_t best = UINT32_MAX;
    for (const uint32_t step = longest->first_step;
         *at < sections->count && sections->items[*at].first_step == step; ++*at) {
        for (uint32_t i = 0; i < finder->blocks.count && i < best; i++) {
            if (finder->blocks.items[i].block != sections->items[*at].block) continue;
            longest = &sections->items[*at];
            best = i; /* blocks are sorted */
        }
    }
    return longest;
}

static bool examine_methods(struct ets_finder *finder, const struct ets_outside *outsides)
{
    struct ets_delegate_sections sections;
    if (!ets_delegate_sections_find(finder->arena, finder->delegation, finder->subject->inspection,
                                    &sections)) {
        return false;
    }
    for (uint32_t i = 0; i < sections.count;) {
        const struct ets_delegate_section *section = longest_of(finder, &sections, &i);
        if (!ets_finding_method_open(finder, section, outsides) || !ets_find_joins(finder) ||
            !apply(finder, of_method, COUNT(of_method))) {
            return false;
        }
    }
    return true;
}

/* Rules of the program's methods, with the graphs of its record. */
static enum ets_status examine_program(struct ets_finder *finder, struct ets_error *error)
{
    const struct ets_findings_subject *subject = finder->subject;
    const struct ets_delegation_options options = {
        .program = subject->program,
        .record = subject->record,
        .allocator = finder->arena->allocator,
    };
    struct ets_delegation *delegation;
    const struct ets_outside *outsides;
    if (subject->program == NULL) return ETS_OK;
    enum ets_status status = ets_delegation_open(&options, &delegation, error);
    if (status == ETS_MISMATCH) return ETS_OK; /* which others say */
    if (status != ETS_OK) return status;
    finder->delegation = delegation;
    status =
        ets_undelegated_kernels_find(finder->arena, subject->record, delegation, &outsides, error);
    if (status == ETS_OK && !examine_methods(finder, outsides)) {
        status = ets_fail_memory(error, "the findings");
    }
    ets_delegation_close(delegation);
    return status;
}

/* What no finding is about comes last. */
static bool examine_rest(struct ets_finder *finder)
{
    for (uint32_t i = 0; i < finder->blocks.count; i++) {
        finder->block = &finder->blocks.items[i];
        if (finder->blocks.captured[finder->block->block] > 0) continue;
        if (!apply_to_block(finder, of_rest, COUNT(of_rest))) return false;
    }
    return true;
}

/* Of equal severity: what no rule helps is no answer to what to change. */
static int order_of(const struct ets_finding *finding)
{
    return 2 * (int)finding->severity + (strcmp(finding->kind, ETS_EXPENSIVE_KIND) == 0);
}

static int by_cost(const void *left, const void *right)
{
    const struct ets_finding *a = left, *b = right;
    if (order_of(a) != order_of(b)) return order_of(a) - order_of(b);
    if (a->cost != b->cost) return a->cost < b->cost ? 1 : -1;
    const bool is_a_placed = a->instruction_count > 0, is_b_placed = b->instruction_count > 0;
    if (is_a_placed != is_b_placed) return is_a_placed ? -1 : 1; /* of unknown time before bytes */
    if (a->bytes != b->bytes) return a->bytes < b->bytes ? 1 : -1;
    if (a->saving.bytes != b->saving.bytes) return a->saving.bytes < b->saving.bytes ? 1 : -1;
    return ets_text_compare(a->sentence, b->sentence);
}

enum ets_status ets_findings_collect(struct ets_arena *arena,
                                     const struct ets_findings_subject *subject,
                                     struct ets_findings *findings_out, struct ets_error *error)
{
    struct ets_finder *finder = ets_arena_alloc(arena, sizeof *finder);
    *findings_out = (struct ets_findings){.count = 0};
    if (finder == NULL) return ets_fail_memory(error, "the findings");
    finder->arena = arena;
    finder->subject = subject;
    finder->out = findings_out;
    finder->line = (struct ets_text_builder){finder->text[0], ETS_FINDING_BYTES, 0};
    finder->evidence = (struct ets_text_builder){finder->text[1], ETS_FINDING_BYTES, 0};
    finder->action = (struct ets_text_builder){finder->text[2], ETS_FINDING_BYTES, 0};
    if (subject->inspection != NULL && !examine_blocks(finder)) {
        return ets_fail_memory(error, "the findings");
    }
    ETS_TRY(examine_program(finder, error));
    if (!apply(finder, of_model, COUNT(of_model)) || !examine_rest(finder))
        return ets_fail_memory(error, "the findings");
    if (findings_out->count > 1) {
        qsort(findings_out->items, findings_out->count, sizeof *findings_out->items, by_cost);
    }
    return ETS_OK;
}

const char *ets_severity_name(enum ets_severity severity)
{
    static const char *const names[] = {"bad", "note", "good"};
    return names[severity];
}

const char *ets_saving_basis_name(enum ets_saving_basis basis)
{
    static const char *const names[] = {NULL, "removed", "bound", "file", "memory"};
    return names[basis];
}

const char *ets_confidence_name(enum ets_confidence confidence)
{
    static const char *const names[] = {NULL, "high", "medium", "low"};
    return names[confidence];
}

bool ets_finding_kind_exists(const char *kind)
{
    static const char *const kinds[] = {"activation_not_fused",
                                        "attention_guard",
                                        "batch_norm_alone",
                                        "below_roof",
                                        "between_operators",
                                        "broadcast",
                                        "captured",
                                        "coarse_weights",
                                        "computed_twice",
                                        "constant_work",
                                        "copies",
                                        "cut_off",
                                        "damage",
                                        "delegate_clock",
                                        "drift",
                                        "duplicates",
                                        "empty_expand",
                                        ETS_EXPENSIVE_KIND,
                                        "few_runs",
                                        "first_run",
                                        "float_island",
                                        "layout_transposes",
                                        "load",
                                        "lost_events",
                                        "lost_weight_scales",
                                        "memory_peak",
                                        "mixed_types",
                                        "nan_or_infinity",
                                        "no_rule_of_partitioner",
                                        "not_joined",
                                        "not_reported",
                                        "nothing_delegated",
                                        "operators_not_faster",
                                        "other_program",
                                        "other_values",
                                        "outliers",
                                        "outside_delegates",
                                        "packed_twice",
                                        "plan_above_bound",
                                        "plan_mistake",
                                        "products_as_kernels",
                                        "recording",
                                        "refused_layout",
                                        "refused_by_partitioner",
                                        "refusing_kernel",
                                        "requantized",
                                        "small_calls",
                                        "small_operators",
                                        "split_by_kernel",
                                        "state_copied",
                                        "steady",
                                        "threads_gain_nothing",
                                        "too_many_dimensions",
                                        "unused_constants",
                                        "values_agree",
                                        "values_differ",
                                        "warm_up",
                                        "weights_dequantized",
                                        "wrong_gelu",
                                        "wrong_layout",
                                        "wrong_operator",
                                        "wrong_softmax"};
    for (size_t i = 0; i < COUNT(kinds); i++) {
        if (strcmp(kinds[i], kind) == 0) return true;
    }
    return false;
}
