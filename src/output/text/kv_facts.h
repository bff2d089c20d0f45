/* The KV caches of a program as a member of a JSON document. */
#ifndef ETSCOPE_OUTPUT_TEXT_KV_FACTS_H
#define ETSCOPE_OUTPUT_TEXT_KV_FACTS_H

#include "memory/kv_cache.h"
#include "output/text/json_writer.h"

/* The member "kv_cache": an object, or null where no caches are known. */
void ets_kv_facts_put(struct ets_json_writer *json, const struct ets_kv_caches *caches);

#endif
