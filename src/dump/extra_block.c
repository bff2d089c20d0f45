/* Reads the extra block at the end of an ETDump. */
#include <string.h>

#include "base/crc32.h"
#include "base/error.h"
#include "base/extra_keys.h"
#include "base/load.h"
#include "dump/extra_entries.h"
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
        return ets_fail(error, ETS_UNSUPPORTED, footer_at + 8,
                        "the extra block has the unknown version %u", (unsigned)version);
    }
    if (bytes > footer_at) {
        return ets_fail(error, ETS_MALFORMED, footer_at,
                        "the extra block announces %u bytes, more than precede its end",
                        (unsigned)bytes);
    }
    const struct ets_bytes entries = {footer - bytes, bytes};
    if (ets_crc32(0, entries.data, entries.size) != ets_load_u32(footer + 4)) {
        return ets_fail(error, ETS_MALFORMED, footer_at - bytes,
                        "the extra block has a wrong checksum");
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

static void read_state(struct ets_trace_facts *out, const uint8_t *at)
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

void ets_trace_extra_facts(const struct ets_trace_extra *extra, struct ets_trace_facts *out)
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
            if (value.size >= 68) out->filtered = ets_load_u32(value.data + 64);
            if (value.size >= 72) out->state.stale = ets_load_u32(value.data + 68);
        } else if (key == ETS_TRACE_KEY_FINGERPRINT) {
            out->fingerprint = value;
        } else if (key == ETS_EXTRA_THREADS && value.size >= 4) {
            out->pool_threads = ets_load_u32(value.data);
        } else if (key == ETS_EXTRA_RECORDED && value.size >= 16) {
            out->recorded_begin = ets_load_u64(value.data);
            out->recorded_end = ets_load_u64(value.data + 8);
        } else if (key == ETS_EXTRA_DEVICE) {
            out->device = (struct ets_text){(const char *)value.data, value.size};
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

/* The common head of the entries of debug values. */
struct value_head {
    uint32_t run, next_event;
    int32_t chain;
    uint32_t instruction;
    int32_t delegate_id;
    int is_output, is_list;
    size_t part_bytes; /* of the delegate's name */
};

enum { VALUE_HEAD_BYTES = 24 };

static struct value_head read_head(const uint8_t *at)
{
    const uint16_t flags = ets_load_u16(at + 20);
    return (struct value_head){.run = ets_load_u32(at),
                               .next_event = ets_load_u32(at + 4),
                               .chain = (int32_t)ets_load_u32(at + 8),
                               .instruction = ets_load_u32(at + 12),
                               .delegate_id = (int32_t)ets_load_u32(at + 16),
                               .is_output = flags & 1,
                               .is_list = flags >> 1 & 1,
                               .part_bytes = ets_load_u16(at + 22)};
}

static struct ets_text text_at(const uint8_t *at, size_t bytes)
{
    return (struct ets_text){bytes == 0 ? NULL : (const char *)at, bytes};
}

int ets_trace_extra_next_string(const struct ets_trace_extra *extra, size_t *at,
                                struct ets_trace_extra_string *out)
{
    uint32_t key;
    struct ets_bytes value;
    while (ets_trace_extra_next(extra, at, &key, &value)) {
        if (key != ETS_TRACE_KEY_STRING || value.size < VALUE_HEAD_BYTES) continue;
        const struct value_head head = read_head(value.data);
        const uint8_t *rest = value.data + VALUE_HEAD_BYTES;
        const size_t bytes = value.size - VALUE_HEAD_BYTES;
        if (head.part_bytes > bytes) continue;
        *out = (struct ets_trace_extra_string){
            .run = head.run,
            .next_event = head.next_event,
            .chain = head.chain,
            .instruction = head.instruction,
            .delegate_id = head.delegate_id,
            .delegate_name = text_at(rest, head.part_bytes),
            .is_output = head.is_output,
            .value = {(const char *)rest + head.part_bytes, bytes - head.part_bytes}};
        return 1;
    }
    return 0;
}

enum { TENSOR_BYTES = 16, SUMMARY_BYTES = 104 };

/* False: invalid sizes. */
static bool read_shape(struct ets_tensor *tensor, const uint8_t *at)
{
    const uint8_t *sizes = at + TENSOR_BYTES;
    tensor->scalar_type = (enum ets_scalar_type)at[8];
    tensor->rank = at[9];
    for (uint32_t i = 0; i < tensor->rank; i++) {
        tensor->sizes[i] = (int64_t)ets_load_u64(sizes + 8 * (size_t)i);
        tensor->strides[i] = (int64_t)ets_load_u64(sizes + 8 * ((size_t)tensor->rank + i));
        if (tensor->sizes[i] < 0 || tensor->strides[i] < 0) return false;
    }
    return true;
}

static void read_statistics(struct ets_tensor_statistics *out, const uint8_t *at)
{
    out->count = ets_load_u64(at);
    out->nan_count = ets_load_u64(at + 8);
    out->infinite_count = ets_load_u64(at + 16);
    out->zero_count = ets_load_u64(at + 24);
    out->min = ets_load_f64(at + 32);
    out->max = ets_load_f64(at + 40);
    out->absolute_max = ets_load_f64(at + 48);
    out->sum = ets_load_f64(at + 56);
    out->absolute_sum = ets_load_f64(at + 64);
    out->square_sum = ets_load_f64(at + 72);
    out->deviation_square_sum = ets_load_f64(at + 80);
    out->hash = ets_load_u64(at + 88);
    out->first_count = ets_load_u32(at + 96);
    for (uint32_t i = 0; i < out->first_count; i++) {
        out->first[i] = ets_load_f64(at + SUMMARY_BYTES + 8 * (size_t)i);
    }
}

static bool is_statistics(const uint8_t *at, size_t bytes)
{
    if (bytes < SUMMARY_BYTES) return false;
    const uint32_t first_count = ets_load_u32(at + 96);
    return first_count <= ETS_TENSOR_STATISTICS_FIRST_LIMIT &&
           bytes >= SUMMARY_BYTES + 8 * first_count;
}

/* Reads the tensor, its statistics, and then the name of the delegate's part. */
static bool read_tensor(struct ets_trace_extra_tensor *out, const uint8_t *at, size_t bytes,
                        size_t part_bytes)
{
    if (bytes < TENSOR_BYTES || at[9] > ETS_TENSOR_MAX_RANK) return false;
    const size_t shape_bytes = TENSOR_BYTES + 16 * (size_t)at[9];
    const size_t statistics_bytes = ets_load_u16(at + 10);
    if (bytes < shape_bytes + statistics_bytes + part_bytes) return false;
    if (!read_shape(&out->tensor, at)) return false;
    out->delegate_name = text_at(at + shape_bytes + statistics_bytes, part_bytes);
    out->has_statistics = statistics_bytes != 0;
    if (!out->has_statistics) return true;
    if (!is_statistics(at + shape_bytes, statistics_bytes)) return false;
    read_statistics(&out->statistics, at + shape_bytes);
    return true;
}

int ets_trace_extra_next_tensor(const struct ets_trace_extra *extra, size_t *at,
                                struct ets_trace_extra_tensor *out)
{
    const size_t fixed_bytes = VALUE_HEAD_BYTES + 8;
    uint32_t key;
    struct ets_bytes value;
    while (ets_trace_extra_next(extra, at, &key, &value)) {
        if (key != ETS_TRACE_KEY_TENSOR || value.size < fixed_bytes) continue;
        const struct value_head head = read_head(value.data);
        *out = (struct ets_trace_extra_tensor){
            .run = head.run,
            .next_event = head.next_event,
            .chain = head.chain,
            .instruction = head.instruction,
            .delegate_id = head.delegate_id,
            .is_output = head.is_output,
            .is_list = head.is_list,
            .list_index = ets_load_u32(value.data + VALUE_HEAD_BYTES)};
        if (read_tensor(out, value.data + fixed_bytes, value.size - fixed_bytes, head.part_bytes)) {
            return 1;
        }
    }
    return 0;
}
