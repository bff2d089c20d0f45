/*
 * Writes bundles. The layout of a file: header, vtables, root table, program; then, depth first,
 * every table directly followed by what it refers to. All references point forward. The end of a
 * part follows from its content, so the same code counts (to find where the next part starts) and
 * writes.
 */
#include "etscope/bundle.h"

#include <stdbool.h>

#include "base/byte_layout.h"
#include "base/error.h"
#include "format/bundle_layout.h"

enum { STAGED_BYTES = 512, VERSION = 2, PROGRAM_ALIGNMENT = 128, DATA_ALIGNMENT = 16 };

/* Tags of ValueUnion in the schema's order. */
enum { TAG_TENSOR = 1, TAG_INT, TAG_BOOL, TAG_DOUBLE };

/* The schema's tables, always written in this form. Int and Double have the same form. */
enum table_kind {
    TABLE_BUNDLE,
    TABLE_SUITE,
    TABLE_CASE,
    TABLE_VALUE,
    TABLE_NOTHING,
    TABLE_TENSOR,
    TABLE_WIDE,
    TABLE_BOOL,
    TABLE_COUNT
};

enum { MAX_SLOTS = 4, MAX_TABLE_BYTES = 20 };

/* Offsets of a table's slots; all tables start at a multiple of 8. */
static const struct {
    uint8_t bytes, slots, offsets[MAX_SLOTS];
    uint8_t first_bytes; /* of slot 0; the others have 4 */
} shapes[TABLE_COUNT] = {
    [TABLE_BUNDLE] = {16, 3, {4, 8, 12}, 4}, /* version, suites, program */
    [TABLE_SUITE] = {12, 2, {4, 8}, 4},      /* method_name, test_cases */
    [TABLE_CASE] = {12, 2, {4, 8}, 4},       /* inputs, expected_outputs */
    [TABLE_VALUE] = {12, 2, {8, 4}, 1},      /* val_type, val */
    [TABLE_NOTHING] = {4, 0, {0}, 0},
    [TABLE_TENSOR] = {20, 4, {16, 4, 8, 12}, 1}, /* scalar_type, sizes, data, dim_order */
    [TABLE_WIDE] = {16, 1, {8}, 8},
    [TABLE_BOOL] = {8, 1, {4}, 1},
};

struct writer {
    const struct ets_bundle_sink *sink;
    struct ets_error *error;
    enum ets_status status; /* sticky */
    bool is_counting;       /* positions advance, nothing is written */
    uint64_t position;
    size_t staged_bytes;
    uint8_t staged[STAGED_BYTES];
};

static void hand_out(struct writer *w, const void *data, size_t size, uint64_t end)
{
    const uint8_t *bytes = data;
    while (size > 0 && w->status == ETS_OK) {
        const size_t piece = size < ETS_BUNDLE_PIECE ? size : ETS_BUNDLE_PIECE;
        if (w->sink->write(w->sink->context, bytes, piece) != 0) {
            w->status = ets_fail(w->error, ETS_IO, end - size, "the sink refused the bytes");
        }
        bytes += piece;
        size -= piece;
    }
}

static void flush(struct writer *w)
{
    hand_out(w, w->staged, w->staged_bytes, w->position);
    w->staged_bytes = 0;
}

static void put(struct writer *w, const void *data, size_t size)
{
    const uint8_t *bytes = data;
    if (!w->is_counting && size > STAGED_BYTES - w->staged_bytes) flush(w);
    w->position += size;
    if (w->is_counting) return;
    if (size > STAGED_BYTES) {
        hand_out(w, data, size, w->position);
        return;
    }
    for (size_t i = 0; i < size; i++) w->staged[w->staged_bytes++] = bytes[i];
}

static void put_zeros_to(struct writer *w, uint64_t position)
{
    static const uint8_t zeros[PROGRAM_ALIGNMENT];
    put(w, zeros, (size_t)(position - w->position));
}

static void put_number(struct writer *w, uint64_t value, size_t bytes)
{
    uint8_t stored[8];
    ets_store_bytes(stored, value, bytes);
    put(w, stored, bytes);
}

static uint64_t vtable_at(enum table_kind kind)
{
    uint64_t at = 8; /* root offset and identifier */
    for (int i = 0; i < (int)kind; i++) at += 4u + 2u * shapes[i].slots;
    return at;
}

