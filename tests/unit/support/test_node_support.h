/* What the tests of single nodes share: arguments, a call, and what it made. */
#ifndef ETSCOPE_TESTS_NODE_SUPPORT_H
#define ETSCOPE_TESTS_NODE_SUPPORT_H

#include "etscope/numerics.h"
#include "numerics/element.h"
#include "reference/expressions.h"
#include "reference/node_call.h"
#include "test_engine_support.h"

static struct reference_memory memory = {.allocator = &ets_libc_allocator,
                                         .limit_bytes = (uint64_t)1 << 28};

static struct reference_value given[REFERENCE_MAX_ARGUMENTS], made[4];
static struct ets_graph_argument inputs[REFERENCE_MAX_ARGUMENTS];
static uint32_t given_count;
static struct ets_error failure;
static bool is_single;

static inline void add(struct reference_value value)
{
    inputs[given_count] = (struct ets_graph_argument){.label = {"", 0}};
    given[given_count++] = value;
}

static inline struct reference_value tensor_of(int type, uint32_t rank, const int64_t *sizes,
                                               const double *numbers)
{
    struct reference_value value;
    assert_int_equal(ets_reference_tensor_new(&memory, type, rank, sizes, &value, NULL), ETS_OK);
    struct ets_tensor from = value.as.tensor.view;
    from.scalar_type = ETS_SCALAR_DOUBLE;
    from.data = numbers;
    from.data_bytes = SIZE_MAX / 2;
    assert_int_equal(ets_reference_tensor_copy(&from, &value.as.tensor.view, NULL), ETS_OK);
    return value;
}

#define SIZES(...)                                                        \
    sizeof((int64_t[]){__VA_ARGS__}) / sizeof(int64_t), (const int64_t[]) \
    {                                                                     \
        __VA_ARGS__                                                       \
    }
#define NUMBERS(...) ((const double[]){__VA_ARGS__})
#define FLOATS(sizes, numbers) tensor_of(ETS_SCALAR_FLOAT, sizes, numbers)

static inline struct reference_value ints(uint32_t count, const int64_t *numbers)
{
    struct reference_value items[8];
    for (uint32_t i = 0; i < count; i++) items[i] = WHOLE(numbers[i]);
    const struct reference_value list = {.kind = REFERENCE_LIST, .as.list = {items, count}};
    struct reference_value copy;
    assert_int_equal(ets_reference_value_share(&memory, &list, &copy, NULL), ETS_OK);
    return copy;
}

static inline enum ets_status call_with(const struct reference_calls *calls, const char *target,
                                        uint32_t count, const struct reference_shape *shapes)
{
    const struct ets_graph_node node = {.name = {"it", 2},
                                        .target = {target, strlen(target)},
                                        .input_count = given_count,
                                        .inputs = inputs};
    const struct reference_operator *operator_;
    const char *kernel;
    char room[160];
    is_single = false;
    if (ets_reference_operator_find(calls, &node, &operator_, &kernel, room) ==
        ETS_ROUTE_UNCOVERED) {
        ets_set_error(&failure, ETS_NOT_FOUND, 0, "%s", room);
        return ETS_NOT_FOUND;
    }
    return ets_reference_node_call(calls, operator_, &node, given, shapes, count, made, &is_single,
                                   &failure);
}

static inline void forget_given(void)
{
    for (uint32_t i = 0; i < given_count; i++) ets_reference_value_drop(&memory, &given[i]);
    given_count = 0;
}

static inline void forget(uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) ets_reference_value_drop(&memory, &made[i]);
    forget_given();
    assert_int_equal(memory.bytes, 0);
}

static inline void expect_tensor(uint32_t index, uint32_t rank, const int64_t *sizes,
                                 const double *numbers)
{
    assert_int_equal(made[index].kind, REFERENCE_TENSOR);
    const struct ets_tensor *view = &made[index].as.tensor.view;
    assert_int_equal(view->rank, rank);
    for (uint32_t i = 0; i < rank; i++) assert_int_equal(view->sizes[i], sizes[i]);
    struct ets_elements walk;
    assert_int_equal(ets_elements_init(&walk, view, NULL), ETS_OK);
    double number;
    for (size_t i = 0; ets_elements_next(&walk, &number); i++) {
        if (number == numbers[i]) continue; /* infinities */
        assert_float_equal(number, numbers[i], 1e-5);
    }
}

/* One float output of these sizes, in the record's type and in doubles. */
static inline void check(const char *target, uint32_t rank, const int64_t *sizes,
                         const double *numbers)
{
    const struct reference_shape shape = ets_reference_shape_of(ETS_SCALAR_FLOAT, rank, sizes);
    for (int use_double = 0; use_double < 2; use_double++) {
        const struct reference_calls calls = {engine, &memory, use_double != 0};
        const enum ets_status status = call_with(&calls, target, 1, &shape);
        if (status != ETS_OK) print_message("%s: %s\n", target, failure.message);
        assert_int_equal(status, ETS_OK);
        expect_tensor(0, rank, sizes, numbers);
        ets_reference_value_drop(&memory, &made[0]);
    }
    forget(0);
}

#endif
