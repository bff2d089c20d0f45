/* Reads and writes .npy headers: the Python dictionary with type, shape and order. */
#include "record/numpy.h"

#include <stdbool.h>
#include <string.h>

#include "base/error.h"
#include "base/load.h"

/* The header is the repr of a Python dict; this is where in it we are. */
struct cursor {
    const uint8_t *data;
    size_t at, end;
    struct ets_error *error;
};

/* What the dict said. */
struct header {
    bool has_type, has_order, has_shape;
    bool is_fortran;
    int scalar_type;
    uint32_t rank;
    int64_t sizes[ETS_TENSOR_MAX_RANK];
};

/* X(scalar type, its name in a header, 1: also what reading that name gives) */
#define TYPE_LIST(X)             \
    X(BOOL, "|b1", 1)            \
    X(BYTE, "|u1", 1)            \
    X(CHAR, "|i1", 1)            \
    X(SHORT, "<i2", 1)           \
    X(INT, "<i4", 1)             \
    X(LONG, "<i8", 1)            \
    X(UINT16, "<u2", 1)          \
    X(UINT32, "<u4", 1)          \
    X(UINT64, "<u8", 1)          \
    X(HALF, "<f2", 1)            \
    X(FLOAT, "<f4", 1)           \
    X(DOUBLE, "<f8", 1)          \
    X(COMPLEX_FLOAT, "<c8", 1)   \
    X(COMPLEX_DOUBLE, "<c16", 1) \
    X(BFLOAT16, "<V2", 1)        \
    X(QINT8, "|i1", 0)           \
    X(QUINT8, "|u1", 0)          \
    X(QINT32, "<i4", 0)          \
    X(QUINT4X2, "|u1", 0)        \
    X(QUINT2X4, "|u1", 0)        \
    X(BITS1X8, "|u1", 0)         \
    X(BITS2X4, "|u1", 0)         \
    X(BITS4X2, "|u1", 0)         \
    X(BITS8, "|u1", 0)           \
    X(BITS16, "<u2", 0)          \
    X(FLOAT8E5M2, "|V1", 0)      \
    X(FLOAT8E4M3FN, "|V1", 0)    \
    X(FLOAT8E5M2FNUZ, "|V1", 0)  \
    X(FLOAT8E4M3FNUZ, "|V1", 0)

static const struct {
    const char *name;
    int scalar_type;
    bool is_read;
} types[] = {
#define TYPE_ENTRY(type, name, is_read) {name, ETS_SCALAR_##type, is_read},
    TYPE_LIST(TYPE_ENTRY)
#undef TYPE_ENTRY
};

enum { TYPE_COUNT = sizeof types / sizeof types[0] };

const char *ets_npy_type_name(int scalar_type)
{
    for (size_t i = 0; i < TYPE_COUNT; i++) {
        if (types[i].scalar_type == scalar_type) return types[i].name;
    }
    return NULL;
}

static void skip_space(struct cursor *cursor)
{
    while (cursor->at < cursor->end) {
        const uint8_t byte = cursor->data[cursor->at];
        if (byte != ' ' && byte != '\t' && byte != '\n' && byte != '\r') return;
        cursor->at++;
    }
}

/* Takes `byte` if it is next. */
static bool take(struct cursor *cursor, uint8_t byte)
{
    skip_space(cursor);
    if (cursor->at >= cursor->end || cursor->data[cursor->at] != byte) return false;
    cursor->at++;
    return true;
}

static enum ets_status expect(struct cursor *cursor, uint8_t byte)
{
    if (take(cursor, byte)) return ETS_OK;
    return ets_fail(cursor->error, ETS_MALFORMED, cursor->at, "the .npy header lacks a '%c'", byte);
}

/* A quoted text without escapes, which no header needs. */
static enum ets_status read_text(struct cursor *cursor, struct ets_text *text)
{
    skip_space(cursor);
    const size_t start = cursor->at;
    const uint8_t quote = start < cursor->end ? cursor->data[start] : 0;
    if (quote != '\'' && quote != '"') {
        return ets_fail(cursor->error, ETS_MALFORMED, start,
                        "the .npy header lacks a quoted string");
    }
    for (size_t i = start + 1; i < cursor->end && cursor->data[i] != '\\'; i++) {
        if (cursor->data[i] != quote) continue;
        text->data = (const char *)cursor->data + start + 1;
        text->size = i - start - 1;
        cursor->at = i + 1;
        return ETS_OK;
    }
    return ets_fail(cursor->error, ETS_MALFORMED, start,
                    "a string in the .npy header is not terminated");
}

