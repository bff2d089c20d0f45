/* Captures as text: every form gives the stream's bytes back, damage costs the lines it is in. */
#include <stdbool.h>

#include "test_recorder_support.h"

#include "base/crc32.h"
#include "etscope/experimental/device_log.h"
#include "test_faults_support.h"

/* A text or a stream that grows. */
struct roll {
    uint8_t *data;
    size_t size, capacity;
};

static int put(void *context, const void *data, size_t size)
{
    struct roll *roll = context;
    if (size == 0) return 0;
    if (size > roll->capacity - roll->size) {
        roll->capacity = 2 * (roll->size + size);
        roll->data = realloc(roll->data, roll->capacity);
        assert_non_null(roll->data);
    }
    memcpy(roll->data + roll->size, data, size);
    roll->size += size;
    return 0;
}

static void put_text(struct roll *roll, const char *text)
{
    put(roll, text, strlen(text));
}

/* A stream of `runs` runs with some events each. */
static struct roll make_stream(uint32_t runs)
{
    struct bed bed;
    struct roll tape = {0};
    bed_prepare(&bed, 1024);
    bed.config.mode = ETS_TRACE_STREAM;
    bed.config.stream = (struct ets_etdump_sink){&tape, put};
    assert_int_equal(bed_start(&bed), ETS_OK);
    for (uint32_t run = 0; run < runs; run++) {
        ets_trace_begin_run(&bed.thread, &(struct ets_trace_run){.name = "Execute"});
        for (uint32_t i = 0; i < 3; i++) record_one(&bed, "OPERATOR_CALL", i);
        ets_trace_end_run(&bed.thread);
        ets_trace_flush(&bed.thread);
    }
    ets_trace_finish(&bed.trace);
    bed_close(&bed);
    return tape;
}

static size_t frame_bytes(const uint8_t *header)
{
    return 20 + ((size_t)header[12] | (size_t)header[13] << 8);
}

static void put_base64(struct roll *out, const uint8_t *data, size_t size)
{
    static const char letters[] =
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    for (size_t i = 0; i < size; i += 3) {
        const size_t left = size - i;
        const uint32_t group = (uint32_t)data[i] << 16 |
                               (left > 1 ? (uint32_t)data[i + 1] << 8 : 0) |
                               (left > 2 ? data[i + 2] : 0);
        const char text[4] = {letters[group >> 18], letters[group >> 12 & 63],
                              left > 1 ? letters[group >> 6 & 63] : '=',
                              left > 2 ? letters[group & 63] : '='};
        put(out, text, 4);
    }
}

/* How a form writes a line of bytes; `at` is their place in the stream. */
typedef void (*line_writer)(struct roll *out, size_t at, const uint8_t *data, size_t size);

static void prefixed_line(struct roll *out, size_t at, const uint8_t *data, size_t size)
{
    (void)at;
    put_text(out, "[00:01.234] etsf:");
    put_base64(out, data, size);
    put_text(out, "\r\n");
}

static void base64_line(struct roll *out, size_t at, const uint8_t *data, size_t size)
{
    (void)at;
    put_text(out, "\x1b[0;32mI (1234) app: ");
    put_base64(out, data, size);
    put_text(out, "\x1b[0m\r\n");
}

static void put_hex(struct roll *out, const uint8_t *data, size_t size)
{
    char digits[3];
    for (size_t i = 0; i < size; i++) {
        snprintf(digits, sizeof digits, "%02x", data[i]);
        put_text(out, digits);
    }
}

static void plain_hex_line(struct roll *out, size_t at, const uint8_t *data, size_t size)
{
    (void)at;
    put_hex(out, data, size);
    put_text(out, "\n");
}

static void spaced_hex_line(struct roll *out, size_t at, const uint8_t *data, size_t size)
{
    (void)at;
    put_text(out, "[00:01.234] <dbg> 0001 trace:");
    for (size_t i = 0; i < size; i++) {
        put_text(out, " ");
        put_hex(out, data + i, 1);
    }
    put_text(out, "\r\n");
}

