/* The executions of a trace, one by one and by method. */
#include "views/executions.h"
#include "inspect/patterns.h"

#include <math.h>
#include <string.h>

#include "host/key_table.h"
#include "host/strings.h"
#include "inspect/accounting/accounting.h"
#include "inspect/time_details.h"
#include "views/work.h"

enum { LEAST_FOR_TREND = 8 };

/* What of a block's runs is warm-up or out of line. */
struct phases {
    struct ets_run_phases found;
    const double *ticks; /* [number of the run] of the whole run; NULL: nothing stands for one */
};

struct collector {
    struct ets_arena *arena;
    const struct ets_inspection *inspection;
    const struct ets_execution_options *options;
    const uint32_t *run_number; /* [run] within its block */
    double **ticks;             /* [block][number of the run]; NULL: it executes nothing */
    struct phases *phases;      /* [block]; NULL: they are not needed */
    struct ets_strings names;
    struct ets_key_table methods; /* numbers of names, with stages */
    struct ets_executions *view;
};

static struct ets_text name_of(const struct ets_block *block)
{
    if (block->method == NULL) return block->name;
    return (struct ets_text){block->method, strlen(block->method)};
}

/* What each run of a block took: the whole of it, or the work that the filter leaves. */
static bool measure_block(struct collector *c, uint32_t index)
{
    struct ets_work work;
    const struct ets_block *block = ets_inspection_block(c->inspection, index);
    if (!ets_row_filter_has_block(&c->options->filter, block)) return true;
    double *per_run = ets_arena_alloc_array(c->arena, block->run_count, sizeof *per_run);
    if (per_run == NULL || !ets_work_collect(c->arena, c->inspection, index, ETS_WORK_KNOWN,
                                             &c->options->filter, &work)) {
        return false;
    }
    if (!work.is_filtered && ets_work_add_total(&work, per_run)) {
        c->ticks[index] = per_run;
        return true;
    }
    for (uint32_t i = 0; i < work.count; i++) ets_work_add(&work, &work.pieces[i], per_run);
    if (work.count > 0) c->ticks[index] = per_run;
    return true;
}

static bool find_phases_of(struct collector *c, uint32_t index, struct phases *phases)
{
    const uint32_t whole = ets_inspection_total_row(c->inspection, index);
    const uint32_t runs = ets_inspection_block(c->inspection, index)->run_count;
    if (whole == ETS_NO_INDEX) return true;
    double *ticks = ets_arena_alloc_array(c->arena, runs, sizeof *ticks);
    if (ticks == NULL || ets_run_phases_of_row(c->inspection, whole, c->arena->allocator,
                                               &phases->found, NULL) != ETS_OK) {
        return false;
    }
    ets_inspection_row_ticks(c->inspection, whole, ETS_NO_INDEX, ticks);
    phases->ticks = ticks;
    return true;
}

/* The phases of each block, where runs are left out or listed by them. */
static bool find_phases(struct collector *c)
{
    if (!c->options->steady && !c->options->one_by_one) return true;
    const uint32_t blocks = ets_inspection_block_count(c->inspection);
    c->phases = ets_arena_alloc_array(c->arena, blocks, sizeof *c->phases);
    bool ok = c->phases != NULL;
    for (uint32_t b = 0; ok && b < blocks; b++) ok = find_phases_of(c, b, &c->phases[b]);
    return ok;
}

static bool is_warm_up(const struct collector *c, uint32_t run)
{
    const uint32_t block = ets_inspection_run(c->inspection, run)->block;
    return c->phases != NULL && c->run_number[run] < c->phases[block].found.warm_up;
}

static bool is_outlier(const struct collector *c, uint32_t run)
{
    const uint32_t block = ets_inspection_run(c->inspection, run)->block;
    const uint32_t number = c->run_number[run];
    if (c->phases == NULL || c->phases[block].ticks == NULL) return false;
    return ets_run_phases_is_outlier(&c->phases[block].found, number,
                                     (int64_t)fmin(c->phases[block].ticks[number], 0x1p62));
}

static bool is_chosen(const struct collector *c, uint32_t run)
{
    const uint32_t block = ets_inspection_run(c->inspection, run)->block;
    if (c->options->steady && is_warm_up(c, run)) return false;
    return (c->options->run == ETS_NO_INDEX || c->options->run == run) &&
           (c->options->block == ETS_NO_INDEX || c->options->block == block);
}

/* Adds a run behind those before it, one by one with its place among all. */
static bool add_run(struct collector *c, uint32_t run)
{
    const uint32_t block = ets_inspection_run(c->inspection, run)->block;
    const bool chosen = is_chosen(c, run);
    if (c->ticks[block] == NULL || (!c->options->one_by_one && !chosen)) return true;
    const struct ets_text name = name_of(ets_inspection_block(c->inspection, block));
    const struct ets_run *of = ets_inspection_run(c->inspection, run);
    const uint32_t text = ets_strings_add(&c->names, name);
    const uint64_t key = (uint64_t)text << 8 | of->stage;
    const uint32_t number =
        text == UINT32_MAX ? ETS_KEY_NONE : ets_key_table_add(&c->methods, &key);
    if (number == ETS_KEY_NONE) return false;
    struct ets_method_runs *method = &c->view->methods[number];
    method->name = name;
    method->stage = of->stage;
    c->view->items[c->view->count++] =
        (struct ets_execution){.run = run,
                               .method = number,
                               .position = method->count++,
                               .tokens = of->tokens,
                               .ticks = c->ticks[block][c->run_number[run]],
                               .is_chosen = chosen,
                               .is_warm_up = is_warm_up(c, run),
                               .is_outlier = is_outlier(c, run)};
    return true;
}