static bool text_is(struct ets_text text, const char *wanted)
{
    return text.size == strlen(wanted) && memcmp(text.data, wanted, text.size) == 0;
}

/* Byte order aside: it means nothing for one byte, and '=' is the reader's own. */
static bool same_type(struct ets_text text, const char *name)
{
    if (text.size != strlen(name)) return false;
    const char order = text.data[0];
    if (order != '<' && order != '>' && order != '|' && order != '=') return false;
    return memcmp(text.data + 1, name + 1, text.size - 1) == 0;
}

static enum ets_status read_type(struct cursor *cursor, struct header *header)
{
    struct ets_text text;
    skip_space(cursor);
    const size_t start = cursor->at;
    if (start < cursor->end && cursor->data[start] == '[') {
        return ets_fail(cursor->error, ETS_UNSUPPORTED, start,
                        "a structured array cannot be a tensor: it has named fields");
    }
    ETS_TRY(read_text(cursor, &text));
    const bool is_one_byte = text.size == 3 && text.data[2] == '1';
    if (text.size > 0 && text.data[0] == '>' && !is_one_byte) {
        return ets_fail(cursor->error, ETS_UNSUPPORTED, start,
                        "the array is big-endian (%.*s); save array.astype(array.dtype."
                        "newbyteorder('<'))",
                        (int)(text.size < 16 ? text.size : 16), text.data);
    }
    for (size_t i = 0; i < TYPE_COUNT; i++) {
        if (!types[i].is_read || !same_type(text, types[i].name)) continue;
        header->scalar_type = types[i].scalar_type;
        header->has_type = true;
        return ETS_OK;
    }
    return ets_fail(cursor->error, ETS_UNSUPPORTED, start,
                    "tensors do not support NumPy's type '%.*s'",
                    (int)(text.size < 32 ? text.size : 32), text.data);
}

static enum ets_status read_order(struct cursor *cursor, struct header *header)
{
    skip_space(cursor);
    const size_t left = cursor->end - cursor->at;
    const uint8_t *at = cursor->data + cursor->at;
    if (left >= 4 && memcmp(at, "True", 4) == 0) {
        header->is_fortran = true;
        cursor->at += 4;
    } else if (left >= 5 && memcmp(at, "False", 5) == 0) {
        header->is_fortran = false;
        cursor->at += 5;
    } else {
        return ets_fail(cursor->error, ETS_MALFORMED, cursor->at,
                        "fortran_order is neither True nor False");
    }
    header->has_order = true;
    return ETS_OK;
}

static enum ets_status read_size(struct cursor *cursor, int64_t *size)
{
    skip_space(cursor);
    const size_t start = cursor->at;
    uint64_t value = 0;
    while (cursor->at < cursor->end) {
        const uint8_t byte = cursor->data[cursor->at];
        if (byte < '0' || byte > '9') break;
        const uint64_t digit = (uint64_t)(byte - '0');
        if (!ets_mul_u64(value, 10, &value) || !ets_add_u64(value, digit, &value) ||
            value > INT64_MAX) {
            return ets_fail(cursor->error, ETS_LIMIT, start, "a size in the shape is over 2^63-1");
        }
        cursor->at++;
    }
    if (cursor->at == start) {
        return ets_fail(cursor->error, ETS_MALFORMED, start, "a size in the shape is not a number");
    }
    if (cursor->at < cursor->end && cursor->data[cursor->at] == 'L') cursor->at++; /* Python 2 */
    *size = (int64_t)value;
    return ETS_OK;
}

static enum ets_status read_shape(struct cursor *cursor, struct header *header)
{
    header->rank = 0;
    header->has_shape = true;
    ETS_TRY(expect(cursor, '('));
    while (!take(cursor, ')')) {
        if (header->rank == ETS_TENSOR_MAX_RANK) {
            return ets_fail(cursor->error, ETS_UNSUPPORTED, cursor->at,
                            "the array has more than %d dimensions", ETS_TENSOR_MAX_RANK);
        }
        ETS_TRY(read_size(cursor, &header->sizes[header->rank++]));
        if (!take(cursor, ',')) {
            ETS_TRY(expect(cursor, ')'));
            break;
        }
    }
    return ETS_OK;
}

