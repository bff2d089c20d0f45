/* Finds which files of a folder belong together: a program, its ETRecord and its traces. */
#ifndef ETSCOPE_CLI_INFO_FOLDER_MODELS_H
#define ETSCOPE_CLI_INFO_FOLDER_MODELS_H

#include "cli/files/inputs.h"
#include "cli/files/trace_paths.h"
#include "etscope/file.h"

/* Why a file belongs to its model, strongest evidence first. */
enum folder_tie {
    FOLDER_TIE_NONE = 0,
    FOLDER_TIE_SELF,        /* the program that gives the model its name, or the ETRecord */
    FOLDER_TIE_FINGERPRINT, /* of the program: of a trace, or the same program once more */
    FOLDER_TIE_OPERATORS,   /* only this model in the folder has the operators of the trace */
    FOLDER_TIE_NAME /* the name without its ending, unless operators or methods contradict */
};

enum { FOLDER_TOLD_FITS = 3 };

struct folder_file {
    const char *path;
    enum ets_kind kind;
    uint64_t bytes;
    uint32_t model; /* from 0; ETS_NO_INDEX: none */
    enum folder_tie tie;
    uint32_t fit_count; /* of a trace without a model: number of models that fit, 0 or several */
    uint32_t fits[FOLDER_TOLD_FITS]; /* the first of them */
    bool has_fingerprint;
    bool has_values; /* a trace: tensors were captured */
    uint64_t fingerprint, run_count, event_count;
    char *methods;            /* "encode, decode"; NULL: none are known */
    struct ets_error problem; /* status ETS_OK: it can be read */
    struct cli_record record;
    struct cli_program program;
};

struct folder_model {
    struct folder_file
        *first; /* which gives the model its name: a program, otherwise an ETRecord */
    const struct folder_file *record; /* NULL: none in the folder */
};

struct folder_models {
    struct cli_paths paths;
    struct folder_file *files; /* [paths.count], sorted by name */
    struct folder_model *items;
    uint32_t count;
    uint32_t tries;    /* number of attempted joins */
    bool is_undecided; /* not all joins were attempted: too many */
};

/*
 * Reads the files of `folder`. A file that cannot be read has a `problem`; the others are still
 * examined. Returns an exit code; close it even after a failure.
 */
int folder_models_open(const char *folder, struct folder_models *models_out);
void folder_models_close(struct folder_models *models);

/* The file's name without its folder. */
const char *folder_file_name(const struct folder_file *file);

#endif
