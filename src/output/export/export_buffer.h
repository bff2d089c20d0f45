/*
 * Gathers bytes, numbers and texts on their way to an output. Write errors are reported by the
 * output's commit.
 *
 *     ets_export_put_literal(out, "{\"ts\":");
 *     ets_export_put_microseconds(out, slice->start);
 */
#ifndef ETSCOPE_OUTPUT_EXPORT_EXPORT_BUFFER_H
#define ETSCOPE_OUTPUT_EXPORT_EXPORT_BUFFER_H

#include <stdbool.h>
#include <string.h>

#include "etscope/base.h"
#include "host/arena.h"
#include "host/output.h"

enum { ETS_EXPORT_BUFFER_BYTES = 1 << 16 };

struct ets_export_buffer {
    struct ets_output *output;
    size_t used;
    char bytes[ETS_EXPORT_BUFFER_BYTES];
};

void ets_export_flush(struct ets_export_buffer *out);
void ets_export_put(struct ets_export_buffer *out, const void *data, size_t size);

#define ets_export_put_literal(out, text) ets_export_put((out), "" text, sizeof(text) - 1)

void ets_export_put_count(struct ets_export_buffer *out, uint64_t value);
void ets_export_put_integer(struct ets_export_buffer *out, int64_t value);
/* Nanoseconds as microseconds with three decimals: "12.345". */
void ets_export_put_microseconds(struct ets_export_buffer *out, uint64_t ns);

/*
 * A text as a JSON string with its quotes. Only quotes and backslashes are escaped, because
 * Perfetto shows other escapes as they are written; what is not safe to print (base.h) is a space.
 */
void ets_export_put_json(struct ets_export_buffer *out, struct ets_text text);
/* A text as a field of CSV, with its quotes; a formula gets an apostrophe. */
void ets_export_put_csv(struct ets_export_buffer *out, struct ets_text text);

/*
 * A text as a frame of a folded stack, which ends at a semicolon: those become commas. The blank
 * before a number at its end becomes "_", and an empty text "(no name)".
 */
void ets_export_put_frame(struct ets_export_buffer *out, struct ets_text text);

/* The text with every byte that is no UTF-8 as U+FFFD, and control characters as a space; without
   text.data: no memory. */
struct ets_text ets_export_clean_text(struct ets_arena *arena, struct ets_text text);

#endif
