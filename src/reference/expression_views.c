/* Views as in PyTorch: another shape, stride and offset over the same storage. */
#include <string.h>

#include "reference/expression_list.h"

/*
 * Strides of `to` over the same elements, if possible: nested dimensions of `from` form a run, and
 * each run is divided again.
 */
static bool set_strides(const struct ets_tensor *from, struct ets_tensor *to)
{
    if (ets_tensor_count(from) == 0 || ets_tensor_is_contiguous(from)) {
        ets_tensor_set_contiguous(to);
        return true;
    }
    int64_t innermost = from->strides[from->rank - 1], run = 1, covered = 1;
    uint32_t next = to->rank;
    for (uint32_t i = from->rank; i-- > 0;) {
        run *= from->sizes[i];
        if (i > 0 && (from->sizes[i - 1] == 1 || from->strides[i - 1] == run * innermost)) continue;
        for (; next > 0 && (covered < run || to->sizes[next - 1] == 1); next--) {
            to->strides[next - 1] = covered * innermost;
            covered *= to->sizes[next - 1];
        }
        if (covered != run) return false;
        if (i > 0) innermost = from->strides[i - 1];
        run = covered = 1;
    }
    return next == 0;
}

/* Output 0 in another shape: a view if strides allow it, else a copy (unless `view_only`). */
static enum ets_status give_shape(struct reference_frame *frame, const struct reference_step *step,
                                  uint32_t rank, const int64_t *sizes, bool view_only)
{
    const struct reference_value *self = &step->arguments[0];
    struct ets_tensor view = self->as.tensor.view;
    view.rank = rank;
    if (rank > 0) memmove(view.sizes, sizes, rank * sizeof *sizes);
    if (ets_tensor_count(&view) != ets_tensor_count(&self->as.tensor.view)) {
        return ets_reference_fail(frame, ETS_MISMATCH, "the shape has another number of elements");
    }
    if (set_strides(&self->as.tensor.view, &view)) {
        return ets_reference_give_view(frame, step, 0, self, &view);
    }
    if (view_only) return ets_reference_fail(frame, ETS_INVALID_ARGUMENT, "no view has this shape");
    struct reference_value dense;
    ETS_TRY(ets_reference_dense(frame, self, view.scalar_type, &dense));
    view.data = dense.as.tensor.view.data;
    view.data_bytes = dense.as.tensor.view.data_bytes;
    ets_tensor_set_contiguous(&view);
    return ets_reference_give_view(frame, step, 0, &dense, &view);
}

/* Reads a list of sizes; a size of -1 is computed from `total` and the others. */
static enum ets_status read_sizes(struct reference_frame *frame, const struct reference_value *list,
                                  int64_t total, uint32_t *rank_out,
                                  int64_t sizes[ETS_TENSOR_MAX_RANK])
{
    const uint32_t count = list->kind == REFERENCE_LIST ? list->as.list.count : 1;
    if (count > ETS_TENSOR_MAX_RANK)
        return ets_reference_fail(frame, ETS_LIMIT, "too many dimensions");
    ETS_TRY(ets_reference_ints(frame, list, count, sizes));
    uint32_t open = count;
    struct ets_tensor rest = {.rank = count};
    for (uint32_t i = 0; i < count; i++) {
        rest.sizes[i] = sizes[i] == -1 ? 1 : sizes[i];
        if (sizes[i] == -1) open = i;
    }
    const uint64_t known = ets_tensor_count(&rest);
    if (known > INT64_MAX) return ets_reference_fail(frame, ETS_INVALID_ARGUMENT, "invalid sizes");
    if (open < count) sizes[open] = known > 0 ? total / (int64_t)known : 0;
    *rank_out = count;
    return ETS_OK;
}

static enum ets_status reshape(struct reference_frame *frame, const struct reference_step *step,
                               bool view_only)
{
    const struct ets_tensor *self;
    ETS_TRY(ets_reference_tensor(frame, step, 0, &self));
    uint32_t rank;
    int64_t sizes[ETS_TENSOR_MAX_RANK];
    ETS_TRY(read_sizes(frame, &step->arguments[1], (int64_t)ets_tensor_count(self), &rank, sizes));
    return give_shape(frame, step, rank, sizes, view_only);
}

