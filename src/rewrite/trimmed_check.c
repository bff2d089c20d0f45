/* Compares all data that two programs use. */
#include "rewrite/trimmed_check.h"

#include <string.h>

#include "base/load.h"
#include "format/program_lists.h"

/* Bytes that are used over and over are compared so many times the size of the file. */
enum { MOST_REPEATS = 64 };

struct checker {
    const struct ets_program *was, *is;
    const struct ets_constant_layout *constants;
    uint32_t unread_seen; /* of the constants' list */
    uint64_t compared;    /* bytes */
};

static bool are_equal(struct checker *c, struct ets_bytes a, struct ets_bytes b)
{
    c->compared = ets_add_saturated_u64(c->compared, a.size);
    if (c->compared / MOST_REPEATS > c->was->bytes.size) return false;
    return a.size == b.size && (a.size == 0 || memcmp(a.data, b.data, a.size) == 0);
}

/* Unread tensors come in the order of methods and values. */
static bool is_unread(struct checker *c, uint32_t method, uint32_t value)
{
    if (c->unread_seen == c->constants->unread_count) return false;
    const struct ets_unread_tensor *unread = &c->constants->unread[c->unread_seen++];
    return unread->method == method && unread->value == value;
}

static bool is_same_tensor(struct checker *c, const struct ets_program_tensor *a,
                           const struct ets_program_tensor *b)
{
    if (a->place != b->place || a->tensor_bytes != b->tensor_bytes) return false;
    if (a->memory_id != b->memory_id || a->memory_offset != b->memory_offset) return false;
    if (a->tensor.data == NULL || b->tensor.data == NULL) return a->tensor.data == b->tensor.data;
    return are_equal(c, (struct ets_bytes){a->tensor.data, (size_t)a->tensor_bytes},
                     (struct ets_bytes){b->tensor.data, (size_t)a->tensor_bytes});
}

static bool is_same_method(struct checker *c, uint32_t index)
{
    struct ets_method was, is;
    ets_program_method(c->was, index, &was);
    ets_program_method(c->is, index, &is);
    if (was.value_count != is.value_count || was.delegate_count != is.delegate_count) return false;
    for (uint32_t v = 0; v < was.value_count; v++) {
        struct ets_evalue a, b;
        ets_method_value(&was, v, &a);
        ets_method_value(&is, v, &b);
        if (a.kind == b.kind) {
            if (a.kind == ETS_EVALUE_TENSOR && !is_same_tensor(c, &a.tensor, &b.tensor)) {
                return false;
            }
        } else if (b.kind != ETS_EVALUE_NULL || !is_unread(c, index, v)) {
            return false;
        }
    }
    for (uint32_t d = 0; d < was.delegate_count; d++) {
        struct ets_delegate a, b;
        ets_method_delegate(&was, d, &a);
        ets_method_delegate(&is, d, &b);
        if (!are_equal(c, a.blob, b.blob)) return false;
    }
    return true;
}

bool ets_trimmed_check(const struct ets_program *was, const struct ets_program *is,
                       const struct ets_constant_layout *constants)
{
    struct checker c = {.was = was, .is = is, .constants = constants};
    if (was->method_count != is->method_count) return false;
    if (was->named_data_count != is->named_data_count) return false;
    for (uint32_t i = 0; i < was->method_count; i++) {
        if (!is_same_method(&c, i)) return false;
    }
    for (uint32_t i = 0; i < was->named_data_count; i++) {
        struct ets_program_named_data a, b;
        ets_program_named_data(was, i, &a);
        ets_program_named_data(is, i, &b);
        if (!are_equal(&c, a.bytes, b.bytes)) return false;
    }
    return true;
}
