/* Tells operator, backend, module and source line of a row. */
#include "output/export/export_arguments.h"

#include <string.h>

#include "base/error.h"
#include "base/text.h"
#include "inspect/stated_nodes.h"
#include "inspect/time_details.h"
#include "views/operator_rows.h"

const char *const ets_argument_names[ETS_ARGUMENT_COUNT] = {"operator", "backend", "module",
                                                            "source",   "node",    "length"};

static const struct ets_graph_node *node_of(const struct ets_inspection *inspection,
                                            const struct ets_row *row)
{
    const struct ets_row *placed = ets_operator_placed_row(inspection, row);
    return placed->node_count == 0 ? NULL : placed->nodes[0].node;
}

const struct ets_graph_frame *ets_row_frame(const struct ets_inspection *inspection,
                                            const struct ets_row *row)
{
    const struct ets_graph_node *node = node_of(inspection, row);
    return node == NULL ? NULL : ets_graph_user_frame(node);
}

/* Absent: times that were measured. */
static struct ets_text what_lengths_are(const struct ets_row *row)
{
    if (ets_row_is_estimate(row)) return ets_text_of("estimate, not measured");
    const bool has_unit = row->clock != NULL && row->clock->unit != NULL;
    return has_unit ? ets_text_of(row->clock->unit) : (struct ets_text){NULL, 0};
}

struct ets_text ets_row_argument(const struct ets_inspection *inspection, const struct ets_row *row,
                                 enum ets_argument argument, char source[ETS_SOURCE_ROOM])
{
    const struct ets_text none = {NULL, 0};
    if (argument == ETS_ARGUMENT_OPERATOR) return row->kernel;
    if (argument == ETS_ARGUMENT_BACKEND) {
        return row->backend == NULL ? none : (struct ets_text){row->backend, strlen(row->backend)};
    }
    if (argument == ETS_ARGUMENT_NODE) {
        const bool is_told = ets_inspection_runtime(inspection).data != NULL && row->node_count > 0;
        return is_told ? row->nodes[0].node->name : none;
    }
    if (argument == ETS_ARGUMENT_LENGTH) return what_lengths_are(row);
    if (argument == ETS_ARGUMENT_MODULE) {
        const struct ets_graph_node *node = node_of(inspection, row);
        return node == NULL ? none : ets_graph_module_path(node);
    }
    const struct ets_graph_frame *frame = ets_row_frame(inspection, row);
    if (frame == NULL) return none;
    const size_t room = ETS_SOURCE_ROOM - sizeof ":4294967295";
    const size_t size = frame->file.size < room ? frame->file.size : room;
    if (size > 0) memcpy(source, frame->file.data, size);
    const size_t line = ets_print_text(source + size, ETS_SOURCE_ROOM - size, ":%u", frame->line);
    return (struct ets_text){source, size + line};
}

const char *ets_row_category(const struct ets_row *row)
{
    if (row->is_delegated) return "delegate";
    if (row->chain < 0) return "runtime";
    return ets_text_is(row->name, "DELEGATE_CALL") ? "delegate call" : "kernel";
}
