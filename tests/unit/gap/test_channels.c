/* Which index of a dimension has most of an error. */
#include "test_faults_support.h"
#include "test_little_support.h"

#include <math.h>

#include "gap/channels.h"

enum { ROWS = 4, COLUMNS = 16, BYTES = 4 * ROWS * COLUMNS };

static struct ets_tensor tensor_of(const float *numbers, const int64_t sizes[2])
{
    struct ets_tensor tensor = {.scalar_type = ETS_SCALAR_FLOAT,
                                .rank = 2,
                                .data = LITTLE_OF(ETS_SCALAR_FLOAT, numbers, BYTES),
                                .data_bytes = BYTES};
    memcpy(tensor.sizes, sizes, 2 * sizeof *sizes);
    ets_tensor_set_contiguous(&tensor);
    return tensor;
}

static struct ets_gap_channel channel_of(const float *device, const int64_t sizes[2])
{
    static const float zeros[ROWS * COLUMNS];
    struct ets_arena arena;
    struct ets_gap_channel channel;
    const struct ets_tensor left = tensor_of(zeros, sizes), right = tensor_of(device, sizes);
    ets_arena_init(&arena, NULL, 0);
    assert_int_equal(ets_gap_channel_find(&arena, &left, &right, &channel, NULL), ETS_OK);
    ets_arena_reset(&arena);
    return channel;
}

static void test_channels__the_index_with_most_of_the_error_is_found(void **state)
{
    static const int64_t wide[] = {ROWS, COLUMNS}, high[] = {COLUMNS, ROWS};
    float device[ROWS * COLUMNS] = {0};
    (void)state;
    for (int r = 0; r < ROWS; r++) device[r * COLUMNS + 5] = 2;
    device[7] = 2; /* elsewhere */
    const struct ets_gap_channel channel = channel_of(device, wide);
    assert_int_equal(channel.dimension, 1);
    assert_int_equal(channel.index, 5);
    assert_int_equal(channel.size, COLUMNS);
    assert_float_equal(channel.share, 0.8, 1e-12);
    memset(device, 0, sizeof device);
    for (int c = 0; c < ROWS; c++) device[3 * ROWS + c] = -1;
    assert_int_equal(channel_of(device, high).dimension, 0);
    assert_int_equal(channel_of(device, high).index, 3);
}

static void test_channels__spread_single_and_no_errors_are_of_none(void **state)
{
    static const int64_t wide[] = {ROWS, COLUMNS};
    float device[ROWS * COLUMNS] = {0};
    (void)state;
    assert_int_equal(channel_of(device, wide).size, 0);
    device[5] = 9; /* one element */
    assert_int_equal(channel_of(device, wide).size, 0);
    device[5] = NAN;
    assert_int_equal(channel_of(device, wide).size, 0);
    for (int i = 0; i < ROWS * COLUMNS; i++) device[i] = 1;
    assert_int_equal(channel_of(device, wide).size, 0);
    for (int c = 0; c < COLUMNS; c++) device[c] = 9; /* of four rows, which are too few */
    assert_int_equal(channel_of(device, wide).size, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_channels__the_index_with_most_of_the_error_is_found),
        cmocka_unit_test(test_channels__spread_single_and_no_errors_are_of_none),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
