/* Gathers bytes, numbers and texts on their way to an output. */
#include "output/export/export_buffer.h"

#include "base/utf8.h"
#include "output/text/formula_text.h"

void ets_export_flush(struct ets_export_buffer *out)
{
    ets_output_write(out->output, out->bytes, out->used);
    out->used = 0;
}

void ets_export_put(struct ets_export_buffer *out, const void *data, size_t size)
{
    if (size > sizeof out->bytes - out->used) {
        ets_export_flush(out);
        if (size > sizeof out->bytes) {
            ets_output_write(out->output, data, size);
            return;
        }
    }
    if (size > 0) memcpy(out->bytes + out->used, data, size);
    out->used += size;
}

enum { MOST_DIGITS = 20 };

/* Writes the digits to the end of `digits`; returns the first. */
static char *print_count(char digits[MOST_DIGITS], uint64_t value)
{
    char *at = digits + MOST_DIGITS;
    do {
        *--at = (char)('0' + value % 10);
        value /= 10;
    } while (value > 0);
    return at;
}

void ets_export_put_count(struct ets_export_buffer *out, uint64_t value)
{
    char digits[MOST_DIGITS];
    const char *at = print_count(digits, value);
    ets_export_put(out, at, (size_t)(digits + MOST_DIGITS - at));
}

void ets_export_put_integer(struct ets_export_buffer *out, int64_t value)
{
    if (value < 0) ets_export_put_literal(out, "-");
    ets_export_put_count(out, value < 0 ? 0 - (uint64_t)value : (uint64_t)value);
}

void ets_export_put_microseconds(struct ets_export_buffer *out, uint64_t ns)
{
    const unsigned part = (unsigned)(ns % 1000);
    const char decimals[4] = {'.', (char)('0' + part / 100), (char)('0' + part / 10 % 10),
                              (char)('0' + part % 10)};
    ets_export_put_count(out, ns / 1000);
    ets_export_put(out, decimals, sizeof decimals);
}

/* Takes a piece of a text that is written as it is, or what is written for one character. */
static bool next_piece(struct ets_text *text, struct ets_text *piece)
{
    size_t size = 0;
    if (text->size == 0) return false;
    while (size < text->size) {
        const unsigned char byte = (unsigned char)text->data[size];
        if (byte >= 0x20 && byte < 0x7f) { /* as nearly all are */
            size++;
            continue;
        }
        const size_t length = ets_plain_length(text->data + size, text->size - size);
        if (length == 0) break;
        size += length;
    }
    *piece = (struct ets_text){text->data, size};
    if (size == 0) {
        size = ets_utf8_length(text->data, text->size);
        *piece = size == 0 ? (struct ets_text){"\xef\xbf\xbd", 3} : (struct ets_text){" ", 1};
        if (size == 0) size = 1;
    }
    text->data += size;
    text->size -= size;
    return true;
}

/* Writes a text with a mark before the characters that ask for one. */
static void put_escaped(struct ets_export_buffer *out, struct ets_text text, const char *escaped,
                        char mark)
{
    struct ets_text piece;
    while (next_piece(&text, &piece)) {
        size_t begin = 0;
        for (size_t i = 0; i < piece.size; i++) {
            if (piece.data[i] != escaped[0] && piece.data[i] != escaped[1]) continue;
            ets_export_put(out, piece.data + begin, i - begin);
            ets_export_put(out, &mark, 1);
            begin = i;
        }
        ets_export_put(out, piece.data + begin, piece.size - begin);
    }
}

static void put_quoted(struct ets_export_buffer *out, struct ets_text text, const char *escaped,
                       char mark)
{
    ets_export_put_literal(out, "\"");
    put_escaped(out, text, escaped, mark);
    ets_export_put_literal(out, "\"");
}

void ets_export_put_json(struct ets_export_buffer *out, struct ets_text text)
{
    put_quoted(out, text, "\"\\", '\\');
}

void ets_export_put_csv(struct ets_export_buffer *out, struct ets_text text)
{
    if (ets_is_formula(text)) {
        ets_export_put_literal(out, "\"'");
        put_escaped(out, text, "\"\"", '"');
        ets_export_put_literal(out, "\"");
    } else {
        put_quoted(out, text, "\"\"", '"');
    }
}

/*
 * Where the blank before a number at the end of a frame is, "conv 2" or "conv 2.5"; SIZE_MAX: there
 * is none. flamegraph.pl takes that number for a second count.
 */
static size_t blank_before_number(struct ets_text text)
{
    size_t at = text.size, digits = 0;
    while (at > 0 && text.data[at - 1] >= '0' && text.data[at - 1] <= '9') at--;
    digits = text.size - at;
    if (at > 1 && text.data[at - 1] == '.' && text.data[at - 2] >= '0' &&
        text.data[at - 2] <= '9') {
        for (at--; at > 0 && text.data[at - 1] >= '0' && text.data[at - 1] <= '9';) at--;
        digits++;
    }
    const unsigned char before = at > 0 ? (unsigned char)text.data[at - 1] : 'a';
    return digits > 0 && (before <= ' ' || before == 0x7f) ? at - 1 : SIZE_MAX;
}

static void put_without_semicolons(struct ets_export_buffer *out, struct ets_text text)
{
    struct ets_text piece;
    while (next_piece(&text, &piece)) {
        while (piece.size > 0) {
            const char *found = memchr(piece.data, ';', piece.size);
            const size_t size = found == NULL ? piece.size : (size_t)(found - piece.data);
            ets_export_put(out, piece.data, size);
            if (found != NULL) ets_export_put_literal(out, ",");
            piece.data += size + (found != NULL);
            piece.size -= size + (found != NULL);
        }
    }
}

void ets_export_put_frame(struct ets_export_buffer *out, struct ets_text text)
{
    const size_t blank = blank_before_number(text);
    if (text.size == 0) ets_export_put_literal(out, "(no name)");
    if (blank != SIZE_MAX) {
        put_without_semicolons(out, (struct ets_text){text.data, blank});
        ets_export_put_literal(out, "_");
        text = (struct ets_text){text.data + blank + 1, text.size - blank - 1};
    }
    put_without_semicolons(out, text);
}

struct ets_text ets_export_clean_text(struct ets_arena *arena, struct ets_text text)
{
    struct ets_text left = text, piece;
    size_t size = 0;
    bool is_clean = true;
    while (next_piece(&left, &piece)) {
        is_clean = is_clean && piece.data == text.data && piece.size == text.size;
        size += piece.size;
    }
    if (is_clean) return (struct ets_text){text.data == NULL ? "" : text.data, text.size};
    char *copy = ets_arena_alloc(arena, size);
    if (copy == NULL) return (struct ets_text){NULL, 0};
    const struct ets_text cleaned = {copy, size};
    for (left = text; next_piece(&left, &piece); copy += piece.size) {
        memcpy(copy, piece.data, piece.size);
    }
    return cleaned;
}
