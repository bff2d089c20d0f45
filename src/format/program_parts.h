/* What .pte, .bpte and .ptd have in common: tensor layouts, and segments behind the FlatBuffer. */
#ifndef ETSCOPE_FORMAT_PROGRAM_PARTS_H
#define ETSCOPE_FORMAT_PROGRAM_PARTS_H

#include "etscope/tensor.h"
#include "format/flatbuffer.h"

/*
 * Fills type, rank, sizes and strides from a scalar type, [i32] sizes and [u8] dim_order (as long
 * as the sizes) that stand in the table at `at`; data is NULL. `*bytes_out`: element bytes x sizes.
 * Statuses: UNSUPPORTED (scalar type, rank), MALFORMED (negative size, dim_order that is no
 * permutation, more elements than 63 bits count).
 */
enum ets_status ets_parts_read_layout(size_t at, int scalar_type, struct ets_fb_vector sizes,
                                      struct ets_fb_vector dim_order, struct ets_tensor *tensor_out,
                                      uint64_t *bytes_out, struct ets_error *error);

/* DataSegment, the same table in .pte and .ptd. */
extern const struct ets_fb_type ets_parts_segment_type;

/* The region of a file that segments lie in. */
struct ets_parts_region {
    struct ets_bytes bytes; /* the whole file */
    uint64_t base;          /* 0: the file has no such region */
    uint64_t size;          /* as announced; 0: not announced, it ends with the file */
};

/*
 * Every segment inside its region; `*size_out` (unless it was announced): up to the end of the last
 * one. Statuses: TRUNCATED (past the end of the file), MALFORMED (past the announced region).
 */
enum ets_status ets_parts_verify_segments(struct ets_fb_vector segments,
                                          const struct ets_parts_region *region, uint64_t *size_out,
                                          struct ets_error *error);

/* Size and file offset of a verified segment. A segment of size 0 has no bytes: data is NULL. */
struct ets_bytes ets_parts_segment(struct ets_fb_vector segments, uint32_t index,
                                   struct ets_bytes bytes, uint64_t base, uint64_t *offset_out);

/* Writes "<what the caller formats>: " before the message of an error that was just set. */
enum ets_status ets_parts_fail_within(struct ets_error *error, enum ets_status status,
                                      const char *format, ...) ETS_PRINTF(3, 4);

/* 1 where the terminated `name` and `text` are equal. */
int ets_parts_is_text(struct ets_text text, const char *name);

/* The names of what there is, "a, b, c", cut with "..." where they do not fit into `capacity`. */
struct ets_parts_names {
    char text[160];
    size_t size;
};
void ets_parts_add_name(struct ets_parts_names *names, struct ets_text name);

#endif
