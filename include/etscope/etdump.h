/*
 * etdump.h - ETDump: reading one, and writing one from records that somebody keeps.
 *
 *     struct ets_etdump dump;
 *     struct ets_error error;
 *     if (ets_etdump_init(&dump, ets_file_bytes(file), &error) != ETS_OK) { ... }
 *     for (uint32_t i = 0; i < dump.run_count; i++) {
 *         struct ets_etdump_run run;
 *         ets_etdump_run(&dump, i, &run);
 *         for (uint32_t j = 0; j < run.event_count; j++) {
 *             struct ets_etdump_event event;
 *             ets_etdump_event(&dump, &run, j, &event);
 *             if (event.kind == ETS_EVENT_PROFILE) {
 *                 printf("%.*s %llu ticks\n", (int)event.name.size, event.name.data,
 *                        (unsigned long long)(event.end_ticks - event.start_ticks));
 *             }
 *         }
 *     }
 *
 * Views over the caller's bytes: nothing is allocated or copied, and any number of threads may
 * read. Everything is verified once, by init or by salvage; what they hand out can then be read
 * without failing. Schema: ExecuTorch devtools/etdump/etdump_schema_flatcc.fbs, identifier ED00.
 */
#ifndef ETSCOPE_ETDUMP_H
#define ETSCOPE_ETDUMP_H

#include "etscope/base.h"
#include "etscope/tensor.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The schema version that this reader knows (RunData and all below have not changed since). */
#define ETS_ETDUMP_VERSION 0

struct ets_etdump {
    struct ets_bytes bytes; /* the whole file, size prefix included */
    uint32_t version;
    uint32_t run_count;
    int is_size_prefixed;
    size_t runs_at; /* inner: position of the run_data vector's elements */
};

/* One run block: what one load ("Default") or one execution ("Execute") recorded. */
struct ets_etdump_run {
    struct ets_text name;
    int32_t bundled_input_index; /* -1: not run from a bundled input, or not told */
    uint32_t event_count;
    uint32_t allocator_count;
    int has_events;       /* 0: the vector is absent, which upstream's Inspector skips */
    size_t events_at;     /* inner */
    size_t allocators_at; /* inner */
};

enum ets_event_kind {
    ETS_EVENT_PROFILE = 0,
    ETS_EVENT_DEBUG = 1,
    ETS_EVENT_ALLOCATION = 2,
    ETS_EVENT_UNKNOWN = 3 /* none of the three: a newer writer's */
};

/* One event. Fields that its kind does not have are as for "absent". */
struct ets_etdump_event {
    enum ets_event_kind kind;
    struct ets_text name;          /* absent for delegate events and, in practice, debug events */
    int64_t chain;                 /* chain index; -1: outside of any instruction */
    int32_t instruction;           /* index in the chain; 0 where chain is -1; -1: absent */
    int32_t delegate_id;           /* integer identifier; -1: none */
    struct ets_text delegate_name; /* string identifier; absent: none */
    struct ets_bytes metadata;     /* of the delegate; absent, or of length 0 */
    uint64_t start_ticks, end_ticks;
    int32_t allocator; /* 1-based number of the run's allocator */
    uint64_t allocated_bytes;
    size_t payload_at; /* position of the ProfileEvent, DebugEvent or AllocationEvent */
};

/* ETDump's Value.val */
enum ets_debug_value_type {
    ETS_DEBUG_NULL = 0,
    ETS_DEBUG_INT = 1,
    ETS_DEBUG_BOOL = 2,
    ETS_DEBUG_FLOAT = 3,
    ETS_DEBUG_DOUBLE = 4,
    ETS_DEBUG_TENSOR = 5,
    ETS_DEBUG_TENSOR_LIST = 6,
    ETS_DEBUG_STRING = 7
};

/* What a debug event holds. */
struct ets_debug_value {
    int32_t type;          /* enum ets_debug_value_type, or a newer writer's number */
    int is_output;         /* 1: an output of the whole method */
    int is_present;        /* 0: the member that `type` names is missing */
    int64_t int_value;     /* INT, BOOL */
    double double_value;   /* FLOAT, DOUBLE */
    uint32_t tensor_count; /* TENSOR: 1; TENSOR_LIST: its length */
    size_t value_at;       /* inner */
};

/* 1 where the identifier ED00 stands at byte 8 (size-prefixed) or 4 (bare), else 0. */
ETS_API int ets_etdump_sniff(struct ets_bytes bytes);

/*
 * Verifies `bytes`, borrowed as long as the view is used. Statuses: WRONG_KIND (the message says
 * of which kind), TRUNCATED, MALFORMED, UNSUPPORTED (an unknown version), LIMIT.
 */
ETS_API enum ets_status ets_etdump_init(struct ets_etdump *dump, struct ets_bytes bytes,
                                        struct ets_error *error);

/* In C++ a function that is named as the struct it fills would be warned of. */
#if defined(__cplusplus) && defined(__GNUC__)
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wshadow"
#endif

