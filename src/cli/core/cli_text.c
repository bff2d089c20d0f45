/* Compares texts, and prints them safely to a terminal. */
#include "cli/core/cli_text.h"

#include <string.h>

#include "etscope/base.h"

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

void cli_print_text(FILE *stream, const char *text)
{
    const char *at = text;
    size_t left = strlen(text);
    while (left > 0) {
        const size_t shown = ets_plain_length(at, left);
        if (shown == 0) fprintf(stream, "\\x%02x", (unsigned char)*at);
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

const char *cli_shell_word(struct ets_arena *arena, const char *path)
{
    static const char plain[] =
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789"
        "%+,-./:=@_";
    const bool is_option = path[0] == '-' && path[1] != '\0';
    const bool is_plain = *path != '\0' && path[strspn(path, plain)] == '\0';
    char *out = ets_arena_alloc(arena, 4 * strlen(path) + sizeof "./''");
    char *at = out;
    if (out == NULL) return NULL;
    if (!is_plain) *at++ = '\'';
    if (is_option) {
        *at++ = '.';
        *at++ = '/';
    }
    for (; *path != '\0'; path++) {
        if (*path == '\'') { /* ends the quotes, adds one, begins them again */
            memcpy(at, "'\\'", 3);
            at += 3;
        }
        *at++ = *path;
    }
    if (!is_plain) *at++ = '\'';
    *at = '\0';
    return out;
}
