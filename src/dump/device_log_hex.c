/*
 * Decodes hexadecimal digits of a log: plain words, and the formats of xxd, hexdump and logging
 * functions.
 */
#include <string.h>

#include "dump/device_log_text.h"

enum { LEAST_BYTES = 8, MIDDLE_OF_LINE = 8 };

/* The digits of a line found so far. */
struct run {
    size_t bytes;  /* decoded, after those of previous lines */
    size_t column; /* where it begins in its line */
    size_t words;  /* 0: none yet */
    size_t digits; /* of each word; only the last may have fewer */
    struct ets_word first;
    bool is_closed;   /* the last word had fewer */
    uint64_t address; /* of the first byte, where has_address */
    bool has_address;
};

struct hex_lines {
    struct ets_bytes text;
    uint8_t *out;
    size_t bytes; /* of whole lines */
    struct run run;
    size_t line;       /* where the line begins */
    bool is_over;      /* the rest of this line is not data */
    struct run before; /* the last data; words 0: none yet */
    bool is_next;      /* it was in the previous line */
    bool has_star;     /* it repeats up to the next address */
};

static int hex_value(uint8_t digit)
{
    if (digit >= '0' && digit <= '9') return digit - '0';
    if (digit >= 'a' && digit <= 'f') return digit - 'a' + 10;
    if (digit >= 'A' && digit <= 'F') return digit - 'A' + 10;
    return -1;
}

/* Length of a word of digits, without "0x" and ","; 0: it has other characters. */
static size_t count_digits(struct ets_bytes text, struct ets_word *word)
{
    if (word->end - word->begin > 1 && text.data[word->end - 1] == ',') word->end--;
    if (word->end - word->begin > 2 && text.data[word->begin] == '0' &&
        text.data[word->begin + 1] == 'x') {
        word->begin += 2;
    }
    for (size_t at = word->begin; at < word->end; at++) {
        if (hex_value(text.data[at]) < 0) return 0;
    }
    return word->end - word->begin;
}

/* Reads a word of at most 16 digits as a number. */
static bool read_address(struct ets_bytes text, struct ets_word word, uint64_t *out)
{
    *out = 0;
    if (word.end - word.begin > 16) return false;
    for (size_t at = word.begin; at < word.end; at++) {
        const int value = hex_value(text.data[at]);
        if (value < 0) return false;
        *out = *out << 4 | (uint64_t)value;
    }
    return word.end > word.begin;
}

/*
 * Repeats the previous line up to `address`, which "*" left out. At least half of the room for the
 * bytes read so far is free, which limits the effect of a crafted address.
 */
static void repeat_before(struct hex_lines *lines, uint64_t address, size_t read)
{
    const struct run *before = &lines->before;
    if (!lines->has_star || before->words == 0 || !before->has_address) return;
    lines->has_star = false;
    const uint64_t missing = address - before->address - before->bytes;
    if (missing > read || lines->bytes > read - (size_t)missing || missing % before->bytes != 0) {
        return;
    }
    for (uint64_t i = 0; i < missing; i++, lines->bytes++) {
        lines->out[lines->bytes] = lines->out[lines->bytes - before->bytes];
    }
}

/* Restarts the run, after an address or not. */
static void restart(struct hex_lines *lines, const uint64_t *address, size_t read)
{
    lines->run = (struct run){.has_address = address != NULL};
    if (address == NULL) return;
    lines->run.address = *address;
    repeat_before(lines, *address, read);
}

static void take_digits(struct hex_lines *lines, struct ets_word word)
{
    struct run *run = &lines->run;
    uint8_t *out = lines->out + lines->bytes + run->bytes;
    for (size_t at = word.begin; at < word.end; at += 2) {
        *out++ =
            (uint8_t)(hex_value(lines->text.data[at]) << 4 | hex_value(lines->text.data[at + 1]));
    }
    const size_t digits = word.end - word.begin;
    if (run->words == 0) {
        run->digits = digits;
        run->first = word;
        run->column = word.begin - lines->line;
    }
    run->is_closed = digits < run->digits;
    run->bytes += digits / 2;
    run->words++;
}

