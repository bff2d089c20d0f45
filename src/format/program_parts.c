/* Code shared by .pte, .bpte and .ptd: tensor layouts, segments, lists of names for messages. */
#include "format/program_parts.h"

#include <string.h>

static const struct ets_fb_field segment_fields[] = {
    {"offset", 0, ETS_FB_SCALAR, 0, {.scalar = ETS_FB_U64}},
    {"size", 1, ETS_FB_SCALAR, 0, {.scalar = ETS_FB_U64}},
};
const struct ets_fb_type ets_parts_segment_type = {"DataSegment", segment_fields, 2};

/* Counts a size of 0 as 1, like strides, so that no stride can overflow. */
static bool count_fits(const struct ets_tensor *tensor, uint64_t element_bytes)
{
    uint64_t extent = element_bytes;
    for (uint32_t i = 0; i < tensor->rank; i++) {
        const uint64_t size = tensor->sizes[i] > 0 ? (uint64_t)tensor->sizes[i] : 1;
        if (!ets_mul_u64(extent, size, &extent)) return false;
    }
    return extent <= INT64_MAX;
}

enum ets_status ets_parts_read_layout(size_t at, int scalar_type, struct ets_fb_vector sizes,
                                      struct ets_fb_vector dim_order, struct ets_tensor *tensor_out,
                                      uint64_t *bytes_out, struct ets_error *error)
{
    const uint64_t element_bytes = ets_scalar_type_bytes(scalar_type);
    if (element_bytes == 0) {
        return ets_fail(error, ETS_UNSUPPORTED, at, "tensor with unknown scalar type %d",
                        scalar_type);
    }
    if (sizes.count > ETS_TENSOR_MAX_RANK) {
        return ets_fail(error, ETS_UNSUPPORTED, at,
                        "tensor with %u dimensions; at most %d are supported", sizes.count,
                        ETS_TENSOR_MAX_RANK);
    }
    if (dim_order.count != sizes.count) {
        return ets_fail(error, ETS_MALFORMED, at, "tensor with %u sizes but %u in its dim_order",
                        sizes.count, dim_order.count);
    }
    struct ets_tensor tensor = {.scalar_type = (enum ets_scalar_type)scalar_type,
                                .rank = sizes.count};
    for (uint32_t i = 0; i < sizes.count; i++) {
        tensor.sizes[i] = ets_fb_vector_i32(sizes, i);
        if (tensor.sizes[i] < 0) {
            return ets_fail(error, ETS_MALFORMED, at, "tensor with size %lld in dimension %u",
                            (long long)tensor.sizes[i], i);
        }
    }
    if (!count_fits(&tensor, element_bytes)) {
        return ets_fail(error, ETS_MALFORMED, at, "tensor with more than 2^63 - 1 bytes");
    }
    if (tensor.rank != 0 &&
        ets_tensor_set_dim_order(&tensor, dim_order.base + dim_order.at) != ETS_OK) {
        return ets_fail(error, ETS_MALFORMED, at,
                        "tensor with a dim_order that is not a permutation");
    }
    *bytes_out = ets_tensor_count(&tensor) * element_bytes;
    *tensor_out = tensor;
    return ETS_OK;
}

enum ets_status ets_parts_verify_segments(struct ets_fb_vector segments,
                                          const struct ets_parts_region *region, uint64_t *size_out,
                                          struct ets_error *error)
{
    uint64_t last_end = 0;
    for (uint32_t i = 0; i < segments.count; i++) {
        const struct ets_fb segment = ets_fb_vector_table(segments, i);
        const uint64_t offset = ets_fb_u64(segment, 0, 0);
        const uint64_t size = ets_fb_u64(segment, 1, 0);
        if (size == 0) continue; /* its offset has no meaning */
        if (region->base == 0) {
            return ets_fail(error, ETS_MALFORMED, segment.at,
                            "segment %u has %llu bytes, but the header lists no segments", i,
                            (unsigned long long)size);
        }
        if (region->size != 0 && !ets_range_fits(offset, size, region->size)) {
            return ets_fail(error, ETS_MALFORMED, segment.at,
                            "segment %u: %llu bytes at %llu lie outside the %llu bytes of segments",
                            i, (unsigned long long)size, (unsigned long long)offset,
                            (unsigned long long)region->size);
        }
        if (!ets_range_fits(offset, size, region->bytes.size - region->base)) {
            return ets_fail(error, ETS_TRUNCATED, segment.at,
                            "segment %u: %llu bytes at %llu run past the end of the file", i,
                            (unsigned long long)size, (unsigned long long)offset);
        }
        if (offset + size > last_end) last_end = offset + size;
    }
    *size_out = region->size != 0 ? region->size : last_end;
    return ETS_OK;
}

struct ets_bytes ets_parts_segment(struct ets_fb_vector segments, uint32_t index,
                                   struct ets_bytes bytes, uint64_t base, uint64_t *offset_out)
{
    const struct ets_fb segment = ets_fb_vector_table(segments, index);
    const uint64_t size = ets_fb_u64(segment, 1, 0);
    uint64_t offset = 0;
    if (!ets_add_u64(base, ets_fb_u64(segment, 0, 0), &offset)) offset = base;
    *offset_out = offset;
    if (size == 0) return (struct ets_bytes){NULL, 0};
    return (struct ets_bytes){bytes.data + offset, (size_t)size};
}

enum ets_status ets_parts_fail_within(struct ets_error *error, enum ets_status status,
                                      const char *format, ...)
{
    if (error == NULL) return status;
    char inner[sizeof error->message];
    memcpy(inner, error->message, sizeof inner);
    char outer[96];
    va_list arguments;
    va_start(arguments, format);
    (void)ets_format_text(outer, sizeof outer, format, arguments);
    va_end(arguments);
    return ets_fail(error, status, error->offset, "%s: %s", outer, inner);
}

int ets_parts_is_text(struct ets_text text, const char *name)
{
    /* Compares bytes, because devices have no C library. */
    size_t i = 0;
    while (i < text.size && name[i] != '\0' && text.data[i] == name[i]) i++;
    return text.data != NULL && i == text.size && name[i] == '\0';
}

void ets_parts_add_name(struct ets_parts_names *names, struct ets_text name)
{
    static const char more[] = ", ...";
    const size_t needed = (names->size != 0 ? 2 : 0) + name.size;
    const size_t room = sizeof names->text - sizeof more - names->size;
    if (names->size >= sizeof names->text - sizeof more || needed > room) {
        /* Added once: afterwards there is no room. */
        if (names->size < sizeof names->text - sizeof more) {
            memcpy(names->text + names->size, names->size != 0 ? more : more + 2,
                   names->size != 0 ? sizeof more : sizeof more - 2);
            names->size = sizeof names->text - sizeof more;
        }
        return;
    }
    if (names->size != 0) {
        memcpy(names->text + names->size, ", ", 2);
        names->size += 2;
    }
    memcpy(names->text + names->size, name.data, name.size);
    names->size += name.size;
    names->text[names->size] = '\0';
}
