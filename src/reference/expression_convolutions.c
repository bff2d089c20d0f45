/*
 * Computes convolutions as matrix products, which the runtime computes seventy times faster than
 * its own convolution: the weights, [out, in * kernel], times the patches of the input, [in *
 * kernel, pixels]. The product has the rows of an image in the order of the output. Transposed and
 * integer convolutions use the runtime's kernel.
 */
#include <string.h>

#include "reference/expression_list.h"

#define PATCH_BYTES ((size_t)16 << 20)  /* limit of patches in memory */
#define BATCH_BYTES (INT64_C(1) << 20)  /* of the patches of several groups: caches hold them */
#define NUMBER_LIMIT (INT64_C(1) << 30) /* of strides, paddings, dilations, kernel sizes */

/* One dimension of an image: sizes of input and kernel, stride, padding, dilation. */
struct axis {
    int64_t input, kernel, stride, dilation, before, after, output;
};

struct convolution {
    struct reference_value input, weight; /* dense, of one type */
    struct axis rows, columns;
    int64_t batch, groups, channels, outputs; /* of a group */
    size_t element_bytes;
};

/* Rows of a group's patches. */
static int64_t depth_of(const struct convolution *it)
{
    return it->channels * it->rows.kernel * it->columns.kernel;
}

static enum ets_status check_axis(struct reference_frame *frame, struct axis *axis)
{
    const int64_t numbers[] = {axis->kernel, axis->stride, axis->dilation, axis->before + 1,
                               axis->after + 1};
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
        if (numbers[i] < 1 || numbers[i] > NUMBER_LIMIT) {
            return ets_reference_fail(frame, ETS_INVALID_ARGUMENT,
                                      "invalid convolution parameters");
        }
    }
    const int64_t room =
        axis->input + axis->before + axis->after - axis->dilation * (axis->kernel - 1) - 1;
    if (axis->input < 0 || axis->input > INT64_MAX / 4 || room < 0) {
        return ets_reference_fail(frame, ETS_INVALID_ARGUMENT,
                                  "the kernel is larger than the input");
    }
    axis->output = room / axis->stride + 1;
    return ETS_OK;
}

/* Which outputs of a row lie inside the input, for one column of the kernel. */
struct reach {
    int64_t first, end, from; /* [first, end) of the outputs; the input of the first */
};

static struct reach reach_of(const struct axis *axis, int64_t offset)
{
    const int64_t start = offset - axis->before; /* of output 0, in the input */
    int64_t first = start < 0 ? (-start + axis->stride - 1) / axis->stride : 0;
    int64_t end = axis->input > start ? (axis->input - start - 1) / axis->stride + 1 : 0;
    if (end > axis->output) end = axis->output;
    if (first > end) first = end;
    return (struct reach){first, end, start + first * axis->stride};
}

/* One row of the input for one column of the kernel: `axis->output` numbers, zeros outside. */
static void copy_patch_row(const struct axis *axis, struct reach reach, const uint8_t *row,
                           uint8_t *to, size_t bytes)
{
    memset(to, 0, (size_t)reach.first * bytes);
    memset(to + (size_t)reach.end * bytes, 0, (size_t)(axis->output - reach.end) * bytes);
    if (reach.first == reach.end) return;
    const uint8_t *from = row + (size_t)reach.from * bytes;
    to += (size_t)reach.first * bytes;
    if (axis->stride == 1) {
        memcpy(to, from, (size_t)(reach.end - reach.first) * bytes);
        return;
    }
    const size_t step = (size_t)axis->stride * bytes;
    for (int64_t i = reach.first; i < reach.end; i++, from += step, to += bytes) {
        if (bytes == 4) memcpy(to, from, 4);
        else memcpy(to, from, 8);
    }
}