static void put_ascii(struct roll *out, const uint8_t *data, size_t size)
{
    for (size_t i = 0; i < size; i++)
        put(out, data[i] > ' ' && data[i] < 127 ? data + i : (const uint8_t *)".", 1);
}

/* As xxd prints. */
static void xxd_line(struct roll *out, size_t at, const uint8_t *data, size_t size)
{
    char text[32];
    snprintf(text, sizeof text, "%08zx: ", at);
    put_text(out, text);
    for (size_t i = 0; i < 16; i++) {
        if (i < size) put_hex(out, data + i, 1);
        else put_text(out, "  ");
        if (i % 2 == 1) put_text(out, " ");
    }
    put_text(out, " ");
    put_ascii(out, data, size);
    put_text(out, "\n");
}

/* As hexdump -C prints, but for "*". */
static void hexdump_line(struct roll *out, size_t at, const uint8_t *data, size_t size)
{
    char text[32];
    snprintf(text, sizeof text, "%08zx ", at);
    put_text(out, text);
    for (size_t i = 0; i < 16; i++) {
        if (i % 8 == 0) put_text(out, " ");
        if (i < size) put_hex(out, data + i, 1);
        else put_text(out, "  ");
        put_text(out, " ");
    }
    put_text(out, " |");
    put_ascii(out, data, size);
    put_text(out, "|\n");
}

static const struct form {
    const char *name;
    line_writer write;
    size_t width;
    enum ets_log_encoding encoding;
    bool has_frames; /* each frame begins on a line of its own */
} forms[] = {
    {"prefix", prefixed_line, 48, ETS_LOG_BASE64, true},
    {"base64", base64_line, 57, ETS_LOG_BASE64, false},
    {"base64 of frames", base64_line, 48, ETS_LOG_BASE64, true},
    {"xxd -p", plain_hex_line, 30, ETS_LOG_HEX, false},
    {"xxd", xxd_line, 16, ETS_LOG_HEX, false},
    {"hexdump -C", hexdump_line, 16, ETS_LOG_HEX, false},
    {"logged words", spaced_hex_line, 16, ETS_LOG_HEX, true},
};
enum { FORMS = sizeof forms / sizeof forms[0] };

/* The stream as text; `between` stands behind each line. */
static struct roll write_form(const struct form *form, struct ets_bytes stream, const char *between)
{
    struct roll out = {0};
    for (size_t at = 0; at < stream.size;) {
        size_t end = form->has_frames ? at + frame_bytes(stream.data + at) : stream.size;
        for (; at < end; at += form->width) {
            const size_t left = end - at;
            form->write(&out, at, stream.data + at, left < form->width ? left : form->width);
            put_text(&out, between);
        }
        at = end;
    }
    return out;
}

/* Whole frames of a text, which is copied to memory of just its size. */
static uint32_t count_frames(const uint8_t *text, size_t size, enum ets_log_encoding encoding,
                             enum ets_log_encoding wanted)
{
    struct ets_device_log found;
    struct ets_stream_reader capture;
    uint8_t *copy = malloc(size + 1), *memory = malloc(size + 1);
    uint32_t frames = 0;
    assert_non_null(copy);
    assert_non_null(memory);
    memcpy(copy, text, size);
    const enum ets_status status =
        ets_device_log_find(&found, (struct ets_bytes){copy, size}, encoding, memory, size, NULL);
    if (status == ETS_OK) {
        assert_int_equal(found.encoding, wanted);
        assert_int_equal(ets_stream_reader_init(&capture, found.stream), ETS_OK);
        frames = capture.frames;
    } else {
        assert_int_equal(status, ETS_NOT_FOUND);
    }
    free(copy);
    free(memory);
    return frames;
}

static uint32_t frames_of(struct ets_bytes stream)
{
    struct ets_stream_reader capture;
    assert_int_equal(ets_stream_reader_init(&capture, stream), ETS_OK);
    assert_int_equal(capture.rest.size, 0);
    return capture.frames;
}

