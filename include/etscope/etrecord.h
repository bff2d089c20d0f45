/*
 * etrecord.h - ETRecord: what the export of a program knew about it.
 *
 *     struct ets_error error;
 *     struct ets_file *file = NULL;
 *     struct ets_etrecord *record;
 *     if (ets_file_open("model.etrecord", &file, &error) == ETS_OK &&
 *         ets_etrecord_open(ets_file_bytes(file), NULL, &record, &error) == ETS_OK) {
 *         const int64_t *handles;
 *         size_t count;
 *         ets_etrecord_handles(record, "forward", 3, &handles, &count, NULL);
 *         ets_etrecord_close(record);
 *     }
 *     ets_file_close(file);
 *
 * Opening reads the directory and the small maps; graphs and tensors are read when first asked
 * for, and kept. The file's bytes are borrowed until close: tensors point into them. All that is
 * handed out is borrowed until close. One record belongs to one thread at a time.
 *
 * The file is hostile: nothing in it is executed (pickles are read by an allow-list), every count,
 * size and depth has a ceiling, an entry's CRC is checked before the entry is used.
 * Statuses of every reading function: WRONG_KIND, TRUNCATED, MALFORMED, UNSUPPORTED, LIMIT,
 * NO_MEMORY, NOT_FOUND (no such method or entry), UNAVAILABLE (built without zlib or
 * RapidJSON); messages name the entry, offsets are those of the whole file.
 */
#ifndef ETSCOPE_ETRECORD_H
#define ETSCOPE_ETRECORD_H

#include "etscope/allocator.h"
#include "etscope/graph.h"

ETS_DECLARATIONS_BEGIN

struct ets_etrecord;

/* 1 where `bytes` begin like a zip file that holds an ETRecord marker, else 0. */
ETS_API int ets_etrecord_sniff(struct ets_bytes bytes);

ETS_API enum ets_status ets_etrecord_open(struct ets_bytes bytes,
                                          const struct ets_allocator *allocator,
                                          struct ets_etrecord **record_out,
                                          struct ets_error *error);
ETS_API void ets_etrecord_close(struct ets_etrecord *record); /* NULL is allowed */

/*
 * How errors of calls that take other files, too, name this record (`file` of struct ets_error):
 * its path, say. Borrowed until close. Until then it is "the ETRecord".
 */
ETS_API void ets_etrecord_set_name(struct ets_etrecord *record, const char *name);

/* Entries of the zip in file order. */
struct ets_etrecord_entry {
    struct ets_text name;
    uint64_t offset; /* of the payload in the file */
    uint64_t size;   /* bytes of the payload, uncompressed */
};
ETS_API size_t ets_etrecord_entry_count(const struct ets_etrecord *record);
ETS_API const struct ets_etrecord_entry *ets_etrecord_entry(const struct ets_etrecord *record,
                                                            size_t index);
/* The entry's bytes (a pointer into the file where it is stored uncompressed). */
ETS_API enum ets_status ets_etrecord_entry_bytes(struct ets_etrecord *record, const char *name,
                                                 struct ets_bytes *bytes_out,
                                                 struct ets_error *error);

/* Methods: the union of the maps' and the edge programs', sorted by name. */
ETS_API size_t ets_etrecord_method_count(const struct ets_etrecord *record);
ETS_API const char *ets_etrecord_method_name(const struct ets_etrecord *record, size_t index);

/*
 * debug_handle_map: the handles of instruction `instruction` of `method`, in the map's order.
 * `*handles_out` NULL and 0: the instruction has no entry. An entry that is a list (a delegate
 * call's) sets *is_list_out (may be NULL) to 1, a plain number to 0.
 */
ETS_API void ets_etrecord_handles(const struct ets_etrecord *record, const char *method,
                                  int64_t instruction, const int64_t **handles_out,
                                  size_t *count_out, int *is_list_out);
/* The instructions that have an entry, ascending; {NULL, 0} for an unknown method. */
ETS_API void ets_etrecord_mapped_instructions(const struct ets_etrecord *record, const char *method,
                                              const int64_t **instructions_out, size_t *count_out);

/* delegate_map: the backend of a delegate call's instruction ("XnnpackBackend"), or NULL. */
ETS_API const char *ets_etrecord_backend(const struct ets_etrecord *record, const char *method,
                                         int64_t instruction);
/*
 * The handles of one delegate identifier, matched exactly (an integer identifier is its decimal
 * text). `*handles_out` NULL and 0: not in the map.
 */
ETS_API void ets_etrecord_delegate_handles(const struct ets_etrecord *record, const char *method,
                                           int64_t instruction, struct ets_text identifier,
                                           const int64_t **handles_out, size_t *count_out);
/* All identifiers of a delegate call in the file's order: NULL past the end. */
ETS_API const char *ets_etrecord_delegate_identifier(const struct ets_etrecord *record,
                                                     const char *method, int64_t instruction,
                                                     size_t index);