enum ets_status ets_reference_view(struct reference_frame *frame, const struct reference_step *step)
{
    return reshape(frame, step, true);
}

enum ets_status ets_reference_reshape(struct reference_frame *frame,
                                      const struct reference_step *step)
{
    return reshape(frame, step, false);
}

enum ets_status ets_reference_view_as(struct reference_frame *frame,
                                      const struct reference_step *step)
{
    const struct ets_tensor *self, *other;
    ETS_TRY(ets_reference_tensor(frame, step, 0, &self));
    ETS_TRY(ets_reference_tensor(frame, step, 1, &other));
    return give_shape(frame, step, other->rank, other->sizes, false);
}

enum ets_status ets_reference_flatten(struct reference_frame *frame,
                                      const struct reference_step *step)
{
    const struct ets_tensor *self;
    ETS_TRY(ets_reference_tensor(frame, step, 0, &self));
    uint32_t first, last, rank = 0;
    ETS_TRY(ets_reference_dim(frame, step->arguments[1].as.int_value, self->rank, &first));
    ETS_TRY(ets_reference_dim(frame, step->arguments[2].as.int_value, self->rank, &last));
    int64_t sizes[ETS_TENSOR_MAX_RANK] = {1};
    if (self->rank == 0) return give_shape(frame, step, 1, sizes, false);
    for (uint32_t i = 0; i < self->rank; i++) {
        if (i > first && i <= last) sizes[rank - 1] *= self->sizes[i];
        else sizes[rank++] = self->sizes[i];
    }
    return give_shape(frame, step, rank, sizes, false);
}

enum ets_status ets_reference_unflatten(struct reference_frame *frame,
                                        const struct reference_step *step)
{
    const struct ets_tensor *self;
    ETS_TRY(ets_reference_tensor(frame, step, 0, &self));
    uint32_t dim, count;
    int64_t inner[ETS_TENSOR_MAX_RANK], sizes[2 * ETS_TENSOR_MAX_RANK];
    ETS_TRY(ets_reference_dim(frame, step->arguments[1].as.int_value, self->rank, &dim));
    if (self->rank == 0)
        return ets_reference_fail(frame, ETS_INVALID_ARGUMENT, "it has no dimension");
    ETS_TRY(read_sizes(frame, &step->arguments[2], self->sizes[dim], &count, inner));
    if (self->rank - 1 + count > ETS_TENSOR_MAX_RANK) {
        return ets_reference_fail(frame, ETS_LIMIT, "too many dimensions");
    }
    memcpy(sizes, self->sizes, dim * sizeof *sizes);
    memcpy(sizes + dim, inner, count * sizeof *sizes);
    memcpy(sizes + dim + count, self->sizes + dim + 1, (self->rank - dim - 1) * sizeof *sizes);
    return give_shape(frame, step, self->rank - 1 + count, sizes, true);
}

static void remove_dim(struct ets_tensor *view, uint32_t dim)
{
    const size_t behind = (view->rank - dim - 1) * sizeof *view->sizes;
    memmove(view->sizes + dim, view->sizes + dim + 1, behind);
    memmove(view->strides + dim, view->strides + dim + 1, behind);
    view->rank--;
}

