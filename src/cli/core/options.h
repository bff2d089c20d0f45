/*
 * Every option of the command line, once: its spellings, its value and range, what it means, and
 * where help shows it. A command lists those that it takes by name, and may word the help anew:
 *
 *     static const struct cli_command_option options[] = {
 *         {"--etrecord", .help = "The ETRecord of the export; adds source lines"},
 *         {"--width"},
 *         {NULL},
 *     };
 */
#ifndef ETSCOPE_CLI_CORE_OPTIONS_H
#define ETSCOPE_CLI_CORE_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>

enum { CLI_MAX_ALIASES = 4 };

struct cli_option {
    const char *name;   /* "--etrecord" */
    const char *letter; /* "-f"; NULL: none */
    /* Further spellings, which mean the same: of ExecuTorch's tools, or older ones. NULL-ended. */
    const char *aliases[CLI_MAX_ALIASES + 1];
    const char *value;  /* NULL: a flag. "a|b|c": one of these. Otherwise what it is: "FILE", "N" */
    const char *help;   /* a sentence without a period */
    const char *ending; /* further words with this ending are values, too (".npy|.npz": either; "#":
                           a number); NULL: one value */
    long long least;    /* of a whole number, with `most` */
    long long most;     /* 0: the value is no whole number, or its range depends on the files */
    bool is_output;     /* the value is a file that the command writes */
    bool is_repeatable;
    unsigned group; /* of cli_group_name; known after cli_option_find or cli_command_option */
};

/* What a command says of an option that it takes. */
struct cli_command_option {
    const char *name;  /* of the row; NULL ends the list */
    const char *help;  /* NULL: the row's */
    const char *value; /* other values than the row's, without its range; NULL: the row's */
    /* Spellings of an earlier version that mean this here, and elsewhere maybe another option. */
    const char *aliases[2];
    const char *older_choice[2];   /* a choice of an earlier version, and what it is now */
    bool is_output, is_repeatable; /* here, whatever the row says */
    bool is_hidden;                /* accepted, but help and completions do not list it */
};

struct cli_command;

/* The row with this name, whatever commands take it; false: there is none. */
bool cli_option_find(const char *name, struct cli_option *row_out);
/* Option number `index` of a command: the row with what the command says of it. False: the end. */
bool cli_command_option(const struct cli_command *command, unsigned index,
                        struct cli_option *option_out);
/* Index of the command's option with this spelling, of `length` characters; -1: it has none. */
int cli_command_find(const struct cli_command *command, const char *spelling, size_t length);
/* Spelling number `index`: the name, the letter, then the aliases. NULL past the end. */
const char *cli_option_spelling(const struct cli_option *option, unsigned index);
/* The groups in which help shows options, in their order: "input", "options", ... NULL: the end. */
const char *cli_group_name(unsigned group);

#endif
