/* Keeps frequent texts once and gives each a small number. */
#ifndef ETSCOPE_HOST_STRINGS_H
#define ETSCOPE_HOST_STRINGS_H

#include <stdint.h>

#include "host/arena.h"

/* Number of the absent text, which differs from the empty text. */
#define ETS_STRING_NONE 0u

struct ets_strings {
    struct ets_arena *arena;
    struct ets_text *texts; /* texts[0] is absent; borrowed from the file or copied */
    uint32_t *slots;        /* open addressing; 0 is free */
    uint32_t count, capacity, slot_count;
};

/* `arena` outlives the table and owns its memory. Returns 0 or -1 (no memory). */
int ets_strings_init(struct ets_strings *strings, struct ets_arena *arena);

/* The number of `text`, which must live as long as the table; UINT32_MAX: no memory. */
uint32_t ets_strings_add(struct ets_strings *strings, struct ets_text text);

/* The same for a text that is likely that of a number, which costs one comparison then. */
uint32_t ets_strings_add_near(struct ets_strings *strings, struct ets_text text, uint32_t likely);

/* The number of `text`, or UINT32_MAX if it was not added. */
uint32_t ets_strings_find(const struct ets_strings *strings, struct ets_text text);

/* The text of a valid number; {NULL, 0} for ETS_STRING_NONE. */
static inline struct ets_text ets_strings_get(const struct ets_strings *strings, uint32_t id)
{
    return strings->texts[id < strings->count ? id : 0];
}

#endif
