/*
 * What tells that a delegate of a program was changed so that its calls also give values from
 * within ("taps"): a compile spec, which XNNPACK's backend ignores. Its value, in little-endian
 * u32: version, the number of arguments that the call had before, ids of the values, which are the
 * arguments behind them.
 */
#ifndef ETSCOPE_FORMAT_TAP_MARKER_H
#define ETSCOPE_FORMAT_TAP_MARKER_H

#include <stdbool.h>

#include "base/load.h"
#include "base/text.h"
#include "etscope/program.h"
#include "format/program_lists.h"

#define ETS_TAP_MARKER_KEY "etscope.taps"

enum { ETS_TAP_MARKER_VERSION = 1, ETS_TAP_MARKER_HEAD = 8, ETS_TAP_MARKER_MOST = 4096 };

struct ets_tap_marker {
    uint32_t first_argument; /* the first that gives a value from within */
    uint32_t count;
    const uint8_t *ids; /* [count] u32 */
};

/* Whether the bytes are such a value. */
static inline bool ets_tap_marker_read(struct ets_bytes bytes, struct ets_tap_marker *marker_out)
{
    if (bytes.size < ETS_TAP_MARKER_HEAD || bytes.size % 4 != 0) return false;
    if (ets_load_u32(bytes.data) != ETS_TAP_MARKER_VERSION) return false;
    marker_out->first_argument = ets_load_u32(bytes.data + 4);
    marker_out->count = (uint32_t)((bytes.size - ETS_TAP_MARKER_HEAD) / 4);
    marker_out->ids = bytes.data + ETS_TAP_MARKER_HEAD;
    return marker_out->count <= ETS_TAP_MARKER_MOST; /* arguments that XNNPACK takes */
}

/* The marker of a delegate; false: it has none, and so its arguments are the program's own. */
static inline bool ets_delegate_taps(const struct ets_delegate *delegate,
                                     struct ets_tap_marker *marker_out)
{
    for (uint32_t i = 0; i < delegate->compile_spec_count; i++) {
        struct ets_compile_spec spec;
        ets_delegate_compile_spec(delegate, i, &spec);
        if (ets_text_is(spec.key, ETS_TAP_MARKER_KEY)) {
            return ets_tap_marker_read(spec.value, marker_out);
        }
    }
    return false;
}

#endif
