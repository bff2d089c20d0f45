/* The rules of findings.h, and what they share. */
#ifndef ETSCOPE_ADVICE_FINDING_RULES_H
#define ETSCOPE_ADVICE_FINDING_RULES_H

#include "advice/findings.h"
#include "contents/handle_nodes.h"
#include "partition/outside.h"
#include "partition/partition_node.h"
#include "views/delegate_lines.h"
#include "views/timed_blocks.h"

enum { ETS_FINDING_BYTES = 1024 };
/* Of fewer runs the slowest makes mid; then only shares are told. */
enum { ETS_RUNS_FOR_MID = 8 };

/* What a finding is about, while it grows: ets_parts_add. */
struct ets_finding_parts {
    uint32_t calls;        /* lines that were added */
    bool has_few_runs;     /* the times are of */
    bool is_timed;         /* all of them */
    struct ets_span ticks; /* mid of a run, between what a coarse clock permits */
    double fastest;        /* the same of the fastest runs */
    double beside;         /* mid of what lies between operators, their part of it */
    double bytes;          /* that they read and write; the order of what has no times */
    uint32_t joined;       /* delegate calls that could join the one before without them */
    double joined_ticks;   /* mid of these calls without their operators */
    const struct ets_graph_frame **frames;
    uint32_t frame_count, frame_room;
    uint32_t *instructions, instruction_count, instruction_room;
    uint32_t *rows, row_count, row_room;
    struct ets_text *modules;
    uint32_t module_count, module_room;
    uint32_t groups; /* of lines, where a rule counts them */
};

/* What could be one delegate call if a kernel went away. */
struct ets_join {
    uint32_t calls; /* that could join the one before */
    double ticks;   /* mid of these calls without their operators; NaN: not measured */
};

/* A method of the program with the block that ran it longest. */
struct ets_finding_method {
    const struct ets_delegate_section *section;
    struct ets_delegate_lines lines;
    const uint32_t *first_line;            /* [instruction] in `lines` */
    const struct ets_outside *outsides;    /* [instruction] */
    const struct ets_partition *partition; /* its graph with makers and users; NULL: no record */
    const uint32_t *runner;                /* [node of the graph] the instruction that computes it,
                                              or ETS_NO_INDEX */
    const struct ets_graph_node *const *kernels; /* [instruction] the node of a kernel call; NULL:
                                                    not known, or no kernel */
    const uint8_t *is_constant;                  /* [node] whether only constants go in */
    uint8_t *is_told;       /* [instruction] whether a finding says how to do without it */
    uint8_t *is_named;      /* [instruction] whether a finding is about it */
    uint32_t *collected;    /* [instruction] the last collection that has it */
    struct ets_join *joins; /* [instruction] of kernels */
    bool has_delegate;
    bool is_captured; /* in the runs whose times there are: these are not those of the model */
    double median;    /* run; NaN: no times */
    double between;   /* mid of what no instruction takes, for each of them; 0: not known */
};

struct ets_finder {
    struct ets_arena *arena;
    const struct ets_findings_subject *subject;
    struct ets_timed_blocks blocks;                /* without an inspection: none */
    const struct ets_timed_block *block;           /* at hand, of a rule of blocks */
    struct ets_operator_lines backends, operators; /* of that block, grouped */
    const struct ets_delegation *delegation;       /* of the program; NULL: none */
    struct ets_finding_method method;              /* at hand, of a rule of methods */
    struct ets_findings *out;
    char text[3][ETS_FINDING_BYTES];
    struct ets_text_builder line, evidence, action; /* texts that grow */
    struct ets_finding_parts parts;
    uint32_t collection; /* of parts, from 1 */
};

#define ets_find_say(finder, ...) ets_add_plain_text(&(finder)->line, __VA_ARGS__)
#define ets_find_evidence(finder, ...) ets_add_plain_text(&(finder)->evidence, __VA_ARGS__)
#define ets_find_propose(finder, ...) ets_add_plain_text(&(finder)->action, __VA_ARGS__)

/* A finding that is not a time of a run. */
struct ets_finding ets_finding_of(const char *kind, enum ets_severity severity, const char *view);
/* A finding that takes `share` of each run of the block at hand. */
struct ets_finding ets_finding_timed(const struct ets_finder *finder, const char *kind,
                                     struct ets_span share, const char *view);
/* Adds it with the texts that were said. Returns false if memory runs out, as every rule. */
bool ets_finding_add(struct ets_finder *finder, struct ets_finding finding);

/* "add.out" of "aten::add.out" */
struct ets_text ets_kernel_short_name(struct ets_text name);
/* Whether a model or an export chose this very kernel, such as llama::custom_sdpa: its library is
 * none of those that models are broken down to. */
bool ets_kernel_is_deliberate(struct ets_text name);

/* finding_parts.c: begins to collect; adds a line of the method, whose time counts. The line of an
 * instruction itself is added once. */
