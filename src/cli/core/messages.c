/* Prints errors and notes: a line on standard error, repeated in the notes of a JSON document. */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "cli/core/bounds.h"
#include "cli/core/cli_text.h"
#include "cli/core/command.h"
#include "cli/core/document_entries.h"
#include "cli/core/hints.h"
#include "cli/core/notes.h"
#include "cli/core/what_to_type.h"
#include "host/os/os_files.h"

int cli_complain(int code, const char *format, ...)
{
    char line[CLI_MESSAGE_CHARS];
    va_list arguments;
    va_start(arguments, format);
    if (vsnprintf(line, sizeof line, format, arguments) < 0) line[0] = '\0';
    va_end(arguments);
    cli_write_error("etscope: ", line);
    cli_document_note(cli_text(line));
    return code;
}

void cli_note(const char *format, ...)
{
    char line[CLI_MESSAGE_CHARS];
    va_list arguments;
    va_start(arguments, format);
    if (vsnprintf(line, sizeof line, format, arguments) < 0) line[0] = '\0';
    va_end(arguments);
    if (cli_write_note(line)) cli_document_note(cli_text(line));
}

static bool bound_was_told;

/* `name`: of the file, NULL: none. Returns the status, which is LIMIT if the budget was why there
   was no memory. */
static enum ets_status print_error(const char *name, const struct ets_error *error)
{
    char place[32] = "", reason[CLI_REASON_CHARS], bound[CLI_BOUND_CHARS];
    char hint[ETS_OS_PATH_BYTES + 64] = "";
    struct ets_text_builder text = {hint, sizeof hint, 0};
    if (error->status == ETS_NO_MEMORY && cli_bounds_were_exceeded(bound)) {
        bound_was_told = true;
        cli_complain(CLI_OK, "%s%s%s", name != NULL ? name : "", name != NULL ? ": " : "", bound);
        return ETS_LIMIT;
    }
    if (error->offset != ETS_NO_OFFSET) {
        snprintf(place, sizeof place, "byte %llu: ", (unsigned long long)error->offset);
    }
    cli_add_hint(&text, name, error);
    cli_complain(CLI_OK, "%s%s%s%s%s", name != NULL ? name : "", name != NULL ? ": " : "", place,
                 cli_reason(error, reason), hint);
    return error->status;
}

int cli_fail_output(const char *path, const struct ets_error *error)
{
    const char *name = strcmp(path, "-") == 0 ? "standard output" : path;
    const enum ets_status status = print_error(name, error);
    return status == ETS_INVALID_ARGUMENT ? CLI_USAGE : CLI_INTERNAL;
}

int cli_fail(const char *path, const struct ets_error *error)
{
    static const unsigned char codes[] = {
        [ETS_OK] = CLI_OK,
        [ETS_INVALID_ARGUMENT] = CLI_USAGE,
        [ETS_NOT_FOUND] = CLI_INPUT,
        [ETS_IO] = CLI_INPUT,
        [ETS_NO_MEMORY] = CLI_INTERNAL,
        [ETS_NO_SPACE] = CLI_INTERNAL,
        [ETS_WRONG_KIND] = CLI_INPUT,
        [ETS_TRUNCATED] = CLI_INPUT,
        [ETS_MALFORMED] = CLI_INPUT,
        [ETS_UNSUPPORTED] = CLI_INPUT,
        [ETS_LIMIT] = CLI_INPUT,
        [ETS_MISMATCH] = CLI_MISMATCH,
        [ETS_AMBIGUOUS] = CLI_MISMATCH,
        [ETS_UNAVAILABLE] = CLI_UNAVAILABLE,
        [ETS_RUNTIME] = CLI_RUNTIME,
    };
    if (error->file != NULL) path = error->file;
    const enum ets_status status = print_error(path != NULL ? cli_path_name(path) : NULL, error);
    return cli_is_missing_method(error) ? CLI_USAGE : codes[status];
}

int cli_end(int code)
{
    char bound[CLI_BOUND_CHARS];
    cli_release_notes();
    if (bound_was_told || !cli_bounds_were_exceeded(bound)) return code;
    if (code == CLI_INTERNAL) return cli_complain(CLI_INPUT, "the command %s", bound);
    cli_note("the command %s; parts of its answer may be missing", bound);
    return code;
}
