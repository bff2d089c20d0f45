/* What differs between two methods: interface, kernels, instructions, delegates, arenas. */
#include "contents/method_parts.h"

#include "base/text.h"
#include "format/program_lists.h"
#include "host/strings.h"

/* A kernel or a backend of both sides, by its name. */
struct callee {
    uint32_t index[2]; /* the first of that name; ETS_THING_NONE: the side does not list it */
    uint32_t calls[2];
};

struct callees {
    struct ets_strings names;
    struct ets_key_table keys; /* 0 and name; for a kernel name and overload */
    struct callee *items;      /* [keys.count] */
    uint32_t capacity;
};

static enum ets_status no_memory(const struct ets_paired_methods *m)
{
    return ets_fail_memory(m->error, "what differs");
}

static void count_field(struct ets_program_change *change, enum ets_program_field field,
                        uint32_t before, uint32_t after)
{
    if (before != after) change->fields |= ets_field_bit(field);
}

/* The method as a whole: its name, its interface, its sizes. */
static enum ets_status compare_methods(struct ets_paired_methods *m,
                                       struct ets_change_list *changes)
{
    const struct ets_method *a = &m->sides[0].method, *b = &m->sides[1].method;
    struct ets_program_change whole = {.fields = 0};
    count_field(&whole, ETS_FIELD_NAME, 0, !ets_text_same(a->name, b->name));
    count_field(&whole, ETS_FIELD_INPUT_STRUCTURE, 0,
                !ets_text_same(a->input_structure, b->input_structure));
    count_field(&whole, ETS_FIELD_OUTPUT_STRUCTURE, 0,
                !ets_text_same(a->output_structure, b->output_structure));
    count_field(&whole, ETS_FIELD_INPUT_COUNT, a->input_count, b->input_count);
    count_field(&whole, ETS_FIELD_OUTPUT_COUNT, a->output_count, b->output_count);
    count_field(&whole, ETS_FIELD_VALUE_COUNT, a->value_count, b->value_count);
    count_field(&whole, ETS_FIELD_INSTRUCTION_COUNT, m->sides[0].instruction_count,
                m->sides[1].instruction_count);
    if (whole.fields == 0) return ETS_OK;
    struct ets_program_change *change = ets_change_add(changes, ETS_PART_METHOD, ETS_THING_CHANGED);
    if (change == NULL) return no_memory(m);
    change->fields = whole.fields;
    for (int s = 0; s < 2; s++) {
        change->index[s] = m->sides[s].method.index;
        change->counts[s] = m->sides[s].instruction_count;
    }
    return ETS_OK;
}

/* An input or output that is another value than before. */
static enum ets_status compare_places(struct ets_paired_methods *m, bool is_input,
                                      struct ets_change_list *changes)
{
    const struct ets_method *a = &m->sides[0].method, *b = &m->sides[1].method;
    const uint32_t before = is_input ? a->input_count : a->output_count;
    const uint32_t after = is_input ? b->input_count : b->output_count;
    for (uint32_t i = 0; i < before && i < after; i++) {
        struct ets_evalue values[2];
        if (is_input) ets_method_input(a, i, &values[0]), ets_method_input(b, i, &values[1]);
        else ets_method_output(a, i, &values[0]), ets_method_output(b, i, &values[1]);
        if (ets_same_argument(m, values[0].index, values[1].index)) continue;
        struct ets_program_change *change =
            ets_change_add(changes, is_input ? ETS_PART_INPUT : ETS_PART_OUTPUT, ETS_THING_CHANGED);
        if (change == NULL) return no_memory(m);
        change->fields = ets_field_bit(ETS_FIELD_ARGUMENTS);
        change->index[0] = values[0].index;
        change->index[1] = values[1].index;
    }
    return ETS_OK;
}

static struct callee *find_callee(struct callees *all, struct ets_text name,
                                  struct ets_text overload)
{
    const uint32_t numbers[2] = {ets_strings_add(&all->names, name),
                                 overload.size > 0 ? ets_strings_add(&all->names, overload) : 0};
    if (numbers[0] == UINT32_MAX || numbers[1] == UINT32_MAX) return NULL;
    const uint64_t key[2] = {numbers[0], numbers[1]};
    const uint32_t known = all->keys.count, number = ets_key_table_add(&all->keys, key);
    if (number == ETS_KEY_NONE) return NULL;
    if (number == known) {
        all->items =
            ets_arena_grow(all->keys.arena, all->items, number, &all->capacity, sizeof *all->items);
        if (all->items == NULL) return NULL;
        all->items[number] = (struct callee){.index = {ETS_THING_NONE, ETS_THING_NONE}};
    }
    return &all->items[number];
}

