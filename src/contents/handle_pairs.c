/*
 * Pairs instructions by debug handle. Exports number handles along the exported program, so that
 * the handles of one model agree whatever is delegated. Where a handle stands for another operator
 * or module, the model has changed, and the handle says nothing.
 */
#include "contents/handle_nodes.h"
#include "contents/method_parts.h"

#include <string.h>

#include "base/text.h"
#include "format/program_lists.h"
#include "record/record_maps.h"

struct pairing {
    struct ets_paired_methods *methods;
    struct ets_handle_nodes nodes[2];
    struct ets_key_table known;  /* handles of delegate calls */
    uint32_t *calls[2];          /* [known.count] the first delegate call of a handle, by side */
    uint32_t *overlap, *touched; /* [instruction_count of the second side] */
};

static const int64_t *handles_of(const struct ets_paired_side *side, uint32_t instruction,
                                 size_t *count_out)
{
    const int64_t *handles;
    *count_out = 0;
    const struct ets_paired_instruction *item = &side->instructions[instruction];
    if (item->chain != 0) return NULL; /* maps have chain 0 alone */
    ets_etrecord_call_handles(side->record, side->record_method, item->index, &handles, count_out);
    return handles;
}

static bool is_delegate_call(const struct ets_paired_side *side, uint32_t instruction)
{
    struct ets_instruction read;
    ets_paired_instruction_read(side, instruction, &read);
    return read.kind == ETS_INSTRUCTION_DELEGATE_CALL;
}

/* Lowering for a backend keeps operators whole that are taken apart for kernels, at their line. */
static bool same_line(const struct ets_graph_node *before, const struct ets_graph_node *after)
{
    const struct ets_graph_frame *left = ets_graph_user_frame(before);
    const struct ets_graph_frame *right = ets_graph_user_frame(after);
    return left != NULL && right != NULL && left->line == right->line &&
           ets_text_same(left->file, right->file);
}

/* Whether a handle stands for the same on both sides: of one module, the same operator or line. */
static bool agrees(const struct pairing *p, int64_t handle)
{
    const struct ets_graph_node *before = ets_handle_nodes_find(&p->nodes[0], handle);
    const struct ets_graph_node *after = ets_handle_nodes_find(&p->nodes[1], handle);
    if (handle <= 0 || before == NULL || after == NULL) return false;
    return ets_text_same(ets_graph_module_path(before), ets_graph_module_path(after)) &&
           (ets_text_equal(before->op, after->op) || same_line(before, after));
}

static void make_pair(struct ets_paired_methods *m, uint32_t before, uint32_t after)
{
    m->sides[0].instructions[before].partner = after;
    m->sides[1].instructions[after].partner = before;
    m->by_handles = true;
}

/* A kernel call by its name, its handle, and how many of these came before it. */
struct occurrences {
    struct ets_key_table keys, counted;
    uint32_t *count; /* [keys.count] */
    uint32_t capacity;
};

/* The number of an instruction's occurrence, which is added; ETS_KEY_NONE: no memory. */
static uint32_t count_occurrence(struct occurrences *o, uint32_t name, int64_t handle)
{
    const uint64_t key[2] = {name, (uint64_t)handle};
    const uint32_t number = ets_key_table_add(&o->keys, key);
    if (number == ETS_KEY_NONE) return number;
    o->count = ets_arena_grow(o->keys.arena, o->count, number, &o->capacity, sizeof *o->count);
    if (o->count == NULL) return ETS_KEY_NONE;
    const uint64_t counted[2] = {number, o->count[number]++};
    return ets_key_table_add(&o->counted, counted);
}

/* The first instruction of a name and handle with the first, the second with the second. */
static bool pair_kernels(struct pairing *p)
{
    struct ets_paired_methods *m = p->methods;
    struct occurrences o = {.count = NULL};
    uint32_t *before = NULL, capacity = 0;
    ets_key_table_init(&o.keys, m->arena, 2);
    ets_key_table_init(&o.counted, m->arena, 2);
    for (int s = 0; s < 2; s++) {
        if (o.count != NULL) memset(o.count, 0, o.keys.count * sizeof *o.count);
        for (uint32_t i = 0; i < m->sides[s].instruction_count; i++) {
            size_t count;
            const int64_t *handles = handles_of(&m->sides[s], i, &count);
            if (count == 0 || !agrees(p, handles[0]) || is_delegate_call(&m->sides[s], i)) continue;
            const uint32_t number =
                count_occurrence(&o, m->sides[s].instructions[i].name, handles[0]);
            if (number == ETS_KEY_NONE) return false;
            before = ets_arena_grow(m->arena, before, number, &capacity, sizeof *before);
            if (before == NULL) return false;
            if (s == 0) before[number] = i + 1;
            else if (before[number] > 0) make_pair(m, before[number] - 1, i);
        }
    }
    return true;
}

