/* Makes a random prompt, or reads one. */
#include "cli/tokens/prompt_tokens.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "cli/core/cli_text.h"
#include "cli/files/arrays.h"
#include "etscope/file.h"
#include "etscope/numerics.h"

enum { MOST_TOKENS = 1 << 24, MOST_DIGITS = 20 };

/* splitmix64 */
static uint64_t draw(uint64_t *state)
{
    uint64_t z = *state += 0x9e3779b97f4a7c15u;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
    z = (z ^ z >> 27) * 0x94d049bb133111ebu;
    return z ^ z >> 31;
}

void cli_random_tokens(uint64_t seed, uint32_t vocabulary, int64_t *tokens, size_t count)
{
    for (size_t i = 0; i < count; i++) tokens[i] = (int64_t)(draw(&seed) % vocabulary);
}

static int complain_token(const char *path, uint32_t index, const char *token, int size,
                          uint32_t vocabulary)
{
    return cli_complain(
        CLI_INPUT,
        "%s: token %u is \"%.*s\": expected numbers from 0 to %u, the vocabulary of "
        "the program",
        cli_path_name(path), index, size, token, vocabulary - 1);
}

static bool is_separator(uint8_t byte)
{
    return byte != '\0' && strchr(" \t\r\n,[]", byte) != NULL;
}

/* Reads the text's tokens; `tokens` NULL: only counts them. Returns an exit code. */
static int read_text(const char *path, struct ets_bytes text, uint32_t vocabulary, int64_t *tokens,
                     uint32_t *count_out)
{
    uint32_t count = 0;
    for (size_t i = 0; i < text.size;) {
        if (is_separator(text.data[i])) {
            i++;
            continue;
        }
        size_t end = i;
        uint64_t number = 0;
        while (end < text.size && text.data[end] >= '0' && text.data[end] <= '9' &&
               end - i < MOST_DIGITS - 1) {
            number = 10 * number + (text.data[end++] - (uint64_t)'0');
        }
        const bool is_number = end > i && (end == text.size || is_separator(text.data[end]));
        if (!is_number || number >= vocabulary || count == MOST_TOKENS) {
            while (end < text.size && !is_separator(text.data[end]) && end - i < MOST_DIGITS) end++;
            return complain_token(path, count, (const char *)text.data + i, (int)(end - i),
                                  vocabulary);
        }
        if (tokens != NULL) tokens[count] = (int64_t)number;
        count++;
        i = end;
    }
    *count_out = count;
    return CLI_OK;
}

static int read_array(const char *path, uint32_t vocabulary, struct ets_arena *arena,
                      int64_t **tokens_out, uint32_t *count_out)
{
    struct cli_arrays arrays;
    struct ets_tensor tensor;
    struct ets_elements elements;
    struct ets_error error;
    double number;
    uint32_t count = 0;
    int code = cli_arrays_open(path, &arrays);
    if (code == CLI_OK && arrays.count != 1) {
        code = cli_complain(CLI_INPUT, "%s has %zu arrays: expected the one of the tokens", path,
                            arrays.count);
    }
    if (code == CLI_OK) code = cli_arrays_read(&arrays, 0, &tensor);
    const uint64_t all = code == CLI_OK ? ets_tensor_count(&tensor) : 0;
    if (code == CLI_OK && all > MOST_TOKENS) {
        code = cli_complain(CLI_INPUT, "%s has %llu numbers, more than any prompt", path,
                            (unsigned long long)all);
    }
    if (code == CLI_OK) {
        *tokens_out = ets_arena_alloc_array(arena, (size_t)all, sizeof **tokens_out);
        if (*tokens_out == NULL) code = cli_complain(CLI_INTERNAL, "no memory for the tokens");
    }
    if (code == CLI_OK && ets_elements_init(&elements, &tensor, &error) != ETS_OK) {
        code = cli_fail(path, &error);
    }
    while (code == CLI_OK && count < all && ets_elements_next(&elements, &number)) {
        if (number >= 0 && number < vocabulary && number == (double)(int64_t)number) {
            (*tokens_out)[count++] = (int64_t)number;
            continue;
        }
        char text[32];
        const int size = snprintf(text, sizeof text, "%g", number);
        code = complain_token(path, count, text, size, vocabulary);
    }
    *count_out = count;
    cli_arrays_close(&arrays);
    return code;
}

int cli_read_tokens(const char *path, uint32_t vocabulary, struct ets_arena *arena,
                    int64_t **tokens_out, uint32_t *count_out)
{
    struct ets_file *file;
    struct ets_error error;
    if (cli_file_open(path, &file, &error) != ETS_OK) return cli_fail(path, &error);
    const struct ets_bytes bytes = ets_file_bytes(file);
    const enum ets_kind kind = ets_kind_sniff(bytes);
    int code = CLI_OK;
    if (kind == ETS_KIND_NPY || kind == ETS_KIND_ZIP) {
        code = read_array(path, vocabulary, arena, tokens_out, count_out);
    } else {
        code = read_text(path, bytes, vocabulary, NULL, count_out);
        if (code == CLI_OK) {
            *tokens_out = ets_arena_alloc_array(arena, *count_out, sizeof **tokens_out);
            code = *tokens_out == NULL ? cli_complain(CLI_INTERNAL, "no memory for the tokens")
                                       : read_text(path, bytes, vocabulary, *tokens_out, count_out);
        }
    }
    ets_file_close(file);
    if (code == CLI_OK && *count_out == 0) {
        code = cli_complain(CLI_INPUT, "%s has no tokens: expected numbers such as 3 17 99",
                            cli_path_name(path));
    }
    return code;
}
