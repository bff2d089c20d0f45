/* Streams and ETDumps as lines of text: what comes out of the lines is what went in. */
#include "test_recorder_support.h"

#include "base/crc32.h"
#include "text/text_sink.h"

enum { LOG_BYTES = 1 << 16 };

struct log {
    char text[LOG_BYTES];
    size_t size;
    unsigned calls, refuse_from; /* refuse_from 0: takes all */
};

static int write_log(void *context, const void *data, size_t size)
{
    struct log *log = context;
    log->calls++;
    if (log->refuse_from != 0 && log->calls >= log->refuse_from) return -7;
    assert_true(size <= LOG_BYTES - log->size);
    memcpy(log->text + log->size, data, size);
    log->size += size;
    assert_int_equal(log->text[log->size - 1], '\n'); /* whole lines only */
    return 0;
}

static unsigned value_of(char digit)
{
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    const char *at = strchr(digits, digit);
    assert_non_null(at);
    return (unsigned)(at - digits);
}

/* The bytes of one line behind its prefix; returns how many. */
static size_t decode(const char *at, const char *end, uint8_t *out)
{
    size_t size = 0;
    assert_int_equal((end - at) % 4, 0);
    for (; at < end; at += 4) {
        const unsigned padding = (unsigned)(at[2] == '=') + (unsigned)(at[3] == '=');
        const unsigned bits = value_of(at[0]) << 18 | value_of(at[1]) << 12 |
                              (padding > 1 ? 0 : value_of(at[2]) << 6) |
                              (padding > 0 ? 0 : value_of(at[3]));
        assert_true(padding == 0 || at + 4 == end);
        for (unsigned i = 0; i < 3 - padding; i++) out[size++] = (uint8_t)(bits >> (16 - 8 * i));
    }
    return size;
}

/* All lines' bytes; the last line, where it is an end, is left to the caller. */
static size_t decode_log(const struct log *log, const char *prefix, uint8_t *out,
                         const char **rest_out)
{
    const char *at = log->text, *end = log->text + log->size;
    size_t size = 0;
    *rest_out = end;
    while (at < end) {
        const char *line_end = memchr(at, '\n', (size_t)(end - at));
        assert_non_null(line_end);
        assert_memory_equal(at, prefix, 5);
        if (memcmp(at + 5, "end ", 4) == 0) {
            *rest_out = at;
            return size;
        }
        const size_t bytes = decode(at + 5, line_end, out + size);
        assert_true(bytes > 0 && bytes <= ETS_TEXT_LINE_BYTES);
        size += bytes;
        at = line_end + 1;
    }
    return size;
}

static uint32_t word(const uint8_t *at)
{
    return at[0] | (uint32_t)at[1] << 8 | (uint32_t)at[2] << 16 | (uint32_t)at[3] << 24;
}

/* Frames as docs/SPEC.md tells them, with payloads of all sizes; sums are not looked at here. */
static size_t make_frames(uint8_t *out)
{
    size_t size = 0;
    for (uint32_t payload = 0; payload < 150; payload++) {
        const uint8_t header[20] = {
            0xab, 'T', 'S', 'F', 1, 0, 3, 0, (uint8_t)payload, 0, 0, 0, (uint8_t)payload,
            0,    0,   0,   1,   2, 3, 4};
        memcpy(out + size, header, sizeof header);
        size += sizeof header;
        for (uint32_t i = 0; i < payload; i++) out[size++] = (uint8_t)(i * 7 + payload);
    }
    return size;
}

static void write_pieces(struct ets_etdump_sink sink, const uint8_t *data, size_t size,
                         size_t piece)
{
    for (size_t at = 0; at < size; at += piece) {
        const size_t bytes = size - at < piece ? size - at : piece;
        assert_int_equal(sink.write(sink.context, data + at, bytes), 0);
    }
}

static void test_text_sink__a_stream_comes_back_from_its_lines(void **state)
{
    static struct log log;
    static uint8_t frames[20000], back[20000];
    const size_t size = make_frames(frames);
    (void)state;
    for (size_t piece = 1; piece < 70; piece++) {
        struct ets_text_sink text;
        const char *rest;
        log.size = log.calls = 0;
        write_pieces(ets_text_stream(&text, (struct ets_etdump_sink){&log, write_log}), frames,
                     size, piece);
        assert_int_equal(decode_log(&log, "etsf:", back, &rest), size);
        assert_memory_equal(back, frames, size);
    }
}

