/* Gathers who claims the bytes of a file, and gives each byte to one. */
#include "contents/byte_claims.h"

#include <stdlib.h>
#include <string.h>

/*
 * Zeros between two things are padding if they are fewer; alignments are not known. Between large
 * data, fewer than 16 bytes are padding without a look, so that it is not read for them.
 */
enum { LEAST_LOOKED_AT = 16, MOST_PADDING = 4096 };

/* Room for one more in an array of the map's arena, or false. */
static bool grow(struct ets_byte_gathering *all, void **array, uint32_t index, uint32_t *room,
                 size_t size)
{
    void *grown =
        all->is_out_of_memory ? NULL : ets_arena_grow(&all->map->arena, *array, index, room, size);
    if (grown == NULL) {
        all->is_out_of_memory = true;
        return false;
    }
    *array = grown;
    return true;
}

uint32_t ets_byte_claims_item(struct ets_byte_claims *sheet, enum ets_byte_part part,
                              const char *content)
{
    struct ets_byte_map *map = sheet->all->map;
    void *items = map->items;
    if (!grow(sheet->all, &items, map->item_count, &sheet->all->item_room, sizeof *map->items)) {
        return ETS_BYTES_NONE;
    }
    map->items = items;
    map->items[map->item_count] = (struct ets_byte_item){
        .part = part,
        .file = sheet->index,
        .offset = UINT64_MAX,
        .content = content,
        .program = ETS_BYTES_NONE,
        .method = ETS_BYTES_NONE,
        .delegate = ETS_BYTES_NONE,
        .node = ETS_BYTES_NONE,
        .debug_handle = -1,
        .same_as = ETS_BYTES_NONE,
    };
    return map->item_count++;
}

void ets_byte_claims_claim(struct ets_byte_claims *sheet, uint32_t item, uint64_t offset,
                           uint64_t bytes)
{
    void *claims = sheet->claims;
    if (item == ETS_BYTES_NONE || bytes == 0) return;
    if (!grow(sheet->all, &claims, sheet->claim_count, &sheet->claim_room, sizeof *sheet->claims)) {
        return;
    }
    sheet->claims = claims;
    sheet->claims[sheet->claim_count] =
        (struct ets_byte_claim){offset, bytes, item, sheet->claim_count};
    sheet->claim_count++;
}

void ets_byte_claims_release(struct ets_byte_claims *sheet, uint32_t item)
{
    for (uint32_t i = 0; i < sheet->claim_count; i++) {
        if (sheet->claims[i].item == item) sheet->claims[i].bytes = 0;
    }
}

void ets_byte_claims_region(struct ets_byte_claims *sheet, uint32_t item, uint64_t offset,
                            uint64_t bytes, enum ets_byte_gaps gaps)
{
    void *regions = sheet->regions;
    if (item == ETS_BYTES_NONE || bytes == 0) return;
    if (!grow(sheet->all, &regions, sheet->region_count, &sheet->region_room,
              sizeof *sheet->regions)) {
        return;
    }
    sheet->regions = regions;
    sheet->regions[sheet->region_count++] = (struct ets_byte_region){offset, bytes, item, gaps};
}

uint32_t ets_byte_claims_data(struct ets_byte_claims *sheet, enum ets_byte_part part,
                              uint64_t offset, uint64_t size)
{
    const uint64_t key[] = {sheet->index, offset};
    const uint32_t known = sheet->all->places.count;
    const uint32_t number = ets_key_table_add(&sheet->all->places, key);
    void *items = sheet->all->place_items;
    if (number == ETS_KEY_NONE) sheet->all->is_out_of_memory = true;
    if (sheet->all->is_out_of_memory) return ETS_BYTES_NONE;
    if (number < known) {
        const uint32_t old = sheet->all->place_items[number];
        if (ets_byte_item(sheet, old)->size < size) {
            ets_byte_item(sheet, old)->size = size;
            ets_byte_claims_claim(sheet, old, offset, size);
        }
        return old;
    }
    if (!grow(sheet->all, &items, number, &sheet->all->place_room,
              sizeof *sheet->all->place_items)) {
        return ETS_BYTES_NONE;
    }
    sheet->all->place_items = items;
    const uint32_t item = ets_byte_claims_item(sheet, part, NULL);
    if (item == ETS_BYTES_NONE) return ETS_BYTES_NONE;
    sheet->all->place_items[number] = item;
    ets_byte_item(sheet, item)->offset = offset;
    ets_byte_item(sheet, item)->size = size;
    ets_byte_item(sheet, item)->count = 1;
    ets_byte_claims_claim(sheet, item, offset, size);
    return item;
}

uint32_t ets_byte_claims_find_place(const struct ets_byte_claims *sheet, uint64_t offset)
{
    const uint64_t key[] = {sheet->index, offset};
    const uint32_t number = ets_key_table_find(&sheet->all->places, key);
    return number == ETS_KEY_NONE ? ETS_BYTES_NONE : sheet->all->place_items[number];
}

