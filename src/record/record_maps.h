/* The maps of a record that are needed for joins, and lookups of names in graphs. */
#ifndef ETSCOPE_RECORD_RECORD_MAPS_H
#define ETSCOPE_RECORD_RECORD_MAPS_H

#include <stdbool.h>

#include "etscope/etrecord.h"
#include "etscope/program.h"

/*
 * The handles of one delegate identifier, which is matched exactly (an integer identifier as
 * decimal text). `*handles_out` NULL and 0: not in the map.
 */
void ets_etrecord_delegate_handles(const struct ets_etrecord *record, const char *method,
                                   int64_t instruction, struct ets_text identifier,
                                   const int64_t **handles_out, size_t *count_out);

/*
 * Why edge programs of some methods are missing, as the end of a message (": ..."), or "" if that
 * is not known: a record that has another method's is of an ExecuTorch that recorded only one.
 */
const char *ets_etrecord_why_no_graph(const struct ets_etrecord *record);

/* An operator call of a program ("aten::linear") or a trace ("linear.out"). */
struct ets_operator_call {
    int64_t instruction;
    struct ets_text name;
};
/*
 * Infers the handles of operator calls without an entry in the map, which passes made after the
 * record, from their order (late_calls.c). `calls` are all of the method's, ascending; the first
 * call of this function for a method counts. A chain must belong to the record
 * (ets_etrecord_check_chain). Statuses: those of ets_etrecord_edge_graph.
 */
enum ets_status ets_etrecord_infer_calls(struct ets_etrecord *record, const char *method,
                                         const struct ets_operator_call *calls, size_t count,
                                         struct ets_error *error);
enum ets_status ets_etrecord_infer_chain(struct ets_etrecord *record, const char *method,
                                         const struct ets_chain *chain, struct ets_error *error);
/* As ets_etrecord_handles, but also inferred ones; true: they were inferred. */
bool ets_etrecord_call_handles(const struct ets_etrecord *record, const char *method,
                               int64_t instruction, const int64_t **handles_out, size_t *count_out);

/* Whether a frame is code of a model or of a library that it calls, not what exports it. */
bool ets_graph_frame_is_model(const struct ets_graph_frame *frame);

/* instruction_id_to_num_outs_map: 1 if the instruction has no entry, as in ExecuTorch. */
int64_t ets_etrecord_num_outs(const struct ets_etrecord *record, const char *method,
                              int64_t instruction);

/* The value named `name`, or NULL; the first of several. Constant time with an index. */
const struct ets_graph_value *ets_graph_find_value(const struct ets_graph *graph,
                                                   struct ets_text name);

/* The node named `name`, or NULL; the first of several. Constant time with an index. */
const struct ets_graph_node *ets_graph_find_node(const struct ets_graph *graph,
                                                 struct ets_text name);

/* The debug handle of the node named `name`, in the graph or else in one of its first 64 branches;
 * -1: none. */
int64_t ets_graph_handle_of(const struct ets_graph *graph, struct ets_text name);

/*
 * 0 for a frame in torch, torchao or executorch: a file below site-packages/torch (or
 * dist-packages) and so on, or "<eval_with_key>", which torch.fx generates.
 */
int ets_graph_frame_is_user(const struct ets_graph_frame *frame);

/* All identifiers of a delegate call in the file's order: NULL past the end. */
const char *ets_etrecord_delegate_identifier(const struct ets_etrecord *record, const char *method,
                                             int64_t instruction, size_t index);
/* 1 if the record has the map (older layouts do not), else 0. */
int ets_etrecord_has_delegate_map(const struct ets_etrecord *record, const char *method);
int ets_etrecord_has_num_outs_map(const struct ets_etrecord *record, const char *method);

/*
 * Whether the record's `method` is that of a program's chain: the instructions that it maps are
 * there, and delegate calls have the record's backend. MISMATCH. The first two are its parts.
 */
enum ets_status ets_etrecord_check_size(const struct ets_etrecord *record, const char *method,
                                        const struct ets_chain *chain, struct ets_error *error);
enum ets_status ets_etrecord_check_backend(const struct ets_etrecord *record, const char *method,
                                           const struct ets_instruction *instruction,
                                           struct ets_error *error);
enum ets_status ets_etrecord_check_chain(const struct ets_etrecord *record, const char *method,
                                         const struct ets_chain *chain, struct ets_error *error);

#endif
