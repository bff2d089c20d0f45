/* Finds data that a file has twice. */
#include "contents/byte_duplicates.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/xxh64.h"
#include "host/file_access.h"
#include "host/hash.h"

/* So many bytes from the middle of an item tell whether it is worth reading. */
enum { SAMPLE_BYTES = 64, RELEASED_FROM = 1 << 16 };

struct candidate {
    uint64_t size, hash; /* of a sample, then of all bytes */
    uint32_t item;
};

struct search {
    struct ets_byte_map *map;
    const struct ets_byte_options *options;
    uint64_t left; /* bytes that may still be compared */
};

static struct ets_bytes bytes_of(const struct search *s, uint32_t item)
{
    const struct ets_byte_item *of = &s->map->items[item];
    return (struct ets_bytes){s->options->sources[of->file].bytes.data + of->offset,
                              (size_t)of->size};
}

/* Read once and not again: its memory is given back. */
static void release(const struct search *s, uint32_t item)
{
    const struct ets_bytes bytes = bytes_of(s, item);
    const struct ets_file *file = s->options->sources[s->map->items[item].file].file;
    if (file != NULL && bytes.size >= RELEASED_FROM) {
        ets_file_release(file, bytes.data, bytes.size);
    }
}

static void expect_samples(const struct search *s, bool in_samples)
{
    for (uint32_t i = 0; i < s->options->source_count; i++) {
        const struct ets_file *file = s->options->sources[i].file;
        if (file != NULL) ets_file_expect_samples(file, in_samples);
    }
}

static uint64_t hash_sample(const struct search *s, uint32_t item)
{
    const struct ets_bytes bytes = bytes_of(s, item);
    const size_t size = bytes.size < SAMPLE_BYTES ? bytes.size : SAMPLE_BYTES;
    const uint64_t hash =
        ets_xxh64_of((struct ets_bytes){bytes.data + (bytes.size - size) / 2, size});
    release(s, item);
    return hash;
}

static int compare_candidates(const void *left, const void *right)
{
    const struct candidate *a = left, *b = right;
    if (a->size != b->size) return a->size > b->size ? -1 : 1;
    if (a->hash != b->hash) return a->hash < b->hash ? -1 : 1;
    return a->item < b->item ? -1 : a->item > b->item;
}

/* Data in one run that nothing else overlaps. */
static bool is_data(const struct ets_byte_item *item)
{
    switch (item->part) {
    case ETS_BYTES_CONSTANT:
    case ETS_BYTES_UNUSED_CONSTANT:
    case ETS_BYTES_STATE:
    case ETS_BYTES_WEIGHT:
    case ETS_BYTES_PAYLOAD:
    case ETS_BYTES_NAMED_DATA: return item->size > 0 && item->bytes == item->size;
    default: return false;
    }
}

/* The end of those from `first` on that are equal as far as they are known. */
static uint32_t group_end(const struct candidate *candidates, uint32_t first, uint32_t count,
                          bool by_hash)
{
    uint32_t end = first + 1;
    while (end < count && candidates[end].size == candidates[first].size &&
           (!by_hash || candidates[end].hash == candidates[first].hash)) {
        end++;
    }
    return end;
}

static void mark_equal(const struct search *s, const struct candidate *candidates, uint32_t count)
{
    uint32_t first = 0; /* of those with one hash */
    for (uint32_t i = 1; i < count; i++) {
        if (candidates[i].hash != candidates[first].hash) first = i;
        if (first == i) continue;
        const uint32_t item = candidates[i].item, other = candidates[first].item;
        const struct ets_bytes a = bytes_of(s, item), b = bytes_of(s, other);
        if (memcmp(a.data, b.data, a.size) == 0) {
            s->map->items[item].same_as = other;
            s->map->duplicate_count++;
            s->map->duplicate_bytes += a.size;
        }
        release(s, item);
        release(s, other);
    }
}

/* Candidates of one size whose samples are equal. */
static void compare_group(struct search *s, struct candidate *candidates, uint32_t count)
{
    const uint64_t bytes = candidates[0].size * count;
    if (count < 2) return;
    if (bytes > s->left || candidates[0].size > s->left / count) {
        s->map->unread_count += count;
        s->map->unread_bytes += bytes;
        return;
    }
    s->left -= bytes;
    for (uint32_t i = 0; i < count; i++) {
        candidates[i].hash = ets_xxh64_of(bytes_of(s, candidates[i].item));
        s->map->items[candidates[i].item].hash = candidates[i].hash;
        release(s, candidates[i].item);
    }
    qsort(candidates, count, sizeof *candidates, compare_candidates);
    mark_equal(s, candidates, count);
}

enum ets_status ets_byte_duplicates_find(struct ets_byte_map *map,
                                         const struct ets_byte_options *options,
                                         struct ets_error *error)
{
    struct search s = {map, options, options->most_compared};
    uint32_t count = 0;
    struct candidate *candidates =
        ets_arena_alloc_array(&map->arena, map->item_count, sizeof *candidates);
    if (s.left == 0) s.left = UINT64_MAX;
    if (candidates == NULL) return ets_fail_memory(error, "the search for duplicates");
    for (uint32_t i = 0; i < map->item_count; i++) {
        if (!is_data(&map->items[i])) continue;
        candidates[count++] = (struct candidate){.size = map->items[i].size, .item = i};
    }
    if (count == 0) return ETS_OK;
    qsort(candidates, count, sizeof *candidates, compare_candidates);
    for (uint32_t first = 0, end; first < count; first = end) {
        end = group_end(candidates, first, count, false);
        if (end - first < 2) continue;
        expect_samples(&s, true);
        for (uint32_t i = first; i < end; i++)
            candidates[i].hash = hash_sample(&s, candidates[i].item);
        expect_samples(&s, false);
        qsort(candidates + first, end - first, sizeof *candidates, compare_candidates);
        for (uint32_t at = first, to; at < end; at = to) {
            to = group_end(candidates, at, end, true);
            compare_group(&s, candidates + at, to - at);
        }
    }
    return ETS_OK;
}