static void test_device_log__every_form_gives_the_same_bytes(void **state)
{
    static const char *const between[] = {
        "", "\r\n", "I (1234) wifi: connected to 0xdead at 12:34, a_word_of_some_length\r\n"};
    const struct roll tape = make_stream(20);
    (void)state;
    for (size_t i = 0; i < FORMS * 3; i++) {
        const struct form *form = &forms[i / 3];
        struct ets_device_log found;
        struct roll text =
            write_form(form, (struct ets_bytes){tape.data, tape.size}, between[i % 3]);
        uint8_t *memory = malloc(text.size);
        for (int forced = 0; forced < 2; forced++) {
            const enum ets_status status = ets_device_log_find(
                &found, (struct ets_bytes){text.data, text.size},
                forced ? form->encoding : ETS_LOG_AUTO, memory, text.size, NULL);
            if (status != ETS_OK || found.encoding != form->encoding) fail_msg("%s", form->name);
            if (i % 3 < 2 || form->encoding == ETS_LOG_HEX) {
                if (found.stream.size != tape.size) fail_msg("%s", form->name);
                assert_memory_equal(found.stream.data, tape.data, tape.size);
            }
            assert_int_equal(found.dump.size, 0);
        }
        free(memory);
        free(text.data);
    }
    free(tape.data);
}

/* Power loss: frames whose last byte is in the text are there, at every cut. */
static void test_device_log__every_prefix_gives_what_is_whole(void **state)
{
    const struct roll tape = make_stream(2);
    const struct ets_bytes stream = {tape.data, tape.size};
    (void)state;
    for (size_t i = 0; i < FORMS; i++) {
        struct roll text = write_form(&forms[i], stream, "");
        uint32_t before = 0;
        for (size_t size = text.size % FAULT_STRIDE; size <= text.size; size += FAULT_STRIDE) {
            const uint32_t frames = count_frames(text.data, size, ETS_LOG_AUTO, forms[i].encoding);
            if (frames < before) fail_msg("%s: %zu bytes", forms[i].name, size);
            before = frames;
        }
        assert_int_equal(before, frames_of(stream));
        free(text.data);
    }
    free(tape.data);
}

/* A damaged or missing line costs the frames that it holds a part of: three
 * at most here, where the end of a line is what is damaged. */
static void test_device_log__damage_costs_the_frames_it_is_in(void **state)
{
    const struct roll tape = make_stream(2);
    const struct ets_bytes stream = {tape.data, tape.size};
    const uint32_t whole = frames_of(stream);
    (void)state;
    for (size_t i = 0; i < FORMS; i++) {
        struct roll text = write_form(&forms[i], stream, "");
        const enum ets_log_encoding encoding = forms[i].encoding;
        for (size_t at = first_fault(i); at < text.size; at += FAULT_STRIDE) {
            static const char damage[] = {'\x7f', '\n', ' '};
            const uint8_t byte = text.data[at];
            for (size_t k = 0; k < sizeof damage; k++) {
                text.data[at] = (uint8_t)damage[k];
                const uint32_t frames = count_frames(text.data, text.size, encoding, encoding);
                if (frames + 3 < whole)
                    fail_msg("%s: byte %zu is %d", forms[i].name, at, damage[k]);
            }
            text.data[at] = byte;
        }
        free(text.data);
    }
    free(tape.data);
}

/* Another task's line breaks into a line. */
static void test_device_log__a_line_that_is_interrupted_is_lost_alone(void **state)
{
    static const char other[] = "W (99) heap: low\n";
    const struct roll tape = make_stream(2);
    const struct ets_bytes stream = {tape.data, tape.size};
    const uint32_t whole = frames_of(stream);
    (void)state;
    for (size_t i = 0; i < FORMS; i++) {
        const struct roll text = write_form(&forms[i], stream, "");
        for (size_t at = first_fault(i); at <= text.size; at += FAULT_STRIDE) {
            struct roll log = {0};
            put(&log, text.data, at);
            put_text(&log, other);
            put(&log, text.data + at, text.size - at);
            const uint32_t frames =
                count_frames(log.data, log.size, ETS_LOG_AUTO, forms[i].encoding);
            if (frames + 3 < whole) fail_msg("%s: byte %zu", forms[i].name, at);
            free(log.data);
        }
        free(text.data);
    }
    free(tape.data);
}

