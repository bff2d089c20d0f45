/*
 * Pairs the values of two methods: inputs and outputs by position, what paired instructions name by
 * the place of the argument, constants by name and by their bytes; then what is left in the order
 * of its types and shapes. Delegates are paired by the calls of them.
 */
#include "contents/method_parts.h"

#include "base/text.h"
#include "format/program_lists.h"
#include "host/common_sequence.h"
#include "host/strings.h"

static bool is_index_list(const struct ets_evalue *value)
{
    return value->kind == ETS_EVALUE_INT_LIST || value->kind == ETS_EVALUE_TENSOR_LIST ||
           value->kind == ETS_EVALUE_OPTIONAL_TENSOR_LIST;
}

static bool pair(struct ets_paired_methods *m, uint32_t before, uint32_t after)
{
    if (m->sides[0].value_partner[before] != ETS_THING_NONE ||
        m->sides[1].value_partner[after] != ETS_THING_NONE) {
        return false;
    }
    m->sides[0].value_partner[before] = after;
    m->sides[1].value_partner[after] = before;
    return true;
}

/* Pairs two values, and of lists the items at the same place. */
static void pair_deep(struct ets_paired_methods *m, uint32_t before, uint32_t after)
{
    struct ets_evalue lists[2];
    if (!pair(m, before, after)) return;
    ets_method_value(&m->sides[0].method, before, &lists[0]);
    ets_method_value(&m->sides[1].method, after, &lists[1]);
    if (!is_index_list(&lists[0]) || !is_index_list(&lists[1])) return;
    for (uint32_t i = 0; i < lists[0].item_count && i < lists[1].item_count; i++) {
        const int32_t item = ets_evalue_item(&lists[0], i);
        const int32_t other = ets_evalue_item(&lists[1], i);
        if (item >= 0 && other >= 0) pair(m, (uint32_t)item, (uint32_t)other);
    }
}

static void pair_interface(struct ets_paired_methods *m)
{
    const struct ets_method *before = &m->sides[0].method, *after = &m->sides[1].method;
    for (uint32_t i = 0; i < before->input_count && i < after->input_count; i++) {
        struct ets_evalue values[2];
        ets_method_input(before, i, &values[0]);
        ets_method_input(after, i, &values[1]);
        pair_deep(m, values[0].index, values[1].index);
    }
    for (uint32_t i = 0; i < before->output_count && i < after->output_count; i++) {
        struct ets_evalue values[2];
        ets_method_output(before, i, &values[0]);
        ets_method_output(after, i, &values[1]);
        pair_deep(m, values[0].index, values[1].index);
    }
}

static void pair_delegates(struct ets_paired_methods *m, const struct ets_instruction calls[2])
{
    if (calls[0].delegate_index < 0 || calls[1].delegate_index < 0) return;
    uint32_t *before = &m->sides[0].delegate_partner[calls[0].delegate_index];
    uint32_t *after = &m->sides[1].delegate_partner[calls[1].delegate_index];
    if (*before != ETS_THING_NONE || *after != ETS_THING_NONE) return;
    *before = (uint32_t)calls[1].delegate_index;
    *after = (uint32_t)calls[0].delegate_index;
}

