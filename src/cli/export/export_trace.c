/* The events of traces. */
#include <stdlib.h>

#include "cli/core/cli_text.h"
#include "cli/export/export_formats.h"
#include "output/export/export_files.h"
#include "output/page/page_relations.h"

/* Says which graphs a file of TensorBoard lacks. */
static void note_missing(const struct ets_export_missing *missing)
{
    if (missing->graph_count == 0) return;
    if (missing->graph_count == 1) {
        cli_note("%s: its graph is left out: %s", missing->trace, missing->reason.message);
    } else {
        cli_note("the graphs of %u traces are left out, the first that of %s: %s",
                 (unsigned)missing->graph_count, missing->trace, missing->reason.message);
    }
}

int cli_export_trace(const struct cli_sql_sources *sources, int format, struct ets_output *output)
{
    const struct ets_sql_sources *all = &sources->all;
    struct ets_error error;
    struct ets_export_missing missing;
    if (all->trace_count == 0) {
        return cli_complain(CLI_USAGE, "this format holds the events of a trace: name one");
    }
    struct ets_export_trace *traces = calloc(all->trace_count, sizeof *traces);
    if (traces == NULL) return cli_complain(CLI_INTERNAL, "no memory");
    for (uint32_t i = 0; i < all->trace_count; i++) {
        const struct ets_sql_trace *trace = &all->traces[i];
        traces[i] = (struct ets_export_trace){.name = ets_page_file_name(trace->path),
                                              .inspection = trace->inspection};
        if (trace->program != ETS_NO_INDEX)
            traces[i].program = all->programs[trace->program].program;
        if (trace->record != ETS_NO_INDEX) traces[i].record = all->records[trace->record].record;
    }
    const enum ets_status status = ets_export_write(output, (enum ets_export_format)format, traces,
                                                    all->trace_count, NULL, &missing, &error);
    free(traces);
    if (status == ETS_INVALID_ARGUMENT) return cli_complain(CLI_USAGE, "%s", error.message);
    if (status == ETS_OK) note_missing(&missing);
    if (status == ETS_OK) return CLI_OK;
    /* Of several traces the message names the one that is meant. */
    return cli_fail(all->trace_count == 1 ? all->traces[0].path : NULL, &error);
}
