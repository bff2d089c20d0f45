/* Elements of tensors are little-endian on every machine (numerics.h): arrays of tests made so. */
#ifndef TEST_LITTLE_SUPPORT_H
#define TEST_LITTLE_SUPPORT_H

#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include "etscope/numerics.h"
#include "numerics/element.h"

/* The bytes of `array` in little-endian order; a copy, that stays, where the machine's order
 * differs. */
#define LITTLE(array) test_little(array, sizeof(array), sizeof((array)[0]))
/* The same for `bytes` bytes of elements of a scalar type. */
#define LITTLE_OF(type, data, bytes) test_little(data, bytes, test_swapped_bytes((int)(type)))

static inline void *test_little(const void *data, size_t bytes, size_t size)
{
    const uint16_t one = 1;
    if (*(const uint8_t *)&one == 1 || bytes > SIZE_MAX / 2) return (void *)(uintptr_t)data;
    uint8_t *copy = malloc(bytes + 1);
    if (copy == NULL) abort();
    for (size_t i = 0; i < bytes; i++) {
        copy[i] = ((const uint8_t *)data)[i - i % size + (size - 1 - i % size)];
    }
    return copy;
}

/* Bytes of the numbers of which elements of `type` are made; 1 where they are none. */
static inline size_t test_swapped_bytes(int type)
{
    const size_t parts = ets_scalar_component_count(type);
    return parts == 0 ? 1 : ets_scalar_type_bytes(type) / parts;
}

/* A dense tensor of rank 1 over `count` elements, little-endian. */
static inline struct ets_tensor test_vector(enum ets_scalar_type type, const void *data,
                                            int64_t count)
{
    const size_t bytes = (size_t)count * ets_scalar_type_bytes((int)type);
    return (struct ets_tensor){.scalar_type = type,
                               .rank = 1,
                               .sizes = {count},
                               .strides = {1},
                               .data = LITTLE_OF(type, data, bytes),
                               .data_bytes = bytes};
}

#endif
