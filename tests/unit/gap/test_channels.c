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

/* Two images of ten channels, more than are summed at once, with a few pairs that are no numbers.
 */
enum { IMAGES = 2, CHANNELS = 10, PIXELS = 35, ALL = IMAGES * CHANNELS * PIXELS };

static void make_images(float reference[ALL], float device[ALL])
{
    for (int i = 0; i < ALL; i++) {
        const int channel = i / PIXELS % CHANNELS;
        reference[i] = (float)sin(i) * (channel == 6 ? 100 : 1);
        device[i] = reference[i] + (float)cos(3 * i) * 0.01F * (float)(channel + 1);
    }
    reference[40] = NAN;
    device[ALL - 1] = INFINITY;
}

/* The images with the numbers of a pixel beside each other, if `is_last`. */
static struct ets_tensor images(const float *numbers, float *room, bool is_last)
{
    struct ets_tensor tensor = {.scalar_type = ETS_SCALAR_FLOAT,
                                .rank = 4,
                                .sizes = {IMAGES, CHANNELS, 5, 7},
                                .data_bytes = ALL * sizeof(float)};
    ets_tensor_set_contiguous(&tensor);
    for (int i = 0; i < ALL; i++) {
        const int image = i / PIXELS / CHANNELS, channel = i / PIXELS % CHANNELS;
        room[is_last ? (image * PIXELS + i % PIXELS) * CHANNELS + channel : i] = numbers[i];
    }
    if (is_last) memcpy(tensor.strides, (int64_t[]){ALL / IMAGES, 1, 7 * CHANNELS, CHANNELS}, 32);
    tensor.data = LITTLE_OF(ETS_SCALAR_FLOAT, room, ALL * sizeof(float));
    return tensor;
}

static void test_channels__errors_are_the_same_in_any_layout(void **state)
{
    static const struct ets_graph_node node = {.op = {"conv2d", 6}};
    static float reference[ALL], device[ALL], left_room[ALL], right_room[ALL];
    double first[CHANNELS];
    struct ets_arena arena;
    (void)state;
    make_images(reference, device);
    ets_arena_init(&arena, NULL, 0);
    for (int layout = 0; layout < 4; layout++) {
        const struct ets_tensor left = images(reference, left_room, layout % 2 != 0);
        const struct ets_tensor right = images(device, right_room, layout / 2 != 0);
        struct ets_gap_channels channels;
        assert_int_equal(ets_gap_channel_errors(&arena, &node, &left, &right, &channels, NULL),
                         ETS_OK);
        assert_int_equal(channels.count, CHANNELS);
        assert_int_equal(channels.loudest, 6);
        assert_true(channels.largest > 90 && channels.next < 1.01);
        if (layout == 0) memcpy(first, channels.errors, sizeof first);
        assert_memory_equal(first, channels.errors, sizeof first);
        assert_float_equal(channels.median, first[(CHANNELS - 1) / 2], 0);
    }
    /* The largest is of the last channel: 0.1 cos beside sin, of one size. */
    assert_float_equal(first[CHANNELS - 1], 0.1, 0.01);
    ets_arena_reset(&arena);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_channels__the_index_with_most_of_the_error_is_found),
        cmocka_unit_test(test_channels__spread_single_and_no_errors_are_of_none),
        cmocka_unit_test(test_channels__errors_are_the_same_in_any_layout),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