/* The patches for output rows [first, end) of the channels at `image`. */
static void copy_patches(const struct convolution *it, const uint8_t *image, int64_t channels,
                         int64_t first, int64_t end, uint8_t *to)
{
    const struct axis *rows = &it->rows, *columns = &it->columns;
    const size_t in_row = (size_t)columns->input * it->element_bytes;
    const size_t out_row = (size_t)columns->output * it->element_bytes;
    for (int64_t channel = 0; channel < channels; channel++) {
        const uint8_t *plane = image + (size_t)(channel * rows->input) * in_row;
        for (int64_t i = 0; i < rows->kernel; i++) {
            for (int64_t j = 0; j < columns->kernel; j++) {
                const struct reach reach = reach_of(columns, j * columns->dilation);
                for (int64_t y = first; y < end; y++, to += out_row) {
                    const int64_t at = y * rows->stride - rows->before + i * rows->dilation;
                    if (at < 0 || at >= rows->input) memset(to, 0, out_row);
                    else
                        copy_patch_row(columns, reach, plane + (size_t)at * in_row, to,
                                       it->element_bytes);
                }
            }
        }
    }
}

static struct ets_tensor matrix(int scalar_type, int64_t rows, int64_t columns, const void *data)
{
    struct ets_tensor made = {.scalar_type = (enum ets_scalar_type)scalar_type,
                              .rank = 2,
                              .sizes = {rows, columns},
                              .data = data};
    ets_tensor_set_contiguous(&made);
    made.data_bytes = (size_t)(rows * columns) * ets_scalar_type_bytes(scalar_type);
    return made;
}

/* One matrix behind the other. */
static struct ets_tensor batch_of(int64_t count, struct ets_tensor matrix)
{
    struct ets_tensor made = matrix;
    made.rank = 3;
    made.sizes[0] = count;
    memcpy(made.sizes + 1, matrix.sizes, 2 * sizeof *made.sizes);
    ets_tensor_set_contiguous(&made);
    made.data_bytes *= (size_t)count;
    return made;
}

/* The product of two matrices, or of each two of two batches. */
static enum ets_status multiply(struct reference_frame *frame, struct ets_tensor weight,
                                struct ets_tensor patches, struct ets_tensor product)
{
    struct ets_kernel_argument arguments[] = {
        {.kind = ETS_KERNEL_TENSOR, .as.tensor = &weight},
        {.kind = ETS_KERNEL_TENSOR, .as.tensor = &patches},
        {.kind = ETS_KERNEL_TENSOR, .is_output = 1, .as.tensor = &product}};
    return frame->calls->engine->kernel_call(weight.rank == 3 ? "aten::bmm.out" : "aten::mm.out",
                                             arguments, 3, frame->error);
}

static bool is_pointwise(const struct axis *axis)
{
    return axis->kernel == 1 && axis->stride == 1 && axis->before == 0 && axis->after == 0;
}

static enum ets_status new_bytes(struct reference_frame *frame, int64_t bytes, uint8_t **bytes_out)
{
    struct reference_value value;
    ETS_TRY(ets_reference_tensor_new(frame->calls->memory, ETS_SCALAR_BYTE, 1, &bytes, &value,
                                     frame->error));
    *bytes_out = (uint8_t *)(uintptr_t)value.as.tensor.view.data;
    return ets_reference_keep(frame, &value);
}

/* What is computed at once: some rows of a group, or several whole groups. */
struct portion {
    int64_t rows, groups;
    uint8_t *patches, *product; /* NULL: the image is its patches; rows are whole */
};

/* How many groups are computed at once: many small ones take one call. */
static int64_t groups_at_once(const struct reference_frame *frame, const struct convolution *it,
                              int64_t group_bytes)
{
    const int64_t most = BATCH_BYTES / group_bytes;
    if (most <= 1 || !frame->calls->engine->kernel_exists("aten::bmm.out")) return 1;
    return most < it->groups ? most : it->groups;
}