/* Removes dimensions of size 1: all, one or those in a list. */
enum ets_status ets_reference_squeeze(struct reference_frame *frame,
                                      const struct reference_step *step)
{
    const struct ets_tensor *self;
    ETS_TRY(ets_reference_tensor(frame, step, 0, &self));
    const bool of_all = strcmp(step->operator_->schema, "t self") == 0;
    const struct reference_value *dims = &step->arguments[1];
    const uint32_t count = of_all ? 0 : dims->kind == REFERENCE_LIST ? dims->as.list.count : 1;
    uint32_t chosen = of_all ? UINT32_MAX : 0;
    for (uint32_t i = 0; i < count; i++) {
        uint32_t dim;
        const struct reference_value *item =
            dims->kind == REFERENCE_LIST ? &dims->as.list.items[i] : dims;
        ETS_TRY(ets_reference_dim(frame, item->as.int_value, self->rank, &dim));
        chosen |= UINT32_C(1) << dim;
    }
    struct ets_tensor view = *self;
    for (uint32_t i = self->rank; i-- > 0;) {
        if ((chosen >> i & 1) != 0 && view.sizes[i] == 1) remove_dim(&view, i);
    }
    return ets_reference_give_view(frame, step, 0, &step->arguments[0], &view);
}

enum ets_status ets_reference_unsqueeze(struct reference_frame *frame,
                                        const struct reference_step *step)
{
    const struct ets_tensor *self;
    ETS_TRY(ets_reference_tensor(frame, step, 0, &self));
    uint32_t dim;
    ETS_TRY(ets_reference_dim(frame, step->arguments[1].as.int_value, self->rank + 1, &dim));
    if (self->rank == ETS_TENSOR_MAX_RANK) {
        return ets_reference_fail(frame, ETS_LIMIT, "too many dimensions");
    }
    struct ets_tensor view = *self;
    const size_t behind = (self->rank - dim) * sizeof *view.sizes;
    memmove(view.sizes + dim + 1, view.sizes + dim, behind);
    memmove(view.strides + dim + 1, view.strides + dim, behind);
    view.strides[dim] = dim < self->rank ? self->sizes[dim] * self->strides[dim] : 1;
    view.sizes[dim] = 1;
    view.rank++;
    return ets_reference_give_view(frame, step, 0, &step->arguments[0], &view);
}

enum ets_status ets_reference_permute(struct reference_frame *frame,
                                      const struct reference_step *step)
{
    const struct ets_tensor *self;
    ETS_TRY(ets_reference_tensor(frame, step, 0, &self));
    int64_t dims[ETS_TENSOR_MAX_RANK];
    if (step->arguments[1].kind == REFERENCE_LIST &&
        step->arguments[1].as.list.count != self->rank) {
        return ets_reference_fail(frame, ETS_INVALID_ARGUMENT, "dims must name every dimension");
    }
    ETS_TRY(ets_reference_ints(frame, &step->arguments[1], self->rank, dims));
    struct ets_tensor view = *self;
    uint32_t seen = 0, dim;
    for (uint32_t i = 0; i < self->rank; i++) {
        ETS_TRY(ets_reference_dim(frame, dims[i], self->rank, &dim));
        if ((seen >> dim & 1) != 0) {
            return ets_reference_fail(frame, ETS_INVALID_ARGUMENT, "dims name a dimension twice");
        }
        seen |= UINT32_C(1) << dim;
        view.sizes[i] = self->sizes[dim];
        view.strides[i] = self->strides[dim];
    }
    return ets_reference_give_view(frame, step, 0, &step->arguments[0], &view);
}

static enum ets_status give_transposed(struct reference_frame *frame,
                                       const struct reference_step *step, uint32_t a, uint32_t b)
{
    struct ets_tensor view = step->arguments[0].as.tensor.view;
    const int64_t size = view.sizes[a], stride = view.strides[a];
    view.sizes[a] = view.sizes[b];
    view.strides[a] = view.strides[b];
    view.sizes[b] = size;
    view.strides[b] = stride;
    return ets_reference_give_view(frame, step, 0, &step->arguments[0], &view);
}

enum ets_status ets_reference_transpose(struct reference_frame *frame,
                                        const struct reference_step *step)
{
    const struct ets_tensor *self;
    ETS_TRY(ets_reference_tensor(frame, step, 0, &self));
    uint32_t a, b;
    ETS_TRY(ets_reference_dim(frame, step->arguments[1].as.int_value, self->rank, &a));
    ETS_TRY(ets_reference_dim(frame, step->arguments[2].as.int_value, self->rank, &b));
    return give_transposed(frame, step, a, b);
}