/* The delegate call behind each handle that a delegate call has. */
static bool index_calls(struct pairing *p, int side)
{
    const struct ets_paired_side *of = &p->methods->sides[side];
    uint32_t capacity = 0;
    for (uint32_t i = 0; i < of->instruction_count; i++) {
        size_t count;
        if (!is_delegate_call(of, i)) continue;
        const int64_t *handles = handles_of(of, i, &count);
        for (size_t h = 0; h < count; h++) {
            const uint64_t key = (uint64_t)handles[h];
            const uint32_t number = ets_key_table_add(&p->known, &key);
            if (number == ETS_KEY_NONE) return false;
            p->calls[side] = ets_arena_grow(p->methods->arena, p->calls[side], number, &capacity,
                                            sizeof *p->calls[side]);
            if (p->calls[side] == NULL) return false;
            if (p->calls[side][number] == 0) p->calls[side][number] = i + 1;
        }
    }
    /* Room for the handles of the other side as well. */
    if (p->known.count == 0) return true;
    p->calls[side] = ets_arena_grow(p->methods->arena, p->calls[side], p->known.count, &capacity,
                                    sizeof *p->calls[side]);
    return p->calls[side] != NULL;
}

/* The delegate call of a side that has this handle; ETS_THING_NONE: none. */
static uint32_t call_of(const struct pairing *p, int side, uint32_t known_before, int64_t handle)
{
    const uint64_t key = (uint64_t)handle;
    const uint32_t number = ets_key_table_find(&p->known, &key);
    if (number == ETS_KEY_NONE || number >= known_before) return ETS_THING_NONE;
    const uint32_t call = p->calls[side][number];
    return call == 0 ? ETS_THING_NONE : call - 1;
}

/* The call of the second side that shares most handles with a call of the first. */
static uint32_t nearest_call(struct pairing *p, uint32_t before, uint32_t known)
{
    const struct ets_paired_side *sides = p->methods->sides;
    size_t count;
    uint32_t touched = 0, best = ETS_THING_NONE;
    const int64_t *handles = handles_of(&sides[0], before, &count);
    for (size_t h = 0; h < count; h++) {
        const uint32_t call = call_of(p, 1, known, handles[h]);
        if (call == ETS_THING_NONE || !agrees(p, handles[h])) continue;
        if (p->overlap[call]++ == 0) p->touched[touched++] = call;
    }
    uint32_t most = 0;
    for (uint32_t i = 0; i < touched; i++) {
        const struct ets_paired_instruction *item = &sides[1].instructions[p->touched[i]];
        const uint32_t shared = p->overlap[p->touched[i]];
        p->overlap[p->touched[i]] = 0;
        if (item->partner != ETS_THING_NONE || item->name != sides[0].instructions[before].name ||
            shared <= most) {
            continue;
        }
        most = shared;
        best = p->touched[i];
    }
    return best;
}

static bool pair_calls(struct pairing *p, const uint32_t known[2])
{
    struct ets_paired_methods *m = p->methods;
    const uint32_t count = m->sides[1].instruction_count;
    p->overlap = ets_arena_alloc_array(m->arena, count, sizeof *p->overlap);
    p->touched = ets_arena_alloc_array(m->arena, count, sizeof *p->touched);
    if (p->overlap == NULL || p->touched == NULL) return false;
    for (uint32_t i = 0; i < m->sides[0].instruction_count; i++) {
        if (!is_delegate_call(&m->sides[0], i)) continue;
        const uint32_t after = nearest_call(p, i, known[1]);
        if (after != ETS_THING_NONE) make_pair(m, i, after);
    }
    return true;
}

/* Kernel calls of one side whose work a delegate call does on the other. */
static void find_takers(struct pairing *p, int side, const uint32_t known[2])
{
    struct ets_paired_side *of = &p->methods->sides[side];
    const int other = ets_other_side(side);
    for (uint32_t i = 0; i < of->instruction_count; i++) {
        size_t count;
        struct ets_paired_instruction *item = &of->instructions[i];
        if (item->partner != ETS_THING_NONE || is_delegate_call(of, i)) continue;
        const int64_t *handles = handles_of(of, i, &count);
        if (count == 0 || !agrees(p, handles[0])) continue;
        item->taker = call_of(p, other, known[other], handles[0]);
        if (item->taker != ETS_THING_NONE) p->methods->by_handles = true;
    }
}

enum ets_status ets_pair_by_handles(struct ets_paired_methods *m)
{
    struct pairing p = {.methods = m};
    for (int s = 0; s < 2; s++) {
        struct ets_paired_side *side = &m->sides[s];
        if (side->record_method == NULL) return ETS_OK;
        ETS_TRY(ets_handle_nodes_read(m->arena, side->record, side->record_method, &p.nodes[s],
                                      m->error));
    }
    ets_key_table_init(&p.known, m->arena, 1);
    uint32_t known[2] = {0, 0};
    bool ok = pair_kernels(&p);
    for (int s = 0; ok && s < 2; s++) {
        ok = index_calls(&p, s);
        known[s] = p.known.count;
    }
    if (!ok || !pair_calls(&p, known)) return ets_fail_memory(m->error, "debug handles");
    for (int s = 0; s < 2; s++) find_takers(&p, s, known);
    return ETS_OK;
}