/* What instructions without a call give: the delegates that are left, in order of name. */
static bool pair_idle_delegates(struct ets_paired_methods *m)
{
    struct ets_strings ids;
    struct ets_sequence lists[2];
    uint32_t *indices[2];
    if (ets_strings_init(&ids, m->arena) != 0) return false;
    for (int s = 0; s < 2; s++) {
        const struct ets_paired_side *side = &m->sides[s];
        const uint32_t most = side->method.delegate_count;
        uint32_t *names = ets_arena_alloc_array(m->arena, most, sizeof *names);
        indices[s] = ets_arena_alloc_array(m->arena, most, sizeof *indices[s]);
        if (names == NULL || indices[s] == NULL) return false;
        uint32_t count = 0;
        for (uint32_t i = 0; i < most; i++) {
            struct ets_delegate delegate;
            if (side->delegate_partner[i] != ETS_THING_NONE) continue;
            ets_method_delegate(&side->method, i, &delegate);
            names[count] = ets_strings_add(&ids, delegate.id);
            if (names[count] == UINT32_MAX) return false;
            indices[s][count++] = i;
        }
        lists[s] = (struct ets_sequence){names, count};
    }
    uint32_t *partner = ets_arena_alloc_array(m->arena, lists[0].count, sizeof *partner);
    if (partner == NULL || !ets_common_sequence(m->arena, &lists[0], &lists[1], partner)) {
        return false;
    }
    for (uint32_t i = 0; i < lists[0].count; i++) {
        if (partner[i] == UINT32_MAX) continue;
        m->sides[0].delegate_partner[indices[0][i]] = indices[1][partner[i]];
        m->sides[1].delegate_partner[indices[1][partner[i]]] = indices[0][i];
    }
    return true;
}

static void pair_arguments(struct ets_paired_methods *m)
{
    for (uint32_t i = 0; i < m->sides[0].instruction_count; i++) {
        const uint32_t partner = m->sides[0].instructions[i].partner;
        struct ets_instruction calls[2];
        if (partner == ETS_THING_NONE) continue;
        ets_paired_instruction_read(&m->sides[0], i, &calls[0]);
        ets_paired_instruction_read(&m->sides[1], partner, &calls[1]);
        pair_delegates(m, calls);
        if (calls[0].argument_count != calls[1].argument_count) continue;
        for (uint32_t k = 0; k < calls[0].argument_count; k++) {
            pair_deep(m, ets_instruction_argument(&calls[0], k),
                      ets_instruction_argument(&calls[1], k));
        }
    }
}

/* What an unpaired value is paired by: a number, alike on both sides. */
struct likeness {
    struct ets_strings names;
    struct ets_key_table sizes, shapes, constants;
};

/* A number for dtype, place and shape; ETS_KEY_NONE: no memory. */
static uint32_t shape_of(struct likeness *like, const struct ets_evalue *value)
{
    const struct ets_tensor *tensor = &value->tensor.tensor;
    uint64_t key[2] = {(uint64_t)value->kind << 32 | value->tag, 0};
    if (value->kind != ETS_EVALUE_TENSOR) return ets_key_table_add(&like->shapes, key);
    key[0] |= (uint64_t)tensor->scalar_type << 48 | (uint64_t)value->tensor.place << 40;
    for (uint32_t i = 0; i < tensor->rank; i++) { /* a number for the sizes so far */
        const uint64_t sizes[2] = {key[1] + UINT32_MAX, (uint64_t)tensor->sizes[i]};
        const uint32_t number = ets_key_table_add(&like->sizes, sizes);
        if (number == ETS_KEY_NONE) return number;
        key[1] = (uint64_t)number + 1;
    }
    return ets_key_table_add(&like->shapes, key);
}

enum pass { BY_NAME, BY_BYTES, BY_SHAPE, PASSES };

/* The key of a value in a pass; *key_out ETS_KEY_NONE: it has none. */
static enum ets_status key_of(struct ets_paired_methods *m, struct likeness *like, enum pass pass,
                              const struct ets_evalue *value, uint32_t *key_out)
{
    const struct ets_bytes bytes = ets_tensor_content(&value->tensor);
    const struct ets_text name = value->tensor.qualified_name;
    const bool is_tensor = value->kind == ETS_EVALUE_TENSOR;
    *key_out = ETS_KEY_NONE;
    if (pass == BY_NAME && is_tensor && name.size > 0) {
        *key_out = ets_strings_add(&like->names, name);
    } else if (pass == BY_BYTES && is_tensor && bytes.size > 0) {
        uint64_t key[2] = {0, shape_of(like, value)};
        ETS_TRY(ets_content_hash(m->contents, bytes, &key[0], m->error));
        *key_out = ets_key_table_add(&like->constants, key);
    } else if (pass == BY_SHAPE && is_tensor) {
        *key_out = shape_of(like, value);
    } else {
        return ETS_OK;
    }
    if (*key_out == ETS_KEY_NONE) return ets_fail_memory(m->error, "values to compare");
    return ETS_OK;
}