enum ets_status ets_reference_t(struct reference_frame *frame, const struct reference_step *step)
{
    const struct ets_tensor *self;
    ETS_TRY(ets_reference_tensor(frame, step, 0, &self));
    if (self->rank > 2) {
        return ets_reference_fail(frame, ETS_INVALID_ARGUMENT, "it has more than 2 dimensions");
    }
    return give_transposed(frame, step, 0, self->rank == 2 ? 1 : 0);
}

static enum ets_status give_expanded(struct reference_frame *frame,
                                     const struct reference_step *step, uint32_t rank,
                                     const int64_t *sizes)
{
    struct ets_tensor view = step->arguments[0].as.tensor.view;
    const struct ets_tensor self = view;
    if (rank < self.rank)
        return ets_reference_fail(frame, ETS_INVALID_ARGUMENT, "too few dimensions");
    view.rank = rank;
    for (uint32_t i = 0; i < rank; i++) {
        const bool is_new = i < rank - self.rank;
        const uint32_t from = is_new ? 0 : i - (rank - self.rank);
        const int64_t size = is_new ? 1 : self.sizes[from];
        view.sizes[i] = sizes[i] == -1 && !is_new ? size : sizes[i];
        view.strides[i] = is_new || size != view.sizes[i] ? 0 : self.strides[from];
        if (view.sizes[i] < 0 || (size != 1 && size != view.sizes[i])) {
            return ets_reference_fail(frame, ETS_MISMATCH, "size %lld cannot become %lld",
                                      (long long)size, (long long)sizes[i]);
        }
    }
    return ets_reference_give_view(frame, step, 0, &step->arguments[0], &view);
}

enum ets_status ets_reference_expand(struct reference_frame *frame,
                                     const struct reference_step *step)
{
    const struct ets_tensor *self;
    ETS_TRY(ets_reference_tensor(frame, step, 0, &self));
    int64_t sizes[ETS_TENSOR_MAX_RANK];
    const struct reference_value *list = &step->arguments[1];
    const uint32_t rank = list->kind == REFERENCE_LIST ? list->as.list.count : 1;
    if (rank > ETS_TENSOR_MAX_RANK)
        return ets_reference_fail(frame, ETS_LIMIT, "too many dimensions");
    ETS_TRY(ets_reference_ints(frame, list, rank, sizes));
    return give_expanded(frame, step, rank, sizes);
}

enum ets_status ets_reference_expand_as(struct reference_frame *frame,
                                        const struct reference_step *step)
{
    const struct ets_tensor *self, *other;
    ETS_TRY(ets_reference_tensor(frame, step, 0, &self));
    ETS_TRY(ets_reference_tensor(frame, step, 1, &other));
    return give_expanded(frame, step, other->rank, other->sizes);
}

/* Output `index`: `size` elements of `dim` from `start` on, `step` apart. */
static enum ets_status give_range(struct reference_frame *frame, const struct reference_step *step,
                                  uint32_t index, uint32_t dim, int64_t start, int64_t size,
                                  int64_t distance)
{
    struct ets_tensor view = step->arguments[0].as.tensor.view;
    const size_t offset =
        (size_t)(start * view.strides[dim]) * ets_scalar_type_bytes(view.scalar_type);
    view.sizes[dim] = size;
    if (ets_tensor_count(&view) > 0) {
        view.data = (const uint8_t *)view.data + offset;
        view.data_bytes -= offset;
    }
    if (size > 1) view.strides[dim] *= distance;
    return ets_reference_give_view(frame, step, index, &step->arguments[0], &view);
}

static int64_t clip(int64_t number, int64_t low, int64_t high)
{
    return number < low ? low : number > high ? high : number;
}

