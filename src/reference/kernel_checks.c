/*
 * Checks arguments for kernels that would otherwise read or write outside their tensors, or loop
 * forever. Other kernels check everything, or fault harmlessly, which ends the call (the engine's
 * faults.h).
 */
#include <string.h>

#include "etscope/numerics.h"
#include "reference/expressions.h"

/* Returns what is wrong, or NULL. */
typedef const char *kernel_check(const struct reference_frame *frame,
                                 const struct reference_step *step);

static const struct ets_tensor *tensor_at(const struct reference_step *step, uint32_t index)
{
    const struct reference_value *value = &step->arguments[index];
    return value->kind == REFERENCE_TENSOR ? &value->as.tensor.view : NULL;
}

/* A softmax with an empty input but non-empty output. */
static const char *check_softmax(const struct reference_frame *frame,
                                 const struct reference_step *step)
{
    (void)frame;
    const struct ets_tensor *self = tensor_at(step, 0);
    if (self == NULL || ets_tensor_count(self) > 0) return NULL;
    return "the input is empty, the output is not";
}

/* A sum of no products: the kernels' library prints an error and does not compute it. */
static const char *check_depth(const struct ets_tensor *left)
{
    if (left == NULL || left->rank == 0 || left->sizes[left->rank - 1] > 0) return NULL;
    return "the matrices have no inner dimension";
}

static const char *check_bmm(const struct reference_frame *frame, const struct reference_step *step)
{
    (void)frame;
    const struct ets_tensor *left = tensor_at(step, 0), *right = tensor_at(step, 1);
    if (left != NULL && right != NULL && left->rank == 3 && right->rank == 3 &&
        left->sizes[0] == right->sizes[0] && left->sizes[2] == right->sizes[1]) {
        return check_depth(left);
    }
    return "not two batches of matrices that can be multiplied";
}

static const char *check_mm(const struct reference_frame *frame, const struct reference_step *step)
{
    (void)frame;
    return check_depth(tensor_at(step, 0));
}

/* addmm(self, mat1, mat2) */
static const char *check_addmm(const struct reference_frame *frame,
                               const struct reference_step *step)
{
    (void)frame;
    return check_depth(tensor_at(step, 1));
}

static bool fits_beside(const struct ets_tensor *tensor, const struct ets_tensor *other,
                        uint32_t dim)
{
    if (tensor->rank != other->rank) return false;
    for (uint32_t i = 0; i < tensor->rank; i++) {
        if (i != dim && tensor->sizes[i] != other->sizes[i]) return false;
    }
    return true;
}

/* All sizes must be equal except along the dimension; an empty vector always fits. */
static const char *check_cat(const struct reference_frame *frame, const struct reference_step *step)
{
    (void)frame;
    const struct ets_tensor *first = NULL;
    const struct reference_value *list = &step->arguments[0];
    for (uint32_t i = 0; i < list->as.list.count; i++) {
        const struct ets_tensor *each = &list->as.list.items[i].as.tensor.view;
        if (each->rank == 1 && each->sizes[0] == 0) continue;
        if (first == NULL) first = each;
        int64_t dim = step->arguments[1].as.int_value;
        if (dim < 0) dim += first->rank;
        if (dim < 0 || dim >= first->rank) return "no such dimension";
        if (!fits_beside(each, first, (uint32_t)dim)) return "the shapes do not match";
    }
    return NULL;
}

/* Its results are written in the type of the input. */
static const char *check_var_mean(const struct reference_frame *frame,
                                  const struct reference_step *step)
{
    const struct ets_tensor *self = tensor_at(step, 0);
    for (uint32_t i = 0; i < step->output_count && self != NULL; i++) {
        const int type = step->shapes[i].scalar_type;
        if (type < 0 ||
            (ets_reference_type(frame, type) == ets_reference_type(frame, self->scalar_type) &&
             ets_reference_is_floating(type))) {
            continue;
        }
        return "its results do not have the input's type";
    }
    return NULL;
}

/* One number of a pair, which may be given as a single number or a list of one. */
static int64_t of_pair(const struct reference_value *value, uint32_t index, int64_t otherwise)
{
    if (value->kind == REFERENCE_INT || value->kind == REFERENCE_BOOL) return value->as.int_value;
    if (value->kind != REFERENCE_LIST || value->as.list.count == 0) return otherwise;
    const uint32_t place = value->as.list.count == 1 ? 0 : index;
    return value->as.list.items[place].as.int_value;
}

