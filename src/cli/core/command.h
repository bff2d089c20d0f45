/* What a command is, and the words that it was given. Parsing, help, man pages and completions use
 * it. */
#ifndef ETSCOPE_CLI_CORE_COMMAND_H
#define ETSCOPE_CLI_CORE_COMMAND_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "cli/core/options.h"
#include "etscope/base.h"
#include "output/table/table.h"

/* Exit codes; docs/exit-codes.md. */
enum cli_exit {
    CLI_OK = 0,
    CLI_NEGATIVE = 1,    /* the command worked and its finding is negative */
    CLI_USAGE = 2,       /* usage error */
    CLI_INPUT = 3,       /* a file is missing, damaged or of the wrong kind */
    CLI_MISMATCH = 4,    /* files do not belong together, or the answer is ambiguous */
    CLI_RUNTIME = 5,     /* the ExecuTorch runtime reported an error */
    CLI_UNAVAILABLE = 6, /* a component is not built in or not installed */
    CLI_INTERNAL = 7,    /* no memory, or an output could not be written */
    CLI_SIGNAL = 128     /* plus the signal's number: interrupted, and shown what was done so far */
};

struct cli_arguments;

/* What a command is for. The overview groups the commands by it, in this order. */
enum cli_task {
    CLI_TASK_MEASURE = 0,
    CLI_TASK_UNDERSTAND = 1,
    CLI_TASK_COMPARE = 2,
    CLI_TASK_CHECK = 3,
    CLI_TASK_DATA = 4,
    CLI_TASK_ETSCOPE = 5
};

/* All that is known of a command; it stands beside what runs it. */
struct cli_command {
    const char *name;
    enum cli_task task;
    const char *summary;     /* "show what changed between two traces" */
    const char *arguments;   /* "TRACE"; "" for none */
    const char *description; /* paragraphs for the man page */
    const struct cli_command_option *options;
    const char *examples; /* lines of commands */
    const char *guide;    /* its page in docs/, "inspect.md#annotate"; NULL: none */
    /* `--columns ?` names the columns, and neither runs a program nor writes: for completions. */
    bool tells_columns;
    int (*run)(const struct cli_arguments *arguments);
};

/* The parsed command line: the values of all options in order, and the positional arguments. */
enum { CLI_MAX_VALUES = 256, CLI_MAX_OPTIONS = 64 };

struct cli_arguments {
    const struct cli_command *command;
    const struct cli_command *const *commands; /* all, ended by NULL: for help */
    const char *values[CLI_MAX_VALUES];
    unsigned char option_of[CLI_MAX_VALUES]; /* index in the option table */
    bool begins[CLI_MAX_VALUES];             /* directly follows its option */
    unsigned value_count;
    const char *const *words; /* [word_count] any number of positional arguments */
    unsigned word_count;
};

/* Fills `arguments`. Returns CLI_OK, or CLI_USAGE after reporting an error. */
int cli_parse(const struct cli_command *command, int count, char **words,
              struct cli_arguments *arguments);

/* The last value given for `name`, or NULL; "" for a given flag. */
const char *cli_value(const struct cli_arguments *arguments, const char *name);
/* Value number `index` given for `name`, or NULL past the end. */
const char *cli_value_at(const struct cli_arguments *arguments, const char *name, unsigned index);
/* How many values were given for `name`. */
unsigned cli_value_count(const struct cli_arguments *arguments, const char *name);
bool cli_has(const struct cli_arguments *arguments, const char *name);
/* Whether the command has such an option. */
bool cli_takes(const struct cli_arguments *arguments, const char *name);
/*
 * Value number `index` of all options in the order of the words, the name of its option, and
 * whether the option directly precedes it. NULL past the end.
 */
const char *cli_given(const struct cli_arguments *arguments, unsigned index, const char **value_out,
                      bool *begins_out);

/* A whole number, which was checked; `fallback` if the option was not given. */
long long cli_number(const struct cli_arguments *arguments, const char *name, long long fallback);
/* A size above 0 in bytes, "512M" (K, M and G count in steps of 1024), likewise. */
size_t cli_bytes(const struct cli_arguments *arguments, const char *name, size_t fallback);
/* A percentage from 0 to 1,000, "2" or "2%", likewise. */
double cli_percent(const struct cli_arguments *arguments, const char *name, double fallback);
/* A time of at least 1 ns, "10s", "1.5min", likewise. */
double cli_duration_ns(const struct cli_arguments *arguments, const char *name, double fallback);
/* The first of the options `names` (NULL-ended) that was given, or NULL. */
const char *cli_first_given(const struct cli_arguments *arguments, const char *const *names);
/* Checks that at most one argument or input of an option is standard input, "-". */
int cli_check_stdin(const struct cli_arguments *arguments);
/*
 * outputs.c: checks that no output is an input or another output, and that all are writable.
 * Returns an exit code.
 */
int cli_check_outputs(const struct cli_arguments *arguments);
/* Index of the value among "a|b|c" of the option; `fallback` if it was not given. */
int cli_choice(const struct cli_arguments *arguments, const char *name, int fallback);

/*
 * Reports an error: prints "etscope: ..." to stderr and adds it to the notes of a JSON document.
 * Returns `code`.
 */
int cli_complain(int code, const char *format, ...) ETS_PRINTF(2, 3);
/* Prints a note in the same way; the command continues. */
void cli_note(const char *format, ...) ETS_PRINTF(1, 2);
/* Sets the headline of a JSON document (document.h); call it before the rows are written. */
void cli_headline(const char *format, ...) ETS_PRINTF(1, 2);
/*
 * Opens an input like ets_file_open. JSON documents list it, and its size raises the limits of
 * memory and tables (bounds.h).
 */
struct ets_file;
enum ets_status cli_file_open(const char *path, struct ets_file **file_out,
                              struct ets_error *error);
/* The same for a profile of another runtime, which cli_file_open reads as a trace. */
enum ets_status cli_file_open_as_it_is(const char *path, struct ets_file **file_out,
                                       struct ets_error *error);
/*
 * Reports "etscope: FILE: byte 123: reason" for an input; "-" is standard input, `path` NULL: no
 * file. Returns the exit code of the status.
 */
int cli_fail(const char *path, const struct ets_error *error);
/* The same for an output; "-" is standard output. Returns CLI_INTERNAL; CLI_USAGE: an input. */
int cli_fail_output(const char *path, const struct ets_error *error);

/*
 * The exit code of a command that ended with `code`: if its inputs asked for more memory than they
 * may (bounds.h), and no error said so, this does.
 */
int cli_end(int code);

/*
 * The command with this name in a list that ends with NULL; or NULL after reporting an error with a
 * suggestion.
 */
const struct cli_command *cli_find_command(const struct cli_command *const *commands,
                                           const char *name);

/* help.c */
void cli_print_help(FILE *stream, const struct cli_command *command);
void cli_print_overview(FILE *stream, const struct cli_command *const *commands);
/* completion.c */
int cli_print_completion(FILE *stream, const struct cli_command *const *commands,
                         const char *shell);

/* The choices of --format: all formats of tables, and "|more" of a command. */
#define CLI_FORMATS_AND(more) (&(ETS_FORMAT_CHOICES more)[1])
#define CLI_FORMATS CLI_FORMATS_AND("")

#endif