enum ets_status ets_reference_slice(struct reference_frame *frame,
                                    const struct reference_step *step)
{
    const struct ets_tensor *self;
    ETS_TRY(ets_reference_tensor(frame, step, 0, &self));
    uint32_t dim;
    ETS_TRY(ets_reference_dim(frame, step->arguments[1].as.int_value, self->rank, &dim));
    const struct reference_value *first = &step->arguments[2], *last = &step->arguments[3];
    const int64_t distance = step->arguments[4].as.int_value;
    if (self->rank == 0 || distance < 1) {
        return ets_reference_fail(frame, ETS_INVALID_ARGUMENT, "invalid slice");
    }
    const int64_t size = self->sizes[dim];
    int64_t start = first->kind == REFERENCE_NOTHING ? 0 : first->as.int_value;
    int64_t end = last->kind == REFERENCE_NOTHING ? size : last->as.int_value;
    start = clip(start < 0 ? start + size : start, 0, size);
    end = clip(end < 0 ? end + size : end, start, size);
    const int64_t taken = end > start ? (end - start - 1) / distance + 1 : 0;
    return give_range(frame, step, 0, dim, start, taken, distance);
}

enum ets_status ets_reference_narrow(struct reference_frame *frame,
                                     const struct reference_step *step)
{
    const struct ets_tensor *self;
    ETS_TRY(ets_reference_tensor(frame, step, 0, &self));
    uint32_t dim;
    ETS_TRY(ets_reference_dim(frame, step->arguments[1].as.int_value, self->rank, &dim));
    int64_t start = step->arguments[2].as.int_value;
    const int64_t length = step->arguments[3].as.int_value;
    if (start < 0 && self->rank > 0) start += self->sizes[dim];
    if (self->rank == 0 || start < 0 || length < 0 || start > self->sizes[dim] ||
        length > self->sizes[dim] - start) {
        return ets_reference_fail(frame, ETS_INVALID_ARGUMENT, "the index is past the end");
    }
    return give_range(frame, step, 0, dim, start, length, 1);
}

enum ets_status ets_reference_select(struct reference_frame *frame,
                                     const struct reference_step *step)
{
    const struct ets_tensor *self;
    ETS_TRY(ets_reference_tensor(frame, step, 0, &self));
    uint32_t dim;
    ETS_TRY(ets_reference_dim(frame, step->arguments[1].as.int_value, self->rank, &dim));
    int64_t index = step->arguments[2].as.int_value;
    if (index < 0 && self->rank > 0) index += self->sizes[dim];
    if (self->rank == 0 || index < 0 || index >= self->sizes[dim]) {
        return ets_reference_fail(frame, ETS_INVALID_ARGUMENT, "there is no element %lld",
                                  (long long)step->arguments[2].as.int_value);
    }
    ETS_TRY(give_range(frame, step, 0, dim, index, 1, 1));
    remove_dim(&step->outputs[0].as.tensor.view, dim);
    return ETS_OK;
}

enum ets_status ets_reference_diagonal(struct reference_frame *frame,
                                       const struct reference_step *step)
{
    const struct ets_tensor *self;
    ETS_TRY(ets_reference_tensor(frame, step, 0, &self));
    const int64_t offset = step->arguments[1].as.int_value;
    uint32_t a, b;
    ETS_TRY(ets_reference_dim(frame, step->arguments[2].as.int_value, self->rank, &a));
    ETS_TRY(ets_reference_dim(frame, step->arguments[3].as.int_value, self->rank, &b));
    if (a == b || self->rank < 2) {
        return ets_reference_fail(frame, ETS_INVALID_ARGUMENT, "it needs two dimensions");
    }
    const int64_t down = offset < 0 ? clip(-clip(offset, -INT64_MAX, 0), 0, self->sizes[a]) : 0;
    const int64_t right = clip(offset, 0, self->sizes[b]);
    const int64_t rows = self->sizes[a] - down, columns = self->sizes[b] - right;
    const int64_t stride = self->strides[a] + self->strides[b];
    const int64_t start = down * self->strides[a] + right * self->strides[b];
    struct ets_tensor view = *self;
    remove_dim(&view, a > b ? a : b);
    remove_dim(&view, a > b ? b : a);
    view.sizes[view.rank] = rows < columns ? rows : columns;
    view.strides[view.rank++] = stride;
    if (ets_tensor_count(&view) > 0) {
        const size_t bytes = (size_t)start * ets_scalar_type_bytes(view.scalar_type);
        view.data = (const uint8_t *)view.data + bytes;
        view.data_bytes -= bytes;
    }
    return ets_reference_give_view(frame, step, 0, &step->arguments[0], &view);
}