static void put_vtables(struct writer *w)
{
    for (int i = 0; i < TABLE_COUNT; i++) {
        put_number(w, 4u + 2u * shapes[i].slots, 2);
        put_number(w, shapes[i].bytes, 2);
        for (int k = 0; k < shapes[i].slots; k++) put_number(w, shapes[i].offsets[k], 2);
    }
}

/*
 * Writes the table at the next multiple of 8. Slot n gets values[n]. If `references` has bit n, the
 * value is the position of the referred part.
 */
static void put_table(struct writer *w, enum table_kind kind, unsigned references,
                      const uint64_t *values)
{
    const uint64_t at = ets_align(w->position, 8);
    uint8_t table[MAX_TABLE_BYTES] = {0};
    ets_store_bytes(table, at - vtable_at(kind), 4);
    for (unsigned i = 0; i < shapes[kind].slots; i++) {
        const uint8_t offset = shapes[kind].offsets[i];
        const size_t bytes = i == 0 ? shapes[kind].first_bytes : 4;
        ets_store_bytes(table + offset, references >> i & 1 ? values[i] - (at + offset) : values[i],
                        bytes);
    }
    put_zeros_to(w, at);
    put(w, table, shapes[kind].bytes);
}

/* Copies elements in logical order, if their memory order differs from the stored one. */
static void put_gathered(struct writer *w, const struct ets_tensor *tensor, size_t element_bytes)
{
    int64_t position[ETS_TENSOR_MAX_RANK] = {0};
    const uint8_t *at = tensor->data;
    for (uint64_t left = ets_tensor_count(tensor); left > 0; left--) {
        put(w, at, element_bytes);
        for (uint32_t i = tensor->rank; i-- > 0;) {
            const size_t stride = (size_t)tensor->strides[i] * element_bytes;
            if (++position[i] < tensor->sizes[i]) {
                at += stride;
                break;
            }
            position[i] = 0;
            at -= stride * (size_t)(tensor->sizes[i] - 1);
        }
    }
}

static void put_tensor_data(struct writer *w, const struct ets_tensor *tensor, bool is_dense)
{
    const size_t element_bytes = ets_scalar_type_bytes(tensor->scalar_type);
    const uint64_t bytes = ets_tensor_count(tensor) * element_bytes;
    put_zeros_to(w, ets_align(w->position + 4, DATA_ALIGNMENT) - 4);
    put_number(w, bytes, 4);
    if (w->is_counting) w->position += bytes;
    else if (is_dense) put(w, tensor->data, (size_t)bytes);
    else put_gathered(w, tensor, element_bytes);
}

static void put_tensor(struct writer *w, const struct ets_tensor *tensor)
{
    uint8_t dim_order[ETS_TENSOR_MAX_RANK];
    const bool is_dense = ets_bundle_dim_order(tensor, dim_order);
    const uint64_t sizes_at = ets_align(w->position, 8) + shapes[TABLE_TENSOR].bytes;
    const uint64_t order_at = sizes_at + 4 + 4 * (uint64_t)tensor->rank;
    const uint64_t data_at = ets_align(order_at + 4 + tensor->rank + 4, DATA_ALIGNMENT) - 4;
    const uint64_t values[] = {(uint64_t)tensor->scalar_type, sizes_at, data_at, order_at};
    put_table(w, TABLE_TENSOR, 0xe, values);
    put_number(w, tensor->rank, 4);
    for (uint32_t i = 0; i < tensor->rank; i++) put_number(w, (uint64_t)tensor->sizes[i], 4);
    put_number(w, tensor->rank, 4);
    put(w, dim_order, tensor->rank);
    put_tensor_data(w, tensor, is_dense);
}

static void put_member(struct writer *w, const struct ets_value *value)
{
    uint64_t number = (uint64_t)value->as.int_value;
    switch (value->kind) {
    case ETS_VALUE_TENSOR: put_tensor(w, &value->as.tensor); break;
    case ETS_VALUE_BOOL:
        number = value->as.bool_value != 0;
        put_table(w, TABLE_BOOL, 0, &number);
        break;
    case ETS_VALUE_DOUBLE:
        __builtin_memcpy(&number, &value->as.double_value, sizeof number);
        put_table(w, TABLE_WIDE, 0, &number);
        break;
    default: put_table(w, TABLE_WIDE, 0, &number); break;
    }
}

