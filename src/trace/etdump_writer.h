/* Writes ETDumps from records. */
#ifndef ETSCOPE_TRACE_ETDUMP_WRITER_H
#define ETSCOPE_TRACE_ETDUMP_WRITER_H

#include "etscope/etdump.h"

/*
 * Writes an ETDump from records that the caller provides.
 *
 *     enum ets_status get_run(void *context, uint32_t run, struct ets_etdump_run_record *out)
 *     {
 *         out->name = 0;
 *         out->event_count = 1;
 *         return ETS_OK;
 *     }
 *     enum ets_status get_event(void *context, uint32_t run, uint32_t index,
 *                               struct ets_etdump_record *out)
 *     {
 *         out->name = 1;
 *         out->chain = 0;
 *         out->instruction = 4;
 *         out->start_ticks = 100;
 *         out->end_ticks = 250;
 *         return ETS_OK;
 *     }
 *     ...
 *     struct ets_etdump_name names[] = {{{"Execute", 7}, 0}, {{"OPERATOR_CALL", 13}, 0}};
 *     const struct ets_etdump_source source = {
 *         .names = names, .name_count = 2, .run_count = 1, .run = get_run, .event = get_event};
 *     uint8_t file[512];
 *     size_t size;
 *     if (ets_etdump_write_buffer(&source, file, sizeof file, &size, NULL) != ETS_OK) { ... }
 *
 * Made for devices: no heap, no C library but memcpy and memset (which compilers call themselves),
 * about 2 kB of stack. The file is written front to back without seeking, so a sink can be a serial
 * line. The result is a size-prefixed FlatBuffer with identifier ED00, filled like that of
 * ExecuTorch's ETDumpGen (devtools/etdump/etdump_schema_flatcc.fbs): fields with default values are
 * left out, delegate events have a metadata vector, and 8-byte scalars are aligned from the start
 * of the file.
 *
 * Several threads may write, each with its own source and names. Limits: 2^31-1 bytes.
 */

/* Largest file: offsets of a FlatBuffer have 31 bits. */
#define ETS_ETDUMP_MAX_BYTES INT32_MAX

/* A run. All fields are preset to "absent": set those that exist. */
struct ets_etdump_run_record {
    uint32_t name;               /* number of the name; required */
    int32_t bundled_input_index; /* -1: none */
    uint32_t allocator_count;
    uint32_t event_count; /* 0: the file gets no events vector for this run */
};

/*
 * An event. All fields are preset to "absent" (kind: PROFILE): set those that exist. An event with
 * a delegate_id or delegate_name is a delegate's event.
 */
struct ets_etdump_record {
    enum ets_event_kind kind;        /* not UNKNOWN */
    uint32_t name;                   /* number of the name, or ETS_ETDUMP_NO_NAME */
    int64_t chain;                   /* -1: outside any instruction */
    int32_t instruction;             /* index in the chain; 0 where chain is -1; -1: absent */
    int32_t delegate_id;             /* -1: none */
    uint32_t delegate_name;          /* number of the name, or ETS_ETDUMP_NO_NAME */
    struct ets_bytes metadata;       /* of PROFILE; borrowed until the next event is requested */
    uint64_t start_ticks, end_ticks; /* of PROFILE */
    int32_t allocator;               /* of ALLOCATION: 1-based number of the run's allocator */
    uint64_t allocated_bytes;        /* of ALLOCATION */
    enum ets_debug_value_type value_type; /* of DEBUG; not STRING, which files cannot hold */
    int is_output;                        /* of DEBUG: 1: an output of the method */
    int64_t int_value;                    /* INT; BOOL: 0 or other */
    double double_value;                  /* DOUBLE */
    float float_value;                    /* FLOAT */
    uint32_t tensor_count;                /* TENSOR_LIST: its length */
};

/*
 * The source of records. Each function returns ETS_OK, or a status that ends the writing. The
 * writer requests all events three times, each time in order, and must get the same answers.
 */
struct ets_etdump_source {
    void *context;
    struct ets_etdump_name *names; /* `name_count` of them; the writer sets their `at` */
    uint32_t name_count;
    uint32_t run_count;
    enum ets_status (*run)(void *context, uint32_t run, struct ets_etdump_run_record *out);
    enum ets_status (*event)(void *context, uint32_t run, uint32_t index,
                             struct ets_etdump_record *out);
    /* The name of an allocator. NULL if no run has allocators. */
    enum ets_status (*allocator)(void *context, uint32_t run, uint32_t index, uint32_t *name_out);
    /*
     * Tensor `index` of the last requested event: type, sizes, strides, and the offset of its bytes
     * in the debug buffer, -1 for a tensor without elements. NULL if there are no tensors.
     */
    enum ets_status (*tensor)(void *context, uint32_t run, uint32_t event, uint32_t index,
                              struct ets_tensor *tensor_out, int64_t *offset_out);
    /*
     * Writes bytes to `sink` that follow the FlatBuffer, aligned to 8 and included in its size
     * prefix. No table refers to them, so other readers ignore them. Called twice, first for their
     * size. NULL: none.
     */
    enum ets_status (*extra)(void *context, const struct ets_etdump_sink *sink);
    /*
     * A hint that makes writing several times faster: how many events right after event `index`,
     * the last requested one, have the same shape, at most `most`. Profile events that are not a
     * delegate's have the same shape if they lack the same fields of name, chain (0 counts as
     * absent) and instruction. The writer does not request the counted events. NULL: no hint.
     */
    uint32_t (*alike)(void *context, uint32_t run, uint32_t index, uint32_t most);
};

/*
 * The size of the file that would be written. Statuses: INVALID_ARGUMENT (a record that files
 * cannot hold), LIMIT (over ETS_ETDUMP_MAX_BYTES), or the source's own.
 */
ETS_API enum ets_status ets_etdump_writer_size(const struct ets_etdump_source *source,
                                               size_t *bytes_out, struct ets_error *error);

/*
 * Writes the file. Writes nothing if a record is not valid. Statuses: those of
 * ets_etdump_writer_size; IO (the sink refused; error->offset is the number of bytes it took),
 * MISMATCH (the source changed).
 */
enum ets_status ets_etdump_write(const struct ets_etdump_source *source,
                                 const struct ets_etdump_sink *sink, struct ets_error *error);

/*
 * Writes the file to the start of `buffer`. Statuses: as above, and NO_SPACE. `*bytes_out` is the
 * size of the file, also for NO_SPACE; other failures do not change it.
 */
ETS_API enum ets_status ets_etdump_write_buffer(const struct ets_etdump_source *source,
                                                void *buffer, size_t capacity, size_t *bytes_out,
                                                struct ets_error *error);

#endif
