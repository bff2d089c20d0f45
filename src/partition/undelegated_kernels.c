/* Kernels of a program and the nodes of the record that they are. */
#include "partition/undelegated_kernels.h"

#include <stdlib.h>

#include "base/error.h"
#include "base/text.h"
#include "operators/operator_traits.h"
#include "partition/partitioners.h"

/* The steps [first, end) of one method. */
struct method_steps {
    const struct ets_delegation *delegation;
    uint32_t first, end;
};

static const struct ets_delegation_step *step_at(const struct method_steps *steps, uint32_t index)
{
    return ets_delegation_step_at(steps->delegation, index);
}

static struct method_steps steps_of_method(const struct ets_delegation *delegation, uint32_t first)
{
    const uint32_t method = ets_delegation_step_at(delegation, first)->method;
    struct method_steps steps = {delegation, first, first};
    while (steps.end < ets_delegation_count(delegation) &&
           step_at(&steps, steps.end)->method == method) {
        steps.end++;
    }
    return steps;
}

/* The backends that steps delegate to: their partitioners were asked. */
static uint32_t ask_backends(const struct method_steps *steps, struct ets_asked *asked)
{
    uint32_t calls = 0;
    for (uint32_t i = steps->first; i < steps->end; i++) {
        const struct ets_delegation_step *step = step_at(steps, i);
        if (step->kind != ETS_INSTRUCTION_DELEGATE_CALL) continue;
        ets_ask_partitioner_of(asked, step->name);
        calls++;
    }
    return calls;
}

/* Of a method that delegates nothing those of the other methods were asked, and where no method
 * delegates XNNPACK's could have been. */
static void find_asked(const struct method_steps *steps, struct ets_asked *asked)
{
    const struct method_steps all = {steps->delegation, 0, ets_delegation_count(steps->delegation)};
    *asked = (struct ets_asked){.count = 0};
    if (ask_backends(steps, asked) > 0 || ask_backends(&all, asked) > 0) return;
    ets_ask_partitioner_of(asked, ets_text_of("XnnpackBackend"));
}

static bool is_view_without_node(const struct ets_delegation_step *step)
{
    return step->kind == ETS_INSTRUCTION_KERNEL_CALL && step->node_count == 0 &&
           ets_text_is(ets_operator_base_name(step->name), "et_view");
}

static int compare_handles(const void *left, const void *right)
{
    const int64_t a = *(const int64_t *)left, b = *(const int64_t *)right;
    return (a > b) - (a < b);
}

/* All handles of the method's instructions, sorted. */
struct handles {
    int64_t *items;
    size_t count;
};

static bool list_handles(struct ets_arena *arena, const struct method_steps *steps,
                         struct handles *handles_out)
{
    size_t count = 0;
    for (uint32_t i = steps->first; i < steps->end; i++) count += step_at(steps, i)->handle_count;
    *handles_out = (struct handles){ets_arena_alloc_array(arena, count, sizeof(int64_t)), 0};
    if (handles_out->items == NULL) return false;
    for (uint32_t i = steps->first; i < steps->end; i++) {
        const struct ets_delegation_step *step = step_at(steps, i);
        for (size_t k = 0; k < step->handle_count; k++) {
            handles_out->items[handles_out->count++] = step->handles[k];
        }
    }
    qsort(handles_out->items, count, sizeof(int64_t), compare_handles);
    return true;
}

/*
 * Views that memory planning turned into et_view have no handle. If as many of the graph's views
 * have a handle that no instruction has, those are they, in order. Returns the nodes, or NULL:
 * there is no such match, or *is_ok is false for want of memory.
 */
static const struct ets_row_node *find_views(struct ets_arena *arena,
                                             const struct method_steps *steps,
                                             const struct ets_graph *graph, bool *is_ok)
{
    uint32_t wanted = 0, found = 0;
    *is_ok = true;
    for (uint32_t i = steps->first; i < steps->end; i++) {
        wanted += is_view_without_node(step_at(steps, i));
    }
    if (wanted == 0) return NULL;
    struct handles handles;
    struct ets_row_node *views = ets_arena_alloc_array(arena, wanted, sizeof *views);
    *is_ok = views != NULL && list_handles(arena, steps, &handles);
    for (uint32_t i = 0; *is_ok && i < graph->node_count; i++) {
        const struct ets_graph_node *node = &graph->nodes[i];
        if (!ets_text_is(node->op, "aten.view_copy.default") ||
            bsearch(&node->debug_handle, handles.items, handles.count, sizeof(int64_t),
                    compare_handles) != NULL) {
            continue;
        }
        if (found == wanted) return NULL;
        views[found++] = (struct ets_row_node){node, node->debug_handle};
    }
    return found == wanted ? views : NULL;
}

/* Judges the kernel calls of one method. */
static enum ets_status judge_method(struct ets_arena *arena, struct ets_etrecord *record,
                                    const struct method_steps *steps, const struct ets_asked *asked,
                                    struct ets_outside *outsides, struct ets_error *error)
{
    const struct ets_graph *graph;
    struct ets_partition *partition;
    const char *method = step_at(steps, steps->first)->method_name;
    const enum ets_status status = ets_etrecord_edge_graph(record, method, &graph, error);
    if (status == ETS_NOT_FOUND) return ETS_OK;
    ETS_TRY(status);
    bool is_ok = ets_partition_open(arena, graph, asked, &partition);
    const struct ets_row_node *view = is_ok ? find_views(arena, steps, graph, &is_ok) : NULL;
    for (uint32_t i = steps->first; is_ok && i < steps->end; i++) {
        const struct ets_delegation_step *step = step_at(steps, i);
        if (step->kind != ETS_INSTRUCTION_KERNEL_CALL) continue;
        const bool is_view = view != NULL && is_view_without_node(step);
        is_ok = is_view ? ets_outside_find(arena, partition, view++, 1, step->name, &outsides[i])
                        : ets_outside_find(arena, partition, step->nodes, step->node_count,
                                           step->name, &outsides[i]);
    }
    return is_ok ? ETS_OK : ets_fail_memory(error, "why operators are outside of delegates");
}

enum ets_status ets_undelegated_kernels_find(struct ets_arena *arena, struct ets_etrecord *record,
                                             const struct ets_delegation *delegation,
                                             const struct ets_outside **outsides_out,
                                             struct ets_error *error)
{
    const uint32_t count = ets_delegation_count(delegation);
    struct ets_outside *outsides = ets_arena_alloc_array(arena, count, sizeof *outsides);
    if (outsides == NULL) return ets_fail_memory(error, "why operators are outside of delegates");
    *outsides_out = outsides;
    for (uint32_t first = 0; record != NULL && first < count;) {
        const struct method_steps steps = steps_of_method(delegation, first);
        struct ets_asked *asked = ets_arena_alloc(arena, sizeof *asked);
        if (asked == NULL) return ets_fail_memory(error, "why operators are outside of delegates");
        find_asked(&steps, asked);
        if (asked->count > 0) {
            ETS_TRY(judge_method(arena, record, &steps, asked, outsides, error));
        }
        first = steps.end;
    }
    return ETS_OK;
}
