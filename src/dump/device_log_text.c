/*
 * Splits a text into words, and decodes base64. Without a prefix, it is a guess which words are
 * data. A wrong guess between two frames costs nothing; inside a frame it loses that frame, because
 * its checksum fails.
 */
#include "dump/device_log_text.h"

#include <string.h>

static bool is_line_end(uint8_t byte)
{
    return byte == '\n' || byte == '\r';
}

/* Skips ESC [ ... letter; skips other control bytes one by one. */
static size_t skip_escape(struct ets_bytes text, size_t at)
{
    if (text.data[at] != 0x1b || at + 1 >= text.size || text.data[at + 1] != '[') return at + 1;
    for (at += 2; at < text.size; at++) {
        const uint8_t byte = text.data[at];
        if (byte < 0x20 || byte > 0x3f) return byte >= 0x40 && byte <= 0x7e ? at + 1 : at;
    }
    return at;
}

bool ets_next_word(struct ets_words *words, struct ets_word *out)
{
    const struct ets_bytes text = words->text;
    size_t at = words->at;
    words->is_new_line = at == 0;
    while (at < text.size && text.data[at] <= ' ') {
        if (is_line_end(text.data[at])) {
            words->is_new_line = true;
            words->line = at + 1;
        }
        at = skip_escape(text, at);
    }
    out->begin = at;
    while (at < text.size && text.data[at] > ' ') at++;
    out->end = words->at = at;
    return out->end > out->begin;
}

/* 0 to 63; 64: not in the alphabet. */
static uint32_t base64_value(uint8_t letter)
{
    if (letter >= 'A' && letter <= 'Z') return letter - (uint32_t)'A';
    if (letter >= 'a' && letter <= 'z') return letter - (uint32_t)'a' + 26;
    if (letter >= '0' && letter <= '9') return letter - (uint32_t)'0' + 52;
    return letter == '+' ? 62 : letter == '/' ? 63 : 64;
}

/* The number of leading letters of the alphabet, without padding. */
static size_t count_letters(struct ets_bytes text)
{
    size_t letters = 0;
    while (letters < text.size && base64_value(text.data[letters]) < 64) letters++;
    return letters;
}

/* If a line lost its end, leaves out the prefix of the next line. */
static size_t without_prefix(struct ets_bytes text, size_t letters)
{
    const uint8_t *end = text.data + letters;
    const bool has_prefix = letters >= 4 && letters < text.size && *end == ':' && end[-4] == 'e' &&
                            end[-3] == 't' && end[-2] == 's' && (end[-1] == 'f' || end[-1] == 'd');
    return has_prefix ? letters - 4 : letters;
}

/* Decodes a last group of `left` letters and one or two "=". Returns the number of bytes. */
static size_t decode_padded(const uint8_t *letters, size_t left, uint8_t *out)
{
    const uint32_t first = base64_value(letters[0]), second = base64_value(letters[1]);
    out[0] = (uint8_t)(first << 2 | second >> 4);
    if (left == 2) return 1;
    out[1] = (uint8_t)(second << 4 | base64_value(letters[2]) >> 2);
    return 2;
}

size_t ets_decode_base64(struct ets_bytes text, uint8_t *out, size_t *used_out)
{
    const size_t letters = without_prefix(text, count_letters(text));
    size_t bytes = 0, at = 0;
    for (; letters - at >= 4; at += 4, bytes += 3) {
        uint32_t group = 0;
        for (size_t i = 0; i < 4; i++) group = group << 6 | base64_value(text.data[at + i]);
        out[bytes] = (uint8_t)(group >> 16);
        out[bytes + 1] = (uint8_t)(group >> 8);
        out[bytes + 2] = (uint8_t)group;
    }
    const size_t left = letters - at;
    size_t padding = 0;
    while (left >= 2 && left + padding < 4 && letters + padding < text.size &&
           text.data[letters + padding] == '=') {
        padding++;
    }
    if (left >= 2 && left + padding == 4) bytes += decode_padded(text.data + at, left, out + bytes);
    *used_out = letters + padding;
    return bytes;
}

enum { LEAST_LETTERS = 16 };

/* The last word of a line. */
struct last_word {
    struct ets_word word;
    size_t column;
    bool is_cut; /* the text ends with it */
};

/* The last line of data. */
struct data_line {
    bool is_known;
    bool is_just_before;
    size_t column;
};

/* Short words count only as the end of the data in the previous lines. */
static bool may_be_data(const struct last_word *last, const struct data_line *before)
{
    const size_t letters = last->word.end - last->word.begin;
    if (letters >= LEAST_LETTERS) return true;
    return before->is_known && (letters % 4 == 0 || last->is_cut) &&
           (before->is_just_before || before->column == last->column);
}

/* Decodes the last word of a line if it is only base64. */
static size_t decode_last_word(struct ets_bytes text, const struct last_word *last, uint8_t *out,
                               struct data_line *before)
{
    const struct ets_bytes word = {text.data + last->word.begin, last->word.end - last->word.begin};
    size_t used = 0, bytes = 0;
    if (word.size == 0) return 0;
    if (may_be_data(last, before)) bytes = ets_decode_base64(word, out, &used);
    before->is_just_before = used == word.size && bytes != 0;
    if (!before->is_just_before) return 0;
    before->is_known = true;
    before->column = last->column;
    return bytes;
}

size_t ets_decode_base64_lines(struct ets_bytes text, uint8_t *out)
{
    struct ets_words words = {.text = text};
    struct ets_word word;
    struct last_word last = {.is_cut = false};
    struct data_line before = {.is_known = false};
    size_t bytes = 0;
    while (ets_next_word(&words, &word)) {
        if (words.is_new_line) bytes += decode_last_word(text, &last, out + bytes, &before);
        last = (struct last_word){word, word.begin - words.line, word.end == text.size};
    }
    return bytes + decode_last_word(text, &last, out + bytes, &before);
}