static enum ets_status list_values(struct ets_paired_methods *m, struct likeness *like,
                                   enum pass pass, int s, uint32_t **indices_out,
                                   struct ets_sequence *keys_out)
{
    const struct ets_paired_side *side = &m->sides[s];
    const uint32_t most = side->method.value_count;
    uint32_t *indices = ets_arena_alloc_array(m->arena, most, sizeof *indices);
    uint32_t *keys = ets_arena_alloc_array(m->arena, most, sizeof *keys);
    uint32_t count = 0;
    if (indices == NULL || keys == NULL) return ets_fail_memory(m->error, "values to compare");
    for (uint32_t i = 0; i < most; i++) {
        struct ets_evalue value;
        if (side->value_partner[i] != ETS_THING_NONE) continue;
        ets_method_value(&side->method, i, &value);
        ETS_TRY(key_of(m, like, pass, &value, &keys[count]));
        if (keys[count] != ETS_KEY_NONE) indices[count++] = i;
    }
    *indices_out = indices;
    *keys_out = (struct ets_sequence){keys, count};
    return ETS_OK;
}

static enum ets_status pair_pass(struct ets_paired_methods *m, struct likeness *like,
                                 enum pass pass)
{
    uint32_t *indices[2];
    struct ets_sequence keys[2];
    for (int s = 0; s < 2; s++) {
        ETS_TRY(list_values(m, like, pass, s, &indices[s], &keys[s]));
    }
    uint32_t *partner = ets_arena_alloc_array(m->arena, keys[0].count, sizeof *partner);
    if (partner == NULL || !ets_common_sequence(m->arena, &keys[0], &keys[1], partner)) {
        return ets_fail_memory(m->error, "values to compare");
    }
    for (uint32_t i = 0; i < keys[0].count; i++) {
        if (partner[i] != UINT32_MAX) pair_deep(m, indices[0][i], indices[1][partner[i]]);
    }
    return ETS_OK;
}

static uint32_t *new_partners(struct ets_arena *arena, uint32_t count)
{
    uint32_t *partners = ets_arena_alloc_array(arena, count, sizeof *partners);
    for (uint32_t i = 0; partners != NULL && i < count; i++) partners[i] = ETS_THING_NONE;
    return partners;
}

enum ets_status ets_pair_values(struct ets_paired_methods *m)
{
    struct likeness like;
    bool ok = ets_strings_init(&like.names, m->arena) == 0;
    ets_key_table_init(&like.sizes, m->arena, 2);
    ets_key_table_init(&like.shapes, m->arena, 2);
    ets_key_table_init(&like.constants, m->arena, 2);
    for (int s = 0; s < 2; s++) {
        struct ets_paired_side *side = &m->sides[s];
        side->value_partner = new_partners(m->arena, side->method.value_count);
        side->delegate_partner = new_partners(m->arena, side->method.delegate_count);
        ok = ok && side->value_partner != NULL && side->delegate_partner != NULL;
    }
    if (!ok) return ets_fail_memory(m->error, "values to compare");
    pair_interface(m);
    pair_arguments(m);
    if (!pair_idle_delegates(m)) return ets_fail_memory(m->error, "delegates to compare");
    /* With handles what is left was taken over or is new; a like shape would be a guess. */
    const int passes = m->by_handles ? BY_SHAPE : PASSES;
    for (int pass = 0; pass < passes; pass++) ETS_TRY(pair_pass(m, &like, (enum pass)pass));
    return ETS_OK;
}
