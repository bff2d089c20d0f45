/* Compares two pools: pairs blocks, matches operators, judges the changes. */
#include "compare/compare_names.h"
#include "compare/difference_parts.h"

static uint32_t operators_of(const struct ets_pool_block *block)
{
    return block == NULL ? 0 : block->operator_count;
}

/* By handles; where they match too little, by what else the records know of them, then by names. */
static bool match_pair(struct ets_arena *scratch, const struct ets_block_pair *pair,
                       struct ets_match *match)
{
    for (int i = 0; i < ETS_SCHEME_COUNT; i++) {
        if (!ets_match_blocks(match, scratch, (enum ets_match_scheme)i, pair->before, pair->after,
                              pair->before_names, pair->after_names)) {
            return false;
        }
        if (ets_match_is_good(match) || (i == 0 && !match->by_handles)) return true;
    }
    return ets_match_blocks(match, scratch, ETS_SCHEME_HANDLES, pair->before, pair->after,
                            pair->before_names, pair->after_names);
}

static enum ets_matched_by matched_how(const struct ets_match *match, enum ets_matched_by otherwise)
{
    static const enum ets_matched_by how[] = {ETS_MATCHED_HANDLES, ETS_MATCHED_IN_MODULES,
                                              ETS_MATCHED_LINES};
    return match->by_handles ? how[match->scheme] : otherwise;
}

static enum ets_status add_pair(struct ets_difference *difference, struct ets_arena *scratch,
                                const struct ets_block_pair *pair, enum ets_matched_by otherwise,
                                struct ets_error *error)
{
    struct ets_match match;
    if (!match_pair(scratch, pair, &match)) return ets_fail_difference(error);
    struct ets_difference_block *block = &difference->blocks[difference->block_count];
    *block = (struct ets_difference_block){.before = pair->before,
                                           .after = pair->after,
                                           .by_handles = match.by_handles,
                                           .matched_by = matched_how(&match, otherwise)};
    ETS_TRY(ets_difference_add_lines(difference, &match, block, error));
    difference->block_count++;
    return ETS_OK;
}

/* Whether a line's two sides are the same operators with the same times. */
static bool is_identical(const struct ets_difference_line *line)
{
    const uint32_t runs = line->before.block == NULL ? 0 : line->before.block->run_count;
    if (line->change != ETS_CHANGE_NONE || line->after.block->run_count != runs) return false;
    return memcmp(line->before.per_run, line->after.per_run, runs * sizeof(double)) == 0;
}

/*
 * Operators inside delegates have only names, which vary with the processor. If handles match the
 * calls, their insides do not count.
 */
static bool counts(const struct ets_difference *difference, const struct ets_difference_line *line)
{
    if (line->role == ETS_POOL_WORK) return true;
    return line->role == ETS_POOL_INNER && !difference->blocks[line->block].by_handles;
}

static void find_agreement(struct ets_difference *difference)
{
    struct ets_agreement *agreement = &difference->agreement;
    agreement->is_identical = difference->line_count > 0;
    for (uint32_t i = 0; i < difference->line_count; i++) {
        const struct ets_difference_line *line = &difference->lines[i];
        if (!is_identical(line)) agreement->is_identical = 0;
        if (!counts(difference, line)) continue;
        const uint32_t left = line->before.operator_count, right = line->after.operator_count;
        agreement->operators += left + right;
        if (left > 0 && right > 0) agreement->matched += left + right;
    }
    /* Sums of two programs are compared on purpose. */
    const bool is_grouped =
        difference->block_count > 0 && (difference->blocks[0].matched_by == ETS_MATCHED_OPERATOR ||
                                        difference->blocks[0].matched_by == ETS_MATCHED_MODULE);
    agreement->is_poor = !is_grouped && agreement->operators / 2 > agreement->matched;
}

void ets_difference_agreement(const struct ets_difference *difference,
                              struct ets_agreement *agreement_out)
{
    *agreement_out = difference->agreement;
}

/* What operators are matched by where no handles match them. */
static enum ets_matched_by matched_by(const struct ets_pool *before, const struct ets_pool *after)
{
    if (after->by == ETS_POOL_BY_OPERATOR) return ETS_MATCHED_OPERATOR;
    if (after->by == ETS_POOL_BY_MODULE) return ETS_MATCHED_MODULE;
    return ets_text_same(before->runtime, after->runtime) ? ETS_MATCHED_ORDER : ETS_MATCHED_TYPES;
}

