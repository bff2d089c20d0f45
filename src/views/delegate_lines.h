/*
 * The instructions of a method with the times of a trace, each delegate call followed by the
 * operators inside.
 *
 *     struct ets_delegate_sections sections;
 *     if (!ets_delegate_sections_find(&arena, delegations, inspection, &sections)) return false;
 *     for (uint32_t i = 0; i < sections.count; i++) {
 *         struct ets_delegate_lines lines;
 *         if (!ets_delegate_lines_collect(&arena, &sections.items[i], false, &lines)) return false;
 *         for (uint32_t k = 0; k < lines.count; k++) show(&lines.items[k]);
 *     }
 *
 * Times are ticks of the trace. Everything is in the arena; delegations and inspection are
 * borrowed.
 */
#ifndef ETSCOPE_VIEWS_DELEGATE_LINES_H
#define ETSCOPE_VIEWS_DELEGATE_LINES_H

#include <stdbool.h>

#include "etscope/experimental/delegates.h"
#include "host/arena.h"

/* A method, and a block that ran it. */
struct ets_delegate_section {
    const struct ets_delegation *delegations;
    const struct ets_inspection *inspection; /* NULL: no trace */
    uint32_t first_step, end_step;           /* of the delegations */
    uint32_t block;                          /* ETS_NO_INDEX: the trace has no run of the method */
};

struct ets_delegate_sections {
    struct ets_delegate_section *items;
    uint32_t count;
};

/* An instruction, or one operator that its delegate runs. */
struct ets_delegate_line {
    const struct ets_delegation_step *step;
    uint32_t unit;      /* in step->units; ETS_NO_INDEX: the line is the instruction itself */
    uint32_t row;       /* of the inspection; ETS_NO_INDEX: the block has none */
    double middle, p50; /* per run; NaN: not measured, or the delegate has its own clock */
    double resolution;  /* the true times are at least these and less than `resolution` longer */
};

struct ets_delegate_lines {
    struct ets_delegate_line *items; /* in order of instructions */
    uint32_t count;
    uint32_t partition_count,
        inside_count;       /* delegate calls, and operators in all that were read */
    uint32_t unread_count;  /* delegate calls whose operators nothing tells */
    uint32_t outside_count; /* kernel calls */
    double whole;           /* of a run, as `middle`; shares are fractions of it; NaN: unknown */
    double delegated_share; /* of `whole`, of all delegate calls; NaN: not known */
};

/*
 * Finds a section for each method, or for each of its blocks if the trace has several. `inspection`
 * NULL: no trace. Returns false if memory runs out.
 */
bool ets_delegate_sections_find(struct ets_arena *arena, const struct ets_delegation *delegations,
                                const struct ets_inspection *inspection,
                                struct ets_delegate_sections *sections_out);

/* `calls_only`: without the operators inside delegates. Returns false if memory runs out. */
bool ets_delegate_lines_collect(struct ets_arena *arena, const struct ets_delegate_section *section,
                                bool calls_only, struct ets_delegate_lines *lines_out);

/* "Conv2d + Clamp" of a payload's nodes; else the event; else the operator of the graph. Returns
 * false where memory ran out. */
bool ets_delegate_unit_name(struct ets_arena *arena, const struct ets_delegate_unit *unit,
                            struct ets_text *name_out);

/* The unit of a line, or NULL; the nodes of the record's graph that the line stands for. */
const struct ets_delegate_unit *ets_delegate_line_unit(const struct ets_delegate_line *line);
const struct ets_row_node *ets_delegate_line_nodes(const struct ets_delegate_line *line,
                                                   size_t *count_out);

#endif