static void put_value(struct writer *w, const struct ets_value *value)
{
    static const uint8_t tags[] = {[ETS_VALUE_TENSOR] = TAG_TENSOR,
                                   [ETS_VALUE_INT] = TAG_INT,
                                   [ETS_VALUE_BOOL] = TAG_BOOL,
                                   [ETS_VALUE_DOUBLE] = TAG_DOUBLE};
    const uint64_t member_at = ets_align(ets_align(w->position, 8) + shapes[TABLE_VALUE].bytes, 8);
    if (value->kind == ETS_VALUE_NONE) {
        put_table(w, TABLE_NOTHING, 0, NULL);
        return;
    }
    const uint64_t values[] = {tags[value->kind], member_at};
    put_table(w, TABLE_VALUE, 2, values);
    put_member(w, value);
}

/* Writes part `index` of `list`; its table is at the next multiple of 8. */
typedef void put_part(struct writer *w, const void *list, uint32_t index);

/* The end of a part that starts at `position`. */
static uint64_t end_of(put_part *part, const void *list, uint32_t index, uint64_t position)
{
    struct writer counting = {.is_counting = true, .position = position};
    part(&counting, list, index);
    return counting.position;
}

/* Writes a vector of tables at the next multiple of 4, followed by the tables. */
static void put_tables(struct writer *w, put_part *part, const void *list, uint32_t count)
{
    put_zeros_to(w, ets_align(w->position, 4));
    uint64_t target = ets_align(w->position + 4 + 4 * (uint64_t)count, 8);
    put_number(w, count, 4);
    if (w->is_counting) w->position += 4 * (uint64_t)count;
    for (uint32_t i = 0; i < count && !w->is_counting; i++) {
        put_number(w, target - w->position, 4);
        target = ets_align(end_of(part, list, i, target), 8);
    }
    for (uint32_t i = 0; i < count; i++) part(w, list, i);
}

static void put_value_of(struct writer *w, const void *list, uint32_t index)
{
    put_value(w, (const struct ets_value *)list + index);
}

static void put_case(struct writer *w, const void *list, uint32_t index)
{
    const struct ets_new_case *test_case = (const struct ets_new_case *)list + index;
    const uint64_t inputs_at = ets_align(w->position, 8) + shapes[TABLE_CASE].bytes;
    struct writer counting = {.is_counting = true, .position = inputs_at};
    put_tables(&counting, put_value_of, test_case->inputs, test_case->input_count);
    const uint64_t values[] = {inputs_at, ets_align(counting.position, 4)};
    put_table(w, TABLE_CASE, 3, values);
    put_tables(w, put_value_of, test_case->inputs, test_case->input_count);
    put_tables(w, put_value_of, test_case->expected, test_case->expected_count);
}

static size_t length_of(const char *text)
{
    size_t length = 0;
    while (text[length] != '\0') length++;
    return length;
}

static void put_suite(struct writer *w, const void *list, uint32_t index)
{
    const struct ets_new_suite *suite = (const struct ets_new_suite *)list + index;
    const size_t length = length_of(suite->method);
    const uint64_t name_at = ets_align(w->position, 8) + shapes[TABLE_SUITE].bytes;
    const uint64_t values[] = {name_at, ets_align(name_at + 4 + length + 1, 4)};
    put_table(w, TABLE_SUITE, 3, values);
    put_number(w, length, 4);
    put(w, suite->method, length + 1);
    put_tables(w, put_case, suite->cases, suite->case_count);
}

static void put_program(struct writer *w, struct ets_bytes program)
{
    put_zeros_to(w, ets_align(w->position + 4, PROGRAM_ALIGNMENT) - 4);
    put_number(w, program.size, 4);
    if (w->is_counting) w->position += program.size;
    else put(w, program.data, program.size);
}

static void put_bundle(struct writer *w, const struct ets_new_bundle *bundle)
{
    static const char identifier[] = "BP08";
    const uint64_t root_at = ets_align(vtable_at(TABLE_COUNT), 8);
    const uint64_t program_at =
        ets_align(root_at + shapes[TABLE_BUNDLE].bytes + 4, PROGRAM_ALIGNMENT) - 4;
    const uint64_t suites_at = ets_align(program_at + 4 + bundle->program.size, 4);
    const uint64_t values[] = {VERSION, suites_at, program_at};
    put_number(w, root_at, 4);
    put(w, identifier, 4);
    put_vtables(w);
    put_table(w, TABLE_BUNDLE, 6, values);
    put_program(w, bundle->program);
    put_tables(w, put_suite, bundle->suites, bundle->suite_count);
}

