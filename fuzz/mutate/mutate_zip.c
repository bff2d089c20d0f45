/*
 * Changes one entry of a zip archive by its content, and packs the archive anew: with the right
 * checksums, sizes and places, so that readers get to what is inside.
 */
#include <stdlib.h>
#include <string.h>

#include "base/crc32.h"
#include "base/load.h"
#include "mutate.h"

enum { MOST_ENTRIES = 64, LOCAL_BYTES = 30, CENTRAL_BYTES = 46, END_BYTES = 22, FIELD = 64 };

struct entry {
    const uint8_t *name, *data;
    size_t name_size, size;  /* as stored */
    uint32_t crc, full_size; /* of a packed entry */
    uint16_t method;
};

struct archive {
    struct entry entries[MOST_ENTRIES];
    size_t count;
};

static bool read_entry(const struct mutant *m, const uint8_t *central, struct entry *entry)
{
    const uint32_t local = ets_load_u32(central + 42);
    *entry = (struct entry){.method = ets_load_u16(central + 10),
                            .crc = ets_load_u32(central + 16),
                            .size = ets_load_u32(central + 20),
                            .full_size = ets_load_u32(central + 24),
                            .name = central + CENTRAL_BYTES,
                            .name_size = ets_load_u16(central + 28)};
    if (local > m->size || m->size - local < LOCAL_BYTES) return false;
    const size_t at = local + (size_t)LOCAL_BYTES + ets_load_u16(m->data + local + 26) +
                      ets_load_u16(m->data + local + 28);
    if (at > m->size || entry->size > m->size - at) return false;
    entry->data = m->data + at;
    return true;
}

static bool read_archive(const struct mutant *m, struct archive *archive)
{
    size_t end = m->size < END_BYTES ? 0 : m->size - END_BYTES;
    while (end > 0 && memcmp(m->data + end, "PK\5\6", 4) != 0) end--;
    if (end == 0) return false;
    const uint16_t count = ets_load_u16(m->data + end + 10);
    size_t at = ets_load_u32(m->data + end + 16);
    for (archive->count = 0; archive->count < count && archive->count < MOST_ENTRIES;) {
        if (at > m->size || m->size - at < CENTRAL_BYTES) break;
        const uint8_t *central = m->data + at;
        const size_t name = ets_load_u16(central + 28);
        if (memcmp(central, "PK\1\2", 4) != 0 || name > m->size - at - CENTRAL_BYTES) break;
        if (!read_entry(m, central, &archive->entries[archive->count])) break;
        archive->count++;
        at += CENTRAL_BYTES + name + ets_load_u16(central + 30) + ets_load_u16(central + 32);
    }
    return archive->count > 0;
}

static void put(uint8_t **to, uint64_t value, size_t count)
{
    for (size_t i = 0; i < count; i++) *(*to)++ = (uint8_t)(value >> 8 * i);
}

static void put_bytes(uint8_t **to, const uint8_t *bytes, size_t count)
{
    if (count > 0) memcpy(*to, bytes, count);
    *to += count;
}

/* What both headers of an entry have. */
static void put_facts(uint8_t **to, const struct entry *entry, size_t extra)
{
    put(to, 0, 2);
    put(to, entry->method, 2);
    put(to, 0, 4);
    put(to, entry->crc, 4);
    put(to, entry->size, 4);
    put(to, entry->full_size, 4);
    put(to, entry->name_size, 2);
    put(to, extra, 2);
}

/* Contents begin at multiples of 64, as PyTorch writes them. */
static size_t padding_at(size_t at, const struct entry *entry)
{
    const size_t padding = (FIELD - (at + LOCAL_BYTES + entry->name_size) % FIELD) % FIELD;
    return padding == 0 || padding >= 4 ? padding : padding + FIELD;
}

static size_t room_of(const struct archive *archive)
{
    size_t room = END_BYTES;
    for (size_t i = 0; i < archive->count; i++) {
        const struct entry *entry = &archive->entries[i];
        room += LOCAL_BYTES + CENTRAL_BYTES + 2 * entry->name_size + 2 * FIELD + entry->size;
    }
    return room;
}

