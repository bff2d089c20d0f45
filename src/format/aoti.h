/*
 * Reads the payload of AOTInductor's backends (CUDA, Metal): the keys of named data that hold the
 * compiled library and its weights.
 *
 *     struct ets_aoti_item item;
 *     size_t at = 0;
 *     while (ets_aoti_next(payload, &at, &item)) use(item.key);
 *
 * Text of two keys, a line each, or from ExecuTorch 1.5 on of CUDA a list with a name for each
 * weight. The memory of the payload is borrowed.
 */
#ifndef ETSCOPE_FORMAT_AOTI_H
#define ETSCOPE_FORMAT_AOTI_H

#include <stdbool.h>

#include "etscope/base.h"

struct ets_aoti_item {
    struct ets_text key;
    struct ets_text name; /* of the model's parameter; data NULL: not told */
    bool is_library;
};

/* Whether the bytes are such a payload. */
bool ets_aoti_sniff(struct ets_bytes payload);

/* The items, one after the other; *at begins at 0. false: no more, or the rest is damaged. */
bool ets_aoti_next(struct ets_bytes payload, size_t *at, struct ets_aoti_item *item_out);

#endif
