/* Parts common to .pte, .bpte and .ptd: tensor layouts, and segments after the FlatBuffer. */
#ifndef ETSCOPE_FORMAT_PROGRAM_PARTS_H
#define ETSCOPE_FORMAT_PROGRAM_PARTS_H

#include "etscope/tensor.h"
#include "format/flatbuffer.h"

/*
 * Fills type, rank, sizes and strides from the scalar type, [i32] sizes and [u8] dim_order (of
 * equal length) of the table at `at`. data is NULL. `*bytes_out`: element bytes x sizes. Statuses:
 * UNSUPPORTED (scalar type, rank), MALFORMED (a negative size, a dim_order that is not a
 * permutation, more than 2^63 - 1 bytes).
 */
enum ets_status ets_parts_read_layout(size_t at, int scalar_type, struct ets_fb_vector sizes,
                                      struct ets_fb_vector dim_order, struct ets_tensor *tensor_out,
                                      uint64_t *bytes_out, struct ets_error *error);

/* DataSegment, a table that .pte and .ptd share. */
extern const struct ets_fb_type ets_parts_segment_type;

/* The region of a file that segments lie in. */
struct ets_parts_region {
    struct ets_bytes bytes; /* the whole file */
    uint64_t base;          /* 0: the file has no such region */
    uint64_t size;          /* as announced; 0: not announced; it ends with the file */
};

/*
 * Checks that all segments are inside their region. If its size was not announced, `*size_out` is
 * the end of the last segment. Statuses: TRUNCATED (past the end of the file), MALFORMED (past the
 * announced region).
 */
enum ets_status ets_parts_verify_segments(struct ets_fb_vector segments,
                                          const struct ets_parts_region *region, uint64_t *size_out,
                                          struct ets_error *error);

/* Size and file offset of a verified segment. A segment of size 0 has no bytes: data is NULL. */
struct ets_bytes ets_parts_segment(struct ets_fb_vector segments, uint32_t index,
                                   struct ets_bytes bytes, uint64_t base, uint64_t *offset_out);

/* Inserts the formatted text and ": " before the message of an error that was just set. */
enum ets_status ets_parts_fail_within(struct ets_error *error, enum ets_status status,
                                      const char *format, ...) ETS_PRINTF(3, 4);

/* 1 if the terminated `name` equals `text`. */
int ets_parts_is_text(struct ets_text text, const char *name);

/* A list of names, "a, b, c", cut with "..." if it does not fit in `capacity`. */
struct ets_parts_names {
    char text[160];
    size_t size;
};
void ets_parts_add_name(struct ets_parts_names *names, struct ets_text name);

#endif
