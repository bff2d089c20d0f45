/* Writes tables to the output and in the style of the options and the terminal. */
#define _DEFAULT_SOURCE
#include "cli/core/write_table.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "cli/core/document.h"
#include "cli/core/notes.h"
#include "host/os/os_streams.h"
#include "host/text_builder.h"

/*
 * Whether tables are coloured. Without the option, https://no-color.org and CLICOLOR_FORCE of
 * https://bixense.com/clicolors decide, then the terminal.
 */
static bool wants_color(const struct cli_arguments *arguments, bool is_stdout, bool is_terminal)
{
    const char *option = cli_value(arguments, "--color"), *none = getenv("NO_COLOR");
    const char *force = getenv("CLICOLOR_FORCE"), *term = getenv("TERM");
    if (option != NULL && strcmp(option, "auto") != 0) return strcmp(option, "always") == 0;
    if (none != NULL && *none != '\0') return false;
    if (force != NULL && *force != '\0' && strcmp(force, "0") != 0) return is_stdout;
    return is_terminal && (term == NULL || strcmp(term, "dumb") != 0);
}

const char *cli_result_path(const struct cli_arguments *arguments)
{
    const char *path =
        cli_value(arguments, cli_takes(arguments, "--table") ? "--table" : "--output");
    return path != NULL ? path : "-";
}

/* What the variable COLUMNS asks for; 0: nothing. */
static uint32_t wanted_width(void)
{
    const char *columns = getenv("COLUMNS");
    return columns != NULL && atoi(columns) >= 20 ? (uint32_t)atoi(columns) : 0;
}

uint32_t cli_output_width(void)
{
    const bool is_terminal = ets_os_is_terminal(ETS_OS_OUTPUT);
    const uint32_t width = is_terminal ? ets_os_terminal_width(ETS_OS_OUTPUT) : 0;
    return width > 0 ? width : wanted_width();
}

void cli_style(const struct cli_arguments *arguments, const char *output_path,
               struct ets_table_style *style_out)
{
    const bool is_stdout = strcmp(output_path, "-") == 0;
    const bool is_terminal = is_stdout && ets_os_is_terminal(ETS_OS_OUTPUT);
    *style_out = (struct ets_table_style){.format = ETS_FORMAT_TABLE};
    const char *format = cli_value(arguments, "--format");
    if (format != NULL && !ets_format_find(format, &style_out->format)) {
        style_out->format = ETS_FORMAT_TSV; /* beside upstream's table */
    }
    style_out->is_colored = wants_color(arguments, is_stdout, is_terminal);
    style_out->is_unfolded = cli_has(arguments, "--all");
    style_out->has_bounds = cli_has(arguments, "--bounds");
    style_out->ascii = !ets_os_shows_utf8();
    style_out->time_unit = cli_value(arguments, "--unit");
    style_out->width = (uint32_t)cli_number(arguments, "--width", 0);
    if (style_out->width == 0) style_out->width = is_stdout ? cli_output_width() : wanted_width();
}

int cli_write_table(const struct cli_arguments *arguments, const struct ets_table *table,
                    const struct ets_table_style *style)
{
    return cli_write_table_to(cli_result_path(arguments), table, style);
}

int cli_write_table_to(const char *path, const struct ets_table *table,
                       const struct ets_table_style *style)
{
    struct ets_output *output;
    struct ets_error error;
    if (style->format == ETS_FORMAT_JSON) return cli_document_table(path, table, style);
    if (ets_output_open(path, &output, &error) != ETS_OK) return cli_fail_output(path, &error);
    if (ets_table_write(table, style, output, &error) != ETS_OK) {
        ets_output_discard(output);
        return cli_fail(NULL, &error);
    }
    if (ets_output_commit(output, &error) != ETS_OK) return cli_fail_output(path, &error);
    cli_release_notes();
    return CLI_OK;
}

int cli_write_styled(const struct cli_arguments *arguments, const struct ets_table *table)
{
    struct ets_table_style style;
    cli_style(arguments, cli_result_path(arguments), &style);
    return cli_write_table(arguments, table, &style);
}

void cli_put_headline(struct ets_table *table, const struct ets_text *sentences, uint32_t count)
{
    char text[4096] = "";
    struct ets_text_builder whole = {text, sizeof text, 0};
    for (uint32_t i = 0; i < count; i++) {
        ets_table_add_lead(table, sentences[i]);
        ets_add_text(&whole, "%s%.*s", i > 0 ? ". " : "", ETS_TEXT(sentences[i]));
    }
    const struct ets_text own = ets_table_headline(table);
    if (own.data != NULL) ets_add_text(&whole, "%s%.*s", count > 0 ? ". " : "", ETS_TEXT(own));
    cli_headline("%s", text);
}

static bool has_ending(const char *path, const char *ending)
{
    const size_t size = strlen(path), ending_size = strlen(ending);
    return size > ending_size && strcasecmp(path + size - ending_size, ending) == 0;
}

bool cli_is_picture(const char *path)
{
    return path != NULL && has_ending(path, ".svg");
}

int cli_check_picture(const struct cli_arguments *arguments, const char *const *ignored)
{
    static const char *const others[] = {".png", ".jpg",  ".jpeg", ".gif", ".pdf",
                                         ".bmp", ".webp", ".tif",  ".tiff"};
    const char *path = cli_result_path(arguments);
    for (size_t i = 0; i < sizeof others / sizeof *others; i++) {
        if (!has_ending(path, others[i])) continue;
        return cli_complain(CLI_USAGE, "%s: only .svg pictures can be written, not %s", path,
                            others[i]);
    }
    const char *option = cli_first_given(arguments, ignored);
    if (option == NULL || !cli_is_picture(path)) return CLI_OK;
    return cli_complain(CLI_USAGE, "%s does not change the picture %s: leave one of them out",
                        option, path);
}
