/* Verifies a summary of a device once, and gives its rows. */
#include "format/summary_file.h"

#include "base/crc32.h"
#include "base/error.h"
#include "base/load.h"
#include "format/wrong_kind.h"

static const char *const kinds[] = {"run", "operator", "delegate_call", "delegate_event",
                                    "bare_run"};

enum {
    MOST_FINGERPRINT = ETS_SUMMARY_HEAD_BYTES - ETS_SUMMARY_FINGERPRINT_AT,
    KINDS = sizeof kinds / sizeof *kinds
};

const char *ets_summary_kind_name(int kind)
{
    return kind >= 0 && kind < KINDS ? kinds[kind] : NULL;
}

static const uint8_t *row_at(const struct ets_summary_file *file, uint32_t index)
{
    return file->bytes.data + ETS_SUMMARY_HEAD_BYTES + (size_t)index * ETS_SUMMARY_ROW_BYTES;
}

/* A text is absent, or within the texts. */
static bool is_text(const struct ets_summary_file *file, uint32_t at, uint16_t size)
{
    return at == UINT32_MAX ? size == 0 : ets_range_fits(at, size, file->text_bytes);
}

/* Whether a row has times in its buckets, as it counts some, and no more than it counts. */
static bool has_times(const uint8_t *row)
{
    uint32_t sum = 0;
    for (size_t i = ETS_SUMMARY_BUCKETS; i < ETS_SUMMARY_ROW_BYTES; i += 2)
        sum += ets_load_u16(row + i);
    return sum > 0 && sum <= ets_load_u32(row + ETS_SUMMARY_COUNT);
}

static bool is_row(const struct ets_summary_file *file, const uint8_t *row)
{
    const uint64_t least = ets_load_u64(row + ETS_SUMMARY_MIN),
                   most = ets_load_u64(row + ETS_SUMMARY_MAX);
    return has_times(row) && least <= most && most <= ets_load_u64(row + ETS_SUMMARY_SUM) &&
           is_text(file, ets_load_u32(row + ETS_SUMMARY_NAME),
                   ets_load_u16(row + ETS_SUMMARY_NAME_SIZE)) &&
           is_text(file, ets_load_u32(row + ETS_SUMMARY_METHOD),
                   ets_load_u16(row + ETS_SUMMARY_METHOD_SIZE)) &&
           ets_load_u16(row + ETS_SUMMARY_FIRST_BUCKET) <=
               ETS_SUMMARY_MOST_BUCKETS - ETS_SUMMARY_BUCKET_COUNT &&
           ets_load_u16(row + ETS_SUMMARY_KIND) < KINDS;
}

static enum ets_status check(const struct ets_summary_file *file, struct ets_error *error)
{
    const size_t end = file->bytes.size - ETS_SUMMARY_TAIL_BYTES;
    const uint64_t needed = ETS_SUMMARY_HEAD_BYTES + ETS_SUMMARY_TAIL_BYTES +
                            (uint64_t)file->row_count * ETS_SUMMARY_ROW_BYTES + file->text_bytes;
    if (needed != file->bytes.size) {
        return ets_fail(error, ETS_MALFORMED, ETS_SUMMARY_ROWS_AT,
                        "%u rows and %u bytes of text do not make %zu bytes", file->row_count,
                        file->text_bytes, file->bytes.size);
    }
    if (ets_crc32(0, file->bytes.data, end) != ets_load_u32(file->bytes.data + end)) {
        return ets_fail(error, ETS_MALFORMED, end, "the summary's checksum is wrong");
    }
    if (file->fingerprint.size > MOST_FINGERPRINT) {
        return ets_fail(error, ETS_MALFORMED, ETS_SUMMARY_FINGERPRINT_BYTES_AT,
                        "a fingerprint of %zu bytes; %d are the most", file->fingerprint.size,
                        MOST_FINGERPRINT);
    }
    for (uint32_t i = 0; i < file->row_count; i++) {
        const uint8_t *row = row_at(file, i);
        if (is_row(file, row)) continue;
        return ets_fail(error, ETS_MALFORMED, (size_t)(row - file->bytes.data),
                        "row %u contradicts itself", i);
    }
    return ETS_OK;
}