static size_t write_archive(const struct archive *archive, uint8_t *bytes, bool is_aligned)
{
    uint8_t *to = bytes;
    size_t places[MOST_ENTRIES];
    for (size_t i = 0; i < archive->count; i++) {
        const struct entry *entry = &archive->entries[i];
        places[i] = (size_t)(to - bytes);
        const size_t padding = is_aligned ? padding_at(places[i], entry) : 0;
        put(&to, 0x04034b50, 4);
        put(&to, 20, 2);
        put_facts(&to, entry, padding);
        put_bytes(&to, entry->name, entry->name_size);
        if (padding > 0) put(&to, 0x4246, 2), put(&to, padding - 4, 2);
        for (size_t k = 4; k < padding; k++) put(&to, 'Z', 1);
        put_bytes(&to, entry->data, entry->size);
    }
    const size_t directory = (size_t)(to - bytes);
    for (size_t i = 0; i < archive->count; i++) {
        const struct entry *entry = &archive->entries[i];
        put(&to, 0x02014b50, 4);
        put(&to, 20, 2), put(&to, 20, 2);
        put_facts(&to, entry, 0);
        put(&to, 0, 2), put(&to, 0, 2), put(&to, 0, 2), put(&to, 0, 4);
        put(&to, places[i], 4);
        put_bytes(&to, entry->name, entry->name_size);
    }
    const size_t directory_size = (size_t)(to - bytes) - directory;
    put(&to, 0x06054b50, 4);
    put(&to, 0, 4);
    put(&to, archive->count, 2), put(&to, archive->count, 2);
    put(&to, directory_size, 4), put(&to, directory, 4);
    put(&to, 0, 2);
    return (size_t)(to - bytes);
}

/* By the start of what is in it. */
static void mutate_content(struct mutant *content)
{
    const uint8_t first = content->size > 0 ? content->data[0] : 0;
    if (content->size > 4 && memcmp(content->data, "PK\3\4", 4) == 0) mutate_zip(content);
    else if (first == '{' || first == '[') mutate_json(content);
    else if (first == 0x80) mutate_pickle(content);
    else mutant_shake(content, 0, content->size);
}

/* The entry's content, changed, in memory that the caller frees; NULL: it stays. */
static uint8_t *change_entry(struct mutant *m, struct entry *entry)
{
    if (entry->method != 0) return NULL;
    const size_t most = entry->size + (m->most - m->size);
    struct mutant content = {malloc(most + 1), entry->size, most, m->state};
    if (content.data == NULL) return NULL;
    memcpy(content.data, entry->data, entry->size);
    mutate_content(&content);
    m->state = content.state;
    entry->data = content.data;
    entry->size = content.size;
    entry->full_size = (uint32_t)content.size;
    entry->crc = ets_crc32(0, content.data, content.size);
    return content.data;
}

/* Leaves an entry out, repeats one, or gives one the content of another. */
static void change_list(struct mutant *m, struct archive *archive)
{
    const size_t one = mutant_random(m, archive->count), other = mutant_random(m, archive->count);
    struct entry *entries = archive->entries;
    switch (mutant_random(m, 4)) {
    case 0: entries[one] = entries[--archive->count]; break;
    case 1:
        if (archive->count < MOST_ENTRIES) entries[archive->count++] = entries[one];
        break;
    case 2: {
        const struct entry kept = entries[one];
        entries[one] = entries[other];
        entries[one].name = kept.name;
        entries[one].name_size = kept.name_size;
        break;
    }
    default: entries[one].crc ^= (uint32_t)mutant_random(m, 2); /* a wrong one, at times */
    }
}

void mutate_zip(struct mutant *mutant)
{
    struct archive *archive = malloc(sizeof *archive);
    if (archive == NULL) return;
    if (!read_archive(mutant, archive)) {
        free(archive);
        if (mutant->size > 0) mutant_shake(mutant, 0, mutant->size);
        return;
    }
    uint8_t *content = NULL;
    if (mutant_random(mutant, 6) == 0) change_list(mutant, archive);
    else content = change_entry(mutant, &archive->entries[mutant_random(mutant, archive->count)]);
    uint8_t *packed = malloc(room_of(archive));
    if (packed != NULL) {
        const size_t size = write_archive(archive, packed, mutant_random(mutant, 4) != 0);
        if (size <= mutant->most) (void)mutant_replace(mutant, 0, mutant->size, packed, size);
        free(packed);
    }
    free(content);
    free(archive);
}
