/* The events of traces. */
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

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

/* "gpt/profile.etdp" of a longer path. */
static const char *with_folder(const char *path)
{
    const char *name = ets_page_file_name(path);
    while (name > path && name[-1] == '/') name--;
    while (name > path && name[-1] != '/') name--;
    return name;
}

static bool is_taken(const struct ets_study_sources *all, uint32_t number, bool by_folder)
{
    for (uint32_t i = 0; i < all->trace_count; i++) {
        const char *path = all->traces[i].path, *own = all->traces[number].path;
        const bool is_same = by_folder
                                 ? strcmp(with_folder(path), with_folder(own)) == 0
                                 : strcmp(ets_page_file_name(path), ets_page_file_name(own)) == 0;
        if (i != number && is_same) return true;
    }
    return false;
}

/* As short as tells traces apart: the file's name, with its folder, or the whole path. */
static const char *name_of(const struct ets_study_sources *all, uint32_t number)
{
    const char *path = all->traces[number].path;
    if (!is_taken(all, number, false)) return ets_page_file_name(path);
    return is_taken(all, number, true) ? path : with_folder(path);
}

int cli_export_trace(const struct cli_sql_sources *sources, int format, struct ets_output *output)
{
    const struct ets_study_sources *all = &sources->all;
    struct ets_error error;
    struct ets_export_missing missing;
    if (all->trace_count == 0) {
        return cli_complain(CLI_USAGE, "this format holds the events of a trace: name one");
    }
    struct ets_export_trace *traces = calloc(all->trace_count, sizeof *traces);
    if (traces == NULL) return cli_complain(CLI_INTERNAL, "no memory");
    for (uint32_t i = 0; i < all->trace_count; i++) {
        const struct ets_study_trace *trace = &all->traces[i];
        /* Slashes are levels in TensorBoard, whose writer numbers equal names. */
        const bool has_levels = format == ETS_EXPORT_TENSORBOARD;
        traces[i] = (struct ets_export_trace){
            .name = has_levels ? ets_page_file_name(trace->path) : name_of(all, i),
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
