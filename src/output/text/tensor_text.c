/* A tensor's elements in brackets, line by line. */
#include "output/text/tensor_text.h"
#include "host/output.h"

#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "base/error.h"
#include "output/text/element_text.h"

struct printer {
    const struct ets_tensor *tensor;
    struct ets_output *output;
    struct ets_element_format format;
    bool is_cut; /* dimensions show their ends alone */
    int64_t edge;
    size_t width;
    size_t used;
    char line[ETS_TENSOR_TEXT_WIDTH_LIMIT + ETS_ELEMENT_CHARS + ETS_TENSOR_MAX_RANK];
};

typedef void visit(struct ets_element_format *format, const void *at);

static bool is_shortened(const struct printer *p, uint32_t dimension)
{
    return p->is_cut && p->tensor->sizes[dimension] > 2 * p->edge;
}

/* The next index that is shown. */
static int64_t next_shown(const struct printer *p, uint32_t dimension, int64_t index)
{
    const int64_t size = p->tensor->sizes[dimension];
    return is_shortened(p, dimension) && index + 1 == p->edge ? size - p->edge : index + 1;
}

/* What was left out before `index`. */
static bool follows_gap(const struct printer *p, uint32_t dimension, int64_t index)
{
    return is_shortened(p, dimension) && index == p->tensor->sizes[dimension] - p->edge;
}

static const uint8_t *move(const struct printer *p, const uint8_t *at, uint32_t dimension,
                           int64_t index)
{
    return at + (size_t)(index * p->tensor->strides[dimension]) *
                    ets_scalar_type_bytes((int)p->tensor->scalar_type);
}

static void visit_shown(struct printer *p, uint32_t dimension, const uint8_t *at, visit *see)
{
    if (dimension == p->tensor->rank) {
        see(&p->format, at);
        return;
    }
    const int64_t size = p->tensor->sizes[dimension];
    for (int64_t i = 0; i < size; i = next_shown(p, dimension, i)) {
        visit_shown(p, dimension + 1, move(p, at, dimension, i), see);
    }
}

static void put(struct printer *p, const char *text, size_t size)
{
    memcpy(p->line + p->used, text, size);
    p->used += size;
}

static void indent(struct printer *p, uint32_t levels)
{
    memset(p->line, ' ', levels);
    p->used = levels;
}

static void end_line(struct printer *p)
{
    while (p->used > 0 && p->line[p->used - 1] == ' ') p->used--;
    p->line[p->used++] = '\n';
    ets_output_write(p->output, p->line, p->used);
    p->used = 0;
}

/* A word of a line that holds `levels` brackets; goes on in the next where there is no room. */
static void put_word(struct printer *p, uint32_t levels, const char *word, size_t size)
{
    const bool is_first = p->used <= levels;
    if (!is_first && p->used + 1 + size + levels > p->width) {
        end_line(p);
        indent(p, levels);
    } else if (!is_first) {
        put(p, " ", 1);
    }
    put(p, word, size);
}

/* The innermost dimension; the brackets before it are on the line. */
static void print_vector(struct printer *p, uint32_t levels, const uint8_t *at)
{
    char word[ETS_ELEMENT_CHARS];
    const uint32_t dimension = p->tensor->rank - 1;
    for (int64_t i = 0; i < p->tensor->sizes[dimension]; i = next_shown(p, dimension, i)) {
        if (follows_gap(p, dimension, i)) put_word(p, levels, "...", 3);
        const int size = ets_element_format_print(&p->format, move(p, at, dimension, i), word);
        put_word(p, levels, word, (size_t)size);
    }
    put(p, "]", 1);
}

static void print_matrix(struct printer *p, const uint8_t *at)
{
    const uint32_t dimension = p->tensor->rank - 2;
    const int64_t size = p->tensor->sizes[dimension];
    for (int64_t i = 0; i < size; i = next_shown(p, dimension, i)) {
        if (follows_gap(p, dimension, i)) {
            put(p, " ...", 4);
            end_line(p);
        }
        put(p, i == 0 ? "[[" : " [", 2);
        print_vector(p, 2, move(p, at, dimension, i));
        if (i == size - 1) put(p, "]", 1);
        end_line(p);
    }
}