/* 1 where the record has the map at all (older layouts have not), else 0. */
ETS_API int ets_etrecord_has_delegate_map(const struct ets_etrecord *record, const char *method);
ETS_API int ets_etrecord_has_num_outs_map(const struct ets_etrecord *record, const char *method);

/* instruction_id_to_num_outs_map: 1 where the instruction has no entry, as upstream reads it. */
ETS_API int64_t ets_etrecord_num_outs(const struct ets_etrecord *record, const char *method,
                                      int64_t instruction);

/* export_graph_id, or 0 where there is none. */
ETS_API uint64_t ets_etrecord_export_graph_id(const struct ets_etrecord *record);

/* Graphs. The edge program of a method, the ATen program, any other by its entry name. */
ETS_API enum ets_status ets_etrecord_edge_graph(struct ets_etrecord *record, const char *method,
                                                const struct ets_graph **graph_out,
                                                struct ets_error *error);
ETS_API enum ets_status ets_etrecord_aten_graph(struct ets_etrecord *record,
                                                const struct ets_graph **graph_out,
                                                struct ets_error *error);
/* `name` as in graph_map ("edge_after_transform/forward"; without "/" "/forward" is added). */
ETS_API enum ets_status ets_etrecord_graph(struct ets_etrecord *record, const char *name,
                                           const struct ets_graph **graph_out,
                                           struct ets_error *error);
/* Names that ets_etrecord_graph accepts; NULL past the end. */
ETS_API const char *ets_etrecord_graph_name(const struct ets_etrecord *record, size_t index);

/* One named tensor of a state dict or constants entry. */
struct ets_named_value {
    struct ets_text name;
    struct ets_value value; /* tensors point into the file */
    /* Class of an ETS_VALUE_OTHER, "torchao.quantization.Int8Tensor"; absent: none is known. */
    struct ets_text class_name;
};

/*
 * A torch.save entry that is a dict of tensors: "<program>_state_dict", "<program>_constants".
 * Objects that are neither tensors nor numbers are ETS_VALUE_OTHER; the values inside of one (a
 * tensor subclass "w" with its scale, a list) follow it as "w.scale", "w.0". Names are terminated.
 * An entry of zero bytes, as None is saved, has no values.
 */
ETS_API enum ets_status ets_etrecord_named_values(struct ets_etrecord *record, const char *entry,
                                                  const struct ets_named_value **values_out,
                                                  size_t *count_out, struct ets_error *error);

/*
 * 1 where the record holds the weights of the program of this entry name (or the program has none),
 * 0 where they were left out: a slim record, whose "_state_dict" or "_constants" is empty or
 * absent. What joins and shows needs no weights; what computes does.
 */
ETS_API int ets_etrecord_has_weights(const struct ets_etrecord *record, const char *program);

/*
 * representative_inputs of the method "forward", one after another: lists, tuples and dicts give
 * what is in them, in order, as PyTorch flattens arguments. There may be more than the method
 * takes, as of a list of cases: the first ones count, as for upstream. NOT_FOUND: none.
 */
ETS_API enum ets_status ets_etrecord_representative_inputs(struct ets_etrecord *record,
                                                           const struct ets_value **values_out,
                                                           size_t *count_out,
                                                           struct ets_error *error);

enum ets_nest_kind { ETS_NEST_VALUE, ETS_NEST_LIST, ETS_NEST_TUPLE, ETS_NEST_DICT };

/* A value of the representative inputs, or what holds others; borrowed from the record. */
struct ets_nest {
    enum ets_nest_kind kind;
    uint32_t count;      /* of what it holds, which follows it; 0 for a value */
    struct ets_text key; /* its key where a dict holds it, a number as text; else absent */
};

/*
 * How representative_inputs were nested: all of it in the order of the values above, each list,
 * tuple and dict before what it holds. `([x, y], {"scale": z})` is a tuple of 2, a list of 2, two
 * values, a dict of 1, a value. NOT_FOUND: no inputs.
 */
ETS_API enum ets_status ets_etrecord_representative_nests(struct ets_etrecord *record,
                                                          const struct ets_nest **nests_out,
                                                          size_t *count_out,
                                                          struct ets_error *error);

/* reference_outputs of a method's `test_case`. NOT_FOUND: none, or no such case. */
ETS_API enum ets_status ets_etrecord_reference_outputs(struct ets_etrecord *record,
                                                       const char *method, size_t test_case,
                                                       const struct ets_value **values_out,
                                                       size_t *count_out, struct ets_error *error);
/* How many cases there are for `method`; 0 where there is none. */
ETS_API enum ets_status ets_etrecord_reference_case_count(struct ets_etrecord *record,
                                                          const char *method, size_t *count_out,
                                                          struct ets_error *error);

ETS_DECLARATIONS_END

#endif
