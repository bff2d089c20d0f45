#include "text/text_sink.h"

enum {
    FRAME_HEADER_BYTES = 20, /* docs/SPEC.md, "Streams" */
    FRAME_LENGTH_AT = 12
};

static char *put_text(char *to, const char *text)
{
    while (*text != '\0') *to++ = *text++;
    return to;
}

static char *put_prefix(const struct ets_text_sink *text, char *to)
{
    to = put_text(to, "ets");
    *to++ = text->kind;
    *to++ = ':';
    return to;
}

static char digit(uint32_t bits)
{
    return "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/"[bits & 63];
}

/* Up to three bytes as four characters. */
static char *put_group(char *to, const uint8_t *bytes, uint32_t count)
{
    const uint32_t second = count > 1 ? bytes[1] : 0, third = count > 2 ? bytes[2] : 0;
    const uint32_t bits = (uint32_t)bytes[0] << 16 | second << 8 | third;
    *to++ = digit(bits >> 18);
    *to++ = digit(bits >> 12);
    *to++ = count > 1 ? digit(bits >> 6) : '=';
    *to++ = count > 2 ? digit(bits) : '=';
    return to;
}

static int put_line(struct ets_text_sink *text)
{
    char line[ETS_TEXT_LINE_LETTERS], *to = put_prefix(text, line);
    if (text->used == 0) return 0;
    for (uint32_t i = 0; i < text->used; i += 3) {
        to = put_group(to, text->bytes + i, text->used - i);
    }
    *to++ = '\n';
    text->used = 0;
    return text->out.write(text->out.context, line, (size_t)(to - line));
}

/* A frame's header is at the begin of a line, and whole in it. */
static uint32_t payload_bytes(const struct ets_text_sink *text)
{
    const uint8_t *at = text->bytes + FRAME_LENGTH_AT;
    return at[0] | (uint32_t)at[1] << 8 | (uint32_t)at[2] << 16 | (uint32_t)at[3] << 24;
}

static int write_stream(void *context, const void *data, size_t size)
{
    struct ets_text_sink *text = context;
    const uint8_t *bytes = data;
    for (size_t i = 0; i < size; i++) {
        text->bytes[text->used++] = bytes[i];
        if (text->left > 0) {
            text->left--;
        } else if (text->used == FRAME_HEADER_BYTES) {
            text->left = payload_bytes(text);
        } else {
            continue; /* inside of a header */
        }
        if (text->used != ETS_TEXT_LINE_BYTES && text->left != 0) continue;
        const int status = put_line(text);
        if (status == 0) continue;
        text->left = 0; /* the rest of a frame that was refused does not come */
        return status;
    }
    return 0;
}

/* Of the dump's bytes; a table would take more room than the time is worth at a log's speed. */
static uint32_t crc32(uint32_t crc, uint8_t byte)
{
    crc = ~crc ^ byte;
    for (int bit = 0; bit < 8; bit++) crc = crc >> 1 ^ ((crc & 1) != 0 ? 0xedb88320u : 0);
    return ~crc;
}

static int write_dump(void *context, const void *data, size_t size)
{
    struct ets_text_sink *text = context;
    const uint8_t *bytes = data;
    for (size_t i = 0; i < size; i++) {
        text->bytes[text->used++] = bytes[i];
        text->crc = crc32(text->crc, bytes[i]);
        text->size++;
        const int status = text->used == ETS_TEXT_LINE_BYTES ? put_line(text) : 0;
        if (status != 0) return status;
    }
    return 0;
}

/* By subtraction: small processors cannot divide. */
static char *put_decimal(char *to, uint32_t number)
{
    static const uint32_t units[] = {1000000000, 100000000, 10000000, 1000000, 100000,
                                     10000,      1000,      100,      10,      1};
    const char *start = to;
    for (unsigned i = 0; i < sizeof units / sizeof units[0]; i++) {
        char figure = '0';
        for (; number >= units[i]; number -= units[i]) figure++;
        if (figure != '0' || to != start || units[i] == 1) *to++ = figure;
    }
    return to;
}

int ets_text_dump_end(struct ets_text_sink *text)
{
    char line[ETS_TEXT_LINE_LETTERS], *to = put_prefix(text, line);
    const int status = put_line(text);
    if (status != 0) return status;
    to = put_text(to, "end ");
    to = put_decimal(to, text->size);
    *to++ = ' ';
    for (int shift = 28; shift >= 0; shift -= 4)
        *to++ = "0123456789abcdef"[text->crc >> shift & 15];
    *to++ = '\n';
    return text->out.write(text->out.context, line, (size_t)(to - line));
}

static void start(struct ets_text_sink *text, char kind, struct ets_etdump_sink out)
{
    text->out = out;
    text->kind = kind;
    text->left = text->size = text->crc = text->used = 0;
}

struct ets_etdump_sink ets_text_stream(struct ets_text_sink *text, struct ets_etdump_sink out)
{
    start(text, 'f', out);
    return (struct ets_etdump_sink){text, write_stream};
}

struct ets_etdump_sink ets_text_dump(struct ets_text_sink *text, struct ets_etdump_sink out)
{
    start(text, 'd', out);
    return (struct ets_etdump_sink){text, write_dump};
}