static bool list_callee(struct callees *all, int side, uint32_t index, struct ets_text name,
                        struct ets_text overload, uint32_t calls)
{
    struct callee *callee = find_callee(all, name, overload);
    if (callee == NULL) return false;
    if (callee->index[side] == ETS_THING_NONE) callee->index[side] = index;
    callee->calls[side] += calls;
    return true;
}

/* Lists the kernels, or the backends, of a side with their calls. */
static bool list_callees(struct ets_paired_methods *m, struct callees *all, int s, bool kernels)
{
    const struct ets_paired_side *side = &m->sides[s];
    const uint32_t count = kernels ? side->method.operator_count : side->method.delegate_count;
    uint32_t *calls = ets_arena_alloc_array(m->arena, count, sizeof *calls);
    if (calls == NULL) return false;
    for (uint32_t i = 0; i < side->instruction_count; i++) {
        struct ets_instruction instruction;
        ets_paired_instruction_read(side, i, &instruction);
        const int32_t target = kernels ? instruction.operator_index : instruction.delegate_index;
        if (target >= 0) calls[target]++;
    }
    for (uint32_t i = 0; i < count; i++) {
        struct ets_operator op = {.overload = {NULL, 0}};
        struct ets_delegate delegate;
        if (kernels) {
            ets_method_operator(&side->method, i, &op);
        } else {
            ets_method_delegate(&side->method, i, &delegate);
            op.name = delegate.id;
        }
        if (!list_callee(all, s, i, op.name, op.overload, calls[i])) return false;
    }
    return true;
}

static enum ets_status compare_callees(struct ets_paired_methods *m, bool kernels,
                                       struct ets_change_list *changes)
{
    struct callees all = {.items = NULL};
    bool ok = ets_strings_init(&all.names, m->arena) == 0;
    ets_key_table_init(&all.keys, m->arena, 2);
    for (int s = 0; ok && s < 2; s++) ok = list_callees(m, &all, s, kernels);
    for (uint32_t i = 0; ok && i < all.keys.count; i++) {
        const struct callee *callee = &all.items[i];
        const bool was = callee->index[0] != ETS_THING_NONE;
        const bool is = callee->index[1] != ETS_THING_NONE;
        if (was && is && callee->calls[0] == callee->calls[1]) continue;
        struct ets_program_change *change =
            ets_change_add(changes, kernels ? ETS_PART_OPERATOR : ETS_PART_BACKEND,
                           !was  ? ETS_THING_ADDED
                           : !is ? ETS_THING_REMOVED
                                 : ETS_THING_CHANGED);
        ok = change != NULL;
        for (int s = 0; ok && s < 2; s++) {
            change->index[s] = callee->index[s];
            change->counts[s] = callee->calls[s];
        }
        if (ok && was && is) change->fields = ets_field_bit(ETS_FIELD_CALLS);
    }
    return ok ? ETS_OK : no_memory(m);
}

static bool same_frames(const struct ets_instruction *before, const struct ets_instruction *after)
{
    if (before->frame_count != after->frame_count) return false;
    for (uint32_t i = 0; i < before->frame_count; i++) {
        struct ets_program_frame frames[2];
        ets_instruction_frame(before, i, &frames[0]);
        ets_instruction_frame(after, i, &frames[1]);
        if (frames[0].line != frames[1].line ||
            !ets_text_same(frames[0].file_name, frames[1].file_name) ||
            !ets_text_same(frames[0].name, frames[1].name) ||
            !ets_text_same(frames[0].context, frames[1].context)) {
            return false;
        }
    }
    return true;
}

/* Where a jump leads, as the instruction there: what comes first behind it that both sides have. */
static bool same_destination(const struct ets_paired_methods *m, const uint32_t chains[2],
                             const struct ets_instruction calls[2])
{
    uint32_t at[2], end[2];
    if (calls[0].kind != ETS_INSTRUCTION_JUMP_FALSE_CALL) return true;
    for (int s = 0; s < 2; s++) {
        const uint32_t *first = m->sides[s].first_of_chain + chains[s];
        at[s] = first[0] + (uint32_t)calls[s].destination;
        end[s] = first[1];
    }
    if (at[0] >= end[0] || at[1] >= end[1]) return at[0] >= end[0] && at[1] >= end[1];
    return m->sides[0].instructions[at[0]].partner == at[1] ||
           (m->sides[0].instructions[at[0]].partner == ETS_THING_NONE &&
            m->sides[1].instructions[at[1]].partner == ETS_THING_NONE);
}