void ets_byte_claims_add_key(struct ets_byte_gathering *all, struct ets_text key, uint32_t item)
{
    const uint32_t known = all->keys.count;
    void *items = all->key_items;
    if (item == ETS_BYTES_NONE || key.data == NULL) return;
    const uint32_t number = ets_strings_add(&all->keys, key);
    if (number == UINT32_MAX) all->is_out_of_memory = true;
    if (all->is_out_of_memory || number < known) return;
    if (!grow(all, &items, number, &all->key_room, sizeof *all->key_items)) return;
    all->key_items = items;
    all->key_items[number] = item;
}

uint32_t ets_byte_claims_find_key(const struct ets_byte_gathering *all, struct ets_text key)
{
    const uint32_t number = ets_strings_find(&all->keys, key);
    return number == UINT32_MAX || number == ETS_STRING_NONE ? ETS_BYTES_NONE
                                                             : all->key_items[number];
}

uint32_t ets_byte_claims_need_key(struct ets_byte_gathering *all, struct ets_text key)
{
    const uint32_t item = ets_byte_claims_find_key(all, key);
    if (item == ETS_BYTES_NONE && ets_strings_add(&all->absent, key) == UINT32_MAX) {
        all->is_out_of_memory = true;
    }
    return item;
}

void ets_byte_claims_take_shape(struct ets_byte_claims *sheet, struct ets_byte_item *item,
                                const struct ets_tensor *tensor)
{
    int64_t *shape = ets_arena_alloc_array(&sheet->all->map->arena, tensor->rank, sizeof *shape);
    if (shape == NULL) {
        sheet->all->is_out_of_memory = true;
        return;
    }
    for (uint32_t i = 0; i < tensor->rank; i++) shape[i] = tensor->sizes[i];
    item->shape = shape;
    item->rank = tensor->rank;
    item->dtype = ets_scalar_type_name(tensor->scalar_type);
}

static int compare_claims(const void *left, const void *right)
{
    const struct ets_byte_claim *a = left, *b = right;
    if (a->offset != b->offset) return a->offset < b->offset ? -1 : 1;
    return a->order < b->order ? -1 : a->order > b->order;
}

static int compare_regions(const void *left, const void *right)
{
    const struct ets_byte_region *a = left, *b = right;
    if (a->offset != b->offset) return a->offset < b->offset ? -1 : 1;
    return a->bytes > b->bytes ? -1 : a->bytes < b->bytes;
}

static void add(struct ets_byte_claims *sheet, uint32_t index, uint64_t offset, uint64_t bytes)
{
    struct ets_byte_item *item = ets_byte_item(sheet, index);
    if (item->offset > offset) item->offset = offset;
    item->bytes += bytes;
}

static bool is_zero(const uint8_t *bytes, uint64_t size)
{
    for (uint64_t i = 0; i < size; i++) {
        if (bytes[i] != 0) return false;
    }
    return true;
}

/* Whether bytes in a region that nobody claims align what is behind them. */
static bool is_padding(const struct ets_byte_claims *sheet, const struct ets_byte_region *region,
                       uint64_t from, uint64_t to)
{
    const bool is_all = from == region->offset && to - from == region->bytes;
    if (is_all || region->gaps == ETS_GAPS_ARE_ITEMS) return false;
    if (region->gaps == ETS_GAPS_ARE_UNREAD && to - from < LEAST_LOOKED_AT) return true;
    return to - from < MOST_PADDING && is_zero(sheet->bytes.data + from, to - from);
}

/* Bytes that nobody claims: of the regions that they are in, or between these. */
static void count_gap(struct ets_byte_claims *sheet, uint32_t *region, uint64_t from, uint64_t to)
{
    while (from < to) {
        while (*region < sheet->region_count &&
               sheet->regions[*region].offset + sheet->regions[*region].bytes <= from) {
            (*region)++;
        }
        const struct ets_byte_region *r =
            *region < sheet->region_count ? &sheet->regions[*region] : NULL;
        uint64_t end = to;
        if (r != NULL && r->offset > from) {
            if (r->offset < end) end = r->offset;
            r = NULL;
        } else if (r != NULL && r->offset + r->bytes < end) {
            end = r->offset + r->bytes;
        }
        const bool is_of_region = r != NULL && !is_padding(sheet, r, from, end);
        add(sheet, is_of_region ? r->item : sheet->padding, from, end - from);
        from = end;
    }
}

void ets_byte_claims_count(struct ets_byte_claims *sheet)
{
    uint64_t at = 0;
    uint32_t region = 0;
    sheet->padding = ets_byte_claims_item(sheet, ETS_BYTES_PADDING, NULL);
    if (sheet->all->is_out_of_memory) return;
    if (sheet->claim_count > 0) {
        qsort(sheet->claims, sheet->claim_count, sizeof *sheet->claims, compare_claims);
    }
    if (sheet->region_count > 0) {
        qsort(sheet->regions, sheet->region_count, sizeof *sheet->regions, compare_regions);
    }
    for (uint32_t i = 0; i < sheet->claim_count; i++) {
        const struct ets_byte_claim *claim = &sheet->claims[i];
        const uint64_t end = claim->offset + claim->bytes;
        if (end <= at) continue;
        if (claim->offset > at) count_gap(sheet, &region, at, claim->offset);
        const uint64_t start = claim->offset > at ? claim->offset : at;
        add(sheet, claim->item, start, end - start);
        at = end;
    }
    count_gap(sheet, &region, at, sheet->bytes.size);
    sheet->claim_count = sheet->region_count = 0;
}
