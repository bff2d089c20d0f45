/* Marks the values that --only names. */
#include "cli/tap/chosen_values.h"

#include <stdlib.h>
#include <string.h>

#include "cli/core/cli_text.h"

/* Whether a word of the option names the value: by its debug handle, or as --list names it. */
static bool is_named(const struct ets_inside_value *value, struct ets_text word)
{
    char number[32];
    if (memchr(word.data, ':', word.size) != NULL) {
        return value->name.size == word.size && memcmp(value->name.data, word.data, word.size) == 0;
    }
    snprintf(number, sizeof number, "%lld", (long long)value->maker->debug_handle);
    return value->maker->debug_handle >= 0 && cli_text_is(word, number);
}

static int complain_untappable(const struct ets_inside_value *value)
{
    return cli_complain(CLI_USAGE, "value %.*s cannot be handed out: %s%s", ETS_TEXT(value->name),
                        value->state,
                        value->tap->state == ETS_TAP_FUSED ? "; --fused adds it" : "");
}

/* Chooses what one word names. */
static int choose_word(const struct ets_inside_values *values, struct ets_text word, bool has_fused)
{
    uint32_t named = 0, chosen = 0;
    const struct ets_inside_value *refused = NULL;
    for (uint32_t i = 0; i < values->count; i++) {
        struct ets_tap *tap = values->items[i].tap;
        if (!is_named(&values->items[i], word)) continue;
        named++;
        tap->is_chosen |=
            tap->state == ETS_TAP_POSSIBLE || (tap->state == ETS_TAP_FUSED && has_fused);
        chosen += tap->is_chosen;
        if (!tap->is_chosen) refused = &values->items[i];
    }
    if (named == 0) {
        return cli_complain(CLI_USAGE,
                            "--only: no value within the delegates is %.*s; --list names all, and "
                            "a number without colon is a debug handle",
                            ETS_TEXT(word));
    }
    return chosen == 0 ? complain_untappable(refused) : CLI_OK;
}

static void choose_all(const struct ets_inside_values *values, bool has_fused)
{
    for (uint32_t i = 0; i < values->count; i++) {
        struct ets_tap *tap = values->items[i].tap;
        tap->is_chosen =
            tap->state == ETS_TAP_POSSIBLE || (tap->state == ETS_TAP_FUSED && has_fused);
    }
}

int cli_choose_values(const struct cli_arguments *arguments, const struct ets_inside_values *values,
                      uint32_t *count_out)
{
    const char *list = cli_value(arguments, "--only");
    const bool has_fused = cli_has(arguments, "--fused");
    int code = CLI_OK;
    if (list == NULL || strcmp(list, "all") == 0) choose_all(values, has_fused);
    for (const char *at = list; code == CLI_OK && at != NULL && strcmp(list, "all") != 0;) {
        const char *comma = strchr(at, ',');
        const size_t size = comma == NULL ? strlen(at) : (size_t)(comma - at);
        code = choose_word(values, (struct ets_text){at, size}, has_fused);
        at = comma == NULL ? NULL : comma + 1;
    }
    *count_out = 0;
    for (uint32_t i = 0; i < values->count; i++) *count_out += values->items[i].tap->is_chosen;
    if (code != CLI_OK || *count_out > 0) return code;
    return cli_complain(
        CLI_UNAVAILABLE,
        "no value within the delegates can be handed out: the program has no call of "
        "XNNPACK with more than one operator");
}
