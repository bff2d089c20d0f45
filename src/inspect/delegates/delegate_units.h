/*
 * What the events of a delegate call stand for. One question, answered by readers: of the map that
 * an ETRecord has for a backend, of the payload that a backend was given. A reader lists the units
 * of a call, which the backend runs and reports one by one; matching events to units is the same
 * for all. A backend whose payload can be read is one more reader, in the table of
 * delegate_units.c.
 */
#ifndef ETSCOPE_INSPECT_DELEGATES_DELEGATE_UNITS_H
#define ETSCOPE_INSPECT_DELEGATES_DELEGATE_UNITS_H

#include <stdbool.h>

#include "base/error.h"
#include "etscope/experimental/delegates.h"
#include "host/arena.h"

struct ets_handle_index;

/* A delegate call, as record and program know it. */
struct ets_delegate_call {
    const struct ets_etrecord *record; /* NULL: none */
    const char *method;
    int64_t instruction;
    struct ets_text backend;
    struct ets_bytes payload; /* {NULL, 0}: no program */
    const int64_t *handles;   /* of the whole call, by the record */
    size_t handle_count;
    struct ets_handle_index *nodes; /* of the record's graph; NULL or empty: none */
    uint64_t *budget; /* bytes and nodes that may still be looked at, so that hostile files cannot
                         have one payload read without end */
};

struct ets_delegate_units {
    struct ets_delegate_unit *items;
    uint32_t count;
    bool is_ordered;  /* the events are these units, all of them, in this order; else each is
                         found by its identifier */
    bool may_convert; /* the runtime may add conversions between them: of 16-bit floats, which not
                         every processor computes with */
    const uint8_t *is_output; /* [argument_count] 1 for the arguments that the call gives */
    uint32_t argument_count;  /* 0: the reader does not say */
    const char *reason;       /* why there are none, or none of their events is known */
};

struct ets_delegate_reader {
    const char *backend; /* NULL: any */
    /* Leaves `units_out` alone where it knows nothing about the call, but for a reason. */
    enum ets_status (*read)(struct ets_arena *arena, const struct ets_delegate_call *call,
                            struct ets_delegate_units *units_out, struct ets_error *error);
};

extern const struct ets_delegate_reader ets_delegate_map_reader;     /* delegate_map.c */
extern const struct ets_delegate_reader ets_delegate_xnnpack_reader; /* delegate_xnnpack.c */

/* The units of the first reader that has some. Statuses: NO_MEMORY. */
enum ets_status ets_delegate_units_read(struct ets_arena *arena,
                                        const struct ets_delegate_call *call,
                                        struct ets_delegate_units *units_out,
                                        struct ets_error *error);

/* The unit of an event. */
struct ets_unit_match {
    uint32_t unit; /* ETS_NO_INDEX: none */
    bool is_added; /* a conversion that the runtime added beside that unit */
};

/*
 * Fills matches_out[count] for the events of a call, named `names`. *reason_out: why one has no
 * unit. Statuses: NO_MEMORY.
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
