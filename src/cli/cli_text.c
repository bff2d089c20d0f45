#include "cli_text.h"

#include <string.h>

struct ets_text cli_text(const char *string)
{
    return (struct ets_text){string, strlen(string)};
}

bool cli_text_is(struct ets_text text, const char *expected)
{
    return text.data != NULL && text.size == strlen(expected) &&
           memcmp(text.data, expected, text.size) == 0;
}

bool cli_ends_with(const char *word, const char *ending)
{
    const size_t n = strlen(word), m = strlen(ending);
    return n > m && strcmp(word + n - m, ending) == 0;
}

size_t cli_utf8_length(const unsigned char *at, size_t size)
{
    if (at[0] < 0x80) return 1;
    const size_t length = at[0] >= 0xf0 ? 4 : at[0] >= 0xe0 ? 3 : 2;
    if (at[0] < 0xc2 || at[0] > 0xf4 || length > size) return 0;
    for (size_t i = 1; i < length; i++) {
        if (at[i] < 0x80 || at[i] > 0xbf) return 0;
    }
    /* Overlong forms, surrogates and what lies above U+10FFFF show in the second byte. */
    const bool is_out = (at[0] == 0xe0 && at[1] < 0xa0) || (at[0] == 0xed && at[1] > 0x9f) ||
                        (at[0] == 0xf0 && at[1] < 0x90) || (at[0] == 0xf4 && at[1] > 0x8f);
    return is_out ? 0 : length;
}

size_t cli_shown_length(const unsigned char *at, size_t size)
{
    const size_t length = cli_utf8_length(at, size);
    const bool is_high_control = length == 2 && at[0] == 0xc2 && at[1] < 0xa0;
    return *at < 0x20 || *at == 0x7f || is_high_control ? 0 : length;
}

void cli_print_text(FILE *stream, const char *text)
{
    const unsigned char *at = (const unsigned char *)text;
    size_t left = strlen(text);
    while (left > 0) {
        const size_t shown = cli_shown_length(at, left);
        if (shown == 0) fprintf(stream, "\\x%02x", *at);
        else fwrite(at, 1, shown, stream);
        const size_t taken = shown == 0 ? 1 : shown;
        at += taken;
        left -= taken;
    }
}

const char *cli_path_name(const char *path)
{
    return strcmp(path, "-") == 0 ? "standard input" : path;
}
