/* Reads --map tokens=0,position=1, --feed decoder.1=encoder.0 and --depth 0,512. */
#include "cli/tokens/token_options.h"

#include <string.h>

#include "cli/core/option_values.h"

enum { MOST_NUMBER = 1 << 24 };

/* A part of a value up to a separator. */
struct part {
    const char *at;
    size_t size;
};

static struct part next_part(const char **at, char separator)
{
    const char *end = strchr(*at, separator);
    const struct part part = {*at, end == NULL ? strlen(*at) : (size_t)(end - *at)};
    *at = end == NULL ? *at + part.size : end + 1;
    return part;
}

static bool read_number(struct part part, uint32_t *number_out)
{
    char text[24];
    long long number;
    if (part.size == 0 || part.size >= sizeof text) return false;
    snprintf(text, sizeof text, "%.*s", (int)part.size, part.at);
    if (!cli_read_number(text, &number) || number < 0 || number > MOST_NUMBER) return false;
    *number_out = (uint32_t)number;
    return true;
}

static bool read_name(struct part part, char name[ETS_TOKEN_NAME])
{
    if (part.size == 0 || part.size >= ETS_TOKEN_NAME) return false;
    snprintf(name, ETS_TOKEN_NAME, "%.*s", (int)part.size, part.at);
    return true;
}

static bool is_key(struct part part, const char *key)
{
    return part.size == strlen(key) && memcmp(part.at, key, part.size) == 0;
}

/* One KEY=VALUE of --map. */
static bool read_pair(struct part key, struct part value, struct ets_token_choice *choice)
{
    uint32_t filler;
    if (is_key(key, "method")) {
        return read_name(value, choice->prefill) && read_name(value, choice->decode);
    }
    if (is_key(key, "prefill")) return read_name(value, choice->prefill);
    if (is_key(key, "decode")) return read_name(value, choice->decode);
    if (is_key(key, "tokens")) return read_number(value, &choice->tokens);
    if (is_key(key, "position")) return read_number(value, &choice->position);
    if (is_key(key, "logits")) return read_number(value, &choice->logits);
    if (is_key(key, "context")) return read_number(value, &choice->context) && choice->context > 0;
    if (!is_key(key, "filler") || !read_number(value, &filler)) return false;
    choice->filler = filler;
    return true;
}

static int read_map(const char *text, struct ets_token_choice *choice)
{
    const char *at = text;
    do {
        const struct part pair = next_part(&at, ',');
        const char *equals = memchr(pair.at, '=', pair.size);
        const size_t key = equals == NULL ? 0 : (size_t)(equals - pair.at);
        if (equals != NULL && read_pair((struct part){pair.at, key},
                                        (struct part){equals + 1, pair.size - key - 1}, choice)) {
            continue;
        }
        return cli_complain(CLI_USAGE,
                            "--map takes tokens=INPUT, position=INPUT, logits=OUTPUT, method=NAME, "
                            "prefill=NAME, decode=NAME, context=N and filler=TOKEN, with commas, "
                            "not \"%.*s\"",
                            (int)pair.size, pair.at);
    } while (*at != '\0');
    return CLI_OK;
}

/* "decoder.1": a name, which may have dots, and a number. */
static bool read_place(struct part text, char name[ETS_TOKEN_NAME], uint32_t *number_out)
{
    for (size_t i = text.size; i > 0; i--) {
        if (text.at[i - 1] != '.') continue;
        return read_name((struct part){text.at, i - 1}, name) &&
               read_number((struct part){text.at + i, text.size - i}, number_out);
    }
    return false;
}

static int read_feed(const char *text, struct ets_token_choice *choice)
{
    const char *equals = strchr(text, '=');
    if (choice->feed_count == ETS_TOKEN_FEEDS) {
        return cli_complain(CLI_USAGE, "more than %d --feed", ETS_TOKEN_FEEDS);
    }
    struct ets_token_feed *feed = &choice->feeds[choice->feed_count++];
    if (equals != NULL &&
        read_place((struct part){text, (size_t)(equals - text)}, feed->to, &feed->input) &&
        read_place((struct part){equals + 1, strlen(equals + 1)}, feed->from, &feed->output)) {
        return CLI_OK;
    }
    return cli_complain(CLI_USAGE,
                        "--feed takes METHOD.INPUT=METHOD.OUTPUT, such as decoder.1=encoder.0, not "
                        "\"%s\"",
                        text);
}

int cli_token_choice(const struct cli_arguments *arguments, struct ets_token_choice *choice_out)
{
    const char *value;
    int code = CLI_OK;
    *choice_out = (struct ets_token_choice)ETS_TOKEN_CHOICE_NONE;
    for (unsigned i = 0; code == CLI_OK && (value = cli_value_at(arguments, "--map", i)) != NULL;
         i++) {
        code = read_map(value, choice_out);
    }
    for (unsigned i = 0; code == CLI_OK && (value = cli_value_at(arguments, "--feed", i)) != NULL;
         i++) {
        code = read_feed(value, choice_out);
    }
    return code;
}

int cli_depths(const struct cli_arguments *arguments, struct cli_depths *depths_out)
{
    const char *at = cli_value(arguments, "--depth");
    *depths_out = (struct cli_depths){.count = 1};
    if (at == NULL) return CLI_OK;
    const char *text = at;
    depths_out->count = 0;
    do {
        const struct part part = next_part(&at, ',');
        uint32_t number;
        if (depths_out->count < CLI_MOST_DEPTHS && read_number(part, &number)) {
            for (uint32_t i = 0; i < depths_out->count; i++) {
                if (depths_out->items[i] != number) continue;
                return cli_complain(CLI_USAGE, "--depth has %u twice; recordings repeat a depth",
                                    number);
            }
            depths_out->items[depths_out->count++] = number;
            continue;
        }
        return cli_complain(CLI_USAGE,
                            "--depth takes up to %d numbers of tokens, such as 0,512,1024, not "
                            "\"%s\"",
                            CLI_MOST_DEPTHS, text);
    } while (*at != '\0');
    return CLI_OK;
}