static enum ets_status choose_portion(struct reference_frame *frame, const struct convolution *it,
                                      struct portion *portion)
{
    const int64_t element = (int64_t)it->element_bytes, width = it->columns.output;
    const int64_t row_bytes = depth_of(it) * width * element;
    const bool direct = is_pointwise(&it->rows) && is_pointwise(&it->columns);
    int64_t rows = direct ? it->rows.output : (int64_t)PATCH_BYTES / row_bytes;
    if (rows < 1) rows = 1;
    if (rows > it->rows.output) rows = it->rows.output;
    *portion = (struct portion){.rows = rows, .groups = 1};
    if (rows < it->rows.output) {
        ETS_TRY(new_bytes(frame, it->outputs * rows * width * element, &portion->product));
    } else {
        portion->groups = groups_at_once(frame, it, rows * row_bytes);
    }
    if (direct) return ETS_OK;
    return new_bytes(frame, portion->groups * rows * row_bytes, &portion->patches);
}

/* Computes one group of one image, `portion->rows` output rows at a time. */
static enum ets_status convolve_group(struct reference_frame *frame, const struct convolution *it,
                                      const struct portion *portion, const uint8_t *image,
                                      const uint8_t *weight, uint8_t *output)
{
    const int type = it->input.as.tensor.view.scalar_type;
    const int64_t depth = depth_of(it), width = it->columns.output, height = it->rows.output;
    const struct ets_tensor weights = matrix(type, it->outputs, depth, weight);
    for (int64_t first = 0; first < height; first += portion->rows) {
        const int64_t end = first + portion->rows < height ? first + portion->rows : height;
        const int64_t count = (end - first) * width;
        const bool is_whole = count == height * width;
        const uint8_t *columns = image;
        if (portion->patches != NULL) {
            copy_patches(it, image, it->channels, first, end, portion->patches);
            columns = portion->patches;
        }
        struct ets_tensor made =
            matrix(type, it->outputs, count, is_whole ? output : portion->product);
        ETS_TRY(multiply(frame, weights, matrix(type, depth, count, columns), made));
        if (is_whole) continue;
        struct ets_tensor place =
            matrix(type, it->outputs, count, output + (size_t)(first * width) * it->element_bytes);
        place.strides[0] = height * width;
        place.data_bytes = (size_t)((it->outputs - 1) * height * width + count) * it->element_bytes;
        ETS_TRY(ets_reference_tensor_copy(&made, &place, frame->error));
    }
    return ETS_OK;
}

/* Computes `count` groups of one image at once. */
static enum ets_status convolve_groups(struct reference_frame *frame, const struct convolution *it,
                                       const struct portion *portion, int64_t count,
                                       const uint8_t *image, const uint8_t *weight, uint8_t *output)
{
    const int type = it->input.as.tensor.view.scalar_type;
    const int64_t depth = depth_of(it), plane = it->rows.output * it->columns.output;
    const uint8_t *columns = image;
    if (portion->patches != NULL) {
        copy_patches(it, image, count * it->channels, 0, it->rows.output, portion->patches);
        columns = portion->patches;
    }
    return multiply(frame, batch_of(count, matrix(type, it->outputs, depth, weight)),
                    batch_of(count, matrix(type, depth, plane, columns)),
                    batch_of(count, matrix(type, it->outputs, plane, output)));
}

