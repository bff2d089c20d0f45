/* Heat maps: the picture is a whole PNG, its cells have the colours of their numbers. */
#include "test_inspect_support.h"

#include <float.h>
#include <math.h>

#include "host/output.h"

#include "base/crc32.h"
#include "base/load.h"
#include "output/picture/colour_map.h"
#include "output/picture/heat_map.h"
#include "test_little_support.h"
#include "test_written_support.h"

/* A PNG taken apart. */
struct picture {
    uint32_t width, height;
    uint8_t *pixels; /* [height][1 + width] */
    uint8_t palette[768];
};

static uint32_t load_big(const uint8_t *at)
{
    return (uint32_t)at[0] << 24 | (uint32_t)at[1] << 16 | (uint32_t)at[2] << 8 | at[3];
}

/* Copies the stored blocks of a zlib stream and checks its sum. */
static size_t unpack(const uint8_t *at, size_t size, uint8_t *out)
{
    size_t used = 2, written = 0;
    uint32_t low = 1, high = 0;
    int is_last = 0;
    assert_int_equal((at[0] << 8 | at[1]) % 31, 0);
    while (!is_last) {
        const uint16_t block = ets_load_u16(at + used + 1);
        assert_true(at[used] <= 1);
        assert_int_equal(block ^ ets_load_u16(at + used + 3), 0xffff);
        is_last = at[used];
        memcpy(out + written, at + used + 5, block);
        written += block;
        used += 5 + (size_t)block;
    }
    for (size_t i = 0; i < written; i++) {
        low = (low + out[i]) % 65521;
        high = (high + low) % 65521;
    }
    assert_int_equal(load_big(at + used), high << 16 | low);
    assert_int_equal(used + 4, size);
    return written;
}

static struct picture take_apart(struct ets_bytes bytes)
{
    struct picture picture = {.width = 0};
    size_t at = 8;
    assert_memory_equal(bytes.data, "\x89PNG\r\n\x1a\n", 8);
    while (at < bytes.size) {
        const uint32_t size = load_big(bytes.data + at);
        const uint8_t *chunk = bytes.data + at + 4;
        assert_int_equal(load_big(chunk + 4 + size), ets_crc32(0, chunk, size + 4));
        if (memcmp(chunk, "IHDR", 4) == 0) {
            picture.width = load_big(chunk + 4);
            picture.height = load_big(chunk + 8);
            picture.pixels = malloc(size + (size_t)(picture.width + 1) * picture.height);
            assert_non_null(picture.pixels);
        }
        if (memcmp(chunk, "PLTE", 4) == 0) memcpy(picture.palette, chunk + 4, size);
        if (memcmp(chunk, "IDAT", 4) == 0) {
            assert_int_equal(unpack(chunk + 4, size, picture.pixels),
                             (size_t)(picture.width + 1) * picture.height);
        }
        at += 12 + size;
    }
    assert_int_equal(at, bytes.size);
    return picture;
}

static const uint8_t *colour_at(const struct picture *picture, uint32_t x, uint32_t y)
{
    assert_true(x < picture->width && y < picture->height);
    return picture->palette + 3 * picture->pixels[(size_t)y * (picture->width + 1) + 1 + x];
}

static void assert_colour(const struct picture *picture, uint32_t x, uint32_t y, uint8_t red,
                          uint8_t green, uint8_t blue)
{
    const uint8_t expected[3] = {red, green, blue};
    assert_memory_equal(colour_at(picture, x, y), expected, 3);
}

static struct ets_tensor tensor_of(const float *numbers, uint32_t rank, const int64_t *sizes)
{
    struct ets_tensor tensor = {.scalar_type = ETS_SCALAR_FLOAT, .rank = rank};
    for (uint32_t i = 0; i < rank; i++) tensor.sizes[i] = sizes[i];
    ets_tensor_set_contiguous(&tensor);
    tensor.data_bytes = (size_t)ets_tensor_extent(&tensor);
    tensor.data = test_little(numbers, tensor.data_bytes, sizeof *numbers);
    return tensor;
}