enum ets_status ets_summary_file_open(struct ets_bytes bytes, struct ets_summary_file *file_out,
                                      struct ets_error *error)
{
    if (ets_kind_sniff(bytes) != ETS_KIND_SUMMARY) {
        return ets_fail_kind(error, "a device's summary", bytes, ETS_SUMMARY_VERSION_AT);
    }
    if (bytes.size < ETS_SUMMARY_HEAD_BYTES + ETS_SUMMARY_TAIL_BYTES ||
        bytes.size < ets_load_u32(bytes.data + ETS_SUMMARY_SIZE_AT)) {
        return ets_fail(error, ETS_TRUNCATED, bytes.size, "the summary ends at byte %zu",
                        bytes.size);
    }
    if (bytes.data[ETS_SUMMARY_VERSION_AT] != ETS_SUMMARY_VERSION) {
        return ets_fail(
            error, ETS_UNSUPPORTED, 7,
            "a summary of version %u; this etscope reads version %d: use the version that "
            "the device's recorder is from",
            bytes.data[ETS_SUMMARY_VERSION_AT], ETS_SUMMARY_VERSION);
    }
    /* What follows, such as the fill of a flash page, is no part of it. */
    bytes.size = ets_load_u32(bytes.data + ETS_SUMMARY_SIZE_AT);
    if (bytes.size < ETS_SUMMARY_HEAD_BYTES + ETS_SUMMARY_TAIL_BYTES) {
        return ets_fail(error, ETS_MALFORMED, ETS_SUMMARY_SIZE_AT, "a summary of %zu bytes",
                        bytes.size);
    }
    const uint8_t *head = bytes.data;
    const struct ets_summary_file file = {
        .bytes = bytes,
        .row_count = ets_load_u32(head + ETS_SUMMARY_ROWS_AT),
        .text_bytes = ets_load_u32(head + ETS_SUMMARY_TEXT_BYTES_AT),
        .runs = ets_load_u32(head + ETS_SUMMARY_RUNS_AT),
        .warm_up_runs = ets_load_u32(head + ETS_SUMMARY_WARM_UP_AT),
        .lost_values = ets_load_u32(head + ETS_SUMMARY_LOST_VALUES_AT),
        .is_hashed = (ets_load_u32(head + ETS_SUMMARY_FLAGS_AT) & ETS_SUMMARY_HASHED) != 0,
        .has_operators =
            (ets_load_u32(head + ETS_SUMMARY_FLAGS_AT) & ETS_SUMMARY_HAS_OPERATORS) != 0,
        .fingerprint = {head + ETS_SUMMARY_FINGERPRINT_AT,
                        ets_load_u32(head + ETS_SUMMARY_FINGERPRINT_BYTES_AT)},
        .lost_events = ets_load_u64(head + ETS_SUMMARY_LOST_EVENTS_AT),
        .start = ets_load_u32(head + ETS_SUMMARY_START_AT),
        .sequence = ets_load_u32(head + ETS_SUMMARY_SEQUENCE_AT)};
    const enum ets_status status = check(&file, error);
    if (status == ETS_OK) *file_out = file;
    return status;
}

static struct ets_text text_of(const struct ets_summary_file *file, uint32_t at, uint16_t size)
{
    if (at == UINT32_MAX) return (struct ets_text){NULL, 0};
    const uint8_t *texts = row_at(file, file->row_count);
    return (struct ets_text){(const char *)texts + at, size};
}

void ets_summary_file_row(const struct ets_summary_file *file, uint32_t index,
                          struct ets_summary_row *row_out)
{
    const uint8_t *row = row_at(file, index);
    *row_out = (struct ets_summary_row){
        .name_hash = ets_load_u64(row + ETS_SUMMARY_NAME_HASH),
        .method_hash = ets_load_u64(row + ETS_SUMMARY_METHOD_HASH),
        .sum_ns = ets_load_u64(row + ETS_SUMMARY_SUM),
        .min_ns = ets_load_u64(row + ETS_SUMMARY_MIN),
        .max_ns = ets_load_u64(row + ETS_SUMMARY_MAX),
        .count = ets_load_u32(row + ETS_SUMMARY_COUNT),
        .name = text_of(file, ets_load_u32(row + ETS_SUMMARY_NAME),
                        ets_load_u16(row + ETS_SUMMARY_NAME_SIZE)),
        .method = text_of(file, ets_load_u32(row + ETS_SUMMARY_METHOD),
                          ets_load_u16(row + ETS_SUMMARY_METHOD_SIZE)),
        .instruction = (int32_t)ets_load_u32(row + ETS_SUMMARY_INSTRUCTION),
        .kind = ets_load_u16(row + ETS_SUMMARY_KIND)};
    const uint32_t first = ets_load_u16(row + ETS_SUMMARY_FIRST_BUCKET);
    for (uint32_t i = 0; i < ETS_SUMMARY_BUCKET_COUNT; i++) {
        row_out->buckets[i] = ets_load_u16(row + ETS_SUMMARY_BUCKETS + 2 * (size_t)i);
        row_out->starts[i] = ets_summary_bucket_start(first + i);
    }
    const uint32_t end = first + ETS_SUMMARY_BUCKET_COUNT;
    row_out->starts[ETS_SUMMARY_BUCKET_COUNT] =
        end < ETS_SUMMARY_MOST_BUCKETS ? ets_summary_bucket_start(end) : UINT64_MAX;
}
