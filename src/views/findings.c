/* Applies the rules of findings, and orders what they find. */
#include "views/findings.h"

#include <stdlib.h>

#include "base/text.h"
#include "views/finding_rules.h"

static bool (*const of_block[])(struct ets_finder *finder) = {
    ets_find_between, ets_find_not_reported, ets_find_outside,  ets_find_copies,
    ets_find_phases,  ets_find_few_runs,     ets_find_unjoined,
};

static bool (*const of_trace[])(struct ets_finder *finder) = {
    ets_find_load, ets_find_clocks, ets_find_losses, ets_find_damage, ets_find_other_program,
};

static bool (*const of_model[])(struct ets_finder *finder) = {
    ets_find_plan,       ets_find_peak,    ets_find_plan_mistakes,
    ets_find_duplicates, ets_find_numbers, ets_find_nonfinite,
};

#define COUNT(array) (sizeof(array) / sizeof *(array))

/* Several methods are told apart by their name, before the sentence of a block. */
static void name_block(struct ets_finder *finder)
{
    const struct ets_block *block =
        ets_inspection_block(finder->blocks.inspection, finder->block->block);
    finder->line.used = 0;
    if (finder->blocks.count < 2) return;
    if (block->method != NULL) ets_find_say(finder, "%s", block->method);
    else ets_find_say(finder, "%.*s", ETS_TEXT(block->name));
    if (ets_timed_block_has_twin(&finder->blocks, finder->block)) {
        ets_find_say(finder, " (block %u)", finder->block->block);
    }
    ets_find_say(finder, ": ");
}

static bool examine_block(struct ets_finder *finder)
{
    struct ets_arena *arena = finder->arena;
    const struct ets_timed_blocks *blocks = &finder->blocks;
    const struct ets_timed_block *block = finder->block;
    if (!ets_timed_block_group(arena, blocks, block, ETS_GROUP_BACKEND, NULL, &finder->backends) ||
        !ets_timed_block_group(arena, blocks, block, ETS_GROUP_OP, NULL, &finder->operators)) {
        return false;
    }
    for (size_t i = 0; i < COUNT(of_block); i++) {
        name_block(finder);
        if (!of_block[i](finder)) return false;
    }
    return true;
}

static bool apply(struct ets_finder *finder, bool (*const *rules)(struct ets_finder *finder),
                  size_t count)
{
    for (size_t i = 0; i < count; i++) {
        finder->line.used = 0;
        if (!rules[i](finder)) return false;
    }
    return true;
}

static int by_cost(const void *left, const void *right)
{
    const struct ets_finding *a = left, *b = right;
    if (a->severity != b->severity) return (int)a->severity - (int)b->severity;
    if (a->cost != b->cost) return a->cost < b->cost ? 1 : -1;
    return ets_text_compare(a->sentence, b->sentence);
}

bool ets_findings_collect(struct ets_arena *arena, const struct ets_findings_subject *subject,
                          struct ets_findings *findings_out)
{
    struct ets_finder finder = {.arena = arena, .subject = subject, .out = findings_out};
    finder.line = (struct ets_text_builder){finder.text, sizeof finder.text, 0};
    *findings_out = (struct ets_findings){.count = 0};
    if (subject->inspection != NULL) {
        if (!ets_timed_blocks_find(arena, subject->inspection, ETS_NO_INDEX, ETS_NO_INDEX, 0,
                                   &finder.blocks)) {
            return false;
        }
        for (uint32_t i = 0; i < finder.blocks.count; i++) {
            finder.block = &finder.blocks.items[i];
            if (!examine_block(&finder)) return false;
        }
        if (!apply(&finder, of_trace, COUNT(of_trace))) return false;
    }
    if (!apply(&finder, of_model, COUNT(of_model))) return false;
    if (findings_out->count > 1) {
        qsort(findings_out->items, findings_out->count, sizeof *findings_out->items, by_cost);
    }
    return true;
}

const char *ets_severity_name(enum ets_severity severity)
{
    static const char *const names[] = {"bad", "note", "good"};
    return names[severity];
}
