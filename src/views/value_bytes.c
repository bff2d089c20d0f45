/* Computes how many bytes a row writes, from the program or the shapes in the ETRecord's graph. */
#include <math.h>
#include <string.h>

#include "base/text.h"
#include "etscope/tensor.h"
#include "inspect/inspection.h"
#include "operators/operator_traits.h"
#include "record/record_maps.h"
#include "views/source_lines.h"

/* Operators that are fused into one are few; whole delegate calls are not asked for. */
enum { MOST_NODES = 64 };

static double bytes_of_value(const struct ets_graph *graph, struct ets_text name)
{
    const struct ets_graph_value *value = ets_graph_find_value(graph, name);
    if (value == NULL || value->scalar_type < 0) return NAN;
    double bytes = (double)ets_scalar_type_bytes(value->scalar_type);
    for (uint32_t i = 0; i < value->rank; i++) {
        if (value->sizes[i] < 0) return NAN;
        bytes *= (double)value->sizes[i];
    }
    return bytes;
}

static bool reads(const struct ets_graph_argument *argument, struct ets_text name)
{
    if (argument->kind == ETS_ARGUMENT_TENSOR) return ets_text_equal(argument->name, name);
    if (argument->kind != ETS_ARGUMENT_LIST) return false;
    for (uint32_t i = 0; i < argument->item_count; i++) {
        const struct ets_graph_argument *item = &argument->items[i];
        if (item->kind == ETS_ARGUMENT_TENSOR && ets_text_equal(item->name, name)) return true;
    }
    return false;
}

/* A value that another operator of the row takes never leaves it. */
static bool stays_inside(const struct ets_row *row, struct ets_text name)
{
    for (size_t i = 0; i < row->node_count; i++) {
        const struct ets_graph_node *node = row->nodes[i].node;
        for (uint32_t k = 0; k < node->input_count; k++) {
            if (reads(&node->inputs[k], name)) return true;
        }
    }
    return false;
}

static double bytes_of_output(const struct ets_graph *graph, const struct ets_row *row,
                              const struct ets_graph_argument *output)
{
    if (output->kind == ETS_ARGUMENT_TENSOR) {
        if (row->node_count > 1 && stays_inside(row, output->name)) return 0;
        return bytes_of_value(graph, output->name);
    }
    double bytes = 0;
    if (output->kind != ETS_ARGUMENT_LIST) return 0;
    for (uint32_t i = 0; i < output->item_count; i++) {
        if (output->items[i].kind == ETS_ARGUMENT_TENSOR) {
            bytes += bytes_of_value(graph, output->items[i].name);
        }
    }
    return bytes;
}

/* Several nodes behind one handle are kernels of their own: what those of the row's name write,
 * where they agree. */
static double bytes_of_kernel(const struct ets_graph *graph, const struct ets_row *row)
{
    const struct ets_text kernel = ets_operator_base_name(ets_row_kernel(row));
    double bytes = NAN;
    bool is_first = true;
    for (size_t i = 0; i < row->node_count; i++) {
        const struct ets_graph_node *node = row->nodes[i].node;
        double written = 0;
        if (!ets_text_equal(ets_operator_base_name(node->op), kernel)) continue;
        for (uint32_t k = 0; k < node->output_count; k++) {
            written +=
                bytes_of_output(graph, &(struct ets_row){.node_count = 1}, &node->outputs[k]);
        }
        if (!is_first && written != bytes) return NAN;
        bytes = written;
        is_first = false;
    }
    return bytes;
}

static const struct ets_delegation_step *find_step(const struct ets_delegation *delegations,
                                                   const char *method, int32_t instruction)
{
    for (uint32_t i = 0; i < ets_delegation_count(delegations); i++) {
        const struct ets_delegation_step *step = ets_delegation_step_at(delegations, i);
        if (step->instruction == (uint32_t)instruction && strcmp(step->method_name, method) == 0) {
            return step;
        }
    }
    return NULL;
}

double ets_row_written_bytes(const struct ets_inspection *inspection, const struct ets_row *row,
                             const struct ets_delegation *delegations)
{
    const struct ets_known_method *method = inspection->block_method[row->block];
    double bytes = 0;
    if (method == NULL || row->chain != 0) return NAN;
    if (delegations != NULL && !row->is_delegated) {
        const struct ets_delegation_step *step =
            find_step(delegations, method->name, row->instruction);
        return step == NULL ? NAN : (double)step->output_bytes;
    }
    if (method->graph == NULL || row->node_count == 0 || row->node_count > MOST_NODES ||
        row->is_inferred) { /* values of a branch have names of their own */
        return NAN;
    }
    const bool is_call = row->is_delegated || ets_text_is(row->name, "DELEGATE_CALL");
    if (!is_call) return bytes_of_kernel(method->graph, row);
    for (size_t i = 0; i < row->node_count; i++) {
        const struct ets_graph_node *node = row->nodes[i].node;
        for (uint32_t k = 0; k < node->output_count; k++) {
            bytes += bytes_of_output(method->graph, row, &node->outputs[k]);
        }
    }
    return bytes;
}
