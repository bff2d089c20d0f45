/*
 * Stubs of etrecord.h for a build without RapidJSON or zlib: all functions fail or return nothing.
 */
#include <string.h>

#include "base/error.h"
#include "base/load.h"
#include "etscope/etrecord.h"
#include "record/record_maps.h"
#include "record/zip.h"

static enum ets_status unavailable(struct ets_error *error)
{
    return ets_fail(error, ETS_UNAVAILABLE, ETS_NO_OFFSET,
                    "built without ETRecord support, which needs the packages rapidjson-dev and "
                    "zlib1g-dev");
}

/* A record can be recognised without reading it. */
enum ets_status ets_etrecord_open(struct ets_bytes bytes, const struct ets_allocator *allocator,
                                  struct ets_etrecord **record_out, struct ets_error *error)
{
    (void)bytes;
    (void)allocator;
    (void)record_out;
    return unavailable(error);
}

/* No record can exist: what follows is never reached with one. */

void ets_etrecord_close(struct ets_etrecord *record)
{
    (void)record;
}

void ets_etrecord_set_name(struct ets_etrecord *record, const char *name)
{
    (void)record;
    (void)name;
}

size_t ets_etrecord_entry_count(const struct ets_etrecord *record)
{
    (void)record;
    return 0;
}

const struct ets_etrecord_entry *ets_etrecord_entry(const struct ets_etrecord *record, size_t index)
{
    (void)record;
    (void)index;
    return NULL;
}

enum ets_status ets_etrecord_entry_bytes(struct ets_etrecord *record, const char *name,
                                         struct ets_bytes *bytes_out, struct ets_error *error)
{
    (void)record;
    (void)name;
    (void)bytes_out;
    return unavailable(error);
}

size_t ets_etrecord_method_count(const struct ets_etrecord *record)
{
    (void)record;
    return 0;
}

const char *ets_etrecord_method_name(const struct ets_etrecord *record, size_t index)
{
    (void)record;
    (void)index;
    return NULL;
}

void ets_etrecord_handles(const struct ets_etrecord *record, const char *method,
                          int64_t instruction, const int64_t **handles_out, size_t *count_out,
                          int *is_list_out)
{
    (void)record;
    (void)method;
    (void)instruction;
    *handles_out = NULL;
    *count_out = 0;
    if (is_list_out != NULL) *is_list_out = 0;
}

void ets_etrecord_mapped_instructions(const struct ets_etrecord *record, const char *method,
                                      const int64_t **instructions_out, size_t *count_out)
{
    (void)record;
    (void)method;
    *instructions_out = NULL;
    *count_out = 0;
}

const char *ets_etrecord_backend(const struct ets_etrecord *record, const char *method,
                                 int64_t instruction)
{
    (void)record;
    (void)method;
    (void)instruction;
    return NULL;
}

bool ets_etrecord_call_handles(const struct ets_etrecord *record, const char *method,
                               int64_t instruction, const int64_t **handles_out, size_t *count_out)
{
    ets_etrecord_handles(record, method, instruction, handles_out, count_out, NULL);
    return false;
}

enum ets_status ets_etrecord_infer_calls(struct ets_etrecord *record, const char *method,
                                         const struct ets_operator_call *calls, size_t count,
                                         struct ets_error *error)
{
    (void)record;
    (void)method;
    (void)calls;
    (void)count;
    return unavailable(error);
}

enum ets_status ets_etrecord_infer_chain(struct ets_etrecord *record, const char *method,
                                         const struct ets_chain *chain, struct ets_error *error)
{
    (void)record;
    (void)method;
    (void)chain;
    return unavailable(error);
}

void ets_etrecord_delegate_handles(const struct ets_etrecord *record, const char *method,
                                   int64_t instruction, struct ets_text identifier,
                                   const int64_t **handles_out, size_t *count_out)
{
    (void)record;
    (void)method;
    (void)instruction;
    (void)identifier;
    *handles_out = NULL;
    *count_out = 0;
}