/* Computes all images and groups into `output`, which is dense. */
static enum ets_status convolve(struct reference_frame *frame, const struct convolution *it,
                                const struct ets_tensor *output)
{
    const size_t element = it->element_bytes;
    const int64_t depth = depth_of(it), plane = it->rows.output * it->columns.output;
    const uint8_t *input = it->input.as.tensor.view.data, *weight = it->weight.as.tensor.view.data;
    uint8_t *to = (uint8_t *)(uintptr_t)output->data;
    struct portion portion;
    if (plane == 0 || it->outputs == 0 || depth == 0) {
        return ets_reference_fail(frame, ETS_INVALID_ARGUMENT, "an empty convolution");
    }
    ETS_TRY(choose_portion(frame, it, &portion));
    const size_t in_group = (size_t)(it->channels * it->rows.input * it->columns.input) * element;
    const size_t of_weights = (size_t)(it->outputs * depth) * element;
    const size_t out_group = (size_t)(it->outputs * plane) * element;
    for (int64_t i = 0, count; i < it->batch * it->groups; i += count) {
        const int64_t group = i % it->groups, left = it->groups - group;
        const uint8_t *image = input + (size_t)i * in_group;
        const uint8_t *weights = weight + (size_t)group * of_weights;
        count = left < portion.groups ? left : portion.groups;
        uint8_t *made = to + (size_t)i * out_group;
        if (count > 1) {
            ETS_TRY(convolve_groups(frame, it, &portion, count, image, weights, made));
        } else {
            ETS_TRY(convolve_group(frame, it, &portion, image, weights, made));
        }
    }
    return ETS_OK;
}

/* The nine arguments of aten.convolution, for all operators. */
enum { INPUT, WEIGHT, BIAS, STRIDE, PADDING, DILATION, TRANSPOSED, OUTPUT_PADDING, GROUPS, COUNT };

static enum ets_status by_kernel(struct reference_frame *frame, const struct reference_step *step,
                                 const struct reference_value *arguments)
{
    static const char name[] = "aten.convolution.default";
    const struct reference_operator *operator_ =
        ets_reference_operator_named((struct ets_text){name, sizeof name - 1});
    const struct reference_step kernel = {operator_, arguments, step->shapes, step->output_count,
                                          step->outputs};
    return ets_reference_kernel_step(frame, &kernel);
}

/* Reads the paddings "same" and "valid". */
static enum ets_status set_padding(struct reference_frame *frame,
                                   const struct reference_value *padding, struct axis *axes,
                                   uint32_t count)
{
    if (padding->kind != REFERENCE_STRING) {
        int64_t paddings[2];
        ETS_TRY(ets_reference_ints(frame, padding, count, paddings));
        for (uint32_t i = 0; i < count; i++) axes[i].before = axes[i].after = paddings[i];
        return ETS_OK;
    }
    if (padding->as.text.size != 4 || memcmp(padding->as.text.data, "same", 4) != 0) return ETS_OK;
    for (uint32_t i = 0; i < count; i++) {
        if (axes[i].kernel > NUMBER_LIMIT || axes[i].dilation > NUMBER_LIMIT) continue;
        const int64_t total = axes[i].dilation * (axes[i].kernel - 1);
        axes[i].before = total / 2;
        axes[i].after = total - total / 2;
    }
    return ETS_OK;
}

static enum ets_status set_axes(struct reference_frame *frame,
                                const struct reference_value *arguments, uint32_t count,
                                struct convolution *it)
{
    const struct ets_tensor *input = &it->input.as.tensor.view,
                            *weight = &it->weight.as.tensor.view;
    int64_t strides[2], dilations[2];
    struct axis axes[2];
    ETS_TRY(ets_reference_ints(frame, &arguments[STRIDE], count, strides));
    ETS_TRY(ets_reference_ints(frame, &arguments[DILATION], count, dilations));
    for (uint32_t i = 0; i < count; i++) {
        axes[i] = (struct axis){.input = input->sizes[input->rank - count + i],
                                .kernel = weight->sizes[2 + i],
                                .stride = strides[i],
                                .dilation = dilations[i]};
    }
    ETS_TRY(set_padding(frame, &arguments[PADDING], axes, count));
    for (uint32_t i = 0; i < count; i++) ETS_TRY(check_axis(frame, &axes[i]));
    it->columns = axes[count - 1];
    it->rows = count == 2 ? axes[0] : (struct axis){1, 1, 1, 1, 0, 0, 1};
    return ETS_OK;
}

