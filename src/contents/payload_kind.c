/* Looks at the first bytes of payloads. */
#include "contents/payload_kind.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "base/load.h"

static bool begins_with(struct ets_bytes bytes, size_t at, const char *magic)
{
    const size_t size = strlen(magic);
    return ets_range_fits(at, size, bytes.size) && memcmp(bytes.data + at, magic, size) == 0;
}

/* A file identifier is four letters or digits behind an offset that stays in the bytes. */
static bool has_identifier(struct ets_bytes bytes)
{
    if (bytes.size < 16) return false;
    const uint32_t root = ets_load_u32(bytes.data);
    if (root < 8 || root % 2 != 0 || root > bytes.size - 4) return false;
    for (int i = 4; i < 8; i++) {
        const uint8_t c = bytes.data[i];
        if (!(c >= '0' && c <= '9') && !(c >= 'A' && c <= 'Z') && !(c >= 'a' && c <= 'z')) {
            return false;
        }
    }
    return true;
}

const char *ets_payload_kind(struct ets_bytes payload, struct ets_arena *arena)
{
    static const struct {
        size_t at;
        const char *magic, *kind;
    } known[] = {
        {0, "PK\3\4", "zip"},
        {4, "XH00", "XNNPACK payload that cannot be read"},
        {4, "ET12", "ExecuTorch program"},
        {0, "\177ELF", "ELF"},
        {4, "VH00", "Vulkan graph"},
        {0, "vela_bin_stream", "Vela binary stream"},
    };
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        if (begins_with(payload, known[i].at, known[i].magic)) return known[i].kind;
    }
    if (!has_identifier(payload)) return "unknown";
    char text[32];
    const int size = snprintf(text, sizeof text, "FlatBuffer %.4s", (const char *)payload.data + 4);
    const char *copy = ets_arena_copy_text(arena, text, (size_t)size);
    return copy != NULL ? copy : "FlatBuffer";
}
