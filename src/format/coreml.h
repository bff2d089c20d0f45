/*
 * The files in a payload of Core ML's backend: back to back, and behind them a directory as JSON,
 * whose bytes are reversed (ExecuTorch backends/apple/coreml/runtime/inmemoryfs).
 *
 *     const size_t size = ets_coreml_directory_size(payload);
 *     ets_coreml_directory_read(payload, size, text);
 *     uint32_t count;
 *     ETS_TRY(ets_coreml_count(directory, &count, error));
 *     ETS_TRY(ets_coreml_init(&files, payload, directory, entries, count, error));
 *     struct ets_bytes model = ets_coreml_file(&files, "model.mlpackage/Manifest.json");
 *
 * The caller gives the memory; that of the payload and of the directory is borrowed.
 */
#ifndef ETSCOPE_FORMAT_COREML_H
#define ETSCOPE_FORMAT_COREML_H

#include <stdbool.h>

#include "base/error.h"

#define ETS_COREML_BACKEND "CoreMLBackend"
#define ETS_COREML_MODEL "model.mlpackage/Data/com.apple.CoreML/model.mlmodel"
#define ETS_COREML_WEIGHTS "model.mlpackage/Data/com.apple.CoreML/weights/weight.bin"
#define ETS_COREML_COMPILED "model.mlmodelc"
#define ETS_COREML_METADATA "metadata.json"
#define ETS_COREML_DEBUG_INFO "debug_info.json"

struct ets_coreml_entry {
    bool is_folder;
    uint64_t offset, size;    /* of a file, in the payload */
    struct ets_text children; /* JSON object: name to number of an entry */
};

struct ets_coreml_files {
    struct ets_bytes bytes;
    const struct ets_coreml_entry *entries;
    uint32_t count;
    uint32_t file_count;
    uint64_t file_bytes;
};

/* Of the directory at the end; 0: there is none. */
size_t ets_coreml_directory_size(struct ets_bytes payload);
/* Copies it in reading order to text[size]. */
void ets_coreml_directory_read(struct ets_bytes payload, size_t size, char *text);

/* How many entries a directory has. Statuses: MALFORMED, LIMIT. */
enum ets_status ets_coreml_count(struct ets_text directory, uint32_t *count_out,
                                 struct ets_error *error);
/* Fills entries[count]. Statuses: MALFORMED, also files that are not in the payload. */
enum ets_status ets_coreml_init(struct ets_coreml_files *files, struct ets_bytes payload,
                                struct ets_text directory, struct ets_coreml_entry *entries,
                                uint32_t count, struct ets_error *error);

/* What lies at a path under the root; NULL: nothing. */
const struct ets_coreml_entry *ets_coreml_find(const struct ets_coreml_files *files,
                                               const char *path);
/* The bytes of a file; data NULL: there is none. */
struct ets_bytes ets_coreml_file(const struct ets_coreml_files *files, const char *path);

/* Payloads of one of several methods name the container: "CMJR" and JSON. */
struct ets_coreml_reference {
    struct ets_text key;      /* of named data */
    struct ets_text function; /* of the program; data NULL: not told */
};
bool ets_coreml_is_reference(struct ets_bytes payload);
/* Statuses: MALFORMED. */
enum ets_status ets_coreml_reference_read(struct ets_bytes payload,
                                          struct ets_coreml_reference *reference_out,
                                          struct ets_error *error);

/* The data behind a record of the weights' file at `offset`; data NULL: there is no record. */
struct ets_bytes ets_coreml_blob(struct ets_bytes weights, uint64_t offset);

#endif
