/*
 * What the identifier of a delegate's event says: what was measured, in which unit, and of which
 * node of the payload.
 *
 *     struct ets_payload_identifier said;
 *     ETS_TRY(ets_payload_identifier_read(&arena, backend, name, metadata, &said, error));
 *     if (said.measure == ETS_PAYLOAD_FIGURE) print(said.label, value, said.unit);
 */
#ifndef ETSCOPE_PAYLOAD_PAYLOAD_IDENTIFIERS_H
#define ETSCOPE_PAYLOAD_PAYLOAD_IDENTIFIERS_H

#include "base/error.h"
#include "etscope/base.h"
#include "host/arena.h"

enum ets_payload_measure {
    ETS_PAYLOAD_TIME,        /* a time of the trace's clock, or nothing is known */
    ETS_PAYLOAD_PHASE,       /* likewise, but phases enclose each other: they do not add up */
    ETS_PAYLOAD_DEVICE_TIME, /* a time in the trace's unit; when it began is of another clock */
    ETS_PAYLOAD_ESTIMATE,    /* a share of a measured whole, by a prediction */
    ETS_PAYLOAD_FIGURE,      /* the length is a number of `unit`; figures enclose each other */
    ETS_PAYLOAD_PART         /* likewise; parts add up to a whole of their own */
};

struct ets_payload_identifier {
    enum ets_payload_measure measure;
    const char *unit;          /* "cycles"; NULL: of times */
    struct ets_text label;     /* a short name; data NULL: the identifier is one */
    struct ets_text edge_name; /* of the edge program's node that it is of; data NULL: not told */
    int64_t number;            /* of the payload's node that it is of (payload.h); -1: not told */
};

/*
 * `backend` absent: not known, and the identifier alone tells whose it is. `metadata` is that of
 * one of its events. Statuses: NO_MEMORY.
 */
enum ets_status ets_payload_identifier_read(struct ets_arena *arena, struct ets_text backend,
                                            struct ets_text identifier, struct ets_bytes metadata,
                                            struct ets_payload_identifier *said_out,
                                            struct ets_error *error);

#endif
