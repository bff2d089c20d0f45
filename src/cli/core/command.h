/*
 * The command line's one table: each command with its options, from which parsing, --help, man
 * pages and shell completion are all made.
 */
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
    CLI_USAGE = 2,       /* the call's words are off */
    CLI_INPUT = 3,       /* a file is missing, damaged or of another kind */
    CLI_MISMATCH = 4,    /* files do not belong together, or the answer is ambiguous */
    CLI_RUNTIME = 5,     /* the ExecuTorch runtime reported an error */
    CLI_UNAVAILABLE = 6, /* a component is not built in or not installed */
    CLI_INTERNAL = 7     /* no memory, or an output could not be written */
};

struct cli_option {
    const char *name;   /* "--etrecord" */
    const char *alias;  /* upstream's spelling or a short form, "--etrecord_path"; NULL: none */
    const char *value;  /* "FILE"; NULL: a flag. "a|b|c": one of these */
    const char *help;   /* one sentence without a period */
    const char *ending; /* several values: further words with this ending (".npy|.npz": or this;
                           "#": or a number) belong to it; NULL: one */
    bool is_repeatable;
};

struct cli_arguments;

struct cli_command {
    const char *name;
    const char *summary;              /* "print what a trace recorded, joined to the source" */
    const char *arguments;            /* "TRACE"; "" for none */
    const char *description;          /* paragraphs for the man page */
    const struct cli_option *options; /* ends with a NULL name */
    const char *examples;             /* lines of commands */
    int (*run)(const struct cli_arguments *arguments);
};

/* Parsed words: for each option the values that were given, in order; then the positional ones. */
enum { CLI_MAX_VALUES = 256, CLI_MAX_OPTIONS = 48 };

struct cli_arguments {
    const struct cli_command *command;
    const struct cli_command *commands; /* all, ended by a NULL name: for help */
    const char *values[CLI_MAX_VALUES];
    unsigned char option_of[CLI_MAX_VALUES]; /* index in the option table */
    bool begins[CLI_MAX_VALUES];             /* the option stands right before it */
    unsigned value_count;
    const char *const *words; /* [word_count] of any number, in what was parsed */
    unsigned word_count;
};

/* Fills `arguments`; prints what is wrong and returns CLI_USAGE, else CLI_OK. */
int cli_parse(const struct cli_command *command, int count, char **words,
              struct cli_arguments *arguments);

/* The last value given for `name`, or NULL; for a flag "" where it was given. */
const char *cli_value(const struct cli_arguments *arguments, const char *name);
/* Value number `index` given for `name`, or NULL past the end. */
const char *cli_value_at(const struct cli_arguments *arguments, const char *name, unsigned index);
bool cli_has(const struct cli_arguments *arguments, const char *name);
/*
 * Value number `index` of all options in the order of the words, the name of its option, and
 * whether that stands right before it. NULL past the end.
 */
const char *cli_given(const struct cli_arguments *arguments, unsigned index, const char **value_out,
                      bool *begins_out);

/*
 * A whole number between `least` and `most`; `fallback` where the option was not given. Prints what
 * is wrong and sets *ok to false (left alone otherwise).
 */
long long cli_number(const struct cli_arguments *arguments, const char *name, long long fallback,
                     long long least, long long most, bool *ok);
/* A size above 0 in bytes, "512M" (K, M and G count in steps of 1024), likewise. */
size_t cli_bytes(const struct cli_arguments *arguments, const char *name, size_t fallback,
                 bool *ok);
/* The first of the options `names` (NULL-ended) that was given, or NULL. */
const char *cli_first_given(const struct cli_arguments *arguments, const char *const *names);
/* Only one of the words and of the values of `options` (NULL-ended) may be standard input, "-". */
int cli_check_stdin(const struct cli_arguments *arguments, const char *const *options);
/* outputs.c: no output may be an input or another output, and all must be writable. Returns an exit
 * code. */
int cli_check_outputs(const struct cli_arguments *arguments);
/* Index of the value among "a|b|c" of the option table; `fallback` where it was not given. */
int cli_choice(const struct cli_arguments *arguments, const char *name, int fallback);

/* "etscope: ...", one line to stderr and into the notes of a JSON document. Returns `code`. */
int cli_complain(int code, const char *format, ...) ETS_PRINTF(2, 3);
/* A note that does not stop the command, likewise. */
void cli_note(const char *format, ...) ETS_PRINTF(1, 2);
/* The sentence that the command leads with, for a JSON document (document.h): before its rows are
 * written. */
void cli_headline(const char *format, ...) ETS_PRINTF(1, 2);
/* ets_file_open of an input: JSON documents name it, and its size bounds what tables may hold. */
struct ets_file;
enum ets_status cli_file_open(const char *path, struct ets_file **file_out,
                              struct ets_error *error);
/*
 * "etscope: FILE: byte 123: reason" of an input; "-" is standard input, `path` NULL: none. Returns
 * the exit code of the status.
 */
int cli_fail(const char *path, const struct ets_error *error);
/* The same of an output; "-" is standard output. Returns CLI_INTERNAL. */
int cli_fail_output(const char *path, const struct ets_error *error);

/* How many characters to change, add or take away; 48 for words longer than that. */
unsigned cli_distance(const char *left, const char *right);
/*
 * The word of `candidates` (NULL-ended) that `word` begins, or else the nearest if it is near
 * enough to be meant; or NULL.
 */
const char *cli_nearest(const char *word, const char *const *candidates);
/* The command of this name in a table that ends with a NULL name, or NULL after saying that there
 * is none, and which may be meant. */
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
int cmd_doctor(const struct cli_arguments *arguments);
int cmd_help(const struct cli_arguments *arguments);

extern const struct cli_option cli_run_options[];
extern const struct cli_option cli_annotate_options[];
extern const struct cli_option cli_verify_options[];
extern const struct cli_option cli_bundle_options[];
extern const struct cli_option cli_inspect_options[];
extern const struct cli_option cli_tensors_options[];
extern const struct cli_option cli_gap_options[];
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
extern const struct cli_option cli_doctor_options[];
extern const struct cli_option cli_help_options[];

/* The choices of --format: all that tables know, in the order of enum ets_format. */
#define CLI_FORMATS "table|tsv|csv|json|jsonl|markdown"

#endif
