/*
 * Finds the content of a capture. Tries each encoding: decodes into the caller's memory and
 * searches, until it finds a whole frame or a whole ETDump.
 */
#include "etscope/experimental/device_log.h"
#include "dump/device_log_names.h"

#include <string.h>

#include "base/crc32.h"
#include "base/error.h"
#include "base/load.h"
#include "dump/device_log_text.h"
#include "dump/runner_log.h"
#include "etscope/etdump.h"
#include "format/summary_file.h"

enum {
    PREFIX_LETTERS = 5,   /* "etsf:" */
    ETDUMP_MAGIC_AT = 8,  /* after the size and the root offset */
    MOST_WRONG_DUMPS = 64 /* limit of places that only look like an ETDump */
};

const char *ets_log_encoding_name(enum ets_log_encoding encoding)
{
    static const char *const names[] = {"auto", "raw", "hex", "base64"};
    return names[encoding];
}

/* Sets the stream, if there is a whole frame. */
static void take_stream(struct ets_device_log *capture, struct ets_bytes bytes)
{
    struct ets_stream_reader stream;
    if (ets_stream_reader_init(&stream, bytes) == ETS_OK) capture->stream = bytes;
}

/* Size of the ETDump whose size prefix precedes `magic_at`; 0: none. */
static size_t dump_size_before(struct ets_bytes bytes, size_t magic_at)
{
    struct ets_etdump dump;
    if (magic_at < ETDUMP_MAGIC_AT) return 0;
    const size_t start = magic_at - ETDUMP_MAGIC_AT;
    const uint64_t size = (uint64_t)ets_load_u32(bytes.data + start) + 4;
    if (!ets_range_fits(start, size, bytes.size)) return 0;
    const struct ets_bytes found = {bytes.data + start, (size_t)size};
    return ets_etdump_init(&dump, found, NULL) == ETS_OK ? found.size : 0;
}

/* Searches ETDumps anywhere in the bytes. One without a size prefix must be the whole input. */
static void take_dumps(struct ets_device_log *capture, struct ets_bytes bytes)
{
    struct ets_etdump dump;
    uint32_t wrong = 0;
    for (size_t at = 0; wrong < MOST_WRONG_DUMPS && bytes.size - at >= 4;) {
        const uint8_t *found = memchr(bytes.data + at, 'E', bytes.size - at - 3);
        if (found == NULL) break;
        at = (size_t)(found - bytes.data);
        size_t size = 0;
        if (memcmp(found, "ED00", 4) == 0) {
            size = dump_size_before(bytes, at);
            wrong += size == 0;
        }
        if (size != 0) {
            capture->dump = (struct ets_bytes){found - ETDUMP_MAGIC_AT, size};
            capture->dumps++;
        }
        at += size != 0 ? size - ETDUMP_MAGIC_AT : 1;
    }
    if (capture->dumps == 0 && ets_etdump_init(&dump, bytes, NULL) == ETS_OK) {
        capture->dump = bytes;
        capture->dumps = 1;
    }
}

/* Iterates over the lines with a prefix. */
struct prefixed {
    struct ets_bytes capture;
    size_t at;
    char kind;             /* 'f' or 'd' */
    struct ets_bytes text; /* from after the prefix to the end of the capture */
};

static bool next_prefixed(struct prefixed *pass)
{
    const struct ets_bytes capture = pass->capture;
    while (pass->at < capture.size) {
        const uint8_t *colon = memchr(capture.data + pass->at, ':', capture.size - pass->at);
        if (colon == NULL) return false;
        const size_t end = (size_t)(colon - capture.data) + 1;
        pass->at = end;
        if (end < PREFIX_LETTERS || memcmp(colon - 4, "ets", 3) != 0) continue;
        pass->kind = (char)colon[-1];
        pass->text = (struct ets_bytes){capture.data + end, capture.size - end};
        if (pass->kind == 'f' || pass->kind == 'd') return true;
    }
    return false;
}

static bool has_prefix(struct ets_bytes capture)
{
    struct prefixed pass = {.capture = capture};
    return next_prefixed(&pass);
}

/* Appends all lines of a stream to `out`; returns the number of bytes. */
static size_t decode_stream_lines(struct ets_bytes capture, uint8_t *out)
{
    struct prefixed pass = {.capture = capture};
    size_t bytes = 0, used;
    while (next_prefixed(&pass)) {
        if (pass.kind != 'f') continue;
        bytes += ets_decode_base64(pass.text, out + bytes, &used);
        pass.at += used;
    }
    return bytes;
}

static bool is_digit(uint8_t byte)
{
    return byte >= '0' && byte <= '9';
}

/* "end 568 1c291ca3": size and checksum of the ETDump that ends here. */
static bool read_end(struct ets_bytes text, uint64_t *size_out, uint32_t *crc_out)
{
    size_t at = 4;
    if (text.size < at || memcmp(text.data, "end ", at) != 0) return false;
    for (*size_out = 0; at < text.size && is_digit(text.data[at]) && *size_out < UINT32_MAX; at++) {
        *size_out = *size_out * 10 + (uint64_t)(text.data[at] - '0');
    }
    if (!ets_range_fits(at, 9, text.size) || text.data[at] != ' ') return false;
    *crc_out = 0;
    for (size_t i = at + 1; i < at + 9; i++) {
        const uint8_t digit = text.data[i];
        if (!is_digit(digit) && (digit < 'a' || digit > 'f')) return false;
        *crc_out = *crc_out << 4 | (uint32_t)(is_digit(digit) ? digit - '0' : digit - 'a' + 10);
    }
    return true;
}

