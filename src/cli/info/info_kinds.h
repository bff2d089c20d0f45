/* One function for each kind of file that `info` describes. */
#ifndef ETSCOPE_CLI_INFO_INFO_KINDS_H
#define ETSCOPE_CLI_INFO_INFO_KINDS_H

#include "cli/core/command.h"
#include "etscope/program.h"
#include "host/output.h"
#include "output/text/facts.h"

struct info_request {
    const char *path;
    struct ets_bytes bytes;
    struct ets_facts facts;
    bool all;           /* long lists in full */
    bool is_of_kernels; /* only the kernels that programs call */
    bool has_printed;   /* follows the facts of another file */
    bool is_out_of_memory;
};

/* Each prints its facts, in JSON a row. Returns an exit code. */
int info_program(struct info_request *request);
int info_bundle(struct info_request *request);
int info_data_file(struct info_request *request);
int info_etdump(struct info_request *request);
int info_etrecord(struct info_request *request);
int info_npy(struct info_request *request);
int info_summary(struct info_request *request);
/*
 * The same of a file of unknown kind that has the name of a trace beside it; otherwise false. Not
 * of a file whose name ends as that of another kind, which is damaged.
 */
bool info_debug_buffer(struct info_request *request);
bool info_may_be_debug_buffer(const char *path);
/* The kernels that a program, also one in a bundle, calls. */
int info_kernels(struct info_request *request);
/*
 * The same for all files in the folder at `path`, and which belong together. `begins_document`:
 * opens the JSON document first, because its headline describes the folder.
 */
int info_folder(struct info_request *request, bool begins_document);

/* "model.pte: an ExecuTorch program (.pte), 12.3 KiB"; or a row's first members: path, kind,
 * file_bytes. */
void info_begin(struct info_request *request);
/* With a kind of these words: `word` of JSON, `name` for people. */
void info_begin_as(struct info_request *request, const char *word, const char *name);
void info_end(struct info_request *request);

/* How many of `count` items to print: one per line; in a wrapped list. */
uint32_t info_shown(const struct info_request *request, uint32_t count);
uint32_t info_shown_wrapped(const struct info_request *request, uint32_t count);
/* Prints "and 12 more" if not all were shown: as a line; as an item of a wrapped list. */
void info_more(struct info_request *request, uint32_t count);
void info_more_wrapped(struct info_request *request, uint32_t count);

/* Begins a list's line, "    12.3 KiB  name". A long name is cut unless all is shown. */
void info_item(struct info_request *request, uint64_t bytes, struct ets_text name);

/* The facts of a program, also for a program inside a bundle. */
void info_tell_program(struct info_request *request, const struct ets_program *program);

#endif