/* To be freed. */
static struct picture draw(const struct ets_tensor *tensor, const struct ets_tensor *reference,
                           struct ets_heat_map *drawn)
{
    char path[64];
    struct ets_error error;
    struct ets_output *output = begin_written(path);
    assert_int_equal(ets_heat_map_write(tensor, reference, NULL, output, drawn, &error), ETS_OK);
    const struct ets_bytes bytes = take_written(path, output);
    const struct picture picture = take_apart(bytes);
    assert_int_equal(picture.width, drawn->width);
    assert_int_equal(picture.height, drawn->height);
    free((void *)(uintptr_t)bytes.data);
    return picture;
}

static void test_heat_map__cells_have_the_colours_of_their_numbers(void **state)
{
    (void)state;
    const float numbers[] = {-2, 0, 1, NAN, INFINITY, -INFINITY};
    const struct ets_tensor tensor = tensor_of(numbers, 2, (int64_t[]){2, 3});
    const struct ets_colour cold = ets_colour_signed(-1);
    struct ets_heat_map drawn;
    struct picture picture = draw(&tensor, NULL, &drawn);
    assert_true(drawn.is_signed && drawn.low == -2 && drawn.high == 2);
    assert_int_equal(drawn.nan_count, 1);
    assert_int_equal(drawn.infinite_count, 2);
    assert_colour(&picture, 8, 8, cold.red, cold.green, cold.blue);
    const uint8_t *zero = colour_at(&picture, 8 + 32, 8);
    assert_true(zero[0] > 240 && zero[1] > 240 && zero[2] > 240);
    const uint8_t *warm = colour_at(&picture, 8 + 64, 8);
    assert_true(warm[0] > warm[2]);
    assert_colour(&picture, 8, 8 + 32, 255, 0, 255);
    assert_colour(&picture, 8 + 32, 8 + 32, 0, 255, 0);
    assert_colour(&picture, 8 + 64, 8 + 32, 0, 255, 255);
    free(picture.pixels);
}

static void test_heat_map__shapes(void **state)
{
    (void)state;
    static float numbers[4096 * 3];
    const struct {
        uint32_t rank;
        int64_t sizes[4];
        uint64_t rows, columns, tiles, shown, cell_rows, cell_columns;
    } cases[] = {
        {0, {0}, 1, 1, 1, 1, 1, 1},
        {1, {1000}, 1, 1000, 1, 1, 1, 1},
        {4, {1, 4, 1, 32}, 4, 32, 1, 1, 1, 1},
        {4, {1, 8, 14, 14}, 14, 14, 8, 8, 1, 1},
        {1, {4096 * 3}, 1, 4096 * 3, 1, 1, 1, 12},
        {3, {4096, 1, 3}, 4096, 3, 1, 1, 4, 1},
        {3, {1500, 2, 2}, 2, 2, 1500, 1024, 1, 1},
        {2, {3, 4096}, 3, 4096, 1, 1, 1, 4},
    };
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const struct ets_tensor tensor = tensor_of(numbers, cases[i].rank, cases[i].sizes);
        struct ets_heat_map drawn;
        struct picture picture = draw(&tensor, NULL, &drawn);
        assert_int_equal(drawn.rows, cases[i].rows);
        assert_int_equal(drawn.columns, cases[i].columns);
        assert_int_equal(drawn.tile_count, cases[i].tiles);
        assert_int_equal(drawn.tiles_shown, cases[i].shown);
        assert_int_equal(drawn.cell_rows, cases[i].cell_rows);
        assert_int_equal(drawn.cell_columns, cases[i].cell_columns);
        assert_true(drawn.low == 0 && drawn.high == 0 && !drawn.is_signed);
        assert_true(drawn.width <= 1200 && drawn.height <= 1200);
        free(picture.pixels);
    }
}

static void test_heat_map__a_cell_of_many_shows_the_farthest(void **state)
{
    (void)state;
    static float numbers[4096];
    for (int i = 0; i < 4096; i++) numbers[i] = 1;
    numbers[5] = 9;
    const struct ets_tensor tensor = tensor_of(numbers, 1, (int64_t[]){4096});
    const struct ets_colour top = ets_colour_rising(1), bottom = ets_colour_rising(0);
    struct ets_heat_map drawn;
    struct picture picture = draw(&tensor, NULL, &drawn);
    assert_int_equal(drawn.cell_columns, 4);
    assert_colour(&picture, 8, 8, bottom.red, bottom.green, bottom.blue);
    assert_colour(&picture, 8 + 1, 8, top.red, top.green, top.blue);
    free(picture.pixels);
}

