/* The entities. */
#ifndef ETSCOPE_CATALOGUE_ENTITIES_H
#define ETSCOPE_CATALOGUE_ENTITIES_H

#include "catalogue/entity.h"
#include "views/memory_lines.h"
#include "views/operator_lines.h"

/* All of them, ended by NULL. entity.c */
extern const struct ets_entity *const ets_entities[];

/* findings_entity.c; the item is a struct ets_finding. */
extern const struct ets_entity ets_findings_entity;

/*
 * memory_tensors_entity.c; the item is a struct ets_plan_tensor, within its plan; what a table
 * shows beyond that, a struct ets_memory_shown.
 */
extern const struct ets_entity ets_memory_tensors_entity;
struct ets_memory_shown {
    const struct ets_memory_lines *lines;
    const struct ets_memory_line *line;
    struct ets_evalue value;
};

/* stage_reads_entity.c; the item is a struct ets_token_reads. */
extern const struct ets_entity ets_stage_reads_entity;

/*
 * operators_entity.c; the item is a struct ets_row, NULL for a group of them. Relations have the
 * times of all runs; a table shows a line, which is of some runs or of a group, a struct
 * ets_operator_shown. The kind of a row is what lines are grouped by, an enum ets_group_by.
 */
extern const struct ets_entity ets_operators_entity;
struct ets_operator_shown {
    const struct ets_inspection *inspection;
    const struct ets_block *block;
    const struct ets_chosen_runs *runs;
    struct ets_places *places;
    const struct ets_operator_line *line;
    enum ets_group_by group_by;
    double tick; /* one tick in the unit of the table's times */
};

#endif
