/*
 * The inspection, shared by the files of this folder. The functions below build it, in this order.
 */
#ifndef ETSCOPE_INSPECT_INSPECTION_H
#define ETSCOPE_INSPECT_INSPECTION_H

#include "base/error.h"
#include "base/text.h"
#include "etscope/inspect.h"
#include "host/arena.h"
#include "host/key_table.h"
#include "host/strings.h"
#include "inspect/names.h"
#include "inspect/stated_nodes.h"
#include "payload/payload_identifiers.h"
#include "payload/payload_store.h"
#include "record/parameter_readers.h"

/* handle_index.c: the nodes of a graph by debug handle. */
struct ets_handle_index {
    const struct ets_graph *graph;         /* NULL: none */
    struct ets_parameter_readers *readers; /* of its parameters; NULL: nobody asked yet */
    struct ets_row_node *nodes; /* by handle, then graph order: top graph first, then branches */
    uint32_t *list; /* [count] at a handle's first node: the last list that it was added to */
    uint32_t *uses; /* [count] there: how often a call has the handle, see ets_handle_index_use */
    uint32_t count, list_count;
    struct ets_key_table known; /* listed runs of handles, by address and count */
    struct ets_node_list *known_lists;
    uint32_t known_capacity;
    uint64_t budget; /* remaining cost of lists */
};
struct ets_node_list {
    const struct ets_row_node *nodes;
    size_t count;
    uint64_t cost; /* of listing it: 1 per node and per 64 bytes of a frame */
};
enum ets_status ets_handle_index_build(struct ets_arena *arena, const struct ets_graph *graph,
                                       int with_subgraphs, struct ets_handle_index *index_out,
                                       struct ets_error *error);
/* The run of nodes with `handle`. */
const struct ets_row_node *ets_handle_index_find(const struct ets_handle_index *index,
                                                 int64_t handle, uint32_t *count_out);
/* Starts a list of nodes. */
static inline void ets_handle_index_start(struct ets_handle_index *index)
{
    index->list_count++;
}
/*
 * 1 if `found` (from find) is not in the list yet; adds it. A node has one handle, so it is listed
 * twice only if its handle is.
 */
static inline int ets_handle_index_add(struct ets_handle_index *index,
                                       const struct ets_row_node *found, uint32_t count)
{
    if (count == 0) return 0;
    uint32_t *list = &index->list[found - index->nodes];
    if (*list == index->list_count) return 0;
    *list = index->list_count;
    return 1;
}

/* Counts that a list has the handle of `found`; `is_new`: for the first time, as from add. */
static inline void ets_handle_index_use(struct ets_handle_index *index,
                                        const struct ets_row_node *found, bool is_new)
{
    uint32_t *uses = &index->uses[found - index->nodes];
    *uses = is_new ? 1 : *uses + 1;
}

/*
 * All nodes with `handles`, each once, in the order of the handles. The handles are borrowed
 * permanently: the same run of handles returns the same list. Status LIMIT: all lists together
 * exceed 4 million nodes and 64 times those of the graph.
 */
enum ets_status ets_handle_index_list(struct ets_arena *arena, struct ets_handle_index *index,
                                      const int64_t *handles, size_t count,
                                      struct ets_node_list *list_out, struct ets_error *error);

/* Charges lists made in another way. Status LIMIT, as above. */
enum ets_status ets_handle_index_spend(struct ets_handle_index *index, uint64_t cost,
                                       struct ets_error *error);

/* 1 for a graph recorded after emission: its handles are instruction numbers and cannot be joined.
 */
int ets_graph_is_emitted(const struct ets_graph *graph);

/* Whether a node with one of `handles` has one of the base names `ops` (NULL-ended). */
int ets_handle_index_has_op(struct ets_handle_index *index, const int64_t *handles, size_t count,
                            const char *const *ops);