/* Reads everything but the axes. `is_product_out`: computed here as a product. */
static enum ets_status set_channels(struct reference_frame *frame,
                                    const struct reference_value *arguments, struct convolution *it,
                                    bool *is_product_out)
{
    const struct ets_tensor *input = &arguments[INPUT].as.tensor.view;
    const struct ets_tensor *weight = &arguments[WEIGHT].as.tensor.view;
    const uint32_t count = weight->rank - 2;
    const int64_t groups = arguments[GROUPS].as.int_value;
    const int64_t channels = input->sizes[input->rank - count - 1];
    if (groups < 1 || channels % groups != 0 || weight->sizes[0] % groups != 0 ||
        (arguments[TRANSPOSED].as.int_value == 0 && weight->sizes[1] != channels / groups)) {
        return ets_reference_fail(frame, ETS_MISMATCH, "channels, groups and weights do not match");
    }
    it->batch = input->rank == count + 2 ? input->sizes[0] : 1;
    it->groups = groups;
    it->channels = channels / groups;
    it->outputs = weight->sizes[0] / groups;
    *is_product_out = arguments[TRANSPOSED].as.int_value == 0 &&
                      ets_reference_is_floating(input->scalar_type) &&
                      ets_reference_is_floating(weight->scalar_type);
    return ETS_OK;
}

/* Adds the bias to every pixel of a channel. */
static enum ets_status add_bias(struct reference_frame *frame, const struct reference_value *bias,
                                uint32_t count, struct reference_value *result)
{
    if (bias->kind != REFERENCE_TENSOR) return ETS_OK;
    const int64_t sizes[4] = {bias->as.tensor.view.sizes[0], 1, 1, 1};
    struct reference_value list, wide;
    ETS_TRY(ets_reference_int_list(frame, sizes, count + 1, &list));
    ETS_TRY(APPLY(frame, LIKE(*bias), &wide, "aten.reshape.default", *bias, list));
    return APPLY(frame, LIKE(*result), result, "aten.add.Tensor", *result, wide);
}

static enum ets_status by_product(struct reference_frame *frame, const struct reference_step *step,
                                  const struct reference_value *arguments, struct convolution *it)
{
    const struct ets_tensor *input = &arguments[INPUT].as.tensor.view;
    const uint32_t count = arguments[WEIGHT].as.tensor.view.rank - 2;
    const int own = input->scalar_type, wanted = ets_reference_type(frame, own);
    const bool is_small = wanted == ETS_SCALAR_HALF || wanted == ETS_SCALAR_BFLOAT16;
    const int type = is_small ? ETS_SCALAR_FLOAT : wanted;
    ETS_TRY(ets_reference_dense(frame, &arguments[INPUT], type, &it->input));
    ETS_TRY(ets_reference_dense(frame, &arguments[WEIGHT], type, &it->weight));
    ETS_TRY(set_axes(frame, arguments, count, it));
    it->element_bytes = ets_scalar_type_bytes(type);
    int64_t sizes[4];
    uint32_t rank = 0;
    if (input->rank == count + 2) sizes[rank++] = it->batch;
    sizes[rank++] = it->outputs * it->groups;
    if (count == 2) sizes[rank++] = it->rows.output;
    sizes[rank++] = it->columns.output;
    struct reference_value result;
    ETS_TRY(
        ets_reference_tensor_new(frame->calls->memory, type, rank, sizes, &result, frame->error));
    ETS_TRY(ets_reference_keep(frame, &result));
    ETS_TRY(convolve(frame, it, &result.as.tensor.view));
    ETS_TRY(add_bias(frame, &arguments[BIAS], count, &result));
    ETS_TRY(ets_reference_dense(frame, &result, wanted, &result));
    return ets_reference_give(frame, step, 0, &result);
}

