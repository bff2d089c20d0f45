/* An opened ETRecord, shared by the files of this folder. */
#ifndef ETSCOPE_RECORD_ETRECORD_INTERNAL_H
#define ETSCOPE_RECORD_ETRECORD_INTERNAL_H

#include "etscope/etrecord.h"
#include "host/arena.h"
#include "record/zip.h"

/* The memory limit of one arena: for opening, for one graph, for one torch.save payload. */
#define ETS_ETRECORD_MEMORY_LIMIT ((size_t)4 << 30)

/* debug_handle_map: one instruction. */
struct ets_handle_entry {
    int64_t instruction;
    const int64_t *handles;
    uint32_t count;
    int is_list;
};

/* One identifier of a delegate_map. */
struct ets_delegate_handles {
    struct ets_text identifier; /* terminated */
    const int64_t *handles;
    uint32_t count;
};

/* delegate_map: one instruction. */
struct ets_delegate_entry {
    int64_t instruction;
    const char *backend;                        /* or NULL */
    const struct ets_delegate_handles *handles; /* in the file's order */
    const uint32_t *by_identifier;              /* indices into `handles`, sorted */
    uint32_t count;
};

/* instruction_id_to_num_outs_map: one instruction. */
struct ets_num_outs_entry {
    int64_t instruction;
    int64_t count;
};

/* A map's entries of one method, ascending by instruction. */
struct ets_method_maps {
    const char *name;
    int has_handles, has_delegates, has_num_outs; /* the map has a key for the method */
    uint32_t handle_count, delegate_count, num_outs_count;
    const struct ets_handle_entry *handles;
    const int64_t *instructions; /* [handle_count], of `handles` */
    const struct ets_delegate_entry *delegates;
    const struct ets_num_outs_entry *num_outs;
    int has_inferred;
    uint32_t inferred_count;
    const struct ets_handle_entry *inferred; /* late_calls.c: of instructions without an entry */
};

/* The content of an entry that was read; owns its memory. */
struct ets_read_entry {
    struct ets_arena arena;
    int is_program;
    const struct ets_graph *graph;
    const struct ets_named_value *values;
    size_t value_count;
    const struct ets_value *inputs; /* representative_inputs */
    size_t input_count;
    const struct ets_nest *nests; /* how they are nested */
    size_t nest_count;
    const struct ets_reference_case *cases; /* reference_outputs, all methods */
    size_t case_count;
    int is_values, is_inputs, is_cases; /* already read, even if there are none */
};

/* reference_outputs: the values of one case of one method; a method's cases are in order. */
struct ets_reference_case {
    struct ets_text method;
    const struct ets_value *values;
    size_t value_count;
};

struct ets_etrecord {
    struct ets_arena arena; /* directory, maps, inflated entries */
    struct ets_zip zip;
    const char *name; /* from the caller; NULL: none */
    struct ets_etrecord_entry *entries;
    struct ets_read_entry *read; /* [zip.entry_count] */
    const char **graph_names;
    size_t graph_count;
    struct ets_method_maps *methods; /* sorted by name */
    size_t method_count;
    uint64_t export_graph_id;
};

/* Marks a failure as this record's, for callers with several files. */
static inline enum ets_status ets_etrecord_blame(const struct ets_etrecord *record,
                                                 enum ets_status status, struct ets_error *error)
{
    if (status != ETS_OK && error != NULL) {
        error->file = record->name != NULL ? record->name : "the ETRecord";
    }
    return status;
}

/* etrecord.c: a terminated name's entry, or NULL. */
struct ets_zip_entry *ets_etrecord_find(const struct ets_etrecord *record, const char *name);
struct ets_read_entry *ets_etrecord_read_entry(struct ets_etrecord *record,
                                               const struct ets_zip_entry *entry);

/*
 * Whether the entry is a program: one below a name ("a/forward"), one with a fixed name, or one
 * with weights beside it. Other entries, such as the delegate_info of later versions, are unknown.
 */
enum ets_status ets_etrecord_lists_program(struct ets_etrecord *record, struct ets_text name,
                                           int *is_out, struct ets_error *error);

/* The method of an edge program's entry; absent for other entries. */
struct ets_text ets_etrecord_edge_method(struct ets_text entry_name);

/* etrecord_maps.c: methods, the small maps, the graph id. */
const struct ets_handle_entry *ets_method_maps_find(const struct ets_handle_entry *entries,
                                                    uint32_t count, int64_t instruction);
struct ets_method_maps *ets_etrecord_find_maps(const struct ets_etrecord *record, const char *name);
enum ets_status ets_etrecord_read_maps(struct ets_etrecord *record, struct ets_error *error);

#endif