struct ets_delegate_units; /* delegate_units.h */
struct ets_traced_call;    /* inner_values.h */

/* A method of the record and the program, against which blocks are matched. */
struct ets_known_method {
    const char *name;
    int in_record, in_program;
    bool lacks_graph;                        /* the record has its handles, but no edge program */
    const struct ets_graph *graph;           /* edge program; NULL: none, or it cannot be joined */
    struct ets_handle_index nodes;           /* of `graph`, control-flow branches included */
    struct ets_strings loose_names;          /* base names of nodes without a mapped handle */
    struct ets_handle_index top_nodes;       /* without control-flow branches */
    struct ets_chain chain;                  /* valid if in_program */
    const char *contradiction;               /* of record and program; NULL: none */
    bool quantizes;                          /* `graph` does, or one of its branches */
    struct ets_key_table calls;              /* requested instructions of delegate calls */
    const struct ets_delegate_units **units; /* [calls.count] */
    uint32_t unit_capacity;
};

/* chain_calls.c: the payload of the delegate of a chain's instruction, or nothing. */
struct ets_bytes ets_payload_of(const struct ets_chain *chain, int64_t instruction);

/* The columns of struct ets_event_table under construction. */
struct ets_event_columns {
    uint32_t count, capacity;
    uint32_t *run, *row, *parent, *name, *delegate_name;
    uint8_t *kind;
    int64_t *chain;
    int32_t *instruction, *delegate_id;
    uint64_t *start, *end, *payload_at;
};

struct ets_inspection {
    struct ets_inspect_options options;
    struct ets_arena arena;
    struct ets_strings strings;
    struct ets_etdump dump;

    struct ets_event_columns events;
    struct ets_event_table table; /* the same, as returned */
    struct ets_run *runs;
    uint32_t run_count;
    struct ets_damage *damages;
    uint32_t damage_count, damage_total; /* kept, found */
    uint32_t wrapped_count, backwards_count;
    uint32_t unknown_event_count;

    struct ets_trace_extra extra; /* valid if has_extra */
    struct ets_trace_facts facts;
    struct ets_stated_nodes told;
    int has_extra, is_other_program;
    uint64_t *overheads; /* [event] to subtract, ns; NULL: nothing */

    struct ets_block *blocks;
    uint32_t block_count;
    struct ets_payload_identifier *said; /* [row] by delegates' identifiers; NULL: nothing is */
    struct ets_row *rows;
    uint32_t row_count;
    uint32_t *row_events;      /* event indices, row by row */
    uint64_t *row_ticks;       /* ets_inspection_ticks of each of row_events, beside each other */
    uint32_t *row_event_start; /* [row_count + 1] into both */
    bool has_metadata;         /* some event has, if only no bytes */

    struct ets_known_method *methods;
    uint32_t method_count;
    struct ets_known_method **block_method; /* [block], NULL if none was found */
    struct ets_traced_call
        *tapped; /* calls that gave values from within: delegates/inner_values.h */
    struct ets_key_table tapped_calls; /* block, chain, instruction -> */
    uint32_t tapped_count;
    uint64_t whole_calls;              /* nodes that events got from their whole call */
    struct ets_payload_store payloads; /* of the program */
    uint64_t payload_budget;           /* handles and nodes of payloads that may be listed */
    uint64_t check_budget;             /* those that checks of calls may still look at */
};

/* event_table.c: fills the columns with all events of the dump, and finds their nesting. */
enum ets_status ets_events_load(struct ets_inspection *inspection, struct ets_bytes dump,
                                struct ets_error *error);

/* trace_facts.c: reads the extra block. `is_damaged`: runs came from salvage. */
enum ets_status ets_trace_facts_load(struct ets_inspection *inspection, int is_damaged,
                                     struct ets_error *error);
/* Whether events of a run may be missing. */
int ets_run_may_lack_events(const struct ets_inspection *inspection, const struct ets_run *run);

