/* Writes what is known of KV caches. */
#include "output/text/kv_facts.h"

static void put_kind(struct ets_json_writer *json, const struct ets_kv_kind *kind)
{
    ets_json_begin_object(json, NULL);
    ets_json_put_count(json, "count", kind->count);
    ets_json_put_string(json, "dtype", ets_scalar_type_name(kind->tensor.scalar_type));
    ets_json_begin_array(json, "shape");
    for (uint32_t i = 0; i < kind->tensor.rank; i++) {
        ets_json_put_integer(json, NULL, kind->tensor.sizes[i]);
    }
    ets_json_end_array(json);
    ets_json_end_object(json);
}

/* 0 is not known. */
static void put_known(struct ets_json_writer *json, const char *key, uint64_t number)
{
    if (number > 0) ets_json_put_count(json, key, number);
    else ets_json_put_null(json, key);
}

void ets_kv_facts_put(struct ets_json_writer *json, const struct ets_kv_caches *caches)
{
    const struct ets_kv_cache *cache = &caches->cache;
    if (caches->method_count == 0) {
        ets_json_put_null(json, "kv_cache");
        return;
    }
    ets_json_begin_object(json, "kv_cache");
    ets_json_put_count(json, "tensors", cache->tensor_count);
    ets_json_put_count(json, "bytes", cache->bytes);
    put_known(json, "context", caches->context);
    put_known(json, "token_bytes", cache->token_bytes);
    ets_json_begin_array(json, "kinds");
    for (uint32_t i = 0; i < cache->kind_count; i++) put_kind(json, &cache->kinds[i]);
    ets_json_end_array(json);
    ets_json_put_text(json, "method", caches->method);
    ets_json_put_count(json, "methods", caches->method_count);
    ets_json_put_bool(json, "is_shared", caches->method_count > 1 && caches->is_shared);
    ets_json_put_count(json, "bytes_of_methods", caches->bytes);
    ets_json_end_object(json);
}