static enum ets_status check_value(const struct ets_value *value, struct ets_error *error)
{
    const struct ets_tensor *tensor = &value->as.tensor;
    if (value->kind > ETS_VALUE_DOUBLE) {
        return ets_fail(error, ETS_UNSUPPORTED, ETS_NO_OFFSET,
                        "a bundle can hold only tensors, ints, bools and doubles");
    }
    if (value->kind != ETS_VALUE_TENSOR) return ETS_OK;
    if (ets_scalar_type_bytes(tensor->scalar_type) == 0) {
        return ets_fail(error, ETS_UNSUPPORTED, ETS_NO_OFFSET, "unknown scalar type %d",
                        (int)tensor->scalar_type);
    }
    if (tensor->rank > ETS_TENSOR_MAX_RANK) {
        return ets_fail(error, ETS_INVALID_ARGUMENT, ETS_NO_OFFSET, "rank %u is over the limit",
                        (unsigned)tensor->rank);
    }
    const uint64_t extent = ets_tensor_extent(tensor);
    if (extent == UINT64_MAX || extent > tensor->data_bytes ||
        (extent > 0 && tensor->data == NULL)) {
        return ets_fail(error, ETS_INVALID_ARGUMENT, ETS_NO_OFFSET,
                        "a tensor has fewer bytes than its sizes and strides need");
    }
    for (uint32_t i = 0; i < tensor->rank; i++) {
        if (tensor->sizes[i] > INT32_MAX) {
            return ets_fail(error, ETS_LIMIT, ETS_NO_OFFSET, "a size is over 2^31 - 1");
        }
    }
    return ETS_OK;
}

static enum ets_status check_values(const struct ets_value *values, uint32_t count,
                                    struct ets_error *error)
{
    for (uint32_t i = 0; i < count; i++) ETS_TRY(check_value(&values[i], error));
    return ETS_OK;
}

/* Like strcmp, by unsigned bytes. */
static int compare_names(const char *a, const char *b)
{
    while (*a != '\0' && *a == *b) a++, b++;
    return (int)(uint8_t)*a - (int)(uint8_t)*b;
}

static enum ets_status check(const struct ets_new_bundle *bundle, struct ets_error *error)
{
    if (bundle->program.size == 0) {
        return ets_fail(error, ETS_INVALID_ARGUMENT, ETS_NO_OFFSET, "the bundle has no program");
    }
    for (uint32_t i = 0; i < bundle->suite_count; i++) {
        const struct ets_new_suite *suite = &bundle->suites[i];
        if (i > 0 && compare_names(bundle->suites[i - 1].method, suite->method) >= 0) {
            return ets_fail(error, ETS_INVALID_ARGUMENT, ETS_NO_OFFSET,
                            "suites must be sorted by method, without repetition: %s",
                            suite->method);
        }
        for (uint32_t k = 0; k < suite->case_count; k++) {
            const struct ets_new_case *each = &suite->cases[k];
            ETS_TRY(check_values(each->inputs, each->input_count, error));
            ETS_TRY(check_values(each->expected, each->expected_count, error));
        }
    }
    return ETS_OK;
}

enum ets_status ets_bundle_write_size(const struct ets_new_bundle *bundle, size_t *bytes_out,
                                      struct ets_error *error)
{
    struct writer counting = {.is_counting = true};
    ETS_TRY(check(bundle, error));
    put_bundle(&counting, bundle);
    if (counting.position > ETS_BUNDLE_MAX_BYTES) {
        return ets_fail(error, ETS_LIMIT, ETS_NO_OFFSET,
                        "the bundle needs %llu bytes; a FlatBuffer holds at most 2^31 - 1",
                        (unsigned long long)counting.position);
    }
    *bytes_out = (size_t)counting.position;
    return ETS_OK;
}

enum ets_status ets_bundle_write(const struct ets_new_bundle *bundle,
                                 const struct ets_bundle_sink *sink, struct ets_error *error)
{
    struct writer w = {.sink = sink, .error = error};
    size_t size;
    ETS_TRY(ets_bundle_write_size(bundle, &size, error));
    put_bundle(&w, bundle);
    flush(&w);
    return w.status;
}