static bool is_whole(struct ets_bytes bytes)
{
    struct ets_etdump dump;
    struct ets_summary_file summary;
    return ets_etdump_init(&dump, bytes, NULL) == ETS_OK ||
           ets_summary_file_open(bytes, &summary, NULL) == ETS_OK;
}

/* Decodes ETDumps and summaries in lines to `out`, each over the last; keeps the last whole one. */
static void take_dump_lines(struct ets_device_log *capture, struct ets_bytes text, uint8_t *out)
{
    struct prefixed pass = {.capture = text};
    size_t bytes = 0, used;
    uint64_t size;
    uint32_t crc;
    while (next_prefixed(&pass)) {
        if (pass.kind != 'd') continue;
        if (!read_end(pass.text, &size, &crc)) {
            bytes += ets_decode_base64(pass.text, out + bytes, &used);
            pass.at += used;
            continue;
        }
        const struct ets_bytes whole = {out, bytes};
        if (size == bytes && ets_crc32(0, out, bytes) == crc && is_whole(whole)) {
            capture->dump = whole;
            capture->dumps++;
            out += bytes;
        } else {
            capture->damaged_dumps++;
        }
        bytes = 0;
    }
    capture->damaged_dumps += bytes != 0;
}

static void take_prefixed(struct ets_device_log *capture, struct ets_bytes text, uint8_t *out)
{
    const size_t bytes = decode_stream_lines(text, out);
    take_stream(capture, (struct ets_bytes){out, bytes});
    take_dump_lines(capture, text, out + bytes);
}

/* What the runner for Cortex-M prints beside its ETDump, which was decoded to `memory`. */
static void take_runner(struct ets_device_log *capture, struct ets_bytes bytes, uint8_t *memory,
                        uint32_t debug_buffers)
{
    capture->debug_buffers = debug_buffers;
    capture->is_in_cycles = ets_runner_counts_cycles(bytes);
    if (capture->dumps == 0) return;
    const struct ets_runner_start start = ets_runner_start_find(bytes, memory, capture->dump);
    capture->debug_buffer = start.debug_buffer;
    capture->runner_log = start.log;
}

/* Whether `encoding` finds anything whole. */
static bool try_encoding(struct ets_device_log *capture, struct ets_bytes bytes, uint8_t *memory,
                         enum ets_log_encoding encoding)
{
    struct ets_bytes decoded = bytes;
    struct ets_runner_files files = {.all = {NULL, 0}};
    *capture = (struct ets_device_log){.encoding = encoding};
    if (encoding == ETS_LOG_BASE64 && has_prefix(bytes)) {
        take_prefixed(capture, bytes, memory);
        return capture->stream.size != 0 || capture->dumps != 0;
    }
    if (encoding == ETS_LOG_HEX) {
        decoded = (struct ets_bytes){memory, ets_decode_hex_lines(bytes, memory)};
    } else if (encoding == ETS_LOG_BASE64) {
        decoded = (files = ets_runner_files_decode(bytes, memory)).all;
        if (decoded.size == 0) decoded.size = ets_decode_base64_lines(bytes, memory);
    }
    take_stream(capture, decoded);
    if (capture->stream.size == 0) take_dumps(capture, decoded);
    if (files.all.size > 0) take_runner(capture, bytes, memory, files.debug_buffers);
    return capture->stream.size != 0 || capture->dumps != 0;
}

/* Tries lines with a prefix first, then bytes that need no decoding. */
static bool try_all(struct ets_device_log *capture, struct ets_bytes bytes, uint8_t *memory)
{
    const enum ets_log_encoding order[] = {ETS_LOG_RAW, ETS_LOG_HEX, ETS_LOG_BASE64};
    if (has_prefix(bytes) && try_encoding(capture, bytes, memory, ETS_LOG_BASE64)) return true;
    const uint32_t damaged_dumps = capture->damaged_dumps;
    for (size_t i = 0; i < sizeof order / sizeof order[0]; i++) {
        if (try_encoding(capture, bytes, memory, order[i])) return true;
    }
    capture->damaged_dumps = damaged_dumps;
    return false;
}

enum ets_status ets_device_log_find(struct ets_device_log *capture_out, struct ets_bytes bytes,
                                    enum ets_log_encoding encoding, void *memory,
                                    size_t memory_bytes, struct ets_error *error)
{
    *capture_out = (struct ets_device_log){.encoding = ETS_LOG_RAW};
    if (memory_bytes < bytes.size) {
        return ets_fail(error, ETS_NO_SPACE, ETS_NO_OFFSET,
                        "decoding the capture needs %zu bytes of memory", bytes.size);
    }
    bool is_found = false;
    if (bytes.size != 0 && encoding == ETS_LOG_AUTO) {
        is_found = try_all(capture_out, bytes, memory);
    } else if (bytes.size != 0) {
        is_found = try_encoding(capture_out, bytes, memory, encoding);
    }
    if (is_found) return ETS_OK;
    if (capture_out->damaged_dumps != 0) {
        return ets_fail(
            error, ETS_NOT_FOUND, ETS_NO_OFFSET,
            "none of the %u ETDumps in its lines is complete: lines are missing or torn",
            capture_out->damaged_dumps);
    }
    return ets_fail(
        error, ETS_NOT_FOUND, ETS_NO_OFFSET,
        "found no whole stream frame and no whole ETDump in its %zu bytes, read as %s", bytes.size,
        encoding == ETS_LOG_AUTO ? "raw, hexadecimal or base64" : ets_log_encoding_name(encoding));
}
