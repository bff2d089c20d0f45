/*
 * quantized_decomposed: rows of a table of integers of 8, 4 or 2 bits, (q - zero) * scale, with one
 * scale for each group of a row. Kernels that pack several numbers in a byte have the first in its
 * highest 4 bits, or in its lowest 2.
 */
#include <string.h>

#include "reference/expression_list.h"

/* The table and what is asked of it. */
struct lookup {
    uint32_t bits;
    int64_t count;                   /* of looked up rows */
    int64_t width;                   /* numbers of a row */
    struct reference_value rows;     /* indices, in one dimension */
    struct reference_value integers; /* [count, width] */
};

static enum ets_status rows_of(struct reference_frame *frame, const struct lookup *lookup,
                               const struct reference_value *table,
                               struct reference_value *result_out)
{
    struct reference_shape shape = LIKE(*table);
    shape.sizes[0] = lookup->count;
    return APPLY(frame, shape, result_out, "aten.index_select.default", *table, WHOLE(0),
                 lookup->rows);
}

/* The numbers packed in bytes, each in its own element of a new last dimension. */
static enum ets_status unpack(struct reference_frame *frame, const struct lookup *lookup,
                              struct reference_value *integers)
{
    const uint32_t bits = lookup->bits, pieces = 8 / bits;
    struct reference_value items[4], list = {.kind = REFERENCE_LIST, .as.list = {items, pieces}};
    struct reference_shape shape = LIKE(*integers);
    shape.scalar_type = ETS_SCALAR_LONG;
    ETS_TRY(APPLY(frame, shape, integers, "aten.to.dtype", *integers, WHOLE(ETS_SCALAR_LONG)));
    for (uint32_t i = 0; i < pieces; i++) {
        const int64_t shift = bits == 4 ? 4 - 4 * (int64_t)i : 2 * (int64_t)i;
        const int64_t step = (int64_t)1 << shift, range = (int64_t)1 << bits;
        ETS_TRY(APPLY(frame, shape, &items[i], "aten.bitwise_and.Scalar", *integers,
                      WHOLE((range - 1) * step)));
        ETS_TRY(APPLY(frame, shape, &items[i], "aten.floor_divide.default", items[i], WHOLE(step)));
        ETS_TRY(APPLY(frame, shape, &items[i], "aten.sub.Scalar", items[i], WHOLE(range / 2)));
    }
    shape.sizes[shape.rank++] = pieces;
    return APPLY(frame, shape, integers, "aten.stack.default", list, WHOLE(-1));
}

/* Scales or zero points of the looked up rows, [count, groups, 1], as numbers of `type`. */
static enum ets_status of_groups(struct reference_frame *frame, const struct lookup *lookup,
                                 const struct reference_value *table, int type,
                                 struct reference_value *result_out)
{
    const struct ets_tensor *view = &table->as.tensor.view;
    const int64_t groups = view->rank == 2 ? view->sizes[1] : 1;
    const int64_t sizes[3] = {lookup->count, groups, 1};
    struct reference_value list, rows;
    if (view->rank < 1 || view->rank > 2 || groups < 1 || lookup->width % groups != 0 ||
        !ets_reference_is_floating(view->scalar_type)) {
        return ets_reference_fail(frame, ETS_MISMATCH, "its groups do not divide the rows");
    }
    ETS_TRY(rows_of(frame, lookup, table, &rows));
    ETS_TRY(ets_reference_int_list(frame, sizes, 3, &list));
    ETS_TRY(APPLY(frame, LIKE(rows), &rows, "aten.reshape.default", rows, list));
    return APPLY(frame, LIKE(rows), result_out, "aten.to.dtype", rows, WHOLE(type));
}

