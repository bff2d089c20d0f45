/* Matrix products. */
#include <string.h>

#include "reference/expression_list.h"

/* The matrices of `value` as [count, rows, columns]. */
static enum ets_status as_batch(struct reference_frame *frame, const struct reference_value *value,
                                const struct reference_shape *wide,
                                struct reference_value *batch_out)
{
    struct reference_value sizes, expanded, flat;
    ETS_TRY(ets_reference_int_list(frame, wide->sizes, wide->rank, &sizes));
    ETS_TRY(APPLY(frame, *wide, &expanded, "aten.expand.default", *value, sizes));
    int64_t three[3] = {1, wide->sizes[wide->rank - 2], wide->sizes[wide->rank - 1]};
    for (uint32_t i = 0; i + 2 < wide->rank; i++) three[0] *= wide->sizes[i];
    ETS_TRY(ets_reference_int_list(frame, three, 3, &flat));
    return APPLY(frame, *wide, batch_out, "aten.reshape.default", expanded, flat);
}

/* A vector as a matrix of one row or one column. */
static enum ets_status as_matrix(struct reference_frame *frame, const struct reference_value *value,
                                 int64_t dim, struct reference_value *matrix_out)
{
    if (value->as.tensor.view.rank > 1) {
        *matrix_out = *value;
        return ETS_OK;
    }
    return APPLY(frame, LIKE(*value), matrix_out, "aten.unsqueeze.default", *value, WHOLE(dim));
}

/* The shapes of the product and of both sides with all leading dimensions. */
static enum ets_status plan_product(struct reference_frame *frame, const struct ets_tensor *left,
                                    const struct ets_tensor *right, struct reference_shape wide[3])
{
    if (left->sizes[left->rank - 1] != right->sizes[right->rank - 2]) {
        return ets_reference_fail(frame, ETS_MISMATCH, "the matrices do not match: %lld and %lld",
                                  (long long)left->sizes[left->rank - 1],
                                  (long long)right->sizes[right->rank - 2]);
    }
    struct ets_tensor a = *left, b = *right;
    a.rank -= 2;
    b.rank -= 2;
    ETS_TRY(ets_reference_broadcast(frame, &a, &b, &wide[0]));
    wide[1] = wide[2] = wide[0];
    const int64_t rows = left->sizes[left->rank - 2], columns = right->sizes[right->rank - 1];
    const int64_t inner = right->sizes[right->rank - 2];
    const uint32_t rank = wide[0].rank;
    for (uint32_t i = 0; i < 3; i++) wide[i].rank = rank + 2;
    wide[0].sizes[rank] = wide[2].sizes[rank] = rows;
    wide[0].sizes[rank + 1] = wide[1].sizes[rank] = inner;
    wide[1].sizes[rank + 1] = wide[2].sizes[rank + 1] = columns;
    return ETS_OK;
}

enum ets_status ets_reference_matmul(struct reference_frame *frame,
                                     const struct reference_step *step)
{
    const struct ets_tensor *x, *y;
    ETS_TRY(ets_reference_tensor(frame, step, 0, &x));
    ETS_TRY(ets_reference_tensor(frame, step, 1, &y));
    if (x->rank == 0 || y->rank == 0) {
        return ets_reference_fail(frame, ETS_INVALID_ARGUMENT, "a number is not a matrix");
    }
    struct reference_value left, right, batches[2], product, sizes, result;
    struct reference_shape wide[3];
    ETS_TRY(as_matrix(frame, &step->arguments[0], 0, &left));
    ETS_TRY(as_matrix(frame, &step->arguments[1], 1, &right));
    ETS_TRY(plan_product(frame, &left.as.tensor.view, &right.as.tensor.view, wide));
    ETS_TRY(as_batch(frame, &left, &wide[0], &batches[0]));
    ETS_TRY(as_batch(frame, &right, &wide[1], &batches[1]));
    const int64_t three[3] = {batches[0].as.tensor.view.sizes[0],
                              batches[0].as.tensor.view.sizes[1],
                              batches[1].as.tensor.view.sizes[2]};
    ETS_TRY(APPLY(frame, ets_reference_shape_of(x->scalar_type, 3, three), &product,
                  "aten.bmm.default", batches[0], batches[1]));
    uint32_t rank = wide[2].rank; /* without the dimensions added to vectors */
    if (y->rank == 1) rank--;
    if (x->rank == 1) {
        wide[2].sizes[rank - 1 - (y->rank > 1)] = wide[2].sizes[wide[2].rank - 1];
        rank--;
    }
    ETS_TRY(ets_reference_int_list(frame, wide[2].sizes, rank, &sizes));
    ETS_TRY(APPLY(frame, wide[2], &result, "aten.view.default", product, sizes));
    return ets_reference_give(frame, step, 0, &result);
}

/* addmm(self, mat1, mat2, beta, alpha): the runtime's kernel is fourteen times slower. */
enum ets_status ets_reference_addmm(struct reference_frame *frame,
                                    const struct reference_step *step)
{
    const struct ets_tensor *left, *right;
    ETS_TRY(ets_reference_tensor(frame, step, 1, &left));
    ETS_TRY(ets_reference_tensor(frame, step, 2, &right));
    if (left->rank != 2 || right->rank != 2) {
        return ets_reference_fail(frame, ETS_INVALID_ARGUMENT, "it multiplies matrices");
    }
    const int64_t sizes[2] = {left->sizes[0], right->sizes[1]};
    const struct reference_shape shape = ets_reference_shape_of(left->scalar_type, 2, sizes);
    struct reference_value product, sum = step->arguments[0], result;
    const struct reference_value beta = step->arguments[3], alpha = step->arguments[4];
    ETS_TRY(
        APPLY(frame, shape, &product, "aten.mm.default", step->arguments[1], step->arguments[2]));
    if (ets_reference_number(&beta) != 1 && sum.kind == REFERENCE_TENSOR) {
        ETS_TRY(APPLY(frame, LIKE(sum), &sum, "aten.mul.Scalar", sum, beta));
    }
    ETS_TRY(APPLY(frame, shape, &result, "aten.add.Tensor", sum, product, alpha));
    return ets_reference_give(frame, step, 0, &result);
}