static enum ets_status read_header(struct cursor *cursor, struct header *header)
{
    ETS_TRY(expect(cursor, '{'));
    while (!take(cursor, '}')) {
        struct ets_text key;
        const size_t start = cursor->at;
        ETS_TRY(read_text(cursor, &key));
        ETS_TRY(expect(cursor, ':'));
        if (text_is(key, "descr") && !header->has_type) {
            ETS_TRY(read_type(cursor, header));
        } else if (text_is(key, "fortran_order") && !header->has_order) {
            ETS_TRY(read_order(cursor, header));
        } else if (text_is(key, "shape") && !header->has_shape) {
            ETS_TRY(read_shape(cursor, header));
        } else {
            return ets_fail(cursor->error, ETS_MALFORMED, start,
                            "the .npy header has an unknown or repeated key '%.*s'",
                            (int)(key.size < 32 ? key.size : 32), key.data);
        }
        if (!take(cursor, ',')) {
            ETS_TRY(expect(cursor, '}'));
            break;
        }
    }
    skip_space(cursor);
    if (cursor->at != cursor->end) {
        return ets_fail(cursor->error, ETS_MALFORMED, cursor->at,
                        "the .npy header continues after its dict");
    }
    if (!header->has_type || !header->has_order || !header->has_shape) {
        return ets_fail(cursor->error, ETS_MALFORMED, cursor->at,
                        "the .npy header lacks descr, fortran_order or shape");
    }
    return ETS_OK;
}

/* Magic, version and the header's place. */
static enum ets_status find_header(struct ets_bytes bytes, struct cursor *cursor)
{
    struct ets_error *error = cursor->error;
    const size_t given = bytes.size < 6 ? bytes.size : 6;
    if (given == 0 || memcmp(bytes.data, "\x93NUMPY", given) != 0) {
        return ets_fail(error, ETS_WRONG_KIND, 0,
                        "not a .npy file: it does not start with \\x93NUMPY");
    }
    if (bytes.size < 10) {
        return ets_fail(error, ETS_TRUNCATED, bytes.size, "the .npy file ends in its first bytes");
    }
    const unsigned major = bytes.data[6];
    if (major < 1 || major > 3 || bytes.data[7] != 0) {
        return ets_fail(error, ETS_UNSUPPORTED, 6, "version %u.%u of .npy is not supported", major,
                        (unsigned)bytes.data[7]);
    }
    const size_t start = major == 1 ? 10 : 12;
    if (bytes.size < start) {
        return ets_fail(error, ETS_TRUNCATED, bytes.size, "the .npy file ends in its first bytes");
    }
    const size_t size = major == 1 ? ets_load_u16(bytes.data + 8) : ets_load_u32(bytes.data + 8);
    if (size > ETS_NPY_HEADER_LIMIT) {
        return ets_fail(error, ETS_LIMIT, 8, "the .npy header of %zu bytes is over the limit of %d",
                        size, ETS_NPY_HEADER_LIMIT);
    }
    if (!ets_range_fits(start, size, bytes.size)) {
        return ets_fail(error, ETS_TRUNCATED, bytes.size,
                        "the .npy header ends after %zu of its %zu bytes", bytes.size - start,
                        size);
    }
    cursor->data = bytes.data;
    cursor->at = start;
    cursor->end = start + size;
    return ETS_OK;
}

/* Column-major strides, with a size of 0 counting as 1 as everywhere. */
static void set_fortran_strides(struct ets_tensor *tensor)
{
    uint8_t order[ETS_TENSOR_MAX_RANK];
    for (uint32_t i = 0; i < tensor->rank; i++) order[i] = (uint8_t)(tensor->rank - 1 - i);
    (void)ets_tensor_set_dim_order(tensor, order); /* a permutation */
}

/* NumPy's own bound: the product of the sizes that are not 0 fits too. */
static bool strides_fit(const struct header *header)
{
    uint64_t product = ets_scalar_type_bytes(header->scalar_type);
    for (uint32_t i = 0; i < header->rank; i++) {
        if (header->sizes[i] != 0 &&
            (!ets_mul_u64(product, (uint64_t)header->sizes[i], &product) || product > INT64_MAX)) {
            return false;
        }
    }
    return true;
}

