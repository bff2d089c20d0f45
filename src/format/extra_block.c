/* Reads the extra block at the end of an ETDump. */
#include <string.h>

#include "base/crc32.h"
#include "base/error.h"
#include "base/load.h"
#include "etscope/trace_extra.h"

enum { FOOTER_BYTES = 16, ENTRY_HEADER_BYTES = 8 };

static int has_magic(struct ets_bytes file)
{
    static const char magic[] = ETS_TRACE_EXTRA_MAGIC;
    if (file.size < FOOTER_BYTES) return 0;
    for (size_t i = 0; i < 4; i++) {
        if (file.data[file.size - 4 + i] != (uint8_t)magic[i]) return 0;
    }
    return 1;
}

enum ets_status ets_trace_extra_init(struct ets_trace_extra *extra, struct ets_bytes file,
                                     struct ets_error *error)
{
    extra->entries = (struct ets_bytes){NULL, 0};
    if (!has_magic(file)) {
        return ets_fail(error, ETS_NOT_FOUND, ETS_NO_OFFSET, "the file has no extra block");
    }
    const size_t footer_at = file.size - FOOTER_BYTES;
    const uint8_t *footer = file.data + footer_at;
    const uint32_t bytes = ets_load_u32(footer), version = ets_load_u32(footer + 8);
    if (version != ETS_TRACE_EXTRA_VERSION) {
        return ets_fail(error, ETS_UNSUPPORTED, footer_at + 8, "the extra block has version %u",
                        (unsigned)version);
    }
    if (bytes > footer_at) {
        return ets_fail(error, ETS_MALFORMED, footer_at,
                        "the extra block is said to have %u bytes, more than come before it",
                        (unsigned)bytes);
    }
    const struct ets_bytes entries = {footer - bytes, bytes};
    if (ets_crc32(0, entries.data, entries.size) != ets_load_u32(footer + 4)) {
        return ets_fail(error, ETS_MALFORMED, footer_at - bytes,
                        "the extra block's check sum is wrong");
    }
    extra->entries = entries;
    return ETS_OK;
}

int ets_trace_extra_next(const struct ets_trace_extra *extra, size_t *at, uint32_t *key_out,
                         struct ets_bytes *value_out)
{
    const struct ets_bytes entries = extra->entries;
    if (*at > entries.size || entries.size - *at < ENTRY_HEADER_BYTES) return 0;
    const uint8_t *header = entries.data + *at;
    const uint32_t bytes = ets_load_u32(header + 4);
    const size_t left = entries.size - *at - ENTRY_HEADER_BYTES;
    if (bytes > left) return 0;
    *key_out = ets_load_u32(header);
    *value_out = (struct ets_bytes){header + ENTRY_HEADER_BYTES, bytes};
    const size_t padded = ((size_t)bytes + 7) & ~(size_t)7;
    *at += ENTRY_HEADER_BYTES + (padded < left ? padded : left);
    return 1;
}

static void read_state(struct ets_trace_summary *out, const uint8_t *at)
{
    out->state.first_error = (enum ets_status)ets_load_u32(at);
    out->state.dropped = ets_load_u32(at + 4);
    out->state.unnamed = ets_load_u32(at + 8);
    out->state.backwards = ets_load_u32(at + 12);
    out->state.overwritten = ets_load_u32(at + 16);
    out->mode = (enum ets_trace_mode)ets_load_u32(at + 20);
    out->threads = ets_load_u32(at + 24);
    out->lost_frames = ets_load_u32(at + 28);
    out->state.used_bytes = (size_t)ets_load_u64(at + 32);
    out->state.capacity_bytes = (size_t)ets_load_u64(at + 40);
    out->state.debug_bytes = (size_t)ets_load_u64(at + 48);
    out->cost_ns_q8 = ets_load_u64(at + 56);
}

void ets_trace_extra_summary(const struct ets_trace_extra *extra, struct ets_trace_summary *out)
{
    uint32_t key;
    struct ets_bytes value;
    memset(out, 0, sizeof *out);
    for (size_t at = 0; ets_trace_extra_next(extra, &at, &key, &value);) {
        if (key == ETS_TRACE_KEY_CLOCK && value.size >= 24) {
            out->has_clock = ets_load_u32(value.data) != 0;
            out->is_calibrated = ets_load_u32(value.data + 4) != 0;
            out->clock_hz = ets_load_u64(value.data + 8);
        } else if (key == ETS_TRACE_KEY_STATE && value.size >= 64) {
            read_state(out, value.data);
        } else if (key == ETS_TRACE_KEY_FINGERPRINT) {
            out->fingerprint = value;
        }
    }
}

int ets_trace_extra_next_run(const struct ets_trace_extra *extra, size_t *at,
                             struct ets_trace_extra_run *out)
{
    uint32_t key;
    struct ets_bytes value;
    while (ets_trace_extra_next(extra, at, &key, &value)) {
        if (key != ETS_TRACE_KEY_RUN || value.size < 16) continue;
        out->run = ets_load_u32(value.data);
        out->thread = ets_load_u32(value.data + 4);
        out->invocation = ets_load_u32(value.data + 8);
        out->purpose = (enum ets_trace_purpose)ets_load_u16(value.data + 12);
        out->is_partial = ets_load_u16(value.data + 14) & 1;
        out->method = (struct ets_text){(const char *)value.data + 16, value.size - 16};
        if (out->method.size == 0) out->method.data = NULL;
        return 1;
    }
    return 0;
}

int ets_trace_extra_next_string(const struct ets_trace_extra *extra, size_t *at,
                                struct ets_trace_extra_string *out)
{
    uint32_t key;
    struct ets_bytes value;
    while (ets_trace_extra_next(extra, at, &key, &value)) {
        const size_t part_bytes = value.size < 24 ? 0 : ets_load_u16(value.data + 22);
        if (key != ETS_TRACE_KEY_STRING || value.size < 24) continue;
        if (part_bytes > value.size - 24) continue;
        out->run = ets_load_u32(value.data);
        out->next_event = ets_load_u32(value.data + 4);
        out->chain = (int32_t)ets_load_u32(value.data + 8);
        out->instruction = ets_load_u32(value.data + 12);
        out->delegate_id = (int32_t)ets_load_u32(value.data + 16);
        out->is_output = ets_load_u16(value.data + 20) & 1;
        out->delegate_name = (struct ets_text){(const char *)value.data + 24, part_bytes};
        if (part_bytes == 0) out->delegate_name.data = NULL;
        out->value = (struct ets_text){(const char *)value.data + 24 + part_bytes,
                                       value.size - 24 - part_bytes};
        return 1;
    }
    return 0;
}
