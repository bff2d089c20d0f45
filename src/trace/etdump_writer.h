/* Writes ETDumps from records that somebody keeps. */
#ifndef ETSCOPE_TRACE_ETDUMP_WRITER_H
#define ETSCOPE_TRACE_ETDUMP_WRITER_H

#include "etscope/etdump.h"

/*
 * Writing an ETDump from records that somebody keeps.
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
 * For devices: no heap, no C library besides memcpy and memset (which compilers themselves call),
 * about 2 kB of stack. The file is written front to back without seeking, so a sink can be a
 * serial line. What is written: a size-prefixed FlatBuffer with identifier ED00 as ExecuTorch's
 * ETDumpGen fills it (devtools/etdump/etdump_schema_flatcc.fbs): fields of default value left out,
 * delegate events with a metadata vector, 8-byte scalars aligned from the start of the file.
 *
 * Safe from several threads as long as each has its own source and names. Limits: 2^31-1 bytes.
 */

/* Largest file: offsets of a FlatBuffer have 31 bits. */
#define ETS_ETDUMP_MAX_BYTES INT32_MAX

/* A run. The writer hands it over filled as "absent": set what there is. */
struct ets_etdump_run_record {
    uint32_t name;               /* number of the name; must be given */
    int32_t bundled_input_index; /* -1: none */
    uint32_t allocator_count;
    uint32_t event_count; /* 0: the file gets no events vector for this run */
};

/*
 * An event. The writer hands it over filled as "absent" (kind: PROFILE): set what there is. An
 * event with a delegate_id or delegate_name is a delegate's.
 */
struct ets_etdump_record {
    enum ets_event_kind kind;        /* not UNKNOWN */
    uint32_t name;                   /* number of the name, or ETS_ETDUMP_NO_NAME */
    int64_t chain;                   /* -1: outside of any instruction */
    int32_t instruction;             /* index in the chain; 0 where chain is -1; -1: absent */
    int32_t delegate_id;             /* -1: none */
    uint32_t delegate_name;          /* number of the name, or ETS_ETDUMP_NO_NAME */
    struct ets_bytes metadata;       /* of PROFILE; borrowed until the next event is asked for */
    uint64_t start_ticks, end_ticks; /* of PROFILE */
    int32_t allocator;               /* of ALLOCATION: 1-based number of the run's allocator */
    uint64_t allocated_bytes;        /* of ALLOCATION */
    enum ets_debug_value_type value_type; /* of DEBUG; not STRING, for which files have no place */
    int is_output;                        /* of DEBUG: 1: an output of the whole method */
    int64_t int_value;                    /* INT; BOOL: 0 or other */
    double double_value;                  /* DOUBLE */
    float float_value;                    /* FLOAT */
    uint32_t tensor_count;                /* TENSOR_LIST: its length */
};

/*
 * Where records come from. Each function answers ETS_OK or the status that writing ends with.
 * Writing asks three times for all events, each time in order; what it is told must not change
 * meanwhile.
 */
struct ets_etdump_source {
    void *context;
    struct ets_etdump_name *names; /* `name_count` of them; the writer sets their `at` */
    uint32_t name_count;
    uint32_t run_count;
    enum ets_status (*run)(void *context, uint32_t run, struct ets_etdump_run_record *out);
    enum ets_status (*event)(void *context, uint32_t run, uint32_t index,
                             struct ets_etdump_record *out);
    /* The name of an allocator. NULL where no run has any. */
    enum ets_status (*allocator)(void *context, uint32_t run, uint32_t index, uint32_t *name_out);
    /*
     * Tensor `index` of the event asked for last: type, sizes, strides, and the offset of its
     * bytes in the debug buffer, -1 for a tensor without elements. NULL where there are none.
     */
    enum ets_status (*tensor)(void *context, uint32_t run, uint32_t event, uint32_t index,
                              struct ets_tensor *tensor_out, int64_t *offset_out);
    /*
     * Hands bytes to `sink` that follow the FlatBuffer, from a multiple of 8 on and inside of the
     * length that its prefix tells, where no table refers to them and other readers do not look.
     * Asked twice, the first time for their size. NULL: none.
     */
    enum ets_status (*extra)(void *context, const struct ets_etdump_sink *sink);
    /*
     * A hint, which makes writing several times as fast: how many events right behind event
     * `index`, which was asked for last, are like it, at most `most`. Alike are profile events of
     * no delegate that lack the same ones of: a name, a chain (0 is none here), an instruction.
     * Those that it counts need not be asked for. NULL: none.
     */
    uint32_t (*alike)(void *context, uint32_t run, uint32_t index, uint32_t most);
};

/*
 * The size of the file that a write would give. Statuses: INVALID_ARGUMENT (a record that no file
 * can hold), LIMIT (over ETS_ETDUMP_MAX_BYTES), or the source's own.
 */
ETS_API enum ets_status ets_etdump_writer_size(const struct ets_etdump_source *source,
                                               size_t *bytes_out, struct ets_error *error);

/*
 * Writes the file. Nothing is written unless the whole of it can be. Statuses: as above, IO (the
 * sink refused; error->offset: what it had taken before), MISMATCH (the source changed).
 */
enum ets_status ets_etdump_write(const struct ets_etdump_source *source,
                                 const struct ets_etdump_sink *sink, struct ets_error *error);

/*
 * Writes the file to the front of `buffer`. Statuses: as above, NO_SPACE. `*bytes_out` is the size
 * of the file, also with NO_SPACE; it is untouched after other failures.
 */
ETS_API enum ets_status ets_etdump_write_buffer(const struct ets_etdump_source *source,
                                                void *buffer, size_t capacity, size_t *bytes_out,
                                                struct ets_error *error);

#endif
