/* Reads the header of OpenVINO's exported models. */
#include "format/openvino.h"

#include <string.h>

#include "base/load.h"

enum { MAGIC_BYTES = 8, TEXT_AT = 20, SECTIONS_BYTES = 48 };

/* A section's offset counts from the list of sections. */
static bool read_section(struct ets_bytes payload, size_t list, unsigned number,
                         struct ets_bytes *out)
{
    const uint8_t *entry = payload.data + list + 16 * (size_t)number;
    const uint64_t offset = ets_load_u64(entry), size = ets_load_u64(entry + 8);
    if (!ets_range_fits(offset, size, payload.size - list)) return false;
    *out = (struct ets_bytes){payload.data + list + offset, (size_t)size};
    return true;
}

enum ets_status ets_openvino_init(struct ets_openvino *blob, struct ets_bytes payload,
                                  struct ets_error *error)
{
    enum { CONSTANTS = 1, MODEL = 2 };
    *blob = (struct ets_openvino){.build = {NULL, 0}};
    if (payload.size < TEXT_AT || memcmp(payload.data, "RR_UPCVO", MAGIC_BYTES) != 0) {
        return ets_fail(error, ETS_UNSUPPORTED, ETS_NO_OFFSET,
                        "an exported OpenVINO model of %zu bytes for another device than the CPU, "
                        "or of another version; its operators are not read",
                        payload.size);
    }
    const uint32_t version = ets_load_u32(payload.data + MAGIC_BYTES);
    if (version != 1) {
        return ets_fail(error, ETS_UNSUPPORTED, MAGIC_BYTES,
                        "an exported OpenVINO model of version %u; its operators are not read",
                        version);
    }
    const uint64_t text = ets_load_u64(payload.data + MAGIC_BYTES + 4);
    if (!ets_range_fits(TEXT_AT, text, payload.size) ||
        payload.size - TEXT_AT - text < SECTIONS_BYTES) {
        return ets_fail(error, ETS_TRUNCATED, payload.size,
                        "the OpenVINO model ends in its header");
    }
    const size_t list = TEXT_AT + (size_t)text;
    blob->build = (struct ets_text){(const char *)payload.data + TEXT_AT, (size_t)text};
    if (!read_section(payload, list, CONSTANTS, &blob->constants) ||
        !read_section(payload, list, MODEL, &blob->model)) {
        return ets_fail(error, ETS_MALFORMED, list,
                        "a section of the OpenVINO model lies outside of it");
    }
    return ETS_OK;
}

void ets_openvino_decode(const struct ets_openvino *blob, char *text)
{
    static const uint8_t key[] = {0x30, 0x60, 0x70, 0x02, 0x04, 0x08,
                                  0x3F, 0x6F, 0x72, 0x74, 0x78, 0x7F};
    const struct ets_bytes model = blob->model;
    const bool is_plain = model.size >= 5 && memcmp(model.data, "<?xml", 5) == 0;
    for (size_t i = 0; i < model.size; i++) {
        text[i] = (char)(is_plain ? model.data[i] : model.data[i] ^ key[i % sizeof key]);
    }
}