enum ets_status ets_reference_unbind(struct reference_frame *frame,
                                     const struct reference_step *step)
{
    const struct ets_tensor *self;
    ETS_TRY(ets_reference_tensor(frame, step, 0, &self));
    uint32_t dim;
    ETS_TRY(ets_reference_dim(frame, step->arguments[1].as.int_value, self->rank, &dim));
    if (self->rank == 0 || self->sizes[dim] != (int64_t)step->output_count) {
        return ets_reference_fail(frame, ETS_MISMATCH, "the graph has %u outputs for it",
                                  step->output_count);
    }
    for (uint32_t i = 0; i < step->output_count; i++) {
        ETS_TRY(give_range(frame, step, i, dim, i, 1, 1));
        remove_dim(&step->outputs[i].as.tensor.view, dim);
    }
    return ETS_OK;
}

/* Splits the dimension into pieces of `size` each (`sizes` NULL) or of `sizes`. */
static enum ets_status give_pieces(struct reference_frame *frame, const struct reference_step *step,
                                   uint32_t dim, int64_t size, const struct reference_value *sizes)
{
    const int64_t total = step->arguments[0].as.tensor.view.sizes[dim];
    int64_t start = 0;
    for (uint32_t i = 0; i < step->output_count; i++) {
        int64_t taken = sizes != NULL ? sizes->as.list.items[i].as.int_value : size;
        if (sizes == NULL && taken > total - start) taken = total - start;
        if (taken < 0 || taken > total - start || (sizes == NULL && taken == 0 && total > 0)) {
            return ets_reference_fail(frame, ETS_MISMATCH, "the graph has %u outputs for it",
                                      step->output_count);
        }
        ETS_TRY(give_range(frame, step, i, dim, start, taken, 1));
        start += taken;
    }
    if (start == total) return ETS_OK;
    return ets_reference_fail(frame, ETS_MISMATCH, "the pieces do not add up to it");
}

enum ets_status ets_reference_split(struct reference_frame *frame,
                                    const struct reference_step *step)
{
    const struct ets_tensor *self;
    ETS_TRY(ets_reference_tensor(frame, step, 0, &self));
    uint32_t dim;
    ETS_TRY(ets_reference_dim(frame, step->arguments[2].as.int_value, self->rank, &dim));
    const struct reference_value *sizes = &step->arguments[1];
    if (self->rank == 0 ||
        (sizes->kind == REFERENCE_LIST && sizes->as.list.count != step->output_count)) {
        return ets_reference_fail(frame, ETS_MISMATCH, "the graph has %u outputs for it",
                                  step->output_count);
    }
    if (sizes->kind == REFERENCE_LIST) return give_pieces(frame, step, dim, 0, sizes);
    return give_pieces(frame, step, dim, sizes->as.int_value, NULL);
}

enum ets_status ets_reference_chunk(struct reference_frame *frame,
                                    const struct reference_step *step)
{
    const struct ets_tensor *self;
    ETS_TRY(ets_reference_tensor(frame, step, 0, &self));
    uint32_t dim;
    ETS_TRY(ets_reference_dim(frame, step->arguments[2].as.int_value, self->rank, &dim));
    const int64_t chunks = step->arguments[1].as.int_value;
    if (chunks < 1 || self->rank == 0) {
        return ets_reference_fail(frame, ETS_INVALID_ARGUMENT, "it cannot be split into %lld",
                                  (long long)chunks);
    }
    const int64_t size = self->sizes[dim] / chunks + (self->sizes[dim] % chunks != 0);
    return give_pieces(frame, step, dim, size, NULL);
}
