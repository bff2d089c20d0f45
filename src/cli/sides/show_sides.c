/* Writes the tables of `diff` and `summary`, of traces that were given or just recorded. */
#include "cli/sides/show_sides.h"

#include <stdio.h>
#include <string.h>

#include "cli/core/bounds.h"
#include "cli/core/cli_text.h"
#include "cli/core/columns.h"
#include "cli/core/write_table.h"
#include "cli/traces/inspected.h"
#include "output/table/difference_table.h"
#include "output/table/table.h"
#include "views/difference_headline.h"
#include "views/difference_order.h"
#include "views/pool_headline.h"

static int put_headline(struct ets_table *table, const struct ets_difference *difference,
                        const struct cli_side_programs *programs)
{
    char how[2 * CLI_SIBLING_BYTES];
    struct ets_recording_advice advice;
    struct ets_arena arena;
    struct ets_sentences headline;
    if (programs->before != NULL && programs->after != NULL) {
        advice.more = advice.in_turn = how;
        snprintf(how, sizeof how, "etscope profile %s --before %s --recordings %d", programs->after,
                 programs->before, ETS_ADVISED_RECORDINGS);
    } else {
        advice.more = how;
        advice.in_turn = "`etscope profile --before` records both in turn";
        snprintf(how, sizeof how,
                 "record %d of each, and give the others with --before and --after",
                 ETS_ADVISED_RECORDINGS);
    }
    ets_arena_init(&arena, NULL, 0);
    const bool ok = ets_difference_headline(&arena, difference, &advice, &headline);
    if (ok) cli_put_headline(table, headline.items, headline.count);
    ets_arena_reset(&arena);
    return ok ? CLI_OK : cli_complain(CLI_INTERNAL, "no memory for the headline");
}

static int write_table(const struct cli_arguments *arguments,
                       const struct ets_difference *difference,
                       const struct cli_side_programs *programs,
                       const struct ets_difference_order_options *options)
{
    struct ets_table *table;
    struct ets_error error;
    if (cli_table_open(&table, &error) != ETS_OK) return cli_fail(NULL, &error);
    int code = ets_difference_table_fill(table, difference, options, &error) == ETS_OK
                   ? put_headline(table, difference, programs)
                   : cli_fail(NULL, &error);
    if (code == CLI_OK) code = cli_write_styled(arguments, table);
    ets_table_close(table);
    return code;
}

/* In the order of the option's values. */
static enum ets_sort_by sort_of(const struct cli_arguments *arguments)
{
    static const enum ets_sort_by orders[] = {ETS_SORT_CHANGE, ETS_SORT_RATIO, ETS_SORT_ORDER,
                                              ETS_SORT_NAME};
    return orders[cli_choice(arguments, "--sort", 0)];
}

int cli_show_sides(const struct cli_arguments *arguments, const struct cli_side_paths *before,
                   const struct cli_side_paths *after, const struct cli_side_programs *programs)
{
    struct cli_sides sides;
    struct cli_side_programs found;
    const struct ets_difference_options options = {
        .least_change = cli_percent(arguments, "--min-change", 1) / 100};
    const struct ets_difference_order_options table = {
        .sort = sort_of(arguments),
        .top = (uint32_t)cli_number(arguments, "--top", 0),
    };
    int code = cli_sides_open(arguments, before, after, &options, &sides);
    if (code == CLI_OK) {
        code =
            cli_sides_check(arguments, programs == NULL ? before->items[0] : programs->before,
                            programs == NULL ? after->items[0] : programs->after, sides.difference);
    }
    if (code == CLI_OK) {
        cli_sides_programs(arguments, &sides, &found);
        code =
            write_table(arguments, sides.difference, programs == NULL ? &found : programs, &table);
    }
    cli_sides_close(&sides);
    return code;
}

static int put_summary(struct ets_table *table, const struct ets_pool *pool)
{
    struct ets_arena arena;
    struct ets_sentences headline;
    ets_arena_init(&arena, NULL, 0);
    const bool ok = ets_pool_headline(&arena, pool, &headline);
    if (ok) cli_put_headline(table, headline.items, headline.count);
    ets_arena_reset(&arena);
    return ok ? CLI_OK : cli_complain(CLI_INTERNAL, "no memory for the headline");
}

int cli_write_summary(const struct cli_arguments *arguments, const struct ets_pool *pool,
                      const struct ets_pool_table_options *options)
{
    struct ets_table *table;
    struct ets_error error;
    if (cli_table_open(&table, &error) != ETS_OK) return cli_fail(NULL, &error);
    int code = ets_pool_table_fill(table, pool, options, &error) == ETS_OK
                   ? put_summary(table, pool)
                   : cli_fail(NULL, &error);
    if (code == CLI_OK) code = cli_write_styled(arguments, table);
    ets_table_close(table);
    return code;
}

int cli_show_summary(const struct cli_arguments *arguments, const struct cli_side_paths *paths)
{
    struct cli_model model;
    struct cli_traces traces = {.pool = NULL};
    int code = cli_model_open(paths->record, paths->program, &model);
    const struct cli_traces_request request = {
        .words = paths->items, .word_count = paths->count, .models = &model, .model_count = 1};
    if (code == CLI_OK) code = cli_traces_open(arguments, &request, &traces);
    if (code == CLI_OK) {
        for (unsigned i = 0; i < traces.paths.count; i++) {
            const char *slash = strrchr(traces.paths.items[i], '/');
            if (slash != NULL) traces.paths.items[i] = slash + 1;
        }
        const struct ets_pool_table_options options = {
            .files = traces.paths.items, .top = (uint32_t)cli_number(arguments, "--top", 0)};
        code = cli_write_summary(arguments, traces.pool, &options);
    }
    cli_traces_close(&traces);
    cli_model_close(&model);
    return code;
}
