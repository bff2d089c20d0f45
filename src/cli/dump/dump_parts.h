/* One function for each kind of file that `dump` writes as JSON. */
#ifndef ETSCOPE_CLI_DUMP_DUMP_PARTS_H
#define ETSCOPE_CLI_DUMP_DUMP_PARTS_H

#include "cli/core/command.h"
#include "contents/content_bytes.h"
#include "etscope/etrecord.h"
#include "etscope/program.h"
#include "inspect/recorded_memory.h"
#include "inspect/stated_nodes.h"
#include "output/text/flatbuffer_json.h"
#include "payload/payload_store.h"
#include "record/zip.h"

enum { DUMP_DATA_TIMES = 16, DUMP_DATA_FLOOR = 1 << 20 }; /* honest files have each byte once */

/* Payloads that are zip files, by address and size. */
struct dump_zips {
    struct ets_key_table keys;
    struct ets_zip *items;
    uint32_t capacity;
};

/* Graphs of payloads, read before the row begins and numbered in the order of delegates. */
struct dump_graphs {
    struct ets_payload_store store;
    struct ets_key_table keys; /* the graphs */
    uint32_t shown_count;
};

/*
 * One file. Whatever can fail is read and hashed before the row begins, so that a row is whole or
 * not there.
 */
struct dump_request {
    const struct cli_arguments *arguments;
    const char *path;
    const char *kind; /* as documents name it */
    struct ets_bytes bytes;
    bool with_data;
    struct ets_json_writer *json; /* NULL until the first row begins */
    bool is_in_row;
    struct ets_arena arena;
    struct ets_content_bytes contents;
    struct dump_zips zips;
    struct dump_graphs graphs;
    uint64_t data_budget; /* bytes that --bytes may still write */
};

/* Each writes a row. Returns an exit code. */
int dump_program(struct dump_request *request);
int dump_bundle(struct dump_request *request);
int dump_data_file(struct dump_request *request);
int dump_trace(struct dump_request *request);
int dump_record(struct dump_request *request);
/* dump_damaged.c: the intact parts of a trace, and what is damaged. */
int dump_damaged_trace(struct dump_request *request);

/* dump_row.c */
/* Opens the document where none is, and the row: path, kind, file_bytes. Returns an exit code. */
int dump_begin(struct dump_request *request);
void dump_end(struct dump_request *request);

/* Hashes bytes that are told below, with --bytes themselves. Returns an exit code. */
int dump_hash(struct dump_request *request, struct ets_bytes bytes, bool is_told);
/* An object of such bytes is open: offset (null: not in the file), bytes, hash, data. */
void dump_put_content(struct dump_request *request, struct ets_bytes bytes, bool with_data);
/* The same without the offset. */
void dump_put_hashed(struct dump_request *request, struct ets_bytes bytes, bool with_data);

/* dump_values.c: a tensor's type, sizes and strides, as members of an open object. */
void dump_put_tensor(struct ets_json_writer *json, const struct ets_tensor *tensor);
/* Hashes a value's bytes where it is a tensor; writes it as members of an open object. */
int dump_hash_value(struct dump_request *request, const struct ets_value *value);
void dump_put_value(struct dump_request *request, const struct ets_value *value);

/* dump_extra.c: the extra block of a trace, where it has one. */
struct dump_extra {
    bool is_there;
    struct ets_trace_extra extra;
    struct ets_recorded_memory memory;
    struct ets_stated_nodes told;
};
/* OK where there is none. Statuses: those of ets_trace_extra_init, NO_MEMORY. */
enum ets_status dump_open_extra(struct dump_request *request, struct dump_extra *extra_out,
                                struct ets_error *error);
void dump_put_extra(struct dump_request *request, const struct dump_extra *extra);

/* dump_payload.c: "format", what a delegate's payload is, "vulkan" and "xnnpack", what it holds;
 * null where it is none of these. */
void dump_put_payload(struct ets_json_writer *json, struct ets_bytes payload, bool with_data);

/* dump_zip.c */
/* Reads the directory of a payload that is a zip file and hashes its entries. Returns an exit code;
 * a damaged directory is no failure. */
int dump_hash_zip(struct dump_request *request, struct ets_bytes payload);
/* "zip": the entries; null where it is none, or damaged. */
void dump_put_zip(struct dump_request *request, struct ets_bytes payload);

/* dump_delegate.c */
/* Before the others, for each program. */
void dump_begin_graphs(struct dump_request *request, const struct ets_program *program);
/* Reads what a delegate was given. Returns an exit code; what cannot be read is no failure. */
int dump_read_graph(struct dump_request *request, const struct ets_delegate *delegate);
/* "graph" and "graph_reason": what was read, or why nothing was. */
void dump_put_payload_graph(struct dump_request *request, const struct ets_delegate *delegate);

/* dump_graph.c */
void dump_put_graph(struct ets_json_writer *json, const char *key, const struct ets_graph *graph);

#endif