static bool same_arguments(const struct ets_paired_methods *m,
                           const struct ets_instruction calls[2])
{
    if (calls[0].argument_count != calls[1].argument_count) return false;
    for (uint32_t k = 0; k < calls[0].argument_count; k++) {
        if (!ets_same_argument(m, ets_instruction_argument(&calls[0], k),
                               ets_instruction_argument(&calls[1], k))) {
            return false;
        }
    }
    return true;
}

/* What differs between two instructions that are the same; `last`: the furthest that was paired. */
static uint64_t instruction_fields(const struct ets_paired_methods *m, uint32_t before,
                                   uint32_t after, int64_t last)
{
    const struct ets_paired_instruction *items[2] = {&m->sides[0].instructions[before],
                                                     &m->sides[1].instructions[after]};
    const uint32_t chains[2] = {items[0]->chain, items[1]->chain};
    struct ets_instruction calls[2];
    struct ets_program_change found = {.fields = 0};
    ets_paired_instruction_read(&m->sides[0], before, &calls[0]);
    ets_paired_instruction_read(&m->sides[1], after, &calls[1]);
    count_field(&found, ETS_FIELD_ORDER, 0, (int64_t)after < last || chains[0] != chains[1]);
    count_field(&found, ETS_FIELD_ARGUMENTS, 0, !same_arguments(m, calls));
    count_field(&found, ETS_FIELD_DESTINATION, 0, !same_destination(m, chains, calls));
    count_field(&found, ETS_FIELD_STACK_TRACE, 0, !same_frames(&calls[0], &calls[1]));
    if (calls[0].delegate_index >= 0) {
        count_field(&found, ETS_FIELD_PAYLOAD,
                    m->sides[0].delegate_partner[calls[0].delegate_index],
                    (uint32_t)calls[1].delegate_index);
    }
    return found.fields;
}

static bool add_instruction(struct ets_paired_methods *m, enum ets_program_change_kind kind,
                            const uint32_t at[2], uint64_t fields, struct ets_change_list *changes)
{
    struct ets_program_change *change = ets_change_add(changes, ETS_PART_INSTRUCTION, kind);
    if (change == NULL) return false;
    change->fields = fields;
    for (int s = 0; s < 2; s++) {
        if (at[s] == ETS_THING_NONE) continue;
        change->index[s] = m->sides[s].instructions[at[s]].index;
        change->chain[s] = m->sides[s].instructions[at[s]].chain;
    }
    return true;
}

static enum ets_status compare_instructions(struct ets_paired_methods *m,
                                            struct ets_change_list *changes)
{
    int64_t last = -1;
    bool ok = true;
    for (uint32_t i = 0; ok && i < m->sides[0].instruction_count; i++) {
        const struct ets_paired_instruction *item = &m->sides[0].instructions[i];
        const uint32_t at[2] = {i, item->partner}, taken[2] = {i, item->taker};
        if (item->partner != ETS_THING_NONE) {
            const uint64_t fields = instruction_fields(m, i, item->partner, last);
            if ((int64_t)item->partner > last) last = item->partner;
            ok = fields == 0 || add_instruction(m, ETS_THING_CHANGED, at, fields, changes);
        } else if (item->taker != ETS_THING_NONE) {
            ok = add_instruction(m, ETS_THING_DELEGATED, taken, 0, changes);
        } else {
            ok = add_instruction(m, ETS_THING_REMOVED, at, 0, changes);
        }
    }
    for (uint32_t i = 0; ok && i < m->sides[1].instruction_count; i++) {
        const struct ets_paired_instruction *item = &m->sides[1].instructions[i];
        const uint32_t at[2] = {ETS_THING_NONE, i}, given[2] = {item->taker, i};
        if (item->partner != ETS_THING_NONE) continue;
        ok = item->taker != ETS_THING_NONE
                 ? add_instruction(m, ETS_THING_UNDELEGATED, given, 0, changes)
                 : add_instruction(m, ETS_THING_ADDED, at, 0, changes);
    }
    return ok ? ETS_OK : no_memory(m);
}

static enum ets_status same_specs(struct ets_paired_methods *m, const struct ets_delegate *before,
                                  const struct ets_delegate *after, bool *same_out)
{
    *same_out = before->compile_spec_count == after->compile_spec_count;
    for (uint32_t i = 0; *same_out && i < before->compile_spec_count; i++) {
        struct ets_compile_spec specs[2];
        ets_delegate_compile_spec(before, i, &specs[0]);
        ets_delegate_compile_spec(after, i, &specs[1]);
        ETS_TRY(ets_content_equal(m->contents, specs[0].value, specs[1].value, same_out, m->error));
        *same_out = *same_out && ets_text_same(specs[0].key, specs[1].key);
    }
    return ETS_OK;
}

