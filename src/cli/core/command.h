/* The table of commands and options. Parsing, --help, man pages and shell completions use it. */
#ifndef ETSCOPE_CLI_CORE_COMMAND_H
#define ETSCOPE_CLI_CORE_COMMAND_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "etscope/base.h"

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

struct cli_option {
    const char *name;   /* "--etrecord" */
    const char *alias;  /* another spelling or a short form, "--etrecord_path", "-f"; NULL: none */
    const char *value;  /* "FILE"; NULL: a flag. "a|b|c": one of these */
    const char *help;   /* a sentence without a period */
    const char *ending; /* further words with this ending are values, too (".npy|.npz": either; "#":
                           a number); NULL: one value */
    bool is_repeatable;
};

struct cli_arguments;

struct cli_command {
    const char *name;
    const char *summary;              /* "show what changed between two traces" */
    const char *arguments;            /* "TRACE"; "" for none */
    const char *description;          /* paragraphs for the man page */
    const struct cli_option *options; /* ends with a NULL name */
    const char *examples;             /* lines of commands */
    int (*run)(const struct cli_arguments *arguments);
};

/* The parsed command line: the values of all options in order, and the positional arguments. */
enum { CLI_MAX_VALUES = 256, CLI_MAX_OPTIONS = 64 };

struct cli_arguments {
    const struct cli_command *command;
    const struct cli_command *commands; /* all, ended by a NULL name: for help */
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
bool cli_has(const struct cli_arguments *arguments, const char *name);
/*
 * Value number `index` of all options in the order of the words, the name of its option, and
 * whether the option directly precedes it. NULL past the end.
 */
const char *cli_given(const struct cli_arguments *arguments, unsigned index, const char **value_out,
                      bool *begins_out);

/*
 * A whole number between `least` and `most`; `fallback` if the option was not given. Reports an
 * error and sets *ok to false if the value is wrong; otherwise leaves *ok unchanged.
 */
long long cli_number(const struct cli_arguments *arguments, const char *name, long long fallback,
                     long long least, long long most, bool *ok);
/* A size above 0 in bytes, "512M" (K, M and G count in steps of 1024), likewise. */
size_t cli_bytes(const struct cli_arguments *arguments, const char *name, size_t fallback,
                 bool *ok);
/* A percentage from 0 to 1,000, "2" or "2%", likewise. */
double cli_percent(const struct cli_arguments *arguments, const char *name, double fallback,
                   bool *ok);
/* A time of at least 1 ns, "10s", "1.5min", likewise. */
double cli_duration_ns(const struct cli_arguments *arguments, const char *name, double fallback,
                       bool *ok);
/* The first of the options `names` (NULL-ended) that was given, or NULL. */
const char *cli_first_given(const struct cli_arguments *arguments, const char *const *names);
/* Checks that at most one argument or value of `options` (NULL-ended) is standard input, "-". */
int cli_check_stdin(const struct cli_arguments *arguments, const char *const *options);
/*
 * outputs.c: checks that no output is an input or another output, and that all are writable.
 * Returns an exit code.
 */
int cli_check_outputs(const struct cli_arguments *arguments);
/* Index of the value among "a|b|c" of the option table; `fallback` if it was not given. */
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

/* Edit distance: characters to change, add or remove; 48 if a word is longer than that. */
unsigned cli_distance(const char *left, const char *right);
/*
 * The candidate (NULL-ended list) that starts with `word`, otherwise the nearest if it is close
 * enough; or NULL.
 */
const char *cli_nearest(const char *word, const char *const *candidates);
/*
 * The command with this name in a table that ends with a NULL name; or NULL after reporting an
 * error with a suggestion.
 */
const struct cli_command *cli_find_command(const struct cli_command *commands, const char *name);

/* help.c */
void cli_print_help(FILE *stream, const struct cli_command *command);
void cli_print_overview(FILE *stream, const struct cli_command *commands);
/* completion.c */
int cli_print_completion(FILE *stream, const struct cli_command *commands, const char *shell);

int cmd_run(const struct cli_arguments *arguments);
int cmd_verify(const struct cli_arguments *arguments);
int cmd_bundle(const struct cli_arguments *arguments);
int cmd_tensors(const struct cli_arguments *arguments);
int cmd_gap(const struct cli_arguments *arguments);
int cmd_plot(const struct cli_arguments *arguments);
int cmd_report(const struct cli_arguments *arguments);
int cmd_advise(const struct cli_arguments *arguments);
int cmd_export(const struct cli_arguments *arguments);
int cmd_sql(const struct cli_arguments *arguments);
int cmd_annotate(const struct cli_arguments *arguments);
int cmd_inspect(const struct cli_arguments *arguments);
int cmd_profile(const struct cli_arguments *arguments);
int cmd_delegates(const struct cli_arguments *arguments);
int cmd_cost(const struct cli_arguments *arguments);
int cmd_machine(const struct cli_arguments *arguments);
int cmd_memory(const struct cli_arguments *arguments);
int cmd_diff(const struct cli_arguments *arguments);
int cmd_gate(const struct cli_arguments *arguments);
int cmd_summary(const struct cli_arguments *arguments);
int cmd_dump(const struct cli_arguments *arguments);
int cmd_size(const struct cli_arguments *arguments);
int cmd_info(const struct cli_arguments *arguments);
int cmd_recover(const struct cli_arguments *arguments);
int cmd_import(const struct cli_arguments *arguments);
int cmd_doctor(const struct cli_arguments *arguments);
int cmd_help(const struct cli_arguments *arguments);

extern const struct cli_option cli_advise_options[];
extern const struct cli_option cli_run_options[];
extern const struct cli_option cli_annotate_options[];
extern const struct cli_option cli_verify_options[];
extern const struct cli_option cli_bundle_options[];
extern const struct cli_option cli_inspect_options[];
extern const struct cli_option cli_tensors_options[];
extern const struct cli_option cli_gap_options[];
extern const struct cli_option cli_plot_options[];
extern const struct cli_option cli_report_options[];
extern const struct cli_option cli_export_options[];
extern const struct cli_option cli_sql_options[];
extern const struct cli_option cli_profile_options[];
extern const struct cli_option cli_delegates_options[];
extern const struct cli_option cli_cost_options[];
extern const struct cli_option cli_machine_options[];
extern const struct cli_option cli_memory_options[];
extern const struct cli_option cli_diff_options[];
extern const struct cli_option cli_gate_options[];
extern const struct cli_option cli_summary_options[];
extern const struct cli_option cli_dump_options[];
extern const struct cli_option cli_size_options[];
extern const struct cli_option cli_info_options[];
extern const struct cli_option cli_recover_options[];
extern const struct cli_option cli_import_options[];
extern const struct cli_option cli_doctor_options[];
extern const struct cli_option cli_help_options[];

/* For every command that prints a table. */
#define CLI_COLOR_OPTION                                                                        \
    {                                                                                           \
        "--color", NULL, "auto|always|never",                                                   \
            "Colour tables; auto: on a terminal, unless NO_COLOR is set or TERM is dumb", NULL, \
            false                                                                               \
    }

/* For every command whose times can be of a coarse clock. */
#define CLI_BOUNDS_OPTION                                                                          \
    {                                                                                              \
        "--bounds", NULL, NULL,                                                                    \
            "Show both bounds of times that are known to a few steps of a clock, instead of ~520", \
            NULL, false                                                                            \
    }

/* For tables that fold. */
#define CLI_ALL_ROWS_OPTION                                                                        \
    {                                                                                              \
        "--all", "-a", NULL,                                                                       \
            "Show every row: equal rows are otherwise one, such as add.out x18, with the numbers " \
            "of "                                                                                  \
            "each",                                                                                \
            NULL, false                                                                            \
    }

/* The choices of --format: all formats of tables, in the order of enum ets_format. */
#define CLI_FORMATS "table|tsv|csv|json|jsonl|markdown"

#endif
