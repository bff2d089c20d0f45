/* Reads lists of keys that AOTInductor's backends write. */
#include "format/aoti.h"

#include <string.h>

#include "base/load.h"

static const char magic[] = "ETCUDAFQN3", library[] = "_so_blob";
enum { MAGIC_BYTES = 10, DIGEST_CHARS = 64 };

static bool has_magic(struct ets_bytes payload)
{
    return payload.size >= MAGIC_BYTES && memcmp(payload.data, magic, MAGIC_BYTES) == 0;
}

bool ets_aoti_sniff(struct ets_bytes payload)
{
    const size_t suffix = strlen(library);
    if (has_magic(payload)) return true;
    if (payload.size < DIGEST_CHARS + suffix) return false;
    for (size_t i = 0; i < DIGEST_CHARS; i++) {
        const uint8_t c = payload.data[i];
        if (!(c >= '0' && c <= '9') && !(c >= 'a' && c <= 'f')) return false;
    }
    return memcmp(payload.data + DIGEST_CHARS, library, suffix) == 0;
}

static bool take_text(struct ets_bytes payload, size_t *at, struct ets_text *out)
{
    if (!ets_range_fits(*at, 4, payload.size)) return false;
    const uint32_t size = ets_load_u32(payload.data + *at);
    if (!ets_range_fits(*at + 4, size, payload.size)) return false;
    *out = (struct ets_text){(const char *)payload.data + *at + 4, size};
    *at += 4 + (size_t)size;
    return true;
}

/* Behind the texts: size, type, device, offset; then rank, and sizes and strides. */
static bool skip_layout(struct ets_bytes payload, size_t *at)
{
    enum { FIXED = 8 + 4 + 4 + 8, DIM = 16 };
    if (!ets_range_fits(*at, FIXED + 4, payload.size)) return false;
    const uint32_t rank = ets_load_u32(payload.data + *at + FIXED);
    if (!ets_range_fits(*at + FIXED + 4, (uint64_t)rank * DIM, payload.size)) return false;
    *at += FIXED + 4 + (size_t)rank * DIM;
    return true;
}

static bool next_entry(struct ets_bytes payload, size_t *at, struct ets_aoti_item *out)
{
    *out = (struct ets_aoti_item){.is_library = *at == 0};
    if (*at == 0) {
        *at = MAGIC_BYTES;
        if (!take_text(payload, at, &out->key) || !ets_range_fits(*at, 4, payload.size)) {
            return false;
        }
        *at += 4; /* how many weights follow */
        return true;
    }
    return take_text(payload, at, &out->name) && take_text(payload, at, &out->key) &&
           skip_layout(payload, at);
}

static bool next_line(struct ets_bytes payload, size_t *at, struct ets_aoti_item *out)
{
    const size_t suffix = strlen(library);
    if (*at >= payload.size) return false;
    const char *start = (const char *)payload.data + *at;
    const char *end = memchr(start, '\n', payload.size - *at);
    const size_t size = end != NULL ? (size_t)(end - start) : payload.size - *at;
    *at += size + 1;
    *out = (struct ets_aoti_item){.key = {start, size}};
    out->is_library = size >= suffix && memcmp(start + size - suffix, library, suffix) == 0;
    return true;
}

bool ets_aoti_next(struct ets_bytes payload, size_t *at, struct ets_aoti_item *item_out)
{
    return has_magic(payload) ? next_entry(payload, at, item_out)
                              : next_line(payload, at, item_out);
}
