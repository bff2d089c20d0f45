/*
 * etdump.h - reads ETDump files, and declares the sink that ETDumps are written to.
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
 *                 printf("%.*s %llu ticks\n", ETS_TEXT(event.name),
 *                        (unsigned long long)(event.end_ticks - event.start_ticks));
 *             }
 *         }
 *     }
 *
 * These are views over the caller's bytes: nothing is allocated or copied, and any number of
 * threads may read. ets_etdump_init verifies the whole file once, so that the other functions can
 * read it without checks. Schema: ExecuTorch devtools/etdump/etdump_schema_flatcc.fbs, identifier
 * ED00.
 */
#ifndef ETSCOPE_ETDUMP_H
#define ETSCOPE_ETDUMP_H

#include "etscope/base.h"
#include "etscope/tensor.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The schema version that this reader knows. RunData and the tables in it have not changed since.
 */
#define ETS_ETDUMP_VERSION 0

struct ets_etdump {
    struct ets_bytes bytes; /* the whole file, size prefix included */
    uint32_t version;
    uint32_t run_count;
    int is_size_prefixed;
    size_t runs_at; /* inner: position of the elements of run_data */
};

/* One run block: the events of one load ("Default") or one execution ("Execute"). */
struct ets_etdump_run {
    struct ets_text name;
    int32_t bundled_input_index; /* -1: no bundled input, or not known */
    uint32_t event_count;
    uint32_t allocator_count;
    int has_events;       /* 0: the vector is absent; ExecuTorch's Inspector skips such runs */
    size_t events_at;     /* inner */
    size_t allocators_at; /* inner */
};

enum ets_event_kind {
    ETS_EVENT_PROFILE = 0,
    ETS_EVENT_DEBUG = 1,
    ETS_EVENT_ALLOCATION = 2,
    ETS_EVENT_UNKNOWN = 3 /* none of the three: from a newer writer */
};

/* One event. Fields that its kind does not have hold the value for "absent". */
struct ets_etdump_event {
    enum ets_event_kind kind;
    struct ets_text name;          /* absent for delegate events and, in practice, debug events */
    int64_t chain;                 /* chain index; -1: outside any instruction */
    int32_t instruction;           /* index in the chain; 0 where chain is -1; -1: absent */
    int32_t delegate_id;           /* integer identifier; -1: none */
    struct ets_text delegate_name; /* string identifier; absent: none */
    struct ets_bytes metadata;     /* attached by the delegate; absent or empty if none */
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
    int is_output;         /* 1: an output of the method */
    int is_present;        /* 0: the member that `type` names is missing */
    int64_t int_value;     /* INT, BOOL */
    double double_value;   /* FLOAT, DOUBLE */
    uint32_t tensor_count; /* TENSOR: 1; TENSOR_LIST: its length */
    size_t value_at;       /* inner */
};

/*
 * Verifies `bytes`, which must stay valid as long as the view is used. Statuses: WRONG_KIND (the
 * message names the kind that it is), TRUNCATED, MALFORMED, UNSUPPORTED (an unknown version),
 * LIMIT.
 */
ETS_API enum ets_status ets_etdump_init(struct ets_etdump *dump, struct ets_bytes bytes,
                                        struct ets_error *error);

/* GCC warns in C++ about a function with the name of a struct. */
#if defined(__cplusplus) && defined(__GNUC__)
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wshadow"
#endif

/* `index` < run_count. */
ETS_API void ets_etdump_run(const struct ets_etdump *dump, uint32_t index,
                            struct ets_etdump_run *run_out);

/* `index` < event_count. Events are in the order in which they ended. */
ETS_API void ets_etdump_event(const struct ets_etdump *dump, const struct ets_etdump_run *run,
                              uint32_t index, struct ets_etdump_event *event_out);

#if defined(__cplusplus) && defined(__GNUC__)
#pragma GCC diagnostic pop
#endif

/* `index` < allocator_count; allocator number n is index n - 1. */
ETS_API struct ets_text ets_etdump_allocator_name(const struct ets_etdump *dump,
                                                  const struct ets_etdump_run *run, uint32_t index);

/* The value of a DEBUG event, by its payload_at. */
ETS_API void ets_etdump_debug_value(const struct ets_etdump *dump, size_t payload_at,
                                    struct ets_debug_value *value_out);

/*
 * Tensor `index` of a TENSOR or TENSOR_LIST value: its type, sizes and strides; data is NULL.
 * `*offset_out` is the position of its bytes in the debug buffer, -1 for an empty tensor. Statuses:
 * UNSUPPORTED (rank above ETS_TENSOR_MAX_RANK, unknown scalar type), MALFORMED (negative sizes or
 * strides, or a different number of each).
 */
ETS_API enum ets_status ets_etdump_tensor(const struct ets_etdump *dump,
                                          const struct ets_debug_value *value, uint32_t index,
                                          struct ets_tensor *tensor_out, int64_t *offset_out,
                                          struct ets_error *error);

/*
 * Points `tensor` at its bytes in the debug buffer. Statuses: NOT_FOUND if `offset` is -1 and the
 * tensor has elements (recorded without its bytes, as etscope's tracer does if it has no sink for
 * them); TRUNCATED if the buffer ends before the end of the tensor; MALFORMED for any other
 * negative offset of a tensor with elements. On failure data is NULL and data_bytes 0.
 */
ETS_API enum ets_status ets_etdump_tensor_data(struct ets_bytes debug_buffer, int64_t offset,
                                               struct ets_tensor *tensor, struct ets_error *error);

/* The number of "no name". */
#define ETS_ETDUMP_NO_NAME UINT32_MAX

/* A name, which runs, allocators and events refer to by number. Each is written once. */
struct ets_etdump_name {
    struct ets_text text;
    uint32_t at; /* inner: where the writer puts it */
};

/* Receives the file in order, piece by piece. `write` returns 0, or any other number to stop. */
struct ets_etdump_sink {
    void *context;
    int (*write)(void *context, const void *data, size_t size);
};

#ifdef __cplusplus
}
#endif

#endif