/* "[0, 3]": where in the first dimensions the matrix below is. */
static void print_heading(struct printer *p, const int64_t *position)
{
    for (uint32_t i = 0; i + 2 < p->tensor->rank; i++) {
        p->used += (size_t)snprintf(p->line + p->used, sizeof p->line - p->used, "%s%lld",
                                    i == 0 ? "[" : ", ", (long long)position[i]);
    }
    put(p, "]", 1);
    end_line(p);
}

static void print_matrices(struct printer *p, uint32_t dimension, int64_t *position,
                           const uint8_t *at)
{
    if (dimension + 2 == p->tensor->rank) {
        if (p->tensor->rank > 2) print_heading(p, position);
        print_matrix(p, at);
        return;
    }
    for (int64_t i = 0; i < p->tensor->sizes[dimension]; i = next_shown(p, dimension, i)) {
        if (i > 0) end_line(p);
        if (follows_gap(p, dimension, i)) {
            put(p, "...", 3);
            end_line(p);
            end_line(p);
        }
        position[dimension] = i;
        print_matrices(p, dimension + 1, position, move(p, at, dimension, i));
    }
}

static void print_tensor(struct printer *p)
{
    char word[ETS_ELEMENT_CHARS];
    int64_t position[ETS_TENSOR_MAX_RANK];
    const uint8_t *data = p->tensor->data;
    if (ets_tensor_count(p->tensor) == 0) {
        put(p, "[]", 2);
        end_line(p);
    } else if (p->tensor->rank == 0) {
        put(p, word, (size_t)ets_element_format_print(&p->format, data, word));
        end_line(p);
    } else if (p->tensor->rank == 1) {
        put(p, "[", 1);
        print_vector(p, 1, data);
        end_line(p);
    } else {
        print_matrices(p, 0, position, data);
    }
}

enum ets_status ets_tensor_text_write(const struct ets_tensor *tensor,
                                      const struct ets_tensor_text_options *options,
                                      struct ets_output *output, struct ets_error *error)
{
    const uint64_t extent = ets_tensor_extent(tensor);
    const int precision = options->precision < 0 ? 8 : options->precision;
    const uint32_t width = options->width == 0 ? 75 : options->width;
    if (precision > 17 || width > ETS_TENSOR_TEXT_WIDTH_LIMIT || options->edge_items > INT32_MAX) {
        return ets_fail(error, ETS_INVALID_ARGUMENT, ETS_NO_OFFSET,
                        "lines of %u characters or %d digits are not supported", width, precision);
    }
    if (tensor->rank > ETS_TENSOR_MAX_RANK || extent == UINT64_MAX ||
        ets_scalar_type_bytes((int)tensor->scalar_type) == 0) {
        return ets_fail(error, ETS_INVALID_ARGUMENT, ETS_NO_OFFSET,
                        "the tensor's type, sizes or strides are out of range");
    }
    if (extent > tensor->data_bytes || (extent > 0 && tensor->data == NULL)) {
        return ets_fail(error, ETS_TRUNCATED, ETS_NO_OFFSET,
                        "the tensor needs %llu bytes but has %zu", (unsigned long long)extent,
                        tensor->data_bytes);
    }
    struct printer p = {.tensor = tensor,
                        .output = output,
                        .is_cut = ets_tensor_count(tensor) > options->threshold,
                        .edge = options->edge_items == 0 ? 3 : options->edge_items,
                        .width = width};
    ets_element_format_init(&p.format, (int)tensor->scalar_type, precision);
    if (extent > 0) {
        visit_shown(&p, 0, tensor->data, ets_element_format_survey);
        ets_element_format_choose(&p.format);
        visit_shown(&p, 0, tensor->data, ets_element_format_measure);
    }
    print_tensor(&p);
    return ETS_OK;
}
