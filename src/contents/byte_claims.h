/*
 * One file on the way into a byte map: claims on its bytes, each for an item, and regions that say
 * what bytes without a claim are. Counting goes through the file once, from front to back: bytes
 * that several claim belong to the claim that begins first.
 */
#ifndef ETSCOPE_CONTENTS_BYTE_CLAIMS_H
#define ETSCOPE_CONTENTS_BYTE_CLAIMS_H

#include "base/error.h"
#include "contents/byte_map.h"
#include "contents/layer_names.h"
#include "host/key_table.h"
#include "host/strings.h"

struct ets_byte_claim {
    uint64_t offset, bytes;
    uint32_t item, order;
};

/* What bytes of a region are that nobody claims. */
enum ets_byte_gaps {
    ETS_GAPS_ARE_ITEMS,     /* the region's item */
    ETS_GAPS_ARE_LOOKED_AT, /* padding where they are zeros, else the item */
    ETS_GAPS_ARE_UNREAD     /* the same, but a few bytes are not read for it and are padding */
};

struct ets_byte_region {
    uint64_t offset, bytes;
    uint32_t item;
    enum ets_byte_gaps gaps;
};

/* What the sheets of all files share. */
struct ets_byte_gathering {
    struct ets_byte_map *map;
    uint32_t item_room; /* in map->items */
    bool is_out_of_memory;
    struct ets_strings keys; /* of named data */
    uint32_t *key_items;     /* [number in keys] */
    uint32_t key_room;
    struct ets_strings absent;   /* keys that programs name, of data in no file */
    struct ets_key_table places; /* file and offset of data -> item */
    uint32_t *place_items;       /* [number in places] */
    uint32_t place_room;
    struct ets_layer_names names;
};

struct ets_byte_claims {
    struct ets_byte_gathering *all;
    const struct ets_byte_file *file;
    struct ets_bytes bytes; /* of the file */
    uint32_t index;         /* of the file */
    uint32_t padding;       /* item */
    struct ets_byte_claim *claims;
    uint32_t claim_count, claim_room;
    struct ets_byte_region *regions;
    uint32_t region_count, region_room;
};

/* A new item of the file; ETS_BYTES_NONE: no memory, which is kept. */
uint32_t ets_byte_claims_item(struct ets_byte_claims *sheet, enum ets_byte_part part,
                              const char *content);
/* The same for data in one run, which is claimed. An item that begins there is handed out again. */
uint32_t ets_byte_claims_data(struct ets_byte_claims *sheet, enum ets_byte_part part,
                              uint64_t offset, uint64_t size);
void ets_byte_claims_claim(struct ets_byte_claims *sheet, uint32_t item, uint64_t offset,
                           uint64_t bytes);
/* Takes back what an item has claimed. */
void ets_byte_claims_release(struct ets_byte_claims *sheet, uint32_t item);
void ets_byte_claims_region(struct ets_byte_claims *sheet, uint32_t item, uint64_t offset,
                            uint64_t bytes, enum ets_byte_gaps gaps);
/* Makes `key` lead to an item; the first item of a key stays. */
void ets_byte_claims_add_key(struct ets_byte_gathering *all, struct ets_text key, uint32_t item);
/* The item of named data; ETS_BYTES_NONE: no file has it. */
uint32_t ets_byte_claims_find_key(const struct ets_byte_gathering *all, struct ets_text key);
/* The same for a key that the program needs: one that no file has is counted as absent. */
uint32_t ets_byte_claims_need_key(struct ets_byte_gathering *all, struct ets_text key);
/* The item of data that begins there; ETS_BYTES_NONE: there is none. */
uint32_t ets_byte_claims_find_place(const struct ets_byte_claims *sheet, uint64_t offset);

static inline struct ets_byte_item *ets_byte_item(const struct ets_byte_claims *sheet,
                                                  uint32_t index)
{
    return &sheet->all->map->items[index];
}

/* Keeps dtype and shape of what an item holds. */
void ets_byte_claims_take_shape(struct ets_byte_claims *sheet, struct ets_byte_item *item,
                                const struct ets_tensor *tensor);

/* Where in the file something lies. */
static inline uint64_t ets_byte_claims_offset(const struct ets_byte_claims *sheet, const void *data)
{
    return (uint64_t)((const uint8_t *)data - sheet->bytes.data);
}

/* Gives every byte of the file to an item, and ends the sheet's claims and regions. */
void ets_byte_claims_count(struct ets_byte_claims *sheet);

/* program_bytes.c: what a program consists of. Its payloads come later, when all keys are known. */
enum ets_status ets_program_bytes_add(struct ets_byte_claims *sheet, struct ets_error *error);
/* The modules and names of its constants and the users of its external tensors. */
void ets_program_bytes_name(struct ets_byte_claims *sheet);
/* constant_uses.c: which constants no instruction reads, and the names of these; false: no memory.
 */
bool ets_constant_uses_find(struct ets_byte_claims *sheet);
/* payload_bytes.c: what delegates were given, and which named data is theirs. */
void ets_payload_bytes_add(struct ets_byte_claims *sheet);

#endif
