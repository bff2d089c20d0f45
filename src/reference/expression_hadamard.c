/*
 * fast_hadamard_transform(mat): each row times a Hadamard matrix. That is Sylvester's over the root
 * of its size, for sizes that are powers of 2. For 28 times a power of 2 the row is a matrix of 28
 * rows: these are transformed, then its columns by Williamson's matrix of 28, which is not divided
 * by its root.
 */
#include <math.h>

#include "reference/expression_list.h"

enum { BLOCK = 7, SIDE = 4 * BLOCK };

/*
 * Williamson's array of four symmetric circulant blocks A, B, C, D. Bit i of a block: whether
 * number i of its first row is positive.
 */
static int8_t williamson(uint32_t row, uint32_t column)
{
    static const uint8_t positive[4] = {0x01, 0x43, 0x25, 0x19};
    static const int8_t blocks[4][4] = {
        {1, 2, 3, 4}, {-2, 1, -4, 3}, {-3, 4, 1, -2}, {-4, -3, 2, 1}};
    const int8_t block = blocks[row / BLOCK][column / BLOCK];
    const uint32_t place = (column % BLOCK + BLOCK - row % BLOCK) % BLOCK;
    const bool is_positive = (positive[(block < 0 ? -block : block) - 1] >> place & 1) != 0;
    return is_positive == (block > 0) ? 1 : -1;
}

/*
 * Transforms the last dimension, of `size` numbers, a power of 2, by Sylvester's matrix. Each turn
 * adds and subtracts neighbours, and moves the lowest bit of the places to the top; after as many
 * turns as bits, all are where they were.
 */
static enum ets_status transform_rows(struct reference_frame *frame, int64_t size,
                                      struct reference_value *x)
{
    const struct reference_shape whole = LIKE(*x);
    struct reference_shape half = whole;
    half.sizes[half.rank - 1] = size / 2;
    for (int64_t done = 1; done < size; done *= 2) {
        struct reference_value even, odd, both[2];
        const struct reference_value list = {.kind = REFERENCE_LIST, .as.list = {both, 2}};
        ETS_TRY(APPLY(frame, half, &even, "aten.slice.Tensor", *x, WHOLE(-1), WHOLE(0), WHOLE(size),
                      WHOLE(2)));
        ETS_TRY(APPLY(frame, half, &odd, "aten.slice.Tensor", *x, WHOLE(-1), WHOLE(1), WHOLE(size),
                      WHOLE(2)));
        ETS_TRY(APPLY(frame, half, &both[0], "aten.add.Tensor", even, odd));
        ETS_TRY(APPLY(frame, half, &both[1], "aten.sub.Tensor", even, odd));
        ETS_TRY(APPLY(frame, whole, x, "aten.cat.default", list, WHOLE(-1)));
    }
    return APPLY(frame, whole, x, "aten.mul.Scalar", *x, NUMBER(1 / sqrt((double)size)));
}

/* Williamson's matrix, as numbers of `type`. */
static enum ets_status make_williamson(struct reference_frame *frame, int type,
                                       struct reference_value *matrix_out)
{
    static const int64_t sizes[2] = {SIDE, SIDE};
    int8_t numbers[SIDE * SIDE];
    for (uint32_t i = 0; i < SIDE * SIDE; i++) {
        numbers[i] = williamson(i / SIDE, i % SIDE);
    }
    struct ets_tensor from = {.scalar_type = ETS_SCALAR_CHAR,
                              .rank = 2,
                              .sizes = {SIDE, SIDE},
                              .data = numbers,
                              .data_bytes = sizeof numbers};
    ets_tensor_set_contiguous(&from);
    ETS_TRY(
        ets_reference_tensor_new(frame->calls->memory, type, 2, sizes, matrix_out, frame->error));
    ETS_TRY(ets_reference_keep(frame, matrix_out));
    return ets_reference_tensor_copy(&from, &matrix_out->as.tensor.view, frame->error);
}

enum ets_status ets_reference_hadamard(struct reference_frame *frame,
                                       const struct reference_step *step)
{
    const struct ets_tensor *self;
    ETS_TRY(ets_reference_tensor(frame, step, 0, &self));
    const int64_t size = self->rank > 0 ? self->sizes[self->rank - 1] : 0;
    const bool is_special = size % SIDE == 0;
    const int64_t power = is_special ? size / SIDE : size;
    if (power < 1 || (power & (power - 1)) != 0 || ets_tensor_count(self) == 0 ||
        !ets_reference_is_floating(self->scalar_type)) {
        return ets_reference_fail(frame, ETS_UNSUPPORTED,
                                  "not rows of a power of 2, or of 28 times that");
    }
    const int64_t grouped[3] = {-1, is_special ? SIDE : 1, power};
    struct reference_value list, x, matrix;
    ETS_TRY(ets_reference_int_list(frame, grouped, 3, &list));
    ETS_TRY(APPLY(frame, LIKE(step->arguments[0]), &x, "aten.reshape.default", step->arguments[0],
                  list));
    ETS_TRY(transform_rows(frame, power, &x));
    if (is_special) {
        ETS_TRY(make_williamson(frame, (int)self->scalar_type, &matrix));
        ETS_TRY(APPLY(frame, LIKE(x), &x, "aten.matmul.default", matrix, x));
    }
    ETS_TRY(ets_reference_int_list(frame, self->sizes, self->rank, &list));
    ETS_TRY(APPLY(frame, LIKE(x), &x, "aten.reshape.default", x, list));
    return ets_reference_give(frame, step, 0, &x);
}
