/* What differs between the values of two methods. */
#include "contents/method_parts.h"

#include "base/text.h"
#include "format/program_lists.h"

#include <string.h>

static bool has_index_items(enum ets_evalue_kind kind)
{
    return kind == ETS_EVALUE_INT_LIST || kind == ETS_EVALUE_TENSOR_LIST ||
           kind == ETS_EVALUE_OPTIONAL_TENSOR_LIST;
}

static uint64_t bit_if(bool differs, enum ets_program_field field)
{
    return differs ? ets_field_bit(field) : 0;
}

/* Doubles as they are stored: NaN equals itself, 0 and -0 differ. */
static bool same_double(double left, double right)
{
    return memcmp(&left, &right, sizeof left) == 0;
}

static bool same_plain_items(const struct ets_evalue *before, const struct ets_evalue *after)
{
    if (before->item_count != after->item_count) return false;
    for (uint32_t i = 0; i < before->item_count; i++) {
        const bool same =
            before->kind == ETS_EVALUE_BOOL_LIST
                ? ets_evalue_bool(before, i) == ets_evalue_bool(after, i)
                : same_double(ets_evalue_double(before, i), ets_evalue_double(after, i));
        if (!same) return false;
    }
    return true;
}

/* Numbers and texts; lists of indices are equal where their items are. */
static uint64_t plain_fields(const struct ets_evalue *before, const struct ets_evalue *after)
{
    if (before->kind != after->kind || before->tag != after->tag) {
        return ets_field_bit(ETS_FIELD_KIND);
    }
    switch (before->kind) {
    case ETS_EVALUE_INT:
    case ETS_EVALUE_BOOL: return bit_if(before->int_value != after->int_value, ETS_FIELD_NUMBER);
    case ETS_EVALUE_DOUBLE:
        return bit_if(!same_double(before->double_value, after->double_value), ETS_FIELD_NUMBER);
    case ETS_EVALUE_STRING:
        return bit_if(!ets_text_same(before->string, after->string), ETS_FIELD_NUMBER);
    case ETS_EVALUE_DOUBLE_LIST:
    case ETS_EVALUE_BOOL_LIST: return bit_if(!same_plain_items(before, after), ETS_FIELD_ITEMS);
    default: return 0;
    }
}

static bool same_items(const struct ets_paired_methods *m, const struct ets_evalue *before,
                       const struct ets_evalue *after)
{
    if (before->item_count != after->item_count) return false;
    for (uint32_t i = 0; i < before->item_count; i++) {
        const int32_t left = ets_evalue_item(before, i), right = ets_evalue_item(after, i);
        if (left < 0 || right < 0) {
            if (left >= 0 || right >= 0) return false;
        } else if (!ets_same_argument(m, (uint32_t)left, (uint32_t)right)) {
            return false;
        }
    }
    return true;
}

bool ets_same_argument(const struct ets_paired_methods *m, uint32_t before, uint32_t after)
{
    struct ets_evalue values[2];
    const uint32_t partner = m->sides[0].value_partner[before];
    const uint32_t other = m->sides[1].value_partner[after];
    if (partner == after) return true;
    /* Values that are both something else's are not each other; a copy of one may be. */
    if (partner != ETS_THING_NONE && other != ETS_THING_NONE) return false;
    ets_method_value(&m->sides[0].method, before, &values[0]);
    ets_method_value(&m->sides[1].method, after, &values[1]);
    if (values[0].kind == ETS_EVALUE_TENSOR || values[1].kind == ETS_EVALUE_TENSOR) return false;
    if (plain_fields(&values[0], &values[1]) != 0) return false;
    return !has_index_items(values[0].kind) || same_items(m, &values[0], &values[1]);
}

static enum ets_status tensor_fields(struct ets_paired_methods *m, const struct ets_evalue *left,
                                     const struct ets_evalue *right, uint64_t *fields_out)
{
    const struct ets_program_tensor *before = &left->tensor, *after = &right->tensor;
    const struct ets_tensor *a = &before->tensor, *b = &after->tensor;
    bool same_bytes;
    ETS_TRY(ets_content_equal(m->contents, ets_tensor_content(before), ets_tensor_content(after),
                              &same_bytes, m->error));
    const bool same_sizes =
        a->rank == b->rank && memcmp(a->sizes, b->sizes, a->rank * sizeof *a->sizes) == 0;
    const bool same_strides =
        !same_sizes || memcmp(a->strides, b->strides, a->rank * sizeof *a->strides) == 0;
    const bool same_device =
        before->device_type == after->device_type && before->device_index == after->device_index;
    *fields_out = bit_if(a->scalar_type != b->scalar_type, ETS_FIELD_DTYPE) |
                  bit_if(!same_sizes, ETS_FIELD_SIZES) |
                  bit_if(!same_strides, ETS_FIELD_DIM_ORDER) |
                  bit_if(before->dynamism != after->dynamism, ETS_FIELD_DYNAMISM) |
                  bit_if(before->place != after->place, ETS_FIELD_PLACE) |
                  bit_if(before->memory_id != after->memory_id, ETS_FIELD_ARENA) |
                  bit_if(before->memory_offset != after->memory_offset, ETS_FIELD_OFFSET) |
                  bit_if(!ets_text_same(before->qualified_name, after->qualified_name),
                         ETS_FIELD_QUALIFIED_NAME) |
                  bit_if(before->requires_grad != after->requires_grad, ETS_FIELD_REQUIRES_GRAD) |
                  bit_if(!same_device, ETS_FIELD_DEVICE) | bit_if(!same_bytes, ETS_FIELD_DATA);
    return ETS_OK;
}

