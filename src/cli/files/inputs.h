/* Opens the files that commands read, and reports errors. */
#ifndef ETSCOPE_CLI_FILES_INPUTS_H
#define ETSCOPE_CLI_FILES_INPUTS_H

#include "cli/core/command.h"
#include "etscope/bundle.h"
#include "etscope/etrecord.h"
#include "etscope/file.h"
#include "etscope/program.h"

/* An ETRecord by its path; NULL path: none. */
struct cli_record {
    struct ets_file *file;
    struct ets_etrecord *record;
    char *path; /* of one that was found, for its name; NULL: an option gave it */
};
/* The first does not report errors. Close both even after a failure. */
enum ets_status cli_record_read(const char *path, struct cli_record *record_out,
                                struct ets_error *error);
int cli_record_open(const char *path, struct cli_record *record_out);
void cli_record_close(struct cli_record *record);

/* A .pte, or the program inside a .bpte; NULL path: none. */
struct cli_program {
    struct ets_file *file;
    struct ets_bytes bytes; /* of the program alone */
    struct ets_program program;
    struct ets_bundle bundle;
    bool is_bundle;
    bool is_open;
};
enum ets_status cli_program_read(const char *path, struct cli_program *program_out,
                                 struct ets_error *error);
/* Opens a file only to examine it: it does not count as an input of the command. */
enum ets_status cli_program_peek(const char *path, struct cli_program *program_out);
int cli_program_open(const char *path, struct cli_program *program_out);
void cli_program_close(struct cli_program *program);

/* The record and the program of some traces. */
struct cli_model {
    struct cli_record record;
    struct cli_program program;
};
/* Either path may be NULL. The first does not report errors; close it even after a failure. */
enum ets_status cli_model_read(const char *record_path, const char *program_path,
                               struct cli_model *model_out);
int cli_model_open(const char *record_path, const char *program_path, struct cli_model *model_out);
void cli_model_close(struct cli_model *model);
/* Its program; NULL: none. */
const struct ets_program *cli_model_program(const struct cli_model *model);

/* The number in a trace's fingerprint; false: the application chose the fingerprint. */
bool cli_fingerprint_number(struct ets_bytes fingerprint, uint64_t *number_out);

#endif
