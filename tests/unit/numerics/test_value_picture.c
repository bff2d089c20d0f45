/* Pictures of tensors: how cells lie, what they show, and how numbers are counted. */
#include "test_faults_support.h"

#include <math.h>
#include <stdbool.h>

#include "numerics/value_picture.h"
#include "test_little_support.h"

static struct ets_tensor tensor_of(const float *data, uint32_t rank, const int64_t *sizes)
{
    struct ets_tensor tensor = {.scalar_type = ETS_SCALAR_FLOAT, .rank = rank};
    int64_t stride = 1;
    for (uint32_t i = rank; i-- > 0;) {
        tensor.sizes[i] = sizes[i];
        tensor.strides[i] = stride;
        stride *= sizes[i];
    }
    tensor.data_bytes = (size_t)stride * sizeof *data;
    if (data != NULL) tensor.data = LITTLE_OF(ETS_SCALAR_FLOAT, data, tensor.data_bytes);
    return tensor;
}

/* Every element has a cell inside, and no cell is without an element. */
static void check_grid(const int64_t *sizes, uint32_t rank, uint64_t side)
{
    const struct ets_tensor tensor = tensor_of(NULL, rank, sizes);
    struct ets_tensor_grid grid;
    static bool is_taken[1024];
    uint64_t elements = 1;
    memset(is_taken, 0, sizeof is_taken);
    ets_tensor_grid_of(&tensor, side, side * side, &grid);
    for (uint32_t i = 0; i < rank; i++) elements *= (uint64_t)sizes[i];
    assert_int_equal(elements, grid.rows * grid.columns * grid.tile_count);
    assert_true(grid.tiles_across * grid.tile_width <= side);
    assert_true(grid.tiles_down * grid.tile_height <= side);
    assert_true(ets_tensor_grid_cells(&grid) <= side * side);
    for (uint64_t i = 0; i < elements; i++) {
        const uint64_t cell = ets_tensor_grid_cell(&grid, i);
        if (cell == ETS_GRID_NONE) continue;
        assert_true(cell < ets_tensor_grid_cells(&grid));
        is_taken[cell] = true;
    }
    for (uint64_t i = 0; i < ets_tensor_grid_cells(&grid); i++) assert_true(is_taken[i]);
}

static void test_value_picture__every_element_has_a_cell(void **state)
{
    (void)state;
    static const int64_t shapes[][5] = {
        {1, 1, 1, 1, 1},   {1, 1, 1, 1, 7},    {1, 1, 1, 33, 1},   {1, 1, 1, 40, 65},
        {1, 1, 3, 5, 7},   {2, 3, 4, 5, 6},    {1, 2000, 1, 3, 2}, {1, 64, 1, 28, 28},
        {1, 1, 50, 1, 2},  {1, 1, 2, 1000, 1}, {1, 1025, 1, 2, 2}, {1, 1, 1, 1, 4096},
        {1, 31, 1, 33, 2}, {1, 1024, 1, 1, 1}, {1, 7, 1, 200, 2},  {1, 7, 1, 2, 200},
    };
    for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++) {
        check_grid(shapes[i], 5, ETS_VALUE_PICTURE_SIDE);
    }
    check_grid(NULL, 0, ETS_VALUE_PICTURE_SIDE);
}

static void test_value_picture__shows_what_is_farthest_from_zero(void **state)
{
    (void)state;
    float reference[64], device[64];
    const int64_t sizes[] = {1, 64};
    for (int i = 0; i < 64; i++) reference[i] = device[i] = (float)(i - 40);
    device[3] += 0.5F;
    const struct ets_tensor a = tensor_of(reference, 2, sizes), b = tensor_of(device, 2, sizes);
    struct ets_value_picture picture;
    assert_int_equal(ets_value_picture_of(&a, &b, &picture, NULL), ETS_OK);
    assert_int_equal(picture.grid.cell_columns, 2);
    assert_int_equal(ets_tensor_grid_cells(&picture.grid), 32);
    assert_int_equal(picture.count, 64);
    assert_true(picture.cells[ETS_SIDE_REFERENCE][0] == -40.0);
    assert_true(picture.cells[ETS_SIDE_REFERENCE][31] == 23.0);
    assert_true(picture.cells[ETS_SIDE_DIFFERENCE][1] == 0.5);
    assert_true(picture.cells[ETS_SIDE_DIFFERENCE][0] == 0.0);
    assert_true(picture.low == -40.0 && picture.high == 23.0);
    assert_true(picture.least == 0.0 && picture.most == 0.5);
    for (int i = 0; i < ETS_VALUE_BINS; i++) {
        assert_int_equal(picture.bins[ETS_SIDE_REFERENCE][i], 2); /* 64 numbers, evenly */
    }
}

static void test_value_picture__numbers_that_are_none(void **state)
{
    (void)state;
    const float reference[] = {NAN, INFINITY, -INFINITY, 1.0F},
                device[] = {NAN, INFINITY, 2.0F, 1.0F};
    const int64_t sizes[] = {4};
    const struct ets_tensor a = tensor_of(reference, 1, sizes), b = tensor_of(device, 1, sizes);
    struct ets_value_picture picture;
    assert_int_equal(ets_value_picture_of(&a, &b, &picture, NULL), ETS_OK);
    assert_true(isnan(picture.cells[ETS_SIDE_DEVICE][0]));
    assert_true(picture.cells[ETS_SIDE_DIFFERENCE][0] == 0.0);
    assert_true(picture.cells[ETS_SIDE_DIFFERENCE][1] == 0.0);
    assert_true(isinf(picture.cells[ETS_SIDE_DIFFERENCE][2]));
    assert_int_equal(picture.broken[ETS_SIDE_DEVICE], 2);
    assert_int_equal(picture.broken[ETS_SIDE_REFERENCE], 3);
    assert_true(picture.low == 1.0 && picture.high == 2.0);
    assert_int_equal(picture.bins[ETS_SIDE_DEVICE][0], 1);
    assert_int_equal(picture.bins[ETS_SIDE_DEVICE][ETS_VALUE_BINS - 1], 1);
    const struct ets_tensor none = tensor_of(reference, 1, (const int64_t[]){1});
    assert_int_equal(ets_value_picture_of(&none, &none, &picture, NULL), ETS_OK);
    assert_true(isnan(picture.low) && isnan(picture.most - picture.most + picture.low));
}

static void test_value_picture__refuses(void **state)
{
    (void)state;
    const float numbers[4] = {0};
    struct ets_value_picture picture;
    const struct ets_tensor row = tensor_of(numbers, 2, (const int64_t[]){1, 4});
    const struct ets_tensor square = tensor_of(numbers, 2, (const int64_t[]){2, 2});
    const struct ets_tensor empty = tensor_of(numbers, 2, (const int64_t[]){0, 4});
    assert_int_equal(ets_value_picture_of(&row, &square, &picture, NULL), ETS_MISMATCH);
    assert_int_equal(ets_value_picture_of(&empty, &empty, &picture, NULL), ETS_INVALID_ARGUMENT);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_value_picture__every_element_has_a_cell),
        cmocka_unit_test(test_value_picture__shows_what_is_farthest_from_zero),
        cmocka_unit_test(test_value_picture__numbers_that_are_none),
        cmocka_unit_test(test_value_picture__refuses),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