/* hexdump leaves out lines that repeat, up to the next address or the end. */
static void test_device_log__lines_that_hexdump_left_out_are_filled_in(void **state)
{
    const struct roll tape = make_stream(1);
    struct roll stream = {0}, text = {0};
    struct ets_device_log found;
    uint8_t ones[64];
    char line[16];
    (void)state;
    memset(ones, 0x11, sizeof ones);
    put(&stream, tape.data, tape.size - tape.size % 16);
    const size_t before = stream.size;
    put(&stream, ones, sizeof ones);
    put(&stream, tape.data, tape.size - tape.size % 16);
    put(&stream, ones, sizeof ones);
    for (size_t at = 0; at < stream.size; at += 16) {
        const bool is_first = at == before || at == stream.size - 64;
        if (memcmp(stream.data + at, ones, 16) != 0 || is_first) {
            hexdump_line(&text, at, stream.data + at, 16);
        }
        if (is_first) put_text(&text, "*\n");
    }
    snprintf(line, sizeof line, "%08zx\n", stream.size);
    put_text(&text, line);
    uint8_t *memory = malloc(text.size);
    assert_int_equal(ets_device_log_find(&found, (struct ets_bytes){text.data, text.size},
                                         ETS_LOG_AUTO, memory, text.size, NULL),
                     ETS_OK);
    assert_int_equal(found.stream.size, stream.size);
    assert_memory_equal(found.stream.data, stream.data, stream.size);
    free(memory);
    free(text.data);
    free(stream.data);
    free(tape.data);
}

/* An address that nobody could have written asks for no memory. */
static void test_device_log__an_address_far_away_fills_nothing_in(void **state)
{
    struct ets_device_log found;
    static const char text[] =
        "00000000  00 00 00 00 00 00 00 00  00 00 00 00 00 00 00 00  |................|\n*\n"
        "fffffffffffffff0\n*\n*\nfffffff0  00 00 00 00 00 00 00 00\n*\n00000000\n";
    uint8_t memory[sizeof text];
    (void)state;
    assert_int_equal(
        ets_device_log_find(&found, (struct ets_bytes){(const uint8_t *)text, sizeof text},
                            ETS_LOG_HEX, memory, sizeof memory, NULL),
        ETS_NOT_FOUND);
}

/* An ETDump of `events` events. */
static struct roll make_dump(uint32_t events)
{
    struct bed bed;
    struct roll dump = {0};
    bed_open(&bed, 4096);
    for (uint32_t i = 0; i < events; i++) record_one(&bed, "OPERATOR_CALL", i);
    ets_trace_finish(&bed.trace);
    bed_dump(&bed);
    put(&dump, bed.file, bed.file_bytes);
    bed_close(&bed);
    return dump;
}

static void put_dump_lines(struct roll *out, const struct roll *dump)
{
    char end[64];
    for (size_t at = 0; at < dump->size; at += 48) {
        put_text(out, "etsd:");
        put_base64(out, dump->data + at, dump->size - at < 48 ? dump->size - at : 48);
        put_text(out, "\n");
    }
    snprintf(end, sizeof end, "etsd:end %zu %08x\n", dump->size,
             (unsigned)ets_crc32(0, dump->data, dump->size));
    put_text(out, end);
}