/* The number of each run within its block; NULL if memory runs out. */
static uint32_t *number_runs(struct ets_arena *arena, const struct ets_inspection *inspection)
{
    const uint32_t runs = ets_inspection_run_count(inspection);
    const uint32_t blocks = ets_inspection_block_count(inspection);
    uint32_t *used = ets_arena_alloc_array(arena, blocks, sizeof *used);
    uint32_t *numbers = ets_arena_alloc_array(arena, runs, sizeof *numbers);
    if (used == NULL || numbers == NULL) return NULL;
    for (uint32_t r = 0; r < runs; r++) {
        numbers[r] = used[ets_inspection_run(inspection, r)->block]++;
    }
    return numbers;
}

static bool prepare(struct collector *c)
{
    const uint32_t runs = ets_inspection_run_count(c->inspection);
    const uint32_t blocks = ets_inspection_block_count(c->inspection);
    c->run_number = number_runs(c->arena, c->inspection);
    c->ticks = ets_arena_alloc_array(c->arena, blocks, sizeof *c->ticks);
    c->view->items = ets_arena_alloc_array(c->arena, runs, sizeof *c->view->items);
    c->view->methods =
        ets_arena_alloc_array(c->arena, (size_t)blocks + 1, sizeof *c->view->methods);
    ets_key_table_init(&c->methods, c->arena, 1);
    return c->run_number != NULL && c->ticks != NULL && c->view->items != NULL &&
           c->view->methods != NULL && ets_strings_init(&c->names, c->arena) == 0 && find_phases(c);
}

/* The medians of the last and the first quarter; NaN for too few. Sorts `scratch`. */
static double trend_of(const double *ticks, uint32_t count, double *scratch)
{
    const uint32_t quarter = count / 4;
    struct ets_statistics first, last;
    if (count < LEAST_FOR_TREND) return NAN;
    memcpy(scratch, ticks, quarter * sizeof *scratch);
    ets_statistics_compute(scratch, quarter, &first);
    memcpy(scratch, ticks + count - quarter, quarter * sizeof *scratch);
    ets_statistics_compute(scratch, quarter, &last);
    return first.p50 > 0 ? last.p50 / first.p50 - 1 : NAN;
}

/* Statistics over each method's executions, which lie one behind the other for it. */
static bool summarise(struct collector *c)
{
    struct ets_executions *view = c->view;
    double *ticks = ets_arena_alloc_array(c->arena, view->count, sizeof *ticks);
    double *scratch = ets_arena_alloc_array(c->arena, view->count, sizeof *scratch);
    uint32_t *begin =
        ets_arena_alloc_array(c->arena, (size_t)view->method_count + 1, sizeof *begin);
    if (ticks == NULL || scratch == NULL || begin == NULL) return false;
    for (uint32_t m = 0; m < view->method_count; m++) {
        begin[m + 1] = begin[m] + view->methods[m].count;
    }
    for (uint32_t i = 0; i < view->count; i++) {
        const struct ets_execution *e = &view->items[i];
        struct ets_method_runs *method = &view->methods[e->method];
        const bool is_known = e->tokens > 0 && (e->position == 0 || method->tokens > 0);
        ticks[begin[e->method] + e->position] = e->ticks;
        method->tokens = is_known ? method->tokens + e->tokens : 0;
    }
    for (uint32_t m = 0; m < view->method_count; m++) {
        struct ets_method_runs *method = &view->methods[m];
        if (method->count == 0) continue;
        method->first = ticks[begin[m]];
        method->trend = trend_of(ticks + begin[m], method->count, scratch);
        ets_statistics_compute(ticks + begin[m], method->count, &method->times);
    }
    return true;
}

bool ets_executions_collect(struct ets_arena *arena, const struct ets_inspection *inspection,
                            const struct ets_execution_options *options,
                            struct ets_executions *executions_out)
{
    *executions_out = (struct ets_executions){.count = 0};
    struct collector c = {
        .arena = arena, .inspection = inspection, .options = options, .view = executions_out};
    bool ok = prepare(&c);
    for (uint32_t b = 0; ok && b < ets_inspection_block_count(inspection); b++) {
        ok = measure_block(&c, b);
    }
    for (uint32_t r = 0; ok && r < ets_inspection_run_count(inspection); r++) ok = add_run(&c, r);
    if (!ok) return false;
    executions_out->method_count = c.methods.count;
    return summarise(&c);
}
