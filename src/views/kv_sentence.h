/* What the KV caches of a program take, in a sentence. */
#ifndef ETSCOPE_VIEWS_KV_SENTENCE_H
#define ETSCOPE_VIEWS_KV_SENTENCE_H

#include "host/text_builder.h"
#include "memory/kv_cache.h"

/*
 * "4 of float32 [1, 64, 4, 32], 128.0 KiB for 64 tokens, 2.0 KiB a token"; nothing where
 * `caches->method_count` is 0.
 */
void ets_add_kv_caches(struct ets_text_builder *text, const struct ets_kv_caches *caches);

#endif