/* Whether a few digits look like the rest of the previous lines. */
static bool goes_on(const struct hex_lines *lines)
{
    const struct run *run = &lines->run, *before = &lines->before;
    if (run->words == 0 || before->words == 0) return false;
    if (!lines->is_next && run->column != before->column) return false;
    return run->digits == before->digits ||
           (run->words == 1 && before->words == 1 && run->digits < before->digits);
}

/* At the end of a line or its left part: accepts the run as data if it is long or continues. */
static bool accept_run(struct hex_lines *lines)
{
    if (lines->run.bytes < LEAST_BYTES && !goes_on(lines)) return false;
    lines->bytes += lines->run.bytes;
    lines->is_over = true;
    return true;
}

/* Whether digits after a wide gap still belong to the run, as in the middle of hexdump's lines. */
static bool goes_on_behind_gap(const struct run *run, size_t digits, size_t gap)
{
    return gap == 2 && digits == 2 && run->digits == 2 && run->bytes == MIDDLE_OF_LINE;
}

static void add_digits(struct hex_lines *lines, struct ets_word word, size_t gap)
{
    struct run *run = &lines->run;
    const size_t digits = word.end - word.begin;
    const bool is_rest = digits < run->digits && (run->words > 1 || run->has_address);
    const bool fits = run->words == 0 || (!run->is_closed && (digits == run->digits || is_rest));
    uint64_t address;
    if (run->words == 1 && !run->has_address && (gap > 1 || !fits)) {
        /* The text before the digits: hexdump's address, a time stamp. */
        const bool is_address = read_address(lines->text, run->first, &address);
        restart(lines, is_address ? &address : NULL, word.begin);
    } else if (run->words != 0 && gap > 1 && !goes_on_behind_gap(run, digits, gap)) {
        if (accept_run(lines)) return;
        restart(lines, NULL, word.begin);
    } else if (!fits) {
        restart(lines, NULL, word.begin);
    }
    take_digits(lines, word);
}

/* A word that is not digits: the right column, an address with a colon, or other text. */
static void add_other(struct hex_lines *lines, struct ets_word word, size_t gap)
{
    const struct ets_bytes text = lines->text;
    uint64_t address;
    if ((gap > 1 || text.data[word.begin] == '|') && accept_run(lines)) return;
    if (text.data[word.end - 1] == ':' &&
        read_address(text, (struct ets_word){word.begin, word.end - 1}, &address)) {
        restart(lines, &address, word.begin);
    } else {
        restart(lines, NULL, word.begin);
        lines->has_star |=
            lines->is_next && word.end - word.begin == 1 && text.data[word.begin] == '*';
    }
}

static void end_line(struct hex_lines *lines)
{
    const bool is_data = lines->is_over || accept_run(lines);
    if (is_data) {
        lines->before = lines->run;
        lines->has_star = false;
    }
    lines->is_next = is_data;
    lines->run = (struct run){0};
    lines->is_over = false;
}

/* hexdump's last line is only an address, which may end a "*". */
static void end_last_word(struct hex_lines *lines, struct ets_word word)
{
    uint64_t address;
    if (lines->has_star && !lines->is_over && lines->run.words == 1 && !lines->run.has_address &&
        lines->run.digits >= 2 * sizeof(uint32_t) - 1 && lines->run.digits <= 16 &&
        read_address(lines->text, word, &address)) {
        repeat_before(lines, address, word.begin);
    }
}

size_t ets_decode_hex_lines(struct ets_bytes text, uint8_t *out)
{
    struct hex_lines lines = {.text = text, .out = out};
    struct ets_words words = {.text = text};
    struct ets_word word, last = {0, 0};
    while (ets_next_word(&words, &word)) {
        if (words.is_new_line) {
            end_last_word(&lines, last);
            end_line(&lines);
            lines.line = words.line;
        }
        const size_t gap = word.begin - last.end;
        last = word;
        if (lines.is_over) continue;
        size_t digits = count_digits(text, &word);
        if (digits % 2 != 0 && word.end == text.size) { /* cut off inside a byte */
            word.end--;
            if (--digits == 0) continue;
        }
        if (digits == 0 || digits % 2 != 0) add_other(&lines, word, gap);
        else add_digits(&lines, word, gap);
    }
    end_last_word(&lines, last);
    end_line(&lines);
    return lines.bytes;
}