/* blocks.c: groups runs of one shape into blocks, events of one identity into rows. */
enum ets_status ets_blocks_build(struct ets_inspection *inspection, struct ets_error *error);

/* method_match.c: finds the method of the record or the program that each block ran. */
enum ets_status ets_methods_match(struct ets_inspection *inspection, struct ets_error *error);

/* A row's nodes: all of its handles, until shared_handles.c tells its own. */
static inline void ets_row_set_nodes(struct ets_row *row, const struct ets_row_node *nodes,
                                     size_t count)
{
    row->handle_nodes = row->nodes = nodes;
    row->handle_node_count = row->node_count = count;
}

/* shared_handles.c: gives rows of a handle that several nodes share their own. */
enum ets_status ets_rows_share_handles(struct ets_inspection *inspection, uint32_t block,
                                       struct ets_error *error);

/* branch_join.c: joins rows inside control flow. */
enum ets_status ets_rows_join_branches(struct ets_inspection *inspection, uint32_t block,
                                       struct ets_error *error);

/* chain_calls.c: "aten::add.out" of a kernel call. */
enum ets_status ets_operator_name(struct ets_arena *arena,
                                  const struct ets_instruction *instruction,
                                  struct ets_text *name_out, struct ets_error *error);

/* event_identifiers.c: reads what the identifiers of delegates' events say. Backends, as far as
 * they are known, come first. */
enum ets_status ets_rows_read_identifiers(struct ets_inspection *inspection,
                                          struct ets_error *error);
/* named_nodes.c: ties rows of one call, of which nothing else is known, to the nodes that their
 * identifiers name. */
enum ets_status ets_rows_tie_named(struct ets_inspection *inspection,
                                   struct ets_known_method *method,
                                   const struct ets_delegate_units *units, struct ets_row *rows,
                                   uint32_t count, struct ets_error *error);

/* delegate_ties.c: finds the handles of delegates' events. Their backend must be known. */
enum ets_status ets_rows_tie_delegates(struct ets_inspection *inspection, struct ets_error *error);
/*
 * Whether the reported events of a delegate call match the record's map, or else the program's
 * payload.
 */
enum ets_payload_fit {
    ETS_FIT_UNKNOWN, /* no event, no map, and no payload that can be read */
    ETS_FIT_NO,
    ETS_FIT_YES
};
enum ets_status ets_delegate_call_fit(struct ets_inspection *inspection,
                                      struct ets_known_method *method, uint32_t call_row,
                                      enum ets_payload_fit *fit_out, struct ets_error *error);
/* The unit that a delegate's row is tied to; NULL: none. */
const struct ets_delegate_unit *ets_row_unit(const struct ets_inspection *inspection,
                                             const struct ets_row *row);
/* delegate_operations.c: names the operation of each delegate's event, independent of the
 * processor. */
enum ets_status ets_rows_name_operations(struct ets_inspection *inspection,
                                         struct ets_error *error);
/* delegate_clock.c: finds rows of delegates with another clock than the trace. */
enum ets_status ets_delegate_clocks_find(struct ets_inspection *inspection,
                                         struct ets_error *error);

/* join.c: finds debug handles, graph nodes and backends of each row. */
enum ets_status ets_rows_join(struct ets_inspection *inspection, struct ets_error *error);

/* A delegate's row as its runtime identifies it, whatever it is shown as. */
static inline struct ets_text ets_row_identifier(const struct ets_row *row)
{
    return row->identifier.data != NULL ? row->identifier : row->name;
}

/* The duration of an event from its own times, without subtraction. */
static inline uint64_t ets_raw_ticks(const struct ets_inspection *inspection, uint32_t event)
{
    const uint64_t start = inspection->events.start[event], end = inspection->events.end[event];
    if (start <= end) return end - start;
    return start <= UINT32_MAX ? end + (UINT64_C(1) << 32) - start : 0;
}

#endif
