/* Collects the operators of a pool's block with their times, in display order. */
#include "views/pool_lines.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "host/key_table.h"
#include "host/strings.h"
#include "views/chosen_runs.h"

/* Blocks that a group has. */
enum { WITH = 1, WITHOUT = 2 };

static void describe(const struct ets_pool_block *block, uint32_t index, const double *weights,
                     double *scratch, struct ets_pool_line *line)
{
    const struct ets_pool_operator *op = &block->operators[index];
    *line = (struct ets_pool_line){
        .index = index, .op = op, .file_min = HUGE_VAL, .file_max = -HUGE_VAL};
    for (uint32_t p = 0; p < block->part_count; p++) {
        const struct ets_pool_part *part = &block->parts[p];
        struct ets_statistics of_file;
        memcpy(scratch, op->per_run + part->first_run, part->run_count * sizeof *scratch);
        ets_statistics_compute(scratch, part->run_count, &of_file);
        line->file_min = fmin(line->file_min, of_file.p50);
        line->file_max = fmax(line->file_max, of_file.p50);
    }
    line->middle = ets_middle_mean(op->per_run, block->run_count, weights);
    memcpy(scratch, op->per_run, block->run_count * sizeof *scratch);
    ets_statistics_compute(scratch, block->run_count, &line->times);
}

/* Frames first, then the largest medians; ticks of other clocks behind all times. */
static int by_time(const void *left, const void *right)
{
    const struct ets_pool_line *a = left, *b = right;
    const bool a_frame = a->op->role == ETS_POOL_FRAME, b_frame = b->op->role == ETS_POOL_FRAME;
    if (a_frame != b_frame) return a_frame ? -1 : 1;
    if (a->op->has_own_clock != b->op->has_own_clock) return a->op->has_own_clock ? 1 : -1;
    if (!a_frame && a->times.p50 != b->times.p50) return a->times.p50 > b->times.p50 ? -1 : 1;
    return (a->index > b->index) - (a->index < b->index);
}

/* How many lines there are up to the last of the `top` that are no frames. */
static uint32_t count_top(const struct ets_pool_line *lines, uint32_t count, uint32_t top)
{
    uint32_t left = top, shown = 0;
    if (top == 0) return count;
    for (; shown < count && left > 0; shown++) left -= lines[shown].op->role != ETS_POOL_FRAME;
    return shown;
}

bool ets_pool_lines_collect(struct ets_arena *arena, const struct ets_pool_block *block,
                            const struct ets_pool_line_options *options,
                            struct ets_pool_lines *lines_out)
{
    const uint32_t count = block->operator_count;
    const bool has_total = block->total != ETS_NO_INDEX;
    struct ets_pool_line *lines = ets_arena_alloc_array(arena, count, sizeof *lines);
    double *scratch = ets_arena_alloc_array(arena, block->run_count, sizeof *scratch);
    if (lines == NULL || scratch == NULL) return false;
    const double *weights = ets_middle_weights(
        arena, has_total ? block->operators[block->total].per_run : scratch, block->run_count);
    if (weights == NULL) return false;
    for (uint32_t i = 0; i < count; i++) describe(block, i, weights, scratch, &lines[i]);
    *lines_out = (struct ets_pool_lines){.items = lines, .whole = NAN};
    if (has_total) lines_out->whole = lines[block->total].middle;
    if (count > 0 && options->by_time) qsort(lines, count, sizeof *lines, by_time);
    lines_out->count = count_top(lines, count, options->top);
    return true;
}

static bool has_operators(const struct ets_pool_block *block)
{
    for (uint32_t i = 0; i < block->operator_count; i++) {
        const enum ets_pool_role role = block->operators[i].role;
        if (role == ETS_POOL_WORK || role == ETS_POOL_INNER) return true;
    }
    return false;
}

/* Numbers of the texts, 0: absent or empty. False: no memory. */
static bool make_key(struct ets_strings *texts, const struct ets_pool_block *block, uint64_t key[3])
{
    const struct ets_text method = ets_text_of(block->method);
    const uint32_t name = block->name.size == 0 ? 0 : ets_strings_add(texts, block->name);
    const uint32_t of = method.data == NULL ? 0 : ets_strings_add(texts, method);
    key[0] = name;
    key[1] = of;
    key[2] = (uint64_t)block->stage;
    return name != UINT32_MAX && of != UINT32_MAX;
}

bool ets_pool_kinds_find(struct ets_arena *arena, const struct ets_pool *pool,
                         struct ets_pool_kinds *kinds_out)
{
    enum { KEY_WORDS = 3 };
    const uint32_t count = ets_pool_block_count(pool);
    struct ets_pool_kinds kinds = {
        .has = ets_arena_alloc_array(arena, count, sizeof *kinds.has),
        .group = ets_arena_alloc_array(arena, count, sizeof *kinds.group),
        .found = ets_arena_alloc_array(arena, count, sizeof *kinds.found),
    };
    struct ets_strings texts;
    struct ets_key_table keys;
    if (kinds.has == NULL || kinds.group == NULL || kinds.found == NULL) return false;
    if (ets_strings_init(&texts, arena) != 0) return false;
    ets_key_table_init(&keys, arena, KEY_WORDS);
    for (uint32_t i = 0; i < count; i++) {
        const struct ets_pool_block *block = ets_pool_block(pool, i);
        uint64_t key[KEY_WORDS];
        if (!make_key(&texts, block, key)) return false;
        kinds.group[i] = ets_key_table_add(&keys, key);
        if (kinds.group[i] == ETS_KEY_NONE) return false;
        kinds.has[i] = has_operators(block);
        kinds.found[kinds.group[i]] |= kinds.has[i] ? WITH : WITHOUT;
    }
    *kinds_out = kinds;
    return true;
}

const char *ets_pool_block_kind(const struct ets_pool_kinds *kinds, uint32_t block)
{
    if (kinds->found[kinds->group[block]] != (WITH | WITHOUT)) return "";
    return kinds->has[block] ? " with operators" : " without operators";
}
