/* Graphs of the program, or of the ETRecord where there is no program. */
#include "cli/core/cli_text.h"
#include "cli/export/export_formats.h"
#include "output/graph/graph_files.h"
#include "output/page/page_relations.h"

int cli_export_graph(const struct cli_sql_sources *sources, int format, struct ets_output *output)
{
    const struct ets_sql_sources *all = &sources->all;
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
    if (ets_graph_write(output, (enum ets_graph_format)format, &source, &error) == ETS_OK)
        return CLI_OK;
    return cli_fail(path, &error);
}
