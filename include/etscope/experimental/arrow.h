/*
 * arrow.h - the event table for anything that reads Apache Arrow: pyarrow, DuckDB, polars, R.
 *
 * Experimental: this header may change in any version, names and meanings included.
 *
 *     struct ArrowArrayStream stream;
 *     if (ets_arrow_events(inspection, NULL, &stream, &error) == ETS_OK) {
 *         struct ArrowSchema schema;
 *         struct ArrowArray batch;
 *         stream.get_schema(&stream, &schema);
 *         stream.get_next(&stream, &batch);
 *         ...
 *         batch.release(&batch);
 *         schema.release(&schema);
 *         stream.release(&stream);
 *     }
 *
 * The structs are those of Arrow's C data and C stream interfaces, which may be declared in many
 * headers of one program. What the stream hands out owns its memory: it lives until it is released,
 * whatever becomes of the inspection.
 */
#ifndef ETSCOPE_ARROW_H
#define ETSCOPE_ARROW_H

#include "etscope/inspect.h"

#ifdef __cplusplus
extern "C" {
#endif

#ifndef ARROW_C_DATA_INTERFACE
#define ARROW_C_DATA_INTERFACE

#define ARROW_FLAG_DICTIONARY_ORDERED 1
#define ARROW_FLAG_NULLABLE 2
#define ARROW_FLAG_MAP_KEYS_SORTED 4

struct ArrowSchema {
    const char *format;
    const char *name;
    const char *metadata;
    int64_t flags;
    int64_t n_children;
    struct ArrowSchema **children;
    struct ArrowSchema *dictionary;
    void (*release)(struct ArrowSchema *);
    void *private_data;
};

struct ArrowArray {
    int64_t length;
    int64_t null_count;
    int64_t offset;
    int64_t n_buffers;
    int64_t n_children;
    const void **buffers;
    struct ArrowArray **children;
    struct ArrowArray *dictionary;
    void (*release)(struct ArrowArray *);
    void *private_data;
};

#endif /* ARROW_C_DATA_INTERFACE */

#ifndef ARROW_C_STREAM_INTERFACE
#define ARROW_C_STREAM_INTERFACE

struct ArrowArrayStream {
    int (*get_schema)(struct ArrowArrayStream *, struct ArrowSchema *out);
    int (*get_next)(struct ArrowArrayStream *, struct ArrowArray *out);
    const char *(*get_last_error)(struct ArrowArrayStream *);
    void (*release)(struct ArrowArrayStream *);
    void *private_data;
};

#endif /* ARROW_C_STREAM_INTERFACE */

/*
 * One batch with a row for each event, in logging order; texts are dictionaries, and bytes in them
 * that are no UTF-8 are U+FFFD. Columns (null where there is none):
 *
 *     run, block, row, parent       uint32  as in struct ets_event_table; parent is an event
 *     run_name, kind                text    kind: "profile", "debug", "allocation"
 *     name, delegate_name           text    as logged
 *     delegate_id, instruction      int32   null outside of any instruction
 *     chain                         int64   likewise
 *     start, end, ticks             uint64  of profile events; ticks: unwrapped duration
 *     allocator, bytes              uint64  of allocation events
 *     method                        text    that the block is known to have executed
 *     backend, kernel               text    of the event's row
 *     module, file, line            text, text, uint32: of the first node behind the row
 *     operation                     text    of the row: what it is on any processor
 *     metadata                      binary  what a delegate attached to the event
 *
 * `*stream_out` is the caller's to release. The allocator (NULL: the C library's) must outlive all
 * that comes from it. Status: NO_MEMORY.
 */
ETS_API enum ets_status ets_arrow_events(const struct ets_inspection *inspection,
                                         const struct ets_allocator *allocator,
                                         struct ArrowArrayStream *stream_out,
                                         struct ets_error *error);

#ifdef __cplusplus
}
#endif

#endif