static enum ets_status build(struct ets_difference *difference, const struct ets_pool *before,
                             const struct ets_pool *after, struct ets_arena *scratch,
                             struct ets_error *error)
{
    const enum ets_matched_by by = matched_by(before, after);
    struct ets_block_pairs pairs;
    if (!ets_block_pairs_find(scratch, before, after, &pairs)) return ets_fail_difference(error);
    size_t most = 0;
    for (uint32_t i = 0; i < pairs.count; i++) {
        most += operators_of(pairs.items[i].before);
        most += operators_of(pairs.items[i].after);
    }
    struct ets_arena *arena = &difference->arena;
    difference->blocks = ets_arena_alloc_array(arena, pairs.count, sizeof *difference->blocks);
    difference->lines = ets_arena_alloc_array(arena, most, sizeof *difference->lines);
    if (difference->blocks == NULL || difference->lines == NULL || most > UINT32_MAX) {
        return ets_fail_difference(error);
    }
    for (uint32_t i = 0; i < pairs.count; i++) {
        struct ets_arena of_pair;
        ets_arena_init(&of_pair, arena->allocator, 0);
        const enum ets_status status = add_pair(difference, &of_pair, &pairs.items[i], by, error);
        ets_arena_reset(&of_pair);
        if (status != ETS_OK) return status;
    }
    find_agreement(difference);
    if (before->has_captured != after->has_captured) {
        difference->agreement.captured = before->has_captured ? 1 : 2;
    }
    return ets_difference_judge(difference, error);
}

enum ets_status ets_difference_open(const struct ets_pool *before, const struct ets_pool *after,
                                    const struct ets_difference_options *options,
                                    struct ets_difference **difference_out, struct ets_error *error)
{
    struct ets_arena arena, scratch;
    if (ets_pool_unit(before) != ets_pool_unit(after)) {
        return ets_fail(error, ETS_INVALID_ARGUMENT, ETS_NO_OFFSET,
                        "one side counts cycles, the other time");
    }
    ets_arena_init(&arena, options->allocator, 0);
    ets_arena_init(&scratch, options->allocator, 0);
    struct ets_difference *difference = ets_arena_alloc(&arena, sizeof *difference);
    if (difference == NULL) return ets_fail_difference(error);
    difference->arena = arena;
    difference->options = *options;
    difference->unit = ets_pool_unit(after);
    if (options->false_discovery == 0) difference->options.false_discovery = 0.05;
    const enum ets_status status = build(difference, before, after, &scratch, error);
    ets_arena_reset(&scratch);
    if (status != ETS_OK) ets_difference_close(difference);
    else *difference_out = difference;
    return status;
}

void ets_difference_close(struct ets_difference *difference)
{
    if (difference == NULL) return;
    struct ets_arena arena = difference->arena; /* holds the difference itself */
    ets_arena_reset(&arena);
}

enum ets_time_unit ets_difference_unit(const struct ets_difference *difference)
{
    return difference->unit;
}

uint32_t ets_difference_block_count(const struct ets_difference *difference)
{
    return difference->block_count;
}

const struct ets_difference_block *ets_difference_block(const struct ets_difference *difference,
                                                        uint32_t index)
{
    return &difference->blocks[index];
}

uint32_t ets_difference_line_count(const struct ets_difference *difference)
{
    return difference->line_count;
}

const struct ets_difference_line *ets_difference_line(const struct ets_difference *difference,
                                                      uint32_t index)
{
    return &difference->lines[index];
}

const char *ets_change_name(enum ets_change change)
{
    static const char *const names[] = {"",          "added",       "removed",      "replaced",
                                        "delegated", "undelegated", "repartitioned"};
    return (unsigned)change < ETS_CHANGE_COUNT ? names[change] : "";
}

const char *ets_matched_by_name(enum ets_matched_by by)
{
    static const char *const names[] = {"order",  "handles",    "types", "operator",
                                        "module", "in_modules", "lines"};
    return names[by];
}

const char *ets_matched_by_words(enum ets_matched_by by)
{
    static const char *const words[] = {"names in order of execution",
                                        "debug handles",
                                        "operator types in order of execution",
                                        "operator types, all operators of a type together",
                                        "modules, all operators of a module together",
                                        "modules of operators, because debug handles match too few",
                                        "source lines, because debug handles match too few"};
    return words[by];
}

const char *ets_verdict_name(enum ets_verdict verdict)
{
    static const char *const names[] = {"same", "faster",  "slower", "undecided",
                                        "",     "unclear", "differs"};
    return (unsigned)verdict < ETS_VERDICT_COUNT ? names[verdict] : "";
}