static void test_heat_map__differences(void **state)
{
    (void)state;
    const float now[] = {1, 2, NAN, INFINITY}, before[] = {1, 5, NAN, INFINITY};
    const struct ets_tensor tensor = tensor_of(now, 1, (int64_t[]){4});
    struct ets_tensor reference = tensor_of(before, 1, (int64_t[]){4});
    struct ets_heat_map drawn;
    struct ets_output *output;
    struct picture picture = draw(&tensor, &reference, &drawn);
    assert_true(drawn.low == -3 && drawn.high == 0);
    assert_int_equal(drawn.nan_count + drawn.infinite_count, 0);
    free(picture.pixels);
    reference.sizes[0] = 3;
    assert_int_equal(ets_output_open("/dev/null", &output, NULL), ETS_OK);
    assert_int_equal(ets_heat_map_write(&tensor, &reference, NULL, output, NULL, NULL),
                     ETS_MISMATCH);
    reference.sizes[0] = 5;
    assert_int_equal(ets_heat_map_write(&tensor, &reference, NULL, output, NULL, NULL),
                     ETS_TRUNCATED);
    reference.sizes[0] = 0;
    assert_int_equal(ets_heat_map_write(&reference, NULL, NULL, output, NULL, NULL),
                     ETS_INVALID_ARGUMENT);
    ets_output_discard(output);
}

static void test_heat_map__the_range_of_doubles_does_not_overflow(void **state)
{
    (void)state;
    const float numbers[] = {-FLT_MAX, FLT_MAX};
    const double wide[] = {-DBL_MAX, DBL_MAX};
    struct ets_tensor tensor = tensor_of(numbers, 1, (int64_t[]){2});
    struct ets_heat_map drawn;
    tensor.scalar_type = ETS_SCALAR_DOUBLE;
    tensor.data = LITTLE(wide);
    tensor.data_bytes = sizeof wide;
    struct picture picture = draw(&tensor, NULL, &drawn);
    const struct ets_colour cold = ets_colour_signed(-1), warm = ets_colour_signed(1);
    assert_colour(&picture, 8, 8, cold.red, cold.green, cold.blue);
    assert_colour(&picture, 8 + 32, 8, warm.red, warm.green, warm.blue);
    free(picture.pixels);
}

static void test_heat_map__colours_get_lighter_step_by_step(void **state)
{
    (void)state;
    double last = -1;
    for (int i = 0; i <= 100; i++) {
        const struct ets_colour c = ets_colour_rising(i / 100.0);
        const double light =
            0.2126 * c.red * c.red + 0.7152 * c.green * c.green + 0.0722 * c.blue * c.blue;
        assert_true(light > last);
        last = light;
    }
}

static void test_heat_map__every_allocation_fails_once(void **state)
{
    (void)state;
    const float numbers[] = {1, 2};
    const struct ets_tensor tensor = tensor_of(numbers, 1, (int64_t[]){2});
    struct ets_output *output;
    enum ets_status status = ETS_NO_MEMORY;
    assert_int_equal(ets_output_open("/dev/null", &output, NULL), ETS_OK);
    for (unsigned long n = 0; status != ETS_OK; n++) {
        struct failing failing = {.fail_at = n};
        const struct ets_allocator allocator = {failing_reallocate, failing_release, &failing};
        status = ets_heat_map_write(&tensor, NULL, &allocator, output, NULL, NULL);
        assert_true(status == ETS_OK || status == ETS_NO_MEMORY);
        assert_int_equal(failing.live, 0);
        assert_true(n < 100);
    }
    ets_output_discard(output);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_heat_map__cells_have_the_colours_of_their_numbers),
        cmocka_unit_test(test_heat_map__shapes),
        cmocka_unit_test(test_heat_map__a_cell_of_many_shows_the_farthest),
        cmocka_unit_test(test_heat_map__differences),
        cmocka_unit_test(test_heat_map__the_range_of_doubles_does_not_overflow),
        cmocka_unit_test(test_heat_map__colours_get_lighter_step_by_step),
        cmocka_unit_test(test_heat_map__every_allocation_fails_once),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