static enum ets_status compare_delegate(struct ets_paired_methods *m, uint32_t before,
                                        uint32_t after, struct ets_change_list *changes)
{
    struct ets_delegate a, b;
    bool same_payload, same_spec;
    struct ets_program_change found = {.fields = 0};
    ets_method_delegate(&m->sides[0].method, before, &a);
    ets_method_delegate(&m->sides[1].method, after, &b);
    ETS_TRY(ets_content_equal(m->contents, a.blob, b.blob, &same_payload, m->error));
    ETS_TRY(same_specs(m, &a, &b, &same_spec));
    count_field(&found, ETS_FIELD_BACKEND, 0, !ets_text_same(a.id, b.id));
    count_field(&found, ETS_FIELD_PAYLOAD, 0, !same_payload);
    count_field(&found, ETS_FIELD_COMPILE_SPECS, 0, !same_spec);
    count_field(&found, ETS_FIELD_LOCATION, 0, a.is_inline != b.is_inline);
    if (found.fields == 0) return ETS_OK;
    struct ets_program_change *change =
        ets_change_add(changes, ETS_PART_DELEGATE, ETS_THING_CHANGED);
    if (change == NULL) return no_memory(m);
    change->fields = found.fields;
    change->index[0] = before;
    change->index[1] = after;
    change->bytes[0] = a.blob.size;
    change->bytes[1] = b.blob.size;
    return ETS_OK;
}

static enum ets_status compare_delegates(struct ets_paired_methods *m,
                                         struct ets_change_list *changes)
{
    for (int s = 0; s < 2; s++) {
        for (uint32_t i = 0; i < m->sides[s].method.delegate_count; i++) {
            struct ets_delegate delegate;
            const uint32_t partner = m->sides[s].delegate_partner[i];
            if (partner != ETS_THING_NONE) {
                if (s == 0) ETS_TRY(compare_delegate(m, i, partner, changes));
                continue;
            }
            ets_method_delegate(&m->sides[s].method, i, &delegate);
            struct ets_program_change *change = ets_change_add(
                changes, ETS_PART_DELEGATE, s == 0 ? ETS_THING_REMOVED : ETS_THING_ADDED);
            if (change == NULL) return no_memory(m);
            change->index[s] = i;
            change->bytes[s] = delegate.blob.size;
        }
    }
    return ETS_OK;
}

static enum ets_status compare_arenas(struct ets_paired_methods *m, struct ets_change_list *changes)
{
    const uint32_t counts[2] = {m->sides[0].method.arena_count, m->sides[1].method.arena_count};
    for (uint32_t i = 0; i < counts[0] || i < counts[1]; i++) {
        struct ets_planned_arena arenas[2] = {{0}, {0}};
        struct ets_program_change found = {.fields = 0};
        for (int s = 0; s < 2; s++) {
            if (i < counts[s]) ets_method_arena(&m->sides[s].method, i, &arenas[s]);
        }
        const bool is_paired = i < counts[0] && i < counts[1];
        if (is_paired) {
            count_field(&found, ETS_FIELD_BYTES, 0, arenas[0].bytes != arenas[1].bytes);
            count_field(&found, ETS_FIELD_DEVICE, 0,
                        arenas[0].device_type != arenas[1].device_type ||
                            arenas[0].device_index != arenas[1].device_index);
            if (found.fields == 0) continue;
        }
        struct ets_program_change *change = ets_change_add(changes, ETS_PART_ARENA,
                                                           is_paired       ? ETS_THING_CHANGED
                                                           : i < counts[0] ? ETS_THING_REMOVED
                                                                           : ETS_THING_ADDED);
        if (change == NULL) return no_memory(m);
        change->fields = found.fields;
        for (int s = 0; s < 2; s++) {
            if (i < counts[s]) change->index[s] = i;
            change->bytes[s] = arenas[s].bytes;
        }
    }
    return ETS_OK;
}

enum ets_status ets_method_changes(struct ets_paired_methods *m, struct ets_change_list *changes)
{
    ETS_TRY(compare_methods(m, changes));
    ETS_TRY(compare_places(m, true, changes));
    ETS_TRY(compare_places(m, false, changes));
    ETS_TRY(compare_callees(m, true, changes));
    ETS_TRY(compare_callees(m, false, changes));
    ETS_TRY(compare_instructions(m, changes));
    ETS_TRY(compare_delegates(m, changes));
    ETS_TRY(ets_payload_changes(m, changes));
    ETS_TRY(compare_arenas(m, changes));
    return ets_value_changes(m, changes);
}