static void test_text_sink__a_frame_begins_and_ends_lines(void **state)
{
    static struct log log;
    static uint8_t frames[20000], back[20000];
    struct ets_text_sink text;
    (void)state;
    const size_t size = make_frames(frames);
    const struct ets_etdump_sink sink =
        ets_text_stream(&text, (struct ets_etdump_sink){&log, write_log});
    for (size_t at = 0; at < size;) {
        const size_t bytes = 20 + word(frames + at + 12);
        const char *rest;
        log.size = 0;
        assert_int_equal(sink.write(sink.context, frames + at, bytes), 0);
        assert_int_equal(decode_log(&log, "etsf:", back, &rest), bytes);
        assert_memory_equal(back, frames + at, bytes);
        at += bytes;
    }
}

static void test_text_sink__a_dump_comes_back_and_is_closed(void **state)
{
    static struct log log;
    static uint8_t back[LOG_BYTES];
    struct bed bed;
    struct ets_text_sink text;
    const char *rest;
    char wanted[64];
    (void)state;
    bed_open(&bed, 4096);
    for (uint32_t i = 0; i < 20; i++) record_one(&bed, "conv", i);
    bed_dump(&bed);
    const struct ets_etdump_sink sink =
        ets_text_dump(&text, (struct ets_etdump_sink){&log, write_log});
    assert_int_equal(ets_trace_write(&bed.trace, &sink, NULL), ETS_OK);
    assert_int_equal(ets_text_dump_end(&text), 0);
    assert_int_equal(decode_log(&log, "etsd:", back, &rest), bed.file_bytes);
    assert_memory_equal(back, bed.file, bed.file_bytes);
    snprintf(wanted, sizeof wanted, "etsd:end %zu %08x\n", bed.file_bytes,
             ets_crc32(0, bed.file, bed.file_bytes));
    assert_int_equal(log.text + log.size - rest, strlen(wanted));
    assert_memory_equal(rest, wanted, strlen(wanted));
    bed_close(&bed);
}

static void test_text_sink__numbers_have_all_their_digits(void **state)
{
    static const uint32_t sizes[] = {0, 9, 10, 1000000, 4294967295};
    (void)state;
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
        static struct log log;
        struct ets_text_sink text;
        char wanted[64];
        ets_text_dump(&text, (struct ets_etdump_sink){&log, write_log});
        log.size = 0;
        text.size = sizes[i];
        assert_int_equal(ets_text_dump_end(&text), 0);
        snprintf(wanted, sizeof wanted, "etsd:end %u 00000000\n", sizes[i]);
        assert_int_equal(log.size, strlen(wanted));
        assert_memory_equal(log.text, wanted, log.size);
    }
}

/* Whichever line the log refuses, the writer hears of it at once. */
static void test_text_sink__a_refusal_is_passed_on(void **state)
{
    static struct log log;
    struct ets_text_sink text;
    struct bed bed;
    (void)state;
    bed_open(&bed, 4096);
    for (uint32_t i = 0; i < 20; i++) record_one(&bed, "conv", i);
    const struct ets_etdump_sink sink =
        ets_text_dump(&text, (struct ets_etdump_sink){&log, write_log});
    assert_int_equal(ets_trace_write(&bed.trace, &sink, NULL), ETS_OK);
    assert_int_equal(ets_text_dump_end(&text), 0);
    const unsigned lines = log.calls;
    for (unsigned refused = 1; refused <= lines; refused++) {
        log.size = log.calls = 0;
        log.refuse_from = refused;
        ets_text_dump(&text, (struct ets_etdump_sink){&log, write_log});
        const enum ets_status status = ets_trace_write(&bed.trace, &sink, NULL);
        assert_true(status == ETS_IO ? refused < lines : ets_text_dump_end(&text) == -7);
        assert_int_equal(log.calls, refused);
    }
    bed_close(&bed);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_text_sink__a_stream_comes_back_from_its_lines),
        cmocka_unit_test(test_text_sink__a_frame_begins_and_ends_lines),
        cmocka_unit_test(test_text_sink__a_dump_comes_back_and_is_closed),
        cmocka_unit_test(test_text_sink__numbers_have_all_their_digits),
        cmocka_unit_test(test_text_sink__a_refusal_is_passed_on)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