void ets_parts_begin(struct ets_finder *finder);
bool ets_parts_add(struct ets_finder *finder, const struct ets_delegate_line *line);
/* Adds the lines of a node, without an instruction or a time. */
bool ets_parts_add_node(struct ets_finder *finder, const struct ets_graph_node *node);
/* The nodes of a method's graph by debug handle; none without a record that knows the method. */
bool ets_read_handle_nodes(struct ets_finder *finder, struct ets_text method,
                           struct ets_handle_nodes *nodes_out);
/* Adds the lines of the node with a handle, if there is one. */
bool ets_parts_add_handle(struct ets_finder *finder, const struct ets_handle_nodes *nodes,
                          int64_t handle);
/* Adds a module alone; an absent one and the whole model are not added. */
bool ets_parts_add_module(struct ets_finder *finder, struct ets_text module);
/* With a number of samples, channels, rows and columns, and no constant. */
static inline bool ets_is_image(const struct ets_evalue *value)
{
    return value->kind == ETS_EVALUE_TENSOR && value->tensor.tensor.rank == 4 &&
           value->tensor.place != ETS_PLACE_CONSTANT &&
           value->tensor.place != ETS_PLACE_EXTERNAL_CONSTANT;
}
/* With one channel, or one pixel, contiguous tensors and those in channels_last are the same. */
static inline bool ets_is_ambiguous_image(const struct ets_tensor *image)
{
    return image->sizes[1] == 1 || (image->sizes[2] == 1 && image->sizes[3] == 1);
}
/* Adds an instruction, or a row, alone. */
bool ets_parts_add_call(struct ets_finder *finder, uint32_t instruction);
bool ets_parts_add_row(struct ets_finder *finder, uint32_t row);
/* Adds a row with its lines and modules. */
bool ets_parts_take_row(struct ets_finder *finder, uint32_t row);
/* Whether what was collected is worth advice: a share of a run, or not measured at all. */
bool ets_parts_are_large(const struct ets_finder *finder);
/* Whether times are known, and are those of the model. */
bool ets_method_tells_time(const struct ets_finder *finder);
/* Ticks of mid as those of the median run, so that shares of both are the same. */
double ets_method_of_median(const struct ets_finder *finder, double ticks);
/* Says ", 1.2 % of a run", and which calls could join; and as evidence the instructions and their
 * time. */
void ets_parts_say_share(struct ets_finder *finder);
void ets_parts_prove(struct ets_finder *finder);
/* A finding about what was collected, with the time of it as what can be saved. */
struct ets_finding ets_finding_of_parts(struct ets_finder *finder, const char *kind,
                                        enum ets_saving_basis basis, enum ets_check check);
/* Gives a finding the modules and lines of what was collected. */
void ets_finding_place_parts(const struct ets_finder *finder, struct ets_finding *finding);
/* Gives a finding the instructions and rows of what was collected. */
void ets_finding_name_parts(const struct ets_finder *finder, struct ets_finding *finding);
/* Adds mid of other rows than the finding's to what can be saved at most. */
void ets_saving_add(const struct ets_finder *finder, struct ets_finding *finding, double mid);
/* The instruction's own line. */
const struct ets_delegate_line *ets_method_line(const struct ets_finder *finder,
                                                uint32_t instruction);
/* The node that a kernel call computes, or NULL. */
const struct ets_graph_node *ets_kernel_node(const struct ets_finder *finder, uint32_t instruction);
/* The number of a node in the method's graph; ETS_NO_INDEX: it is in a branch, or no node. */
static inline uint32_t ets_method_node(const struct ets_finder *finder,
                                       const struct ets_graph_node *node)
{
    if (finder->method.partition == NULL) return ETS_NO_INDEX;
    const struct ets_graph *graph = finder->method.partition->graph;
    const uintptr_t at = (uintptr_t)node, first = (uintptr_t)graph->nodes;
    if (at < first || at >= first + graph->node_count * sizeof *node) return ETS_NO_INDEX;
    return (uint32_t)((at - first) / sizeof *node);
}
/* The instruction that computes a node, or ETS_NO_INDEX. */
uint32_t ets_node_runner(const struct ets_finder *finder, const struct ets_graph_node *node);
/* finding_methods.c: prepares a method; false: no memory. */
bool ets_finding_method_open(struct ets_finder *finder, const struct ets_delegate_section *section,
                             const struct ets_outside *outsides);

/* constant_nodes.c: whether a node computes the same in every run; whether it is never the same.
 * constant_findings.c: whether two nodes have the same arguments from number `first` on. */
bool ets_is_random(const struct ets_graph_node *node);
bool ets_mark_constant_nodes(struct ets_finder *finder);
bool ets_is_constant_work(const struct ets_finder *finder, const struct ets_graph_node *node);
bool ets_nodes_have_equal_arguments(const struct ets_graph_node *a, const struct ets_graph_node *b,
                                    uint32_t first);
