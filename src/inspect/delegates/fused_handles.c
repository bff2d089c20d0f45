/* Finds the debug handles of each node of a payload, including those of nodes fused into it. */
#include "inspect/delegates/fused_handles.h"

#include "host/strings.h"
#include "inspect/inspection.h"

#define NONE UINT32_MAX

struct fuser {
    struct ets_arena *arena;
    const struct ets_delegate_call *call;
    struct ets_fused_handles *fused;
    struct ets_strings values; /* outputs of nodes of the call */
    uint32_t *giver;           /* [value] number of the handle whose node computes it */
    uint32_t *reader;          /* [known] the first handle that reads this one's output */
};

static uint32_t number_of(const struct ets_fused_handles *fused, int64_t handle)
{
    const uint64_t key = (uint64_t)handle;
    return ets_key_table_find(&fused->known, &key);
}

static int64_t handle_of(const struct ets_fused_handles *fused, uint32_t number)
{
    return (int64_t)*ets_key_table_key(&fused->known, number);
}

static const struct ets_row_node *nodes_of(const struct fuser *f, uint32_t number,
                                           uint32_t *count_out)
{
    return ets_handle_index_find(f->call->nodes, handle_of(f->fused, number), count_out);
}

/* Whether visiting the call's nodes is proportional to the file sizes. */
static bool spend_nodes(const struct fuser *f)
{
    uint64_t nodes = 0;
    for (uint32_t i = 0; i < f->fused->known.count; i++) {
        uint32_t count;
        nodes_of(f, i, &count);
        nodes += count;
    }
    if (nodes > *f->call->budget) return false;
    *f->call->budget -= nodes;
    return true;
}

static bool add_value(struct fuser *f, struct ets_text name, uint32_t giver, size_t *room)
{
    const uint32_t known = f->values.count;
    const uint32_t value = ets_strings_add(&f->values, name);
    if (value == UINT32_MAX) return false;
    if (value < known) return true;
    if (value >= *room) {
        const size_t larger = 2 * (size_t)value + 16;
        uint32_t *givers = ets_arena_alloc_array(f->arena, larger, sizeof *givers);
        if (givers == NULL) return false;
        if (*room > 0) memcpy(givers, f->giver, *room * sizeof *givers);
        f->giver = givers;
        *room = larger;
    }
    f->giver[value] = giver;
    return true;
}

static bool add_values(struct fuser *f, const struct ets_graph_argument *outputs, uint32_t count,
                       uint32_t giver, size_t *room)
{
    for (uint32_t i = 0; i < count; i++) {
        const struct ets_graph_argument *output = &outputs[i];
        if (output->kind == ETS_ARGUMENT_TENSOR && !add_value(f, output->name, giver, room)) {
            return false;
        }
        for (uint32_t k = 0; output->kind == ETS_ARGUMENT_LIST && k < output->item_count; k++) {
            if (output->items[k].kind == ETS_ARGUMENT_TENSOR &&
                !add_value(f, output->items[k].name, giver, room)) {
                return false;
            }
        }
    }
    return true;
}

static bool find_givers(struct fuser *f)
{
    size_t room = 0;
    if (ets_strings_init(&f->values, f->arena) != 0) return false;
    for (uint32_t i = 0; i < f->fused->known.count; i++) {
        uint32_t count;
        const struct ets_row_node *nodes = nodes_of(f, i, &count);
        for (uint32_t k = 0; k < count; k++) {
            const struct ets_graph_node *node = nodes[k].node;
            if (!add_values(f, node->outputs, node->output_count, i, &room)) return false;
        }
    }
    return true;
}

/* A node that reads a value of another handle takes that handle's owner, if it has none itself. */
static void follow_input(struct fuser *f, uint32_t number, const struct ets_graph_argument *input)
{
    if (input->kind != ETS_ARGUMENT_TENSOR) return;
    const uint32_t value = ets_strings_find(&f->values, input->name);
    if (value == UINT32_MAX || value == ETS_STRING_NONE) return;
    const uint32_t giver = f->giver[value];
    if (giver == number) return;
    if (f->reader[giver] == NONE) f->reader[giver] = number;
    if (f->fused->owner[number] == NONE) f->fused->owner[number] = f->fused->owner[giver];
}

