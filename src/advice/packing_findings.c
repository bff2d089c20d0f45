/* Findings about weights that XNNPACK packs several times. */
#include <math.h>

#include "advice/finding_rules.h"
#include "base/text.h"

/* A weight that several operators use is packed for each of them, unless the weight cache is on. */
bool ets_find_packed_twice(struct ets_finder *finder)
{
    enum { LEAST_BYTES = 16 << 10 };
    const struct ets_byte_map *map = finder->subject->bytes;
    const struct ets_byte_item *largest = NULL;
    uint64_t bytes = 0;
    uint32_t weights = 0;
    for (uint32_t i = 0; map != NULL && i < map->item_count; i++) {
        const struct ets_byte_item *item = &map->items[i];
        if (item->part != ETS_BYTES_WEIGHT || item->user_count < 2 || item->size < LEAST_BYTES ||
            !ets_text_is(item->backend, "XnnpackBackend")) {
            continue;
        }
        weights++;
        bytes += item->size * (item->user_count - 1);
        if (largest == NULL || item->size > largest->size) largest = item;
    }
    if (largest == NULL) return true;
    ets_find_say(finder, "%u weight%s packed again for each operator that uses %s: ", weights,
                 weights == 1 ? " is" : "s are", weights == 1 ? "it" : "them");
    ets_add_bytes(&finder->line, bytes);
    ets_find_say(finder, " more memory, and time when the method loads");
    ets_find_evidence(finder, "the largest, %.*s, has %u users", ETS_TEXT(largest->name),
                      largest->user_count);
    ets_find_propose(finder, "set XNNPACK's option weight_cache_enabled in the application");
    struct ets_finding finding = ets_finding_of("packed_twice", ETS_SEVERITY_NOTE, "size");
    finding.saving =
        (struct ets_saving){.basis = ETS_SAVING_MEMORY, .ticks = {NAN, NAN}, .bytes = bytes};
    finding.confidence = ETS_CONFIDENCE_MEDIUM;
    finding.check = ETS_CHECK_DIFFERENCE;
    finding.modules = &largest->module;
    finding.module_count = largest->module.size > 0;
    finding.doubt = "the application may have the cache on already, which no file tells";
    return ets_finding_add(finder, finding);
}
