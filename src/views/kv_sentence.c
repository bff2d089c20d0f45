/* Says how many KV caches of which shape there are, and what they take. */
#include "views/kv_sentence.h"

#include <inttypes.h>

static void add_kind(struct ets_text_builder *text, const struct ets_kv_kind *kind)
{
    const char *type = ets_scalar_type_name(kind->tensor.scalar_type);
    ets_add_text(text, "%" PRIu32 " of %s [", kind->count, type == NULL ? "an unknown type" : type);
    for (uint32_t i = 0; i < kind->tensor.rank; i++) {
        ets_add_text(text, "%s%" PRId64, i > 0 ? ", " : "", kind->tensor.sizes[i]);
    }
    ets_add_text(text, "], ");
}

void ets_add_kv_caches(struct ets_text_builder *text, const struct ets_kv_caches *caches)
{
    const struct ets_kv_cache *cache = &caches->cache;
    uint32_t others = cache->tensor_count;
    if (caches->method_count == 0) return;
    for (uint32_t i = 0; i < cache->kind_count; i++) {
        add_kind(text, &cache->kinds[i]);
        others -= cache->kinds[i].count;
    }
    if (others > 0) ets_add_text(text, "%" PRIu32 " of other shapes, ", others);
    ets_add_bytes(text, cache->bytes);
    if (cache->token_bytes > 0) {
        ets_add_text(text, " for %" PRIu32 " tokens, ", caches->context);
        ets_add_bytes(text, cache->token_bytes);
        ets_add_text(text, " a token");
    } else if (caches->context > 0) {
        ets_add_text(text, "; not all have a place for each of %" PRIu32 " tokens",
                     caches->context);
    }
    if (caches->method_count < 2) return;
    ets_add_text(text, "; %" PRIu32 " methods ", caches->method_count);
    if (caches->is_shared) {
        ets_add_text(text, "share them");
        return;
    }
    ets_add_text(text, "keep caches of their own, ");
    ets_add_bytes(text, caches->bytes);
    ets_add_text(text, " together");
    if (caches->bytes == cache->bytes * caches->method_count) return;
    ets_add_plain_text(text, ", %.*s the most", ETS_TEXT(caches->method));
}
