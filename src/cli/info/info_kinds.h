/* One function for each kind of file that `info` explains. */
#ifndef ETSCOPE_CLI_INFO_INFO_KINDS_H
#define ETSCOPE_CLI_INFO_INFO_KINDS_H

#include "cli/core/command.h"
#include "cli/info/info_json.h"
#include "cli/info/info_text.h"
#include "etscope/program.h"
#include "host/output.h"

struct info_request {
    const char *path;
    struct ets_bytes bytes;
    struct ets_output *output; /* for people */
    struct info_json *json;    /* NULL: for people */
    bool all;                  /* long lists in full */
    bool has_printed;          /* another file's facts stand above */
    bool is_out_of_memory;
};

/* Each prints its facts (JSON: the members behind kind and file_bytes). Returns an exit code. */
int info_program(struct info_request *request);
int info_bundle(struct info_request *request);
int info_data_file(struct info_request *request);
int info_etdump(struct info_request *request);
int info_etrecord(struct info_request *request);
int info_npy(struct info_request *request);
/* The same of all files in the folder at `path`, and what belongs together. Opens the document
 * where there is neither `json` nor `output`. */
int info_folder(struct info_request *request);

/* "model.pte: an ExecuTorch program (.pte), 12.3 KiB": the first line for people. */
void info_heading(struct info_request *request);
/* The first members of the JSON object: path, kind, file_bytes. */
void info_json_heading(struct info_request *request, const char *kind);

/* The shape and type of a tensor, as members of the open object. */
void info_json_tensor(struct info_json *json, const struct ets_tensor *tensor);
/* A bundled or recorded value as an object. */
void info_json_value(struct info_json *json, const struct ets_value *value);

/* How many of `count` items are shown, one a line; in a wrapped list. */
uint32_t info_shown(const struct info_request *request, uint32_t count);
uint32_t info_shown_wrapped(const struct info_request *request, uint32_t count);
/* "and 12 more" where not all were shown. */
void info_more(const struct info_request *request, uint32_t count);

/* "    12.3 KiB  name": the start of a list's line. A long name is cut unless all is shown. */
void info_item(const struct info_request *request, struct info_line *line, uint64_t bytes,
               struct ets_text name);

/* The facts of a program: also for the one inside a bundle. */
void info_print_program(struct info_request *request, const struct ets_program *program);
void info_put_program(struct info_request *request, const struct ets_program *program);

#endif
