/* Bundles made in memory: values by hand, a sink that keeps what it is given. */
#ifndef TEST_BUNDLE_SUPPORT_H
#define TEST_BUNDLE_SUPPORT_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
/* cmocka.h needs the four headers above. */
#include <cmocka.h>

#include "etscope/bundle.h"
#include "test_little_support.h"

enum { SINK_BYTES = 1 << 16 };

struct kept {
    size_t size, calls, fail_at; /* fail_at: number of the call that is refused; 0: none */
    uint8_t data[SINK_BYTES];
};

static int keep(void *context, const void *data, size_t size)
{
    struct kept *kept = context;
    if (++kept->calls == kept->fail_at) return 1;
    assert_true(size <= SINK_BYTES - kept->size);
    memcpy(kept->data + kept->size, data, size);
    kept->size += size;
    return 0;
}

/* Writes `bundle` into `kept`, which must succeed, and opens it. */
static inline void write_and_open(const struct ets_new_bundle *bundle, struct kept *kept,
                                  struct ets_bundle *view)
{
    struct ets_error error = {.message = ""};
    const struct ets_bundle_sink sink = {kept, keep};
    size_t size = 0;
    *kept = (struct kept){.size = 0};
    assert_int_equal(ets_bundle_write_size(bundle, &size, &error), ETS_OK);
    if (ets_bundle_write(bundle, &sink, &error) != ETS_OK) fail_msg("%s", error.message);
    assert_int_equal(kept->size, size);
    if (ets_bundle_init(view, (struct ets_bytes){kept->data, kept->size}, &error) != ETS_OK) {
        fail_msg("byte %llu: %s", (unsigned long long)error.offset, error.message);
    }
}

static inline struct ets_value tensor_value(enum ets_scalar_type type, uint32_t rank,
                                            const int64_t *sizes, const void *data)
{
    struct ets_value value = {.kind = ETS_VALUE_TENSOR};
    struct ets_tensor *tensor = &value.as.tensor;
    tensor->scalar_type = type;
    tensor->rank = rank;
    for (uint32_t i = 0; i < rank; i++) tensor->sizes[i] = sizes[i];
    ets_tensor_set_contiguous(tensor);
    tensor->data_bytes = (size_t)ets_tensor_count(tensor) * ets_scalar_type_bytes((int)type);
    tensor->data = LITTLE_OF(type, data, tensor->data_bytes);
    return value;
}

static inline struct ets_value float_vector(const float *data, int64_t count)
{
    return tensor_value(ETS_SCALAR_FLOAT, 1, &count, data);
}

#endif