static enum ets_status find_rows(struct reference_frame *frame, const struct reference_step *step,
                                 struct lookup *lookup)
{
    const struct ets_tensor *table, *scales, *indices;
    const struct reference_value *a = step->arguments;
    ETS_TRY(ets_reference_tensor(frame, step, 0, &table));
    ETS_TRY(ets_reference_tensor(frame, step, 1, &scales));
    ETS_TRY(ets_reference_tensor(frame, step, 5, &indices));
    const bool is_byte = table->scalar_type == ETS_SCALAR_BYTE;
    const int64_t half = (int64_t)1 << (lookup->bits - 1);
    if (table->rank != 2 || (!is_byte && table->scalar_type != ETS_SCALAR_CHAR) ||
        (!is_byte && lookup->bits < 8)) {
        return ets_reference_fail(frame, ETS_UNSUPPORTED, "not a table of bytes");
    }
    if (lookup->bits < 8 && (a[3].as.int_value != -half || a[4].as.int_value != half - 1)) {
        return ets_reference_fail(frame, ETS_UNSUPPORTED, "integers from %lld to %lld in %u bits",
                                  (long long)a[3].as.int_value, (long long)a[4].as.int_value,
                                  lookup->bits);
    }
    struct reference_value all;
    lookup->count = (int64_t)ets_tensor_count(indices);
    lookup->width = table->sizes[1] * (8 / lookup->bits);
    ETS_TRY(ets_reference_int_list(frame, (const int64_t[]){-1}, 1, &all));
    if (lookup->count == 0) return ets_reference_fail(frame, ETS_UNSUPPORTED, "of no rows");
    ETS_TRY(APPLY(frame, LIKE(a[5]), &lookup->rows, "aten.reshape.default", a[5], all));
    return rows_of(frame, lookup, &a[0], &lookup->integers);
}

/*
 * embedding_byte(weight, weight_scales, weight_zero_points, weight_quant_min, weight_quant_max,
 * indices[, dtype])
 */
static enum ets_status look_up(struct reference_frame *frame, const struct reference_step *step,
                               uint32_t bits)
{
    struct lookup lookup = {.bits = bits};
    const struct reference_value *a = step->arguments;
    ETS_TRY(find_rows(frame, step, &lookup));
    if (bits < 8) ETS_TRY(unpack(frame, &lookup, &lookup.integers));
    const bool has_type =
        strstr(step->operator_->name, ".dtype") != NULL && a[6].kind != REFERENCE_NOTHING;
    const int own = (int)a[1].as.tensor.view.scalar_type;
    const int type = ets_reference_type(frame, has_type ? (int)a[6].as.int_value : own);
    struct reference_value x, scales, zeros, list;
    ETS_TRY(of_groups(frame, &lookup, &a[1], type, &scales));
    const int64_t groups = scales.as.tensor.view.sizes[1];
    const int64_t grouped[3] = {lookup.count, groups, lookup.width / groups};
    ETS_TRY(ets_reference_int_list(frame, grouped, 3, &list));
    ETS_TRY(APPLY(frame, LIKE(lookup.integers), &x, "aten.reshape.default", lookup.integers, list));
    ETS_TRY(APPLY(frame, LIKE(x), &x, "aten.to.dtype", x, WHOLE(type)));
    if (a[2].kind == REFERENCE_TENSOR) {
        ETS_TRY(of_groups(frame, &lookup, &a[2], type, &zeros));
        ETS_TRY(APPLY(frame, LIKE(x), &x, "aten.sub.Tensor", x, zeros));
    }
    ETS_TRY(APPLY(frame, LIKE(x), &x, "aten.mul.Tensor", x, scales));
    struct reference_shape shape = LIKE(a[5]);
    if (shape.rank == ETS_TENSOR_MAX_RANK) {
        return ets_reference_fail(frame, ETS_LIMIT, "too many dimensions");
    }
    shape.sizes[shape.rank++] = lookup.width;
    ETS_TRY(ets_reference_int_list(frame, shape.sizes, shape.rank, &list));
    ETS_TRY(APPLY(frame, LIKE(x), &x, "aten.reshape.default", x, list));
    return ets_reference_give(frame, step, 0, &x);
}

enum ets_status ets_reference_embedding_byte(struct reference_frame *frame,
                                             const struct reference_step *step)
{
    return look_up(frame, step, 8);
}

enum ets_status ets_reference_embedding_4bit(struct reference_frame *frame,
                                             const struct reference_step *step)
{
    return look_up(frame, step, 4);
}

enum ets_status ets_reference_embedding_2bit(struct reference_frame *frame,
                                             const struct reference_step *step)
{
    return look_up(frame, step, 2);
}