/* wrong_findings.c: whether XNNPACK, where it takes the method, would lose scales of weights. */
bool ets_loses_scales(const struct ets_finder *finder);
/* graph_findings.c: whether it expands a tensor to the shape that it has. */
bool ets_is_empty_expand(const struct ets_finder *finder, const struct ets_graph_node *node);
/* call_joins.c: fills `joins` of the method; whether XNNPACK's exporter added an operator for the
 * layout of its neighbours. */
bool ets_find_joins(struct ets_finder *finder);
bool ets_is_border_transpose(const struct ets_delegate_line *line);

/* Shares below are not worth a look; advice is worth giving from a smaller one. */
#define ETS_FINDING_LEAST_SHARE 0.05
#define ETS_ADVICE_LEAST_SHARE 0.01

/* Of each block that executed a method: time_findings.c. */
bool ets_find_between(struct ets_finder *finder);
bool ets_find_not_reported(struct ets_finder *finder);
bool ets_find_copies(struct ets_finder *finder);
/* outside_summary.c */
bool ets_find_outside(struct ets_finder *finder);
/* run_findings.c */
bool ets_find_phases(struct ets_finder *finder);
bool ets_find_few_runs(struct ets_finder *finder);
bool ets_find_unjoined(struct ets_finder *finder);
bool ets_find_captured(struct ets_finder *finder);
bool ets_find_overhead(struct ets_finder *finder);
/* roof_findings.c */
bool ets_find_below_roof(struct ets_finder *finder);
bool ets_find_small_operators(struct ets_finder *finder);
/* expensive_findings.c: after all other rules. */
bool ets_find_expensive(struct ets_finder *finder);

/* Of the trace: trace_findings.c. */
bool ets_find_load(struct ets_finder *finder);
bool ets_find_clocks(struct ets_finder *finder);
bool ets_find_losses(struct ets_finder *finder);
bool ets_find_damage(struct ets_finder *finder);
bool ets_find_other_program(struct ets_finder *finder);
/* thread_findings.c */
bool ets_find_threads(struct ets_finder *finder);
/* Of the program: model_findings.c. */
bool ets_find_plan(struct ets_finder *finder);
bool ets_find_plan_mistakes(struct ets_finder *finder);
bool ets_find_duplicates(struct ets_finder *finder);
bool ets_find_unused_constants(struct ets_finder *finder);
/* peak_finding.c */
bool ets_find_peak(struct ets_finder *finder);
/* Of captured values: number_findings.c. */
bool ets_find_numbers(struct ets_finder *finder);
bool ets_find_cut_off(struct ets_finder *finder);
bool ets_find_nonfinite(struct ets_finder *finder);

/* Of each method of the program: outside_findings.c. */
bool ets_find_refused(struct ets_finder *finder);
bool ets_find_without_rule(struct ets_finder *finder);
bool ets_find_not_delegated(struct ets_finder *finder);
bool ets_find_portable_products(struct ets_finder *finder);
/* border_findings.c */
bool ets_find_split(struct ets_finder *finder);
bool ets_find_small_calls(struct ets_finder *finder);
/* layout_findings.c */
bool ets_find_transposes(struct ets_finder *finder);
/* wrong_layout_findings.c */
bool ets_find_wrong_layout(struct ets_finder *finder);
bool ets_find_refused_layout(struct ets_finder *finder);
/* constant_findings.c */
bool ets_find_constant_work(struct ets_finder *finder);
bool ets_find_repeated(struct ets_finder *finder);
bool ets_find_weights_dequantized(struct ets_finder *finder);
/* broadcast_findings.c */
bool ets_find_broadcast(struct ets_finder *finder);
/* graph_findings.c */
bool ets_find_requantized(struct ets_finder *finder);
bool ets_find_float_island(struct ets_finder *finder);
bool ets_find_expanded(struct ets_finder *finder);
bool ets_find_attention_guard(struct ets_finder *finder);
bool ets_find_state_copied(struct ets_finder *finder);
bool ets_find_batch_norm(struct ets_finder *finder);
bool ets_find_activation(struct ets_finder *finder);
/* wrong_findings.c */
bool ets_find_wrong_softmax(struct ets_finder *finder);
bool ets_find_wrong_gelu(struct ets_finder *finder);
bool ets_find_lost_scales(struct ets_finder *finder);
bool ets_find_too_many_dimensions(struct ets_finder *finder);
bool ets_find_refusing_kernels(struct ets_finder *finder);
/* mixed_type_findings.c */
bool ets_find_mixed_types(struct ets_finder *finder);
/* weight_findings.c */
bool ets_find_coarse_weights(struct ets_finder *finder);
bool ets_find_whole_weights(struct ets_finder *finder);
/* packing_findings.c */
bool ets_find_packed_twice(struct ets_finder *finder);

#endif
