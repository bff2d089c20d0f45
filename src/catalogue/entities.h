/* The entities. */
#ifndef ETSCOPE_CATALOGUE_ENTITIES_H
#define ETSCOPE_CATALOGUE_ENTITIES_H

#include "catalogue/entity.h"
#include "views/memory_lines.h"

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

#endif
