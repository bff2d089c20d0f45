/* Selects captured tensors of a trace by TENSOR and filters, and names them. */
#include "cli/tensors/captured.h"
#include "inspect/patterns.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "cli/core/cli_text.h"

void cli_captured_begin(const struct cli_captured *captured, struct ets_captured_values *values)
{
    ets_captured_values_init(values, captured->inspection, captured->subject->debug_buffer,
                             &captured->filter);
}

void cli_captured_begin_all(const struct cli_captured *captured, struct ets_captured_values *values)
{
    ets_captured_values_init(values, captured->inspection, captured->subject->debug_buffer, NULL);
}

/* Whether a tensor has numbers that are NaN or infinite. */
static bool is_broken(const struct ets_tensor *tensor)
{
    struct ets_tensor_statistics statistics;
    return ets_tensor_statistics_of(tensor, 0, &statistics) == ETS_OK &&
           (statistics.nan_count > 0 || statistics.infinite_count > 0);
}

bool cli_captured_next(const struct cli_captured *captured, struct ets_captured_values *values,
                       struct ets_captured_value *value_out)
{
    while (ets_captured_values_next(values, value_out)) {
        if (value_out->status != ETS_OK || !value_out->has_tensor) continue;
        if (captured == NULL || !captured->broken_only || is_broken(&value_out->tensor))
            return true;
    }
    return false;
}

/* An operator's name as a part of a file name: "(output)" becomes "output". */
static void make_plain(struct ets_text name, char *out, size_t room)
{
    size_t used = 0;
    for (size_t i = 0; i < name.size && used < room - 1; i++) {
        const char c = name.data[i];
        const bool is_plain = isalnum((unsigned char)c) || c == '.' || c == '_';
        if (is_plain) out[used++] = c;
        else if (used > 0 && out[used - 1] != '-') out[used++] = '-';
    }
    while (used > 0 && out[used - 1] == '-') used--;
    if (used == 0) out[used++] = 'x';
    out[used] = '\0';
}

void cli_captured_name(const struct ets_inspection *inspection,
                       const struct ets_captured_value *value, char name[CLI_CAPTURED_NAME_BYTES])
{
    char plain[80], item[24] = "";
    make_plain(ets_captured_value_operator(inspection, value), plain, sizeof plain);
    if (value->item_count > 0) snprintf(item, sizeof item, "-item%u", value->item);
    snprintf(name, CLI_CAPTURED_NAME_BYTES, "run%u-event%05u-%s%s", value->run, value->event, plain,
             item);
}

/* Reads TENSOR: a number is an event, anything else the name of an operator. */
static int parse_word(const struct cli_arguments *arguments, struct cli_captured *captured)
{
    const char *word = arguments->words[1];
    if (word[strspn(word, "0123456789")] == '\0') {
        char *end;
        errno = 0;
        const unsigned long long event = strtoull(word, &end, 10);
        if (captured->filter.event != ETS_NO_INDEX) {
            return cli_complain(CLI_USAGE, "the event is given both as %s and with --event", word);
        }
        captured->filter.event =
            errno == 0 && event < ETS_NO_INDEX ? (uint32_t)event : ETS_NO_INDEX - 1;
        return CLI_OK;
    }
    if (captured->rows.filter.name != NULL) {
        return cli_complain(CLI_USAGE, "the name is given both as %s and with --name", word);
    }
    captured->rows.filter.name = strcmp(word, "output") == 0 ? "(output)" : word;
    return CLI_OK;
}

/* Reports an unknown name with the nearest names of operators with captured tensors. */
static int complain_name(const struct cli_captured *captured)
{
    struct cli_near near = {.word = captured->rows.filter.name};
    struct ets_captured_filter all = captured->filter;
    struct ets_captured_values values;
    struct ets_captured_value value;
    char line[CLI_NEAR_COUNT * (CLI_NEAR_BYTES + 2) + 16];
    all.rows = NULL;
    ets_captured_values_init(&values, captured->inspection, captured->subject->debug_buffer, &all);
    while (ets_captured_values_next(&values, &value)) {
        cli_near_offer(&near, ets_captured_value_operator(captured->inspection, &value));
    }
    cli_near_print(&near, line, sizeof line);
    return cli_complain(CLI_USAGE, "no captured tensor belongs to \"%s\"%s", near.word, line);
}

static int check_choice(struct cli_captured *captured)
{
    struct ets_captured_values values;
    struct ets_captured_value value;
    uint32_t count = 0;
    cli_captured_begin(captured, &values);
    while (ets_captured_values_next(&values, &value)) {
        count++;
    }
    cli_captured_begin(captured, &values);
    while (cli_captured_next(captured, &values, &value)) captured->count++;
    struct ets_row_filter others = captured->rows.filter;
    others.name = NULL;
    const bool is_name = captured->rows.filter.name != NULL && ets_row_filter_is_empty(&others);
    if (count > 0 || ets_row_filter_is_empty(&captured->rows.filter)) return CLI_OK;
    if (is_name) return complain_name(captured);
    return cli_filter_settle(&captured->rows, captured->inspection, NULL, captured->filter.block,
                             captured->filter.run);
}

int cli_captured_choose(const struct cli_arguments *arguments, const struct cli_subject *subject,
                        const struct ets_inspection *inspection, struct cli_captured *captured)
{
    *captured = (struct cli_captured){.subject = subject,
                                      .inspection = inspection,
                                      .broken_only = cli_has(arguments, "--only-nonfinite")};
    captured->filter = (struct ets_captured_filter){
        .event = (uint32_t)cli_number(arguments, "--event", ETS_NO_INDEX),
        .outputs_only = cli_has(arguments, "--only-outputs")};
    int code =
        cli_choose_rows(arguments, inspection, &captured->filter.block, &captured->filter.run);
    if (code == CLI_OK) code = cli_filter_parse(arguments, &captured->rows);
    if (code == CLI_OK && arguments->word_count > 1) code = parse_word(arguments, captured);
    if (code != CLI_OK) return code;
    captured->rows.filter.handles = captured->rows.handles;
    captured->filter.rows = &captured->rows.filter;
    return check_choice(captured);
}