/* `index` < run_count. */
ETS_API void ets_etdump_run(const struct ets_etdump *dump, uint32_t index,
                            struct ets_etdump_run *run_out);

/* `index` < event_count. Events stand in the order in which they ended. */
ETS_API void ets_etdump_event(const struct ets_etdump *dump, const struct ets_etdump_run *run,
                              uint32_t index, struct ets_etdump_event *event_out);

#if defined(__cplusplus) && defined(__GNUC__)
#pragma GCC diagnostic pop
#endif

/* `index` < allocator_count; allocator number n is index n - 1. */
ETS_API struct ets_text ets_etdump_allocator_name(const struct ets_etdump *dump,
                                                  const struct ets_etdump_run *run, uint32_t index);

/* What a delegate attached to a PROFILE event, by its payload_at; {NULL, 0}: nothing. */
ETS_API struct ets_bytes ets_etdump_metadata(const struct ets_etdump *dump, size_t payload_at);

/* The value of a DEBUG event, by its payload_at. */
ETS_API void ets_etdump_debug_value(const struct ets_etdump *dump, size_t payload_at,
                                    struct ets_debug_value *value_out);

/*
 * Tensor `index` of a TENSOR or TENSOR_LIST value: type, sizes, strides; data NULL.
 * `*offset_out`: of its bytes in the debug buffer, -1 for an empty tensor.
 * Statuses: UNSUPPORTED (rank above ETS_TENSOR_MAX_RANK, unknown scalar type), MALFORMED
 * (negative sizes or strides, unlike counts of them).
 */
ETS_API enum ets_status ets_etdump_tensor(const struct ets_etdump *dump,
                                          const struct ets_debug_value *value, uint32_t index,
                                          struct ets_tensor *tensor_out, int64_t *offset_out,
                                          struct ets_error *error);

/*
 * Points `tensor` at its bytes in the debug buffer. Statuses: NOT_FOUND where `offset` is -1 and
 * the tensor has elements: its description was recorded without its bytes, as etscope's tracer does
 * where it has no sink for them; TRUNCATED where the buffer is shorter than `offset` and the
 * tensor's extent; MALFORMED for any other negative offset of a tensor with elements. On failure
 * data is NULL and data_bytes 0.
 */
ETS_API enum ets_status ets_etdump_tensor_data(struct ets_bytes debug_buffer, int64_t offset,
                                               struct ets_tensor *tensor, struct ets_error *error);

/*
 * What salvage found, told in logging order. Runs may be unnamed (a garbled file loses names; they
 * are then given as "Default" and "Execute" by the events in them). Returning non-zero stops.
 */
struct ets_etdump_visitor {
    void *context;
    int (*run)(void *context, const struct ets_etdump_run *run);
    int (*event)(void *context, const struct ets_etdump_event *event);
    /* One damaged or missing part: its file offset, what is wrong with it, and what would help. */
    int (*damage)(void *context, const struct ets_error *part);
};

/*
 * Reads what is whole of a damaged ETDump: runs and events that verify by themselves, or, where
 * the table of runs itself is garbled (upstream's writer does that when it meets a float16 or
 * bfloat16 tensor), every event table that can be found. `dump` becomes valid for
 * ets_etdump_debug_value and ets_etdump_tensor of the events told. Statuses: WRONG_KIND, TRUNCATED
 * (too short to tell what it is); else OK, also when nothing was found.
 */
ETS_API enum ets_status ets_etdump_salvage(struct ets_etdump *dump, struct ets_bytes bytes,
                                           const struct ets_etdump_visitor *visitor,
                                           struct ets_error *error);

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

/* The number that stands for no name. */
#define ETS_ETDUMP_NO_NAME UINT32_MAX

/* Largest file: offsets of a FlatBuffer have 31 bits. */
#define ETS_ETDUMP_MAX_BYTES INT32_MAX

/* A text that runs, allocators and events refer to by its number; each is written once. */
struct ets_etdump_name {
    struct ets_text text;
    uint32_t at; /* inner: where the writer puts it */
};

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

struct ets_etdump_sink;

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

/* Takes the file piece by piece, in order; `write` returns 0, or another number to end it. */
struct ets_etdump_sink {
    void *context;
    int (*write)(void *context, const void *data, size_t size);
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
ETS_API enum ets_status ets_etdump_write(const struct ets_etdump_source *source,
                                         const struct ets_etdump_sink *sink,
                                         struct ets_error *error);

/*
 * Writes the file to the front of `buffer`. Statuses: as above, NO_SPACE. `*bytes_out` is the size
 * of the file, also with NO_SPACE; it is untouched after other failures.
 */
ETS_API enum ets_status ets_etdump_write_buffer(const struct ets_etdump_source *source,
                                                void *buffer, size_t capacity, size_t *bytes_out,
                                                struct ets_error *error);

#ifdef __cplusplus
}
#endif

#endif