enum ets_status ets_npy_read(struct ets_bytes bytes, struct ets_tensor *tensor_out,
                             struct ets_error *error)
{
    struct cursor cursor = {.error = error};
    struct header header = {.rank = 0};
    ETS_TRY(find_header(bytes, &cursor));
    ETS_TRY(read_header(&cursor, &header));
    if (!strides_fit(&header)) {
        return ets_fail(error, ETS_LIMIT, cursor.end, "the array's size is over 2^63-1 bytes");
    }
    struct ets_tensor tensor = {.scalar_type = (enum ets_scalar_type)header.scalar_type,
                                .rank = header.rank};
    for (uint32_t i = 0; i < header.rank; i++) tensor.sizes[i] = header.sizes[i];
    if (header.is_fortran) set_fortran_strides(&tensor);
    else ets_tensor_set_contiguous(&tensor);
    const uint64_t needed = ets_tensor_count(&tensor) * ets_scalar_type_bytes(header.scalar_type);
    if (!ets_range_fits(cursor.end, needed, bytes.size)) {
        return ets_fail(error, ETS_TRUNCATED, bytes.size,
                        "the array needs %llu bytes, but the file has only %zu",
                        (unsigned long long)needed, bytes.size - cursor.end);
    }
    tensor.data = bytes.data + cursor.end;
    tensor.data_bytes = (size_t)needed;
    *tensor_out = tensor;
    return ETS_OK;
}

/* A bounded header being built; `size` goes on counting past the end. */
struct builder {
    uint8_t *data;
    size_t capacity, size;
};

static void put(struct builder *builder, const char *text)
{
    for (; *text != '\0'; text++) {
        if (builder->size < builder->capacity) builder->data[builder->size] = (uint8_t)*text;
        builder->size++;
    }
}

static void put_number(struct builder *builder, uint64_t value)
{
    char digits[24];
    size_t at = sizeof digits;
    digits[--at] = '\0';
    do {
        digits[--at] = (char)('0' + value % 10);
        value /= 10;
    } while (value != 0);
    put(builder, digits + at);
}

/* True where the strides are those of a column-major array (and not also row-major). */
static bool is_fortran(const struct ets_tensor *tensor)
{
    struct ets_tensor wanted = *tensor;
    set_fortran_strides(&wanted);
    for (uint32_t i = 0; i < tensor->rank; i++) {
        if (tensor->sizes[i] > 1 && tensor->strides[i] != wanted.strides[i]) return false;
    }
    return true;
}

static void put_dict(struct builder *builder, const struct ets_tensor *tensor, const char *type,
                     bool fortran)
{
    put(builder, "{'descr': '");
    put(builder, type);
    put(builder, "', 'fortran_order': ");
    put(builder, fortran ? "True" : "False");
    put(builder, ", 'shape': (");
    for (uint32_t i = 0; i < tensor->rank; i++) {
        if (i > 0) put(builder, " ");
        put_number(builder, (uint64_t)tensor->sizes[i]);
        if (i + 1 < tensor->rank || tensor->rank == 1) put(builder, ",");
    }
    put(builder, "), }");
}

enum ets_status ets_npy_write_header(const struct ets_tensor *tensor, uint8_t *buffer,
                                     size_t capacity, size_t *size_out, struct ets_error *error)
{
    enum { PREAMBLE = 10, ALIGNMENT = 64 };
    const char *type = ets_npy_type_name((int)tensor->scalar_type);
    if (type == NULL) {
        const char *name = ets_scalar_type_name((int)tensor->scalar_type);
        return ets_fail(error, ETS_UNSUPPORTED, ETS_NO_OFFSET, "NumPy cannot hold %s",
                        name == NULL ? "this type" : name);
    }
    if (tensor->rank > ETS_TENSOR_MAX_RANK || ets_tensor_count(tensor) == UINT64_MAX) {
        return ets_fail(error, ETS_INVALID_ARGUMENT, ETS_NO_OFFSET,
                        "the tensor's rank or sizes are out of range");
    }
    const bool contiguous = ets_tensor_is_contiguous(tensor) != 0;
    if (!contiguous && !is_fortran(tensor)) {
        return ets_fail(error, ETS_INVALID_ARGUMENT, ETS_NO_OFFSET,
                        "the tensor is neither in row-major nor in column-major order");
    }
    struct builder builder = {buffer, capacity, PREAMBLE};
    put_dict(&builder, tensor, type, !contiguous);
    while ((builder.size + 1) % ALIGNMENT != 0) put(&builder, " ");
    put(&builder, "\n");
    if (builder.size > capacity) {
        return ets_fail(error, ETS_NO_SPACE, ETS_NO_OFFSET,
                        "the .npy header needs %zu bytes, but there is room for %zu", builder.size,
                        capacity);
    }
    memcpy(buffer, "\x93NUMPY\x01\x00", 8);
    buffer[8] = (uint8_t)((builder.size - PREAMBLE) & 0xff);
    buffer[9] = (uint8_t)((builder.size - PREAMBLE) >> 8);
    *size_out = builder.size;
    return ETS_OK;
}