const char *ets_etrecord_delegate_identifier(const struct ets_etrecord *record, const char *method,
                                             int64_t instruction, size_t index)
{
    (void)record;
    (void)method;
    (void)instruction;
    (void)index;
    return NULL;
}

int ets_etrecord_has_delegate_map(const struct ets_etrecord *record, const char *method)
{
    (void)record;
    (void)method;
    return 0;
}

int ets_etrecord_has_num_outs_map(const struct ets_etrecord *record, const char *method)
{
    (void)record;
    (void)method;
    return 0;
}

int64_t ets_etrecord_num_outs(const struct ets_etrecord *record, const char *method,
                              int64_t instruction)
{
    (void)record;
    (void)method;
    (void)instruction;
    return 1;
}

uint64_t ets_etrecord_export_graph_id(const struct ets_etrecord *record)
{
    (void)record;
    return 0;
}

enum ets_status ets_zip_open(struct ets_zip *zip, struct ets_bytes bytes, uint64_t base_offset,
                             bool check_crc, struct ets_arena *arena, struct ets_error *error)
{
    (void)zip;
    (void)bytes;
    (void)base_offset;
    (void)check_crc;
    (void)arena;
    return unavailable(error);
}

const char *ets_etrecord_why_no_graph(const struct ets_etrecord *record)
{
    (void)record;
    return "";
}

enum ets_status ets_etrecord_edge_graph(struct ets_etrecord *record, const char *method,
                                        const struct ets_graph **graph_out, struct ets_error *error)
{
    (void)record;
    (void)method;
    (void)graph_out;
    return unavailable(error);
}

enum ets_status ets_etrecord_aten_graph(struct ets_etrecord *record,
                                        const struct ets_graph **graph_out, struct ets_error *error)
{
    (void)record;
    (void)graph_out;
    return unavailable(error);
}

enum ets_status ets_etrecord_graph(struct ets_etrecord *record, const char *name,
                                   const struct ets_graph **graph_out, struct ets_error *error)
{
    (void)record;
    (void)name;
    (void)graph_out;
    return unavailable(error);
}

const char *ets_etrecord_graph_name(const struct ets_etrecord *record, size_t index)
{
    (void)record;
    (void)index;
    return NULL;
}

int ets_etrecord_has_weights(const struct ets_etrecord *record, const char *program)
{
    (void)record;
    (void)program;
    return 0;
}

enum ets_status ets_etrecord_named_values(struct ets_etrecord *record, const char *entry,
                                          const struct ets_named_value **values_out,
                                          size_t *count_out, struct ets_error *error)
{
    (void)record;
    (void)entry;
    (void)values_out;
    (void)count_out;
    return unavailable(error);
}

enum ets_status ets_etrecord_representative_inputs(struct ets_etrecord *record,
                                                   const struct ets_value **values_out,
                                                   size_t *count_out, struct ets_error *error)
{
    (void)record;
    (void)values_out;
    (void)count_out;
    return unavailable(error);
}

enum ets_status ets_etrecord_representative_nests(struct ets_etrecord *record,
                                                  const struct ets_nest **nests_out,
                                                  size_t *count_out, struct ets_error *error)
{
    (void)record;
    (void)nests_out;
    (void)count_out;
    return unavailable(error);
}

enum ets_status ets_etrecord_reference_outputs(struct ets_etrecord *record, const char *method,
                                               size_t test_case,
                                               const struct ets_value **values_out,
                                               size_t *count_out, struct ets_error *error)
{
    (void)record;
    (void)method;
    (void)test_case;
    (void)values_out;
    (void)count_out;
    return unavailable(error);
}

enum ets_status ets_etrecord_reference_case_count(struct ets_etrecord *record, const char *method,
                                                  size_t *count_out, struct ets_error *error)
{
    (void)record;
    (void)method;
    (void)count_out;
    return unavailable(error);
}