static bool is_pair(const struct reference_value *value)
{
    return value->kind != REFERENCE_LIST || value->as.list.count <= 2;
}

/* Windows must start inside the padded image, and exceed it by less than a step. */
static bool window_fits(int64_t size, int64_t window, int64_t step, int64_t padding,
                        int64_t dilation)
{
    if (window < 1 || window > INT32_MAX || step < 1 || step > INT32_MAX || dilation < 1 ||
        dilation > INT32_MAX || padding < 0 || padding > window * dilation / 2) {
        return false;
    }
    return dilation * (window - 1) + 1 < size + 2 * padding + step + 1;
}

/* (self, kernel_size, stride, padding, dilation, ...), or without the dilation. */
static const char *check_windows(const struct reference_step *step, bool has_dilation)
{
    static const struct reference_value none = {.kind = REFERENCE_NOTHING};
    const struct ets_tensor *self = tensor_at(step, 0);
    const struct reference_value *a = step->arguments, *dilation = has_dilation ? &a[4] : &none;
    if (self == NULL || self->rank < 3 || self->rank > 4) return "the input is not an image";
    if (!is_pair(&a[1]) || !is_pair(&a[2]) || !is_pair(&a[3]) || !is_pair(dilation)) {
        return "a list has more than two numbers";
    }
    for (uint32_t i = 0; i < 2; i++) {
        const int64_t size = self->sizes[self->rank - 2 + i], window = of_pair(&a[1], i, 0);
        if (!window_fits(size, window, of_pair(&a[2], i, window), of_pair(&a[3], i, 0),
                         of_pair(dilation, i, 1))) {
            return "its windows do not fit in the image";
        }
    }
    return NULL;
}

static const char *check_max_pool(const struct reference_frame *frame,
                                  const struct reference_step *step)
{
    (void)frame;
    return check_windows(step, true);
}

static const char *check_avg_pool(const struct reference_frame *frame,
                                  const struct reference_step *step)
{
    (void)frame;
    return check_windows(step, false);
}

/* Its last argument is the position of each gradient in an image of `self`. */
static const char *check_max_pool_backward(const struct reference_frame *frame,
                                           const struct reference_step *step)
{
    (void)frame;
    const struct ets_tensor *self = tensor_at(step, 1), *places = tensor_at(step, 7);
    if (self == NULL || places == NULL || self->rank < 3) return "not an image, or no indices";
    const int64_t *image = self->sizes + self->rank - 2;
    const double count = (double)image[0] * (double)image[1];
    struct ets_elements walk;
    double place;
    if (ets_elements_init(&walk, places, NULL) != ETS_OK) return "the indices are not integers";
    while (ets_elements_next(&walk, &place)) {
        if (!(place >= 0 && place < count)) return "an index is outside the image";
    }
    return NULL;
}

enum ets_status ets_reference_check_kernel(struct reference_frame *frame,
                                           const struct reference_step *step)
{
    static const struct {
        const char *kernel;
        kernel_check *check;
    } checks[] = {
        {"aten::_log_softmax.out", check_softmax},
        {"aten::_softmax.out", check_softmax},
        {"aten::addmm.out", check_addmm},
        {"aten::avg_pool2d.out", check_avg_pool},
        {"aten::bmm.out", check_bmm},
        {"aten::cat.out", check_cat},
        {"aten::linear.out", check_mm},
        {"aten::max_pool2d_with_indices.out", check_max_pool},
        {"aten::max_pool2d_with_indices_backward.grad_input", check_max_pool_backward},
        {"aten::mm.out", check_mm},
        {"aten::var_mean.correction_out", check_var_mean},
    };
    for (size_t i = 0; i < sizeof checks / sizeof *checks; i++) {
        if (strcmp(step->operator_->kernel, checks[i].kernel) != 0) continue;
        const char *wrong = checks[i].check(frame, step);
        if (wrong != NULL) return ets_reference_fail(frame, ETS_INVALID_ARGUMENT, "%s", wrong);
    }
    return ETS_OK;
}
