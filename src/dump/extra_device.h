/* The entry DEVICE of the extra block: lines "name=value"; docs/SPEC.md, section 6. */
#ifndef ETSCOPE_DUMP_EXTRA_DEVICE_H
#define ETSCOPE_DUMP_EXTRA_DEVICE_H

#include <stdbool.h>
#include <string.h>

#include "base/extra_keys.h"
#include "dump/extra_growth.h"
#include "etscope/base.h"

/* False: no memory. */
static inline bool ets_extra_device_add(struct ets_extra_growth *growth, struct ets_text lines)
{
    if (lines.size == 0) return true;
    uint8_t *at = ets_extra_growth_put(growth, ETS_EXTRA_DEVICE, lines.size);
    if (at == NULL) return false;
    memcpy(at, lines.data, lines.size);
    return true;
}

#endif
