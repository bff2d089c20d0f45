/* Notes about what an ETRecord lacks. */
#include "cli/traces/record_notes.h"

#include <string.h>

#include "cli/core/command.h"
#include "record/record_maps.h"

void cli_note_missing_graphs(struct ets_etrecord *record, const char *method)
{
    const size_t count = record == NULL ? 0 : ets_etrecord_method_count(record);
    for (size_t i = 0; i < count; i++) {
        const struct ets_graph *graph;
        const char *name = ets_etrecord_method_name(record, i);
        if (method != NULL && strcmp(method, name) != 0) continue;
        if (ets_etrecord_edge_graph(record, name, &graph, NULL) != ETS_NOT_FOUND) continue;
        cli_note(CLI_LACKS_GRAPH, name, ets_etrecord_why_no_graph(record));
    }
}
