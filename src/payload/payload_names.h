/* What the names that a backend's runtime reports say, where that is known. */
#ifndef ETSCOPE_PAYLOAD_PAYLOAD_NAMES_H
#define ETSCOPE_PAYLOAD_PAYLOAD_NAMES_H

#include <stdbool.h>
#include <stddef.h>

#include "etscope/base.h"

/* Whether names of the backend depend on the processor; `backend` absent: of any. */
bool ets_payload_names_vary(struct ets_text backend);

/*
 * Writes a name without what depends on the processor to `out`, which has room for all of `name`:
 * "Fully Connected (NC, QD8, F32, QC8W)". Returns its length; 0: the name has another form.
 */
size_t ets_payload_plain_name(struct ets_text backend, struct ets_text name, char *out);

/* Base names of the operators that an event of this name computes, ended by NULL; NULL: it does not
 * say. */
const char *const *ets_payload_event_origins(struct ets_text event_name);

/*
 * The base name of ATen's operator that does what an event of this name does, "linear" for "Fully
 * Connected (NC, F32) GEMM"; NULL: not known.
 */
const char *ets_payload_event_operation(struct ets_text event_name);

/* The numbers that an operator computes with. */
enum ets_payload_arithmetic {
    ETS_PAYLOAD_ARITHMETIC_UNKNOWN = 0,
    ETS_PAYLOAD_ARITHMETIC_FLOAT,       /* its weights may be integers */
    ETS_PAYLOAD_ARITHMETIC_INT8,        /* with scales from the export */
    ETS_PAYLOAD_ARITHMETIC_INT8_DYNAMIC /* with scales of each run */
};

/* What an event of this name says of its numbers. */
enum ets_payload_arithmetic ets_payload_event_arithmetic(struct ets_text event_name);

#endif
