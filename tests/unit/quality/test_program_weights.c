/* Weights of a program, found by the numbers of layers. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "etscope/file.h"
#include "numerics/element.h"
#include "quality/program_weights.h"
#include "test_faults_support.h"

enum { ROWS = 256, COLUMNS = 64 }; /* of the head and the embedding of the program */

static struct ets_file *file;
static struct ets_program program;

static int open_program(void **state)
{
    (void)state;
    if (ets_file_open(TEST_DATA "/llama/kv_sdpa.pte", &file, NULL) != ETS_OK) return -1;
    return ets_program_init(&program, ets_file_bytes(file), NULL) == ETS_OK ? 0 : -1;
}

static int close_program(void **state)
{
    (void)state;
    ets_file_close(file);
    return 0;
}

/* Numbers that nothing is near to, and zeros. */
static void make_layers(struct ets_quality_layer items[2], float *numbers)
{
    for (uint32_t i = 0; i < ROWS * COLUMNS; i++) numbers[i] = i % 7 == 3 ? 1.0f : -0.125f;
    items[0] = (struct ets_quality_layer){.rows = ROWS, .columns = COLUMNS, .numbers = numbers};
    items[1] = items[0];
    items[1].is_embedding = true;
}

static void test_program_weights__are_not_those_of_unlike_layers(void **state)
{
    (void)state;
    static float numbers[ROWS * COLUMNS];
    struct ets_quality_layer items[2];
    struct ets_quality_layers layers = {.items = items, .count = 2};
    struct ets_arena arena;
    ets_arena_init(&arena, NULL, 0);
    make_layers(items, numbers);
    assert_int_equal(ets_program_weights_take(&layers, &program, &arena, NULL), ETS_OK);
    assert_true(items[0].present == NULL && items[1].present == NULL);
    ets_arena_reset(&arena);
}

/* The embedding's table, unpacked by hand from the program's constants. */
static void read_table(float *numbers)
{
    struct ets_method method;
    ets_program_method(&program, 0, &method);
    const uint8_t *bytes = NULL, *scales = NULL;
    for (uint32_t i = 0; i < method.value_count; i++) {
        struct ets_evalue value;
        ets_method_value(&method, i, &value);
        if (value.kind != ETS_EVALUE_TENSOR || value.tensor.place != ETS_PLACE_CONSTANT) continue;
        const struct ets_tensor *tensor = &value.tensor.tensor;
        if (tensor->rank != 2 || tensor->sizes[0] != ROWS) continue;
        if (tensor->sizes[1] == COLUMNS / 2) bytes = tensor->data;
        if (tensor->sizes[1] == COLUMNS / 32) scales = tensor->data;
    }
    assert_true(bytes != NULL && scales != NULL);
    for (uint32_t i = 0; i < ROWS * COLUMNS; i++) {
        const int integer = (i % 2 == 0 ? bytes[i / 2] >> 4 : bytes[i / 2] & 15) - 8;
        numbers[i] =
            (float)integer * (float)ets_element_load(scales + i / 32 * 4, ETS_SCALAR_FLOAT, 0);
    }
}

static void test_program_weights__are_those_of_the_nearest_layer(void **state)
{
    (void)state;
    static float numbers[ROWS * COLUMNS];
    struct ets_quality_layer items[2];
    struct ets_quality_layers layers = {.items = items, .count = 2};
    struct ets_arena arena;
    ets_arena_init(&arena, NULL, 0);
    make_layers(items, numbers);
    read_table(numbers);
    assert_int_equal(ets_program_weights_take(&layers, &program, &arena, NULL), ETS_OK);
    assert_true(items[0].present == NULL); /* a product is no embedding */
    assert_memory_equal(items[1].present, numbers, sizeof numbers);
    assert_true(items[1].scheme.bits == 4 && items[1].scheme.group == 32);
    ets_arena_reset(&arena);
}

static void test_program_weights__missing_memory_is_told(void **state)
{
    (void)state;
    static float numbers[ROWS * COLUMNS];
    enum ets_status status = ETS_NO_MEMORY;
    for (unsigned long at = 0; status != ETS_OK; at++) {
        struct failing failing = {.fail_at = at};
        const struct ets_allocator allocator = {failing_reallocate, failing_release, &failing};
        struct ets_quality_layer items[2];
        struct ets_quality_layers layers = {.items = items, .count = 2};
        struct ets_arena arena;
        struct ets_error error = {.status = ETS_OK};
        ets_arena_init(&arena, &allocator, 0);
        make_layers(items, numbers);
        status = ets_program_weights_take(&layers, &program, &arena, &error);
        assert_int_equal(status, error.status);
        if (status != ETS_OK) assert_int_equal(status, ETS_NO_MEMORY);
        ets_arena_reset(&arena);
        assert_int_equal(failing.live, 0);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_program_weights__are_not_those_of_unlike_layers),
        cmocka_unit_test(test_program_weights__are_those_of_the_nearest_layer),
        cmocka_unit_test(test_program_weights__missing_memory_is_told),
    };
    return cmocka_run_group_tests(tests, open_program, close_program);
}
