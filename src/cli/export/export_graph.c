/* Graphs of the program, or of the ETRecord where there is no program. */
#include "cli/core/cli_text.h"
#include "cli/export/export_formats.h"
#include "output/graph/graph_files.h"
#include "output/page/page_relations.h"

/* Says where a graph has no place for the times of the trace. */
static void note_times(const struct ets_graph_source *source, int format, const char *path)
{
    if (source->inspection == NULL) return;
    if (format == ETS_GRAPH_MODEL_EXPLORER) {
        cli_note("%s: times are not part of this file: --to model-explorer-data writes them",
                 cli_path_name(path));
    } else if (source->program == NULL) {
        cli_note(
            "%s: its times are left out: they belong to the nodes of a program; add --program "
            "FILE",
            cli_path_name(path));
    }
}

int cli_export_graph(const struct cli_sql_sources *sources, int format, struct ets_output *output)
{
    const struct ets_study_sources *all = &sources->all;
    struct ets_error error;
    if (all->program_count > 1 || all->trace_count > 1 ||
        (all->program_count == 0 && all->record_count > 1)) {
        return cli_complain(CLI_USAGE, "a file of graphs holds one program: export one at a time");
    }
    if (all->program_count == 0 && all->record_count == 0) {
        return cli_complain(CLI_USAGE,
                            "a graph needs the program or the ETRecord: name it, or add "
                            "--program FILE or --etrecord FILE");
    }
    if (format == ETS_GRAPH_MODEL_EXPLORER_DATA &&
        (all->trace_count == 0 || all->program_count == 0)) {
        return cli_complain(CLI_USAGE,
                            "the times of nodes need a trace and the program that ran: "
                            "etscope export profile.etdp --program model.pte --to "
                            "model-explorer-data -o times.json");
    }
    const bool has_program = all->program_count > 0;
    const char *path = has_program ? all->programs[0].path : all->records[0].path;
    const struct ets_graph_source source = {
        .title = ets_page_file_name(path),
        .program = has_program ? all->programs[0].program : NULL,
        .record = all->record_count > 0 ? all->records[0].record : NULL,
        .inspection = all->trace_count > 0 ? all->traces[0].inspection : NULL,
    };
    enum ets_graph_file failed = ETS_GRAPH_OF_PROGRAM;
    if (ets_graph_write(output, (enum ets_graph_format)format, &source, NULL, &failed, &error) ==
        ETS_OK) {
        note_times(&source, format, all->trace_count > 0 ? all->traces[0].path : NULL);
        return CLI_OK;
    }
    if (failed == ETS_GRAPH_OF_RECORD) path = all->records[0].path;
    if (failed == ETS_GRAPH_OF_TRACE) path = all->traces[0].path;
    return cli_fail(path, &error);
}
