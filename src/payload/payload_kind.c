/* Looks at the first bytes of payloads. */
#include "payload/payload_kind.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "base/load.h"
#include "base/text.h"
#include "format/aoti.h"
#include "format/coreml.h"

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

static const char unknown[] = "unknown";

const char *ets_payload_kind(struct ets_bytes payload, char text[ETS_PAYLOAD_KIND_CHARS])
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
        {0, "VGF1", "VGF file"},
        {0, "vela_bin_stream", "Vela binary stream"},
        {0, "CMJR", "reference to a Core ML package"},
        {0, "RR_UPCVO", "OpenVINO model"},
        {4, "MLX0", "MLX graph"},
        {4, "MP00", "MPS graph"},
        {28, "MP00", "MPS graph"},
        {4, "NPTG", "native graph"},
        {0, "\xcd\xab\x78\x56", "QNN context binary"},
    };
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        if (begins_with(payload, known[i].at, known[i].magic)) return known[i].kind;
    }
    if (ets_coreml_directory_size(payload) > 0) return "Core ML package";
    if (ets_aoti_sniff(payload)) return "AOTInductor keys";
    if (!has_identifier(payload)) return unknown;
    snprintf(text, ETS_PAYLOAD_KIND_CHARS, "FlatBuffer %.4s", (const char *)payload.data + 4);
    return text;
}

/* A version, counts of inputs and outputs, and the size of what follows. */
static bool is_neuropilot(struct ets_bytes payload)
{
    enum { HEADER = 13, SIZE_AT = 9 };
    return payload.size >= HEADER && payload.data[0] == 1 &&
           ets_load_u32(payload.data + SIZE_AT) == payload.size - HEADER;
}

const char *ets_payload_kind_of(struct ets_text backend, struct ets_bytes payload,
                                char text[ETS_PAYLOAD_KIND_CHARS])
{
    static const struct {
        const char *backend, *kind;
    } known[] = {
        {"CudaBackend", "AOTInductor keys"},   {"MetalBackend", "AOTInductor keys"},
        {"EnnBackend", "Samsung ENN network"}, {"NeutronBackend", "Neutron network"},
        {"CoreAIBackend", "Core AI manifest"},
    };
    const char *kind = ets_payload_kind(payload, text);
    if (kind != unknown) return kind;
    if (ets_text_is(backend, "NeuropilotBackend") && is_neuropilot(payload)) {
        return "NeuroPilot network";
    }
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        if (ets_text_is(backend, known[i].backend)) return known[i].kind;
    }
    return kind;
}

struct ets_bytes ets_payload_flatbuffer(struct ets_bytes payload, struct ets_bytes *constants_out)
{
    enum { FLATBUFFER_AT = 10, CONSTANTS_AT = 18, HEADER_BYTES = 30 };
    const struct ets_bytes none = {NULL, 0};
    *constants_out = none;
    if (!begins_with(payload, 4, "VH00")) return has_identifier(payload) ? payload : none;
    if (payload.size < HEADER_BYTES) return none;
    const uint8_t *at = payload.data;
    const uint32_t start = ets_load_u32(at + FLATBUFFER_AT);
    const uint32_t size = ets_load_u32(at + FLATBUFFER_AT + 4);
    const uint32_t constants = ets_load_u32(at + CONSTANTS_AT);
    const uint64_t constant_bytes = ets_load_u64(at + CONSTANTS_AT + 4);
    if (start < HEADER_BYTES || !ets_range_fits(start, size, payload.size)) return none;
    if (constants >= (uint64_t)start + size && constant_bytes > 0 &&
        ets_range_fits(constants, constant_bytes, payload.size)) {
        *constants_out = (struct ets_bytes){at + constants, (size_t)constant_bytes};
    }
    return (struct ets_bytes){at + start, size};
}
