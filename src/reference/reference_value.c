/* Values of a run: tensors over shared, counted storages, and lists of values. */
#include "reference/reference_value.h"

#include <string.h>

#include "base/error.h"
#include "base/load.h"

/* The header of a storage has this size, so that the tensor's bytes are aligned. */
#define STORAGE_HEADER ((sizeof(struct reference_storage) + 15) / 16 * 16)

/* The tensor's bytes, row-major, or UINT64_MAX. */
static uint64_t dense_bytes(const struct ets_tensor *tensor)
{
    uint64_t bytes = ets_tensor_count(tensor);
    const size_t element = ets_scalar_type_bytes(tensor->scalar_type);
    if (bytes == UINT64_MAX || element == 0) return UINT64_MAX;
    return ets_mul_u64(bytes, element, &bytes) ? bytes : UINT64_MAX;
}

bool ets_reference_is_floating(int scalar_type)
{
    return scalar_type == ETS_SCALAR_FLOAT || scalar_type == ETS_SCALAR_DOUBLE ||
           scalar_type == ETS_SCALAR_HALF || scalar_type == ETS_SCALAR_BFLOAT16;
}

static enum ets_status storage_new(struct reference_memory *memory, uint64_t size,
                                   struct reference_storage **storage_out, struct ets_error *error)
{
    const uint64_t limit = memory->limit_bytes != 0 ? memory->limit_bytes : INT64_MAX;
    if (size > limit || memory->bytes > limit - size || size > SIZE_MAX - STORAGE_HEADER) {
        return ets_fail(error, ETS_LIMIT, ETS_NO_OFFSET,
                        "a tensor of %llu bytes exceeds the memory limit for values (%llu bytes)",
                        (unsigned long long)size, (unsigned long long)limit);
    }
    if (memory->made_limit != 0 && size > memory->made_limit - memory->made_bytes) {
        return ets_fail(error, ETS_LIMIT, ETS_NO_OFFSET,
                        "the values of a run exceed %llu bytes in total",
                        (unsigned long long)memory->made_limit);
    }
    memory->made_bytes += size;
    const struct ets_allocator *allocator = memory->allocator;
    struct reference_storage *storage =
        allocator->reallocate(allocator->context, NULL, STORAGE_HEADER + (size_t)size);
    if (storage == NULL) {
        return ets_fail(error, ETS_NO_MEMORY, ETS_NO_OFFSET, "no memory for a tensor of %llu bytes",
                        (unsigned long long)size);
    }
    *storage = (struct reference_storage){.references = 1,
                                          .memory = memory,
                                          .size = (size_t)size,
                                          .bytes = (uint8_t *)storage + STORAGE_HEADER};
    memory->bytes += size;
    if (memory->bytes > memory->peak_bytes) memory->peak_bytes = memory->bytes;
    *storage_out = storage;
    return ETS_OK;
}

enum ets_status ets_reference_tensor_new(struct reference_memory *memory, int scalar_type,
                                         uint32_t rank, const int64_t *sizes,
                                         struct reference_value *value_out, struct ets_error *error)
{
    if (rank > ETS_TENSOR_MAX_RANK || ets_scalar_type_bytes(scalar_type) == 0) {
        return ets_fail(error, ETS_INVALID_ARGUMENT, ETS_NO_OFFSET,
                        "tensors cannot have rank %u and scalar type %d", rank, scalar_type);
    }
    struct ets_tensor view = {.scalar_type = (enum ets_scalar_type)scalar_type, .rank = rank};
    if (rank > 0) memcpy(view.sizes, sizes, rank * sizeof *sizes);
    const uint64_t bytes = dense_bytes(&view);
    struct reference_storage *storage = NULL;
    ETS_TRY(storage_new(memory, bytes, &storage, error));
    ets_tensor_set_contiguous(&view);
    view.data = storage->bytes;
    view.data_bytes = storage->size;
    *value_out = (struct reference_value){.kind = REFERENCE_TENSOR,
                                          .as.tensor = {.storage = storage, .view = view}};
    return ETS_OK;
}

enum ets_status ets_reference_tensor_borrow(struct reference_memory *memory,
                                            const struct ets_tensor *tensor,
                                            struct reference_value *value_out,
                                            struct ets_error *error)
{
    const uint64_t extent =
        tensor->rank <= ETS_TENSOR_MAX_RANK ? ets_tensor_extent(tensor) : UINT64_MAX;
    if (extent > tensor->data_bytes || (extent > 0 && tensor->data == NULL)) {
        return ets_fail(error, ETS_INVALID_ARGUMENT, ETS_NO_OFFSET,
                        "a tensor has fewer bytes than its shape needs");
    }
    struct reference_storage *storage = NULL;
    ETS_TRY(storage_new(memory, 0, &storage, error));
    storage->is_borrowed = true;
    storage->bytes = (uint8_t *)(uintptr_t)tensor->data;
    *value_out = (struct reference_value){.kind = REFERENCE_TENSOR,
                                          .as.tensor = {.storage = storage, .view = *tensor}};
    return ETS_OK;
}

static enum ets_status share_list(struct reference_memory *memory,
                                  const struct reference_value *value,
                                  struct reference_value *copy_out, struct ets_error *error)
{
    const uint32_t count = value->as.list.count;
    const struct ets_allocator *allocator = memory->allocator;
    struct reference_value copy = {.kind = REFERENCE_LIST};
    if (count > 0) {
        copy.as.list.items =
            allocator->reallocate(allocator->context, NULL, count * sizeof *copy.as.list.items);
        if (copy.as.list.items == NULL) {
            return ets_fail_memory(error, "a list");
        }
    }
    for (; copy.as.list.count < count; copy.as.list.count++) {
        const uint32_t i = copy.as.list.count;
        const enum ets_status status = ets_reference_value_share(memory, &value->as.list.items[i],
                                                                 &copy.as.list.items[i], error);
        if (status != ETS_OK) {
            ets_reference_value_drop(memory, &copy);
            return status;
        }
    }
    *copy_out = copy;
    return ETS_OK;
}

enum ets_status ets_reference_value_share(struct reference_memory *memory,
                                          const struct reference_value *value,
                                          struct reference_value *copy_out, struct ets_error *error)
{
    if (value->kind == REFERENCE_LIST) return share_list(memory, value, copy_out, error);
    if (value->kind == REFERENCE_TENSOR) value->as.tensor.storage->references++;
    *copy_out = *value;
    return ETS_OK;
}

void ets_reference_value_drop(struct reference_memory *memory, struct reference_value *value)
{
    const struct ets_allocator *allocator = memory->allocator;
    if (value->kind == REFERENCE_TENSOR) {
        struct reference_storage *storage = value->as.tensor.storage;
        if (--storage->references == 0) {
            memory->bytes -= storage->size;
            allocator->release(allocator->context, storage);
        }
    } else if (value->kind == REFERENCE_LIST) {
        for (uint32_t i = 0; i < value->as.list.count; i++) {
            ets_reference_value_drop(memory, &value->as.list.items[i]);
        }
        allocator->release(allocator->context, value->as.list.items);
    }
    *value = (struct reference_value){.kind = REFERENCE_NOTHING};
}
