/* Single kernels of the runtime, called by name: what they compute, and what they refuse. */
#include "test_engine_support.h"

#include <math.h>

/* A tensor over `data`, row-major: TENSOR(FLOAT, data, 2, 3). */
#define TENSOR(type, values, ...)                                         \
    make_tensor(ETS_SCALAR_##type, (values), sizeof(values),              \
                (const int64_t[]){__VA_ARGS__},                           \
                sizeof((int64_t[]){__VA_ARGS__}) / sizeof(int64_t))

static struct ets_tensor make_tensor(enum ets_scalar_type type, const void *data, size_t bytes,
                                     const int64_t *sizes, size_t rank)
{
    struct ets_tensor tensor = {
        .scalar_type = type, .rank = (uint32_t)rank, .data = data, .data_bytes = bytes};
    memcpy(tensor.sizes, sizes, rank * sizeof *sizes);
    ets_tensor_set_contiguous(&tensor);
    return tensor;
}

#define IN(t) {.kind = ETS_KERNEL_TENSOR, .as.tensor = &(t)}
#define OUT(t) {.kind = ETS_KERNEL_TENSOR, .is_output = 1, .as.tensor = &(t)}
#define INT(value) {.kind = ETS_KERNEL_INT, .as.int_value = (value)}
#define BOOL(value) {.kind = ETS_KERNEL_BOOL, .as.int_value = (value)}
#define DOUBLE(value) {.kind = ETS_KERNEL_DOUBLE, .as.double_value = (value)}
#define NONE {.kind = ETS_KERNEL_NONE}
#define INTS(list) \
    {.kind = ETS_KERNEL_INT_LIST, .count = sizeof(list) / sizeof *(list), .as.ints = (list)}

/* Calls and wants success. */
#define CALL(name, ...)                                                                  \
    do {                                                                                 \
        struct ets_kernel_argument call_[] = {__VA_ARGS__};                              \
        struct ets_error error_ = {ETS_OK, 0, ""};                                       \
        if (engine->kernel_call(name, call_, sizeof call_ / sizeof *call_, &error_) !=   \
            ETS_OK) {                                                                    \
            fail_msg("%s", error_.message);                                              \
        }                                                                                \
    } while (0)

/* Calls and wants `status` with a message that contains `part`. */
#define REFUSE(status, part, name, ...)                                                  \
    do {                                                                                 \
        struct ets_kernel_argument call_[] = {__VA_ARGS__};                              \
        struct ets_error error_ = {ETS_OK, 0, ""};                                       \
        const enum ets_status got_ =                                                     \
            engine->kernel_call(name, call_, sizeof call_ / sizeof *call_, &error_);     \
        if (got_ != (status) || strstr(error_.message, part) == NULL) {                  \
            fail_msg("status %d: %s", (int)got_, error_.message);                        \
        }                                                                                \
    } while (0)

static void assert_floats(const float *got, const float *expected, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (!(fabsf(got[i] - expected[i]) < 1e-5f)) {
            fail_msg("element %zu is %g, not %g", i, (double)got[i], (double)expected[i]);
        }
    }
}

static void test_call__adds(void **state)
{
    NEEDS_ENGINE();
    const float a[] = {1, 2, 3, 4}, b[] = {10, 20, 30, 40};
    float sum[4] = {0};
    struct ets_tensor self = TENSOR(FLOAT, a, 2, 2), other = TENSOR(FLOAT, b, 2, 2);
    struct ets_tensor out = TENSOR(FLOAT, sum, 2, 2);
    assert_true(engine->kernel_exists("aten::add.out"));
    CALL("aten::add.out", IN(self), IN(other), INT(1), OUT(out));
    assert_floats(sum, (float[]){11, 22, 33, 44}, 4);
    CALL("aten::add.out", IN(self), IN(other), DOUBLE(0.5), OUT(out));
    assert_floats(sum, (float[]){6, 12, 18, 24}, 4);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_call__adds),
    };
    return cmocka_run_group_tests_name("engine_kernel", tests, open_engine, close_engine);
}
