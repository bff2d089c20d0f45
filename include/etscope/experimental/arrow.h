/*
 * arrow.h - exports the event table to readers of Apache Arrow: pyarrow, DuckDB, polars, R.
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
 * The structs are those of Arrow's C data and C stream interfaces, which several headers of one
 * program may declare. Objects from the stream own their memory: they live until released,
 * independent of the inspection.
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
 * Makes one batch with a row per event, in logging order. Texts are dictionaries; invalid UTF-8 in
 * them becomes U+FFFD. Columns (null if absent):
 *
 *     run, block, row, parent       uint32  as in struct ets_event_table; parent is an event
 *     run_name, kind                text    kind: "profile", "debug", "allocation"
 *     name, delegate_name           text    as logged
 *     delegate_id, instruction      int32   null outside any instruction
 *     chain                         int64   likewise
 *     start, end, ticks             uint64  of profile events; ticks: unwrapped duration
 *     allocator, bytes              uint64  of allocation events
 *     method                        text    executed by the block, if known
 *     backend, kernel               text    of the event's row
 *     module, file, line            text, text, uint32: of the first node of the row
 *     operation                     text    of the row, independent of the processor
 *     metadata                      binary  attached to the event by a delegate
 *
 * Release `*stream_out` when done. The allocator (NULL: the C library's) must outlive all objects
 * from the stream. Status: NO_MEMORY.
 */
ETS_API enum ets_status ets_arrow_events(const struct ets_inspection *inspection,
                                         const struct ets_allocator *allocator,
                                         struct ArrowArrayStream *stream_out,
                                         struct ets_error *error);

#ifdef __cplusplus
}
#endif

#endif