/* 1 for each value that is an input, 2 for an output that is none. */
static uint8_t *find_roles(struct ets_arena *arena, const struct ets_method *method)
{
    struct ets_evalue value;
    uint8_t *roles = ets_arena_alloc_array(arena, method->value_count, sizeof *roles);
    for (uint32_t i = 0; roles != NULL && i < method->output_count; i++) {
        ets_method_output(method, i, &value);
        roles[value.index] = 2;
    }
    for (uint32_t i = 0; roles != NULL && i < method->input_count; i++) {
        ets_method_input(method, i, &value);
        roles[value.index] = 1;
    }
    return roles;
}

static enum ets_program_part part_of(const uint8_t *roles, const struct ets_evalue *value)
{
    if (roles[value->index] == 1) return ETS_PART_INPUT;
    if (roles[value->index] == 2) return ETS_PART_OUTPUT;
    if (value->kind != ETS_EVALUE_TENSOR) return ETS_PART_VALUE;
    switch (value->tensor.place) {
    case ETS_PLACE_CONSTANT:
    case ETS_PLACE_EXTERNAL_CONSTANT: return ETS_PART_CONSTANT;
    case ETS_PLACE_PLANNED_STATE:
    case ETS_PLACE_EXTERNAL_STATE: return ETS_PART_STATE;
    default: return ETS_PART_TENSOR;
    }
}

static uint64_t bytes_of(const struct ets_evalue *value)
{
    return value->kind == ETS_EVALUE_TENSOR ? value->tensor.tensor_bytes : 0;
}

/* A value that one side alone has. A number without a partner belongs to an instruction without
 * one, or to another number of arguments, and is told there. */
static bool add_lonely(struct ets_paired_methods *m, int side, const struct ets_evalue *value,
                       const uint8_t *roles, struct ets_change_list *changes)
{
    const enum ets_program_part part = part_of(roles, value);
    if (part == ETS_PART_VALUE || m->sides[side].value_partner[value->index] != ETS_THING_NONE) {
        return true;
    }
    struct ets_program_change *change =
        ets_change_add(changes, part, side == 0 ? ETS_THING_REMOVED : ETS_THING_ADDED);
    if (change == NULL) return false;
    change->index[side] = value->index;
    change->bytes[side] = bytes_of(value);
    return true;
}

static enum ets_status compare_pair(struct ets_paired_methods *m, const struct ets_evalue *before,
                                    uint8_t *const roles[2], struct ets_change_list *changes)
{
    struct ets_evalue after;
    const uint32_t partner = m->sides[0].value_partner[before->index];
    ets_method_value(&m->sides[1].method, partner, &after);
    uint64_t fields = plain_fields(before, &after);
    if (fields == 0 && before->kind == ETS_EVALUE_TENSOR) {
        ETS_TRY(tensor_fields(m, before, &after, &fields));
    } else if (fields == 0 && has_index_items(before->kind)) {
        fields = bit_if(!same_items(m, before, &after), ETS_FIELD_ITEMS);
    }
    if (fields == 0) return ETS_OK;
    struct ets_program_change *change =
        ets_change_add(changes, part_of(roles[0], before), ETS_THING_CHANGED);
    if (change == NULL) return ets_fail_memory(m->error, "what differs");
    change->fields = fields;
    change->index[0] = before->index;
    change->index[1] = partner;
    change->bytes[0] = bytes_of(before);
    change->bytes[1] = bytes_of(&after);
    return ETS_OK;
}

static enum ets_status list_changes(struct ets_paired_methods *m, struct ets_change_list *changes)
{
    uint8_t *roles[2];
    for (int s = 0; s < 2; s++) {
        roles[s] = find_roles(m->arena, &m->sides[s].method);
        if (roles[s] == NULL) return ets_fail_memory(m->error, "what differs");
    }
    for (int s = 0; s < 2; s++) {
        for (uint32_t i = 0; i < m->sides[s].method.value_count; i++) {
            struct ets_evalue value;
            ets_method_value(&m->sides[s].method, i, &value);
            if (m->sides[s].value_partner[i] == ETS_THING_NONE) {
                if (!add_lonely(m, s, &value, roles[s], changes)) {
                    return ets_fail_memory(m->error, "what differs");
                }
            } else if (s == 0) {
                ETS_TRY(compare_pair(m, &value, roles, changes));
            }
        }
    }
    return ETS_OK;
}

/* Constants with constants, tensors with tensors; otherwise in the order of their numbers. */
static bool sort_by_part(struct ets_change_list *changes, uint32_t first)
{
    const uint32_t count = changes->count - first;
    struct ets_program_change *sorted =
        ets_arena_alloc_array(changes->arena, count, sizeof *sorted);
    if (sorted == NULL) return false;
    uint32_t at = 0;
    for (int part = ETS_PART_INPUT; part <= ETS_PART_VALUE; part++) {
        for (uint32_t i = first; i < changes->count; i++) {
            if ((int)changes->items[i].part == part) sorted[at++] = changes->items[i];
        }
    }
    if (count > 0) memcpy(changes->items + first, sorted, count * sizeof *sorted);
    return true;
}

enum ets_status ets_value_changes(struct ets_paired_methods *m, struct ets_change_list *changes)
{
    const uint32_t first = changes->count;
    ETS_TRY(list_changes(m, changes));
    return sort_by_part(changes, first) ? ETS_OK : ets_fail_memory(m->error, "what differs");
}