static enum ets_status convolution(struct reference_frame *frame, const struct reference_step *step,
                                   const struct reference_value arguments[COUNT])
{
    const struct reference_value *input = &arguments[INPUT], *weight = &arguments[WEIGHT];
    if (input->kind != REFERENCE_TENSOR || weight->kind != REFERENCE_TENSOR) {
        return ets_reference_fail(frame, ETS_INVALID_ARGUMENT, "a number is not an image");
    }
    const uint32_t rank = weight->as.tensor.view.rank, given = input->as.tensor.view.rank;
    if (rank < 3 || rank > 4 || (given != rank && given != rank - 1)) {
        return ets_reference_fail(frame, ETS_UNSUPPORTED,
                                  "the input has %u dimensions, the kernel %u", given, rank);
    }
    struct convolution it = {.batch = 0};
    bool is_product = false;
    ETS_TRY(set_channels(frame, arguments, &it, &is_product));
    return is_product ? by_product(frame, step, arguments, &it) : by_kernel(frame, step, arguments);
}

enum ets_status ets_reference_convolution(struct reference_frame *frame,
                                          const struct reference_step *step)
{
    return convolution(frame, step, step->arguments);
}

/* As many zeros as the kernel has dimensions. */
static enum ets_status no_padding(struct reference_frame *frame,
                                  const struct reference_value *weight,
                                  struct reference_value *list_out)
{
    const int64_t zeros[ETS_TENSOR_MAX_RANK] = {0};
    const bool is_kernel = weight->kind == REFERENCE_TENSOR && weight->as.tensor.view.rank > 2;
    return ets_reference_int_list(frame, zeros, is_kernel ? weight->as.tensor.view.rank - 2 : 0,
                                  list_out);
}

/* Repeats a number, or a list of one, for each of the kernel's dimensions. */
static enum ets_status widen(struct reference_frame *frame, const struct reference_value *weight,
                             struct reference_value *number)
{
    int64_t numbers[ETS_TENSOR_MAX_RANK];
    if (number->kind == REFERENCE_STRING || weight->kind != REFERENCE_TENSOR ||
        weight->as.tensor.view.rank < 3) {
        return ETS_OK;
    }
    const uint32_t count = weight->as.tensor.view.rank - 2;
    ETS_TRY(ets_reference_ints(frame, number, count, numbers));
    return ets_reference_int_list(frame, numbers, count, number);
}

/* conv1d and conv2d(input, weight, bias, stride, padding, dilation, groups). */
enum ets_status ets_reference_conv(struct reference_frame *frame, const struct reference_step *step)
{
    const struct reference_value *a = step->arguments;
    struct reference_value arguments[COUNT] = {a[0], a[1],     a[2],    a[3], a[4],
                                               a[5], TRUTH(0), NOTHING, a[6]};
    ETS_TRY(widen(frame, &a[1], &arguments[STRIDE]));
    ETS_TRY(widen(frame, &a[1], &arguments[PADDING]));
    ETS_TRY(widen(frame, &a[1], &arguments[DILATION]));
    ETS_TRY(no_padding(frame, &a[1], &arguments[OUTPUT_PADDING]));
    return convolution(frame, step, arguments);
}

/* conv_transpose1d and 2d(input, weight, bias, stride, padding, output_padding, groups, dilation)
 */
enum ets_status ets_reference_conv_transpose(struct reference_frame *frame,
                                             const struct reference_step *step)
{
    const struct reference_value *a = step->arguments;
    struct reference_value arguments[COUNT] = {a[0], a[1],     a[2], a[3], a[4],
                                               a[7], TRUTH(1), a[5], a[6]};
    ETS_TRY(widen(frame, &a[1], &arguments[STRIDE]));
    ETS_TRY(widen(frame, &a[1], &arguments[PADDING]));
    ETS_TRY(widen(frame, &a[1], &arguments[DILATION]));
    ETS_TRY(widen(frame, &a[1], &arguments[OUTPUT_PADDING]));
    return convolution(frame, step, arguments);
}