static bool own_by_graph(struct fuser *f)
{
    struct ets_fused_handles *fused = f->fused;
    f->reader = ets_arena_alloc_array(f->arena, fused->known.count, sizeof *f->reader);
    if (f->reader == NULL || !find_givers(f)) return false;
    for (uint32_t i = 0; i < fused->known.count; i++) f->reader[i] = NONE;
    for (uint32_t i = 0; i < fused->known.count; i++) { /* the list is in order of execution */
        uint32_t count;
        const struct ets_row_node *nodes = nodes_of(f, i, &count);
        for (uint32_t k = 0; k < count; k++) {
            const struct ets_graph_node *node = nodes[k].node;
            for (uint32_t n = 0; n < node->input_count; n++) {
                const struct ets_graph_argument *input = &node->inputs[n];
                follow_input(f, i, input);
                for (uint32_t m = 0; input->kind == ETS_ARGUMENT_LIST && m < input->item_count;
                     m++) {
                    follow_input(f, i, &input->items[m]);
                }
            }
        }
    }
    for (uint32_t i = fused->known.count; i-- > 0;) {
        if (fused->owner[i] == NONE && f->reader[i] != NONE) {
            fused->owner[i] = fused->owner[f->reader[i]];
        }
    }
    return true;
}

static void own_by_order(struct ets_fused_handles *fused)
{
    for (uint32_t i = 0, last = NONE; i < fused->known.count; i++) {
        if (fused->owner[i] == NONE) fused->owner[i] = last;
        last = fused->owner[i];
    }
}

/* Members by owner: a counting sort. */
static bool list_members(struct ets_arena *arena, struct ets_fused_handles *fused)
{
    const uint32_t count = fused->known.count;
    fused->first = ets_arena_alloc_array(arena, (size_t)count + 2, sizeof *fused->first);
    fused->members = ets_arena_alloc_array(arena, count, sizeof *fused->members);
    fused->rest = ets_arena_alloc_array(arena, count, sizeof *fused->rest);
    if (fused->first == NULL || fused->members == NULL || fused->rest == NULL) return false;
    for (uint32_t i = 0; i < count; i++) {
        if (fused->owner[i] != NONE) fused->first[fused->owner[i] + 2]++;
    }
    for (uint32_t i = 2; i < count + 2; i++) fused->first[i] += fused->first[i - 1];
    for (uint32_t i = 0; i < count; i++) {
        if (fused->owner[i] == NONE) {
            fused->rest[fused->rest_count++] = handle_of(fused, i);
            continue;
        }
        fused->members[fused->first[fused->owner[i] + 1]++] = handle_of(fused, i);
    }
    return true;
}

enum ets_status ets_fused_handles_build(struct ets_arena *arena,
                                        const struct ets_delegate_call *call, const int64_t *owned,
                                        size_t count, struct ets_fused_handles *fused_out,
                                        struct ets_error *error)
{
    *fused_out = (struct ets_fused_handles){.is_exact = false};
    ets_key_table_init(&fused_out->known, arena, 1);
    for (size_t i = 0; i < call->handle_count; i++) {
        const uint64_t key = (uint64_t)call->handles[i];
        if (ets_key_table_add(&fused_out->known, &key) == ETS_KEY_NONE) {
            return ets_fail_unit_memory(error);
        }
    }
    fused_out->owner =
        ets_arena_alloc_array(arena, fused_out->known.count, sizeof *fused_out->owner);
    if (fused_out->owner == NULL) return ets_fail_unit_memory(error);
    for (uint32_t i = 0; i < fused_out->known.count; i++) fused_out->owner[i] = NONE;
    for (size_t i = 0; i < count; i++) {
        const uint32_t number = owned[i] < 0 ? NONE : number_of(fused_out, owned[i]);
        if (number != NONE) fused_out->owner[number] = number;
    }
    struct fuser f = {.arena = arena, .call = call, .fused = fused_out};
    fused_out->is_exact = call->nodes != NULL && call->nodes->count > 0 && spend_nodes(&f);
    if (!fused_out->is_exact) own_by_order(fused_out);
    else if (!own_by_graph(&f)) return ets_fail_unit_memory(error);
    return list_members(arena, fused_out) ? ETS_OK : ets_fail_unit_memory(error);
}

const int64_t *ets_fused_handles_of(const struct ets_fused_handles *fused, int64_t handle,
                                    size_t *count_out)
{
    const uint32_t number = handle < 0 ? NONE : number_of(fused, handle);
    *count_out = 0;
    if (number == NONE) return NULL;
    *count_out = fused->first[number + 1] - fused->first[number];
    return fused->members + fused->first[number];
}
