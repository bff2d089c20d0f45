/* The table of a difference in one call: pools the recordings of both sides, compares them, fills
 * the table. */
#include "output/table/trace_tables.h"

#include "base/error.h"
#include "output/table/difference_table.h"
#include "views/difference_headline.h"

static enum ets_status open_pool(const struct ets_trace_side *side, int steady,
                                 const struct ets_allocator *allocator, struct ets_pool **pool,
                                 struct ets_error *error)
{
    int is_kept;
    const struct ets_pool_options options = {.steady = steady, .allocator = allocator};
    ETS_TRY(ets_pool_begin(&options, pool, error));
    for (uint32_t i = 0; i < side->count; i++) {
        ETS_TRY(ets_pool_add(*pool, side->items[i], &is_kept, error));
    }
    return ets_pool_end(*pool, error);
}

static enum ets_status check(const struct ets_difference *difference, struct ets_error *error)
{
    struct ets_agreement agreement;
    ets_difference_agreement(difference, &agreement);
    if (agreement.captured != 0) {
        return ets_fail(error, ETS_MISMATCH, ETS_NO_OFFSET,
                        "only the runs %s captured tensors, which takes time: record both without",
                        agreement.captured == 1 ? "before" : "after");
    }
    if (!agreement.is_poor) return ETS_OK;
    return ets_fail(error, ETS_MISMATCH, ETS_NO_OFFSET,
                    "only %u of %u operators match: these are different programs, or two builds "
                    "that the ETRecords of both could match",
                    agreement.matched, agreement.operators);
}

static enum ets_status fill(struct ets_table *table, const struct ets_difference *difference,
                            const struct ets_trace_difference_options *options,
                            struct ets_error *error)
{
    struct ets_arena arena;
    struct ets_sentences headline;
    const struct ets_difference_order_options order = {.sort = options->sort};
    if (!options->allow_mismatch) ETS_TRY(check(difference, error));
    ETS_TRY(ets_difference_table_fill(table, difference, &order, error));
    ets_arena_init(&arena, ets_table_allocator(table), 0);
    const bool ok = ets_difference_headline(&arena, difference, NULL, &headline);
    for (uint32_t i = 0; ok && i < headline.count; i++) {
        ets_table_add_lead(table, headline.items[i]);
    }
    ets_arena_reset(&arena);
    return ok ? ETS_OK : ets_fail_memory(error, "the headline of a difference");
}

enum ets_status ets_trace_difference_of(struct ets_table *table,
                                        const struct ets_trace_side sides[2],
                                        const struct ets_trace_difference_options *options,
                                        struct ets_error *error)
{
    struct ets_pool *pools[2] = {NULL, NULL};
    struct ets_difference *difference = NULL;
    const struct ets_allocator *allocator = ets_table_allocator(table);
    const struct ets_difference_options how = {.least_change = options->least_change,
                                               .allocator = allocator};
    enum ets_status status = ETS_OK;
    for (int s = 0; s < 2 && status == ETS_OK; s++) {
        status = open_pool(&sides[s], options->steady, allocator, &pools[s], error);
    }
    if (status == ETS_OK) {
        status = ets_difference_open(pools[0], pools[1], &how, &difference, error);
    }
    if (status == ETS_OK) status = fill(table, difference, options, error);
    ets_difference_close(difference);
    ets_pool_close(pools[0]);
    ets_pool_close(pools[1]);
    return status;
}
