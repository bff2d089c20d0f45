/* Joins events to operators like ExecuTorch's Inspector, with or without its mistakes. */
#include "inspect/upstream/upstream_join.h"
#include "inspect/upstream/upstream_view.h"
#include "record/etrecord_internal.h"
#include "record/record_maps.h"

#include <stdbool.h>
#include <string.h>

/* Framework events carry instruction 0; upstream gives these names no operators. */
static bool is_framework(const char *name)
{
    return strcmp(name, "Method::init") == 0 || strcmp(name, "Program::load_method") == 0 ||
           strcmp(name, "Method::execute") == 0;
}

/*
 * An identifier's handles: an exact key, overridden by the last key that is contained in it
 * ("1" in "12").
 */
static void find_delegate_handles(const struct ets_etrecord *record, const char *method,
                                  bool mended, struct ets_upstream_event *event)
{
    const struct ets_text identifier = {event->name, strlen(event->name)};
    const int64_t *handles = NULL;
    size_t count = 0;
    ets_etrecord_delegate_handles(record, method, event->instruction, identifier, &handles, &count);
    for (size_t i = 0; !mended; i++) {
        const char *key = ets_etrecord_delegate_identifier(record, method, event->instruction, i);
        if (key == NULL) break;
        if (strstr(event->name, key) == NULL) continue;
        ets_etrecord_delegate_handles(record, method, event->instruction,
                                      (struct ets_text){key, strlen(key)}, &handles, &count);
    }
    event->handles = handles;
    event->handle_count = (uint32_t)count;
    event->handles_are_list = 1; /* as every mapping builder writes them */
}

static void find_handles(const struct ets_etrecord *record, const char *method, bool mended,
                         struct ets_upstream_event *event)
{
    const int64_t *handles;
    size_t count;
    int is_list = 0;
    ets_etrecord_handles(record, method, event->instruction, &handles, &count, &is_list);
    if (handles == NULL) return; /* no key: upstream leaves the event alone */
    event->num_outputs = ets_etrecord_num_outs(record, method, event->instruction);
    const char *backend = ets_etrecord_backend(record, method, event->instruction);
    if (event->is_delegated && backend != NULL) {
        event->backend = backend;
        find_delegate_handles(record, method, mended, event);
        return;
    }
    event->handles = handles;
    event->handle_count = (uint32_t)count;
    event->handles_are_list = is_list;
    if (!event->is_delegated && strcmp(event->name, "DELEGATE_CALL") == 0) event->backend = backend;
}

static enum ets_status find_operators(struct ets_inspection *inspection,
                                      struct ets_handle_index *index,
                                      struct ets_upstream_event *event, struct ets_error *error)
{
    uint64_t wanted = 0; /* more than 32 bits count, before it is refused */
    uint32_t count;
    for (uint32_t i = 0; i < event->handle_count; i++) {
        ets_handle_index_find(index, event->handles[i], &count);
        wanted += count;
    }
    const enum ets_status status = ets_handle_index_spend(index, wanted, error);
    if (status != ETS_OK) return ets_etrecord_blame(inspection->options.record, status, error);
    if (wanted > UINT32_MAX) return ets_fail_memory(error, "an event's operators");
    const size_t room = (size_t)wanted;
    const char **ops = ets_arena_alloc_array(&inspection->arena, room, sizeof *ops);
    const struct ets_graph_node **nodes =
        ets_arena_alloc_array(&inspection->arena, room, sizeof *nodes);
    if (ops == NULL || nodes == NULL) return ets_fail_memory(error, "an event's operators");
    ets_handle_index_start(index);
    for (uint32_t i = 0; i < event->handle_count; i++) {
        const struct ets_row_node *found = ets_handle_index_find(index, event->handles[i], &count);
        const int is_new = ets_handle_index_add(index, found, count);
        for (uint32_t k = 0; k < count; k++) {
            ops[event->op_type_count++] = found[k].node->op.data;
            if (is_new) nodes[event->node_count++] = found[k].node;
        }
    }
    event->op_types = ops;
    event->nodes = nodes;
    return ETS_OK;
}

/* Upstream joins with "forward"; a record of one other method, or of several, is joined with the
 * method that the block ran. */
static struct ets_known_method *method_of(const struct ets_inspection *inspection, uint32_t block,
                                          bool mended)
{
    if (inspection->options.record == NULL) return NULL;
    const bool is_forced = !mended || inspection->options.allow_mismatch;
    if (inspection->method_count == 1 && is_forced) return &inspection->methods[0];
    return inspection->block_method[block];
}

enum ets_status ets_upstream_join(struct ets_inspection *inspection, uint32_t block, bool mended,
                                  struct ets_upstream_event *events, uint32_t count,
                                  struct ets_error *error)
{
    struct ets_known_method *method = method_of(inspection, block, mended);
    if (method == NULL || !method->in_record) return ETS_OK;
    for (uint32_t i = 0; i < count; i++) {
        find_handles(inspection->options.record, method->name, mended, &events[i]);
        if (is_framework(events[i].name)) continue;
        ETS_TRY(find_operators(inspection, &method->top_nodes, &events[i], error));
    }
    return ETS_OK;
}
