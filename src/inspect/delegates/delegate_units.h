/*
 * Explains the events of a delegate call. Readers list the units of a call, which the backend runs
 * and reports one by one: one reader takes them from the map of a backend in an ETRecord, others
 * from the payload of a backend (src/payload). Matching events to units is common to all.
 */
#ifndef ETSCOPE_INSPECT_DELEGATES_DELEGATE_UNITS_H
#define ETSCOPE_INSPECT_DELEGATES_DELEGATE_UNITS_H

#include <stdbool.h>

#include "base/error.h"
#include "etscope/experimental/delegates.h"
#include "host/arena.h"

struct ets_handle_index;
struct ets_payload_store;

/* A delegate call, from the record and the program. */
struct ets_delegate_call {
    const struct ets_etrecord *record; /* NULL: none */
    const char *method;
    int64_t instruction;
    struct ets_text backend;
    struct ets_bytes payload; /* {NULL, 0}: no program */
    const int64_t *handles;   /* of the whole call, from the record */
    size_t handle_count;
    struct ets_handle_index *nodes;     /* of the record's graph; NULL or empty: none */
    struct ets_payload_store *payloads; /* of the program; unused where `payload` is empty */
    uint64_t *budget; /* remaining handles and nodes to list, which limits the work that hostile
                         files can cause */
};

struct ets_delegate_units {
    bool is_noted; /* `reason` is what the payload says of itself */
    struct ets_delegate_unit *items;
    uint32_t count;
    bool is_ordered;  /* the events are exactly these units in this order; else each is found
                         by its identifier */
    bool may_convert; /* the runtime may add conversions of 16-bit floats between them, because
                         not all processors compute with these */
    const uint8_t *is_output; /* [argument_count] 1 for outputs of the call */
    uint32_t argument_count;  /* 0: the reader does not say */
    const char *reason;       /* why there are no units, or none of their events is known */
};

struct ets_delegate_reader {
    /* If it knows nothing about the call, sets only a reason in `units_out`. */
    enum ets_status (*read)(struct ets_arena *arena, const struct ets_delegate_call *call,
                            struct ets_delegate_units *units_out, struct ets_error *error);
};

extern const struct ets_delegate_reader ets_delegate_symbol_reader;  /* delegate_payload.c */
extern const struct ets_delegate_reader ets_delegate_map_reader;     /* delegate_map.c */
extern const struct ets_delegate_reader ets_delegate_payload_reader; /* delegate_payload.c */

/* The units of the first reader that has some. Statuses: NO_MEMORY. */
enum ets_status ets_delegate_units_read(struct ets_arena *arena,
                                        const struct ets_delegate_call *call,
                                        struct ets_delegate_units *units_out,
                                        struct ets_error *error);

/* The unit of an event. */
struct ets_unit_match {
    uint32_t unit; /* ETS_NO_INDEX: none */
    bool is_added; /* a conversion that the runtime added next to that unit */
};

/*
 * Fills matches_out[count] for the events of a call, named `names`. *reason_out says why an event
 * has no unit. Statuses: NO_MEMORY.
 */
enum ets_status ets_delegate_units_match(struct ets_arena *arena,
                                         const struct ets_delegate_units *units,
                                         const struct ets_text *names, uint32_t count,
                                         struct ets_unit_match *matches_out,
                                         const char **reason_out, struct ets_error *error);

static inline enum ets_status ets_fail_unit_memory(struct ets_error *error)
{
    return ets_fail_memory(error, "a delegate's nodes");
}

#endif
