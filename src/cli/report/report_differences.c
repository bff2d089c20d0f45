/* Opens a difference for each trace of --before. */
#include "cli/report/report_differences.h"

#include <stdlib.h>

#include "cli/sides/sides.h"

static int make_pool(const struct cli_sql_sources *sources, uint32_t first, uint32_t count,
                     struct ets_pool **pool_out)
{
    struct ets_error error;
    enum ets_status status = ets_pool_begin(NULL, pool_out, &error);
    if (status != ETS_OK) *pool_out = NULL;
    for (uint32_t i = 0; status == ETS_OK && i < count; i++) {
        int is_kept; /* the sources keep all of them */
        status = ets_pool_add(*pool_out, sources->traces[first + i].inspection, &is_kept, &error);
    }
    if (status == ETS_OK) status = ets_pool_end(*pool_out, &error);
    return status == ETS_OK ? CLI_OK : cli_fail(NULL, &error);
}

static int compare(const struct cli_arguments *arguments, const struct cli_sql_sources *sources,
                   struct cli_report_differences *differences, uint32_t i)
{
    static const struct ets_difference_options options = {.least_change = 0.01};
    const uint32_t number = sources->all.trace_count - differences->count + i;
    const struct ets_study_trace *before = &sources->traces[number], *after = &sources->traces[0];
    struct ets_error error;
    int code =
        cli_traces_check_units(before->path, before->inspection, after->path, after->inspection);
    if (code == CLI_OK) code = make_pool(sources, number, 1, &differences->before[i]);
    if (code != CLI_OK) return code;
    if (ets_difference_open(differences->before[i], differences->after, &options,
                            &differences->items[i], &error) != ETS_OK) {
        return cli_fail(NULL, &error);
    }
    return cli_sides_check(arguments, before->path, after->path, differences->items[i]);
}

int cli_report_differences_open(const struct cli_arguments *arguments,
                                const struct cli_sql_sources *sources,
                                struct cli_report_differences *differences)
{
    const uint32_t count = sources->before_count, room = count + 1;
    *differences = (struct cli_report_differences){.count = count};
    if (count == 0) return CLI_OK;
    differences->before = calloc(room, sizeof(struct ets_pool *));
    differences->items = calloc(room, sizeof *differences->items);
    if (differences->before == NULL || differences->items == NULL) {
        return cli_complain(CLI_INTERNAL, "no memory to compare %u traces", count);
    }
    int code = make_pool(sources, 0, sources->all.trace_count - count, &differences->after);
    for (uint32_t i = 0; code == CLI_OK && i < count; i++) {
        code = compare(arguments, sources, differences, i);
    }
    return code;
}

void cli_report_differences_close(struct cli_report_differences *differences)
{
    for (uint32_t i = 0; differences->items != NULL && i < differences->count; i++) {
        ets_difference_close(differences->items[i]);
    }
    for (uint32_t i = 0; differences->before != NULL && i < differences->count; i++) {
        ets_pool_close(differences->before[i]);
    }
    ets_pool_close(differences->after);
    free(differences->items);
    free(differences->before);
}