static void test_device_log__the_last_whole_dump_is_found(void **state)
{
    const struct roll dumps[] = {make_dump(1), make_dump(5), make_dump(9)};
    struct roll text = {0};
    struct ets_device_log found;
    struct ets_error error;
    (void)state;
    for (int i = 0; i < 3; i++) {
        put_text(&text, "boot\r\n");
        put_dump_lines(&text, &dumps[i]);
    }
    const size_t all = text.size;
    uint8_t *memory = malloc(all);
    const struct ets_bytes bytes = {text.data, all};
    assert_int_equal(ets_device_log_find(&found, bytes, ETS_LOG_AUTO, memory, all, NULL), ETS_OK);
    assert_int_equal(found.dumps, 3);
    assert_int_equal(found.damaged_dumps, 0);
    assert_int_equal(found.dump.size, dumps[2].size);
    assert_memory_equal(found.dump.data, dumps[2].data, dumps[2].size);

    text.data[all - 20] = '!'; /* in the last one's end */
    assert_int_equal(ets_device_log_find(&found, bytes, ETS_LOG_AUTO, memory, all, NULL), ETS_OK);
    assert_int_equal(found.dumps, 2);
    assert_int_equal(found.damaged_dumps, 1);
    assert_memory_equal(found.dump.data, dumps[1].data, dumps[1].size);

    const struct ets_bytes cut = {text.data, dumps[0].size};
    assert_int_equal(ets_device_log_find(&found, cut, ETS_LOG_AUTO, memory, all, &error),
                     ETS_NOT_FOUND);
    assert_non_null(strstr(error.message, "1 ETDumps"));
    free(memory);
    free(text.data);
    for (int i = 0; i < 3; i++) free(dumps[i].data);
}

static void test_device_log__a_dump_among_bytes_is_found(void **state)
{
    const struct roll dump = make_dump(5);
    struct ets_device_log found;
    struct roll log = {0};
    (void)state;
    put_text(&log, "ED00 boot: ED00 and more\n");
    put(&log, dump.data, dump.size);
    put_text(&log, "\nEEED00 done\n");
    const struct ets_bytes bytes = {log.data, log.size};
    uint8_t *memory = malloc(log.size);
    assert_int_equal(ets_device_log_find(&found, bytes, ETS_LOG_AUTO, memory, log.size, NULL),
                     ETS_OK);
    assert_int_equal(found.encoding, ETS_LOG_RAW);
    assert_int_equal(found.dumps, 1);
    assert_int_equal(found.dump.size, dump.size);
    assert_ptr_equal(found.dump.data, log.data + 25);
    struct roll text = {0};
    for (size_t at = 0; at < dump.size; at += 30) {
        plain_hex_line(&text, at, dump.data + at, dump.size - at < 30 ? dump.size - at : 30);
    }
    free(memory);
    memory = malloc(text.size);
    assert_int_equal(ets_device_log_find(&found, (struct ets_bytes){text.data, text.size},
                                         ETS_LOG_AUTO, memory, text.size, NULL),
                     ETS_OK);
    assert_int_equal(found.encoding, ETS_LOG_HEX);
    assert_int_equal(found.dump.size, dump.size);
    assert_memory_equal(found.dump.data, dump.data, dump.size);
    assert_int_equal(ets_device_log_find(&found, (struct ets_bytes){text.data, text.size},
                                         ETS_LOG_AUTO, memory, text.size - 1, NULL),
                     ETS_NO_SPACE);
    free(memory);
    free(text.data);
    free(log.data);
    free(dump.data);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_device_log__every_form_gives_the_same_bytes),
        cmocka_unit_test(test_device_log__every_prefix_gives_what_is_whole),
        cmocka_unit_test(test_device_log__damage_costs_the_frames_it_is_in),
        cmocka_unit_test(test_device_log__a_line_that_is_interrupted_is_lost_alone),
        cmocka_unit_test(test_device_log__lines_that_hexdump_left_out_are_filled_in),
        cmocka_unit_test(test_device_log__an_address_far_away_fills_nothing_in),
        cmocka_unit_test(test_device_log__the_last_whole_dump_is_found),
        cmocka_unit_test(test_device_log__a_dump_among_bytes_is_found)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
