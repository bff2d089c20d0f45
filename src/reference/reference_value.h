/*
 * reference_value.h - the values of a graph's evaluation: numbers, tensors that may share storages,
 * and lists of these.
 *
 * ATen graphs have true views and operators in place, so tensors share storages as in PyTorch: a
 * view is another shape, stride and offset over the same storage, and writes through one are
 * visible through all. A storage is freed with the last value that refers to it.
 */
#ifndef ETSCOPE_REFERENCE_REFERENCE_VALUE_H
#define ETSCOPE_REFERENCE_REFERENCE_VALUE_H

#include <stdbool.h>

#include "etscope/base.h"
#include "etscope/tensor.h"

/* The memory of all storages of an evaluation. */
struct reference_memory {
    const struct ets_allocator *allocator;
    uint64_t bytes, peak_bytes, limit_bytes; /* owned storages; limit: LIMIT beyond */
    uint64_t made_bytes, made_limit;         /* total of all storages ever made; 0: no limit */
};

struct reference_storage {
    uint32_t references;
    bool is_borrowed; /* a weight's or an input's bytes: must not be written (copy first) */
    struct reference_memory *memory;
    size_t size;
    uint8_t *bytes;
};

enum reference_kind {
    REFERENCE_NOTHING = 0, /* None, or not set yet */
    REFERENCE_TENSOR,
    REFERENCE_INT,
    REFERENCE_BOOL,
    REFERENCE_DOUBLE,
    REFERENCE_STRING,
    REFERENCE_LIST,
    REFERENCE_UNAVAILABLE /* of an uncovered node, or computed from such a value */
};

struct reference_value {
    enum reference_kind kind;
    union {
        struct {
            struct reference_storage *storage;
            struct ets_tensor view; /* data: inside the storage */
        } tensor;
        int64_t int_value; /* also BOOL; dtype, layout and memory format numbers */
        double double_value;
        struct ets_text text; /* borrowed */
        struct {
            struct reference_value *items; /* owned by the list */
            uint32_t count;
        } list;
        const char *reason; /* UNAVAILABLE; borrowed */
    } as;
};

/*
 * A new tensor with its own storage of `sizes`, row-major; the bytes are uninitialised. LIMIT,
 * NO_MEMORY.
 */
enum ets_status ets_reference_tensor_new(struct reference_memory *memory, int scalar_type,
                                         uint32_t rank, const int64_t *sizes,
                                         struct reference_value *value_out,
                                         struct ets_error *error);

/* A tensor over bytes that outlive it. */
enum ets_status ets_reference_tensor_borrow(struct reference_memory *memory,
                                            const struct ets_tensor *tensor,
                                            struct reference_value *value_out,
                                            struct ets_error *error);

/* Another reference to the same value (tensors: the same storage; lists: item by item). */
enum ets_status ets_reference_value_share(struct reference_memory *memory,
                                          const struct reference_value *value,
                                          struct reference_value *copy_out,
                                          struct ets_error *error);

/* Drops the reference; the value is NOTHING afterwards. */
void ets_reference_value_drop(struct reference_memory *memory, struct reference_value *value);

/* Copies numbers from `from` to `to` of the same shape, for any strides, and converts types. */
enum ets_status ets_reference_tensor_copy(const struct ets_tensor *from, struct ets_tensor *to,
                                          struct ets_error *error);

bool ets_reference_is_floating(int scalar_type);

#endif
