/* The entities. */
#ifndef ETSCOPE_CATALOGUE_ENTITIES_H
#define ETSCOPE_CATALOGUE_ENTITIES_H

#include "catalogue/entity.h"

/* findings_entity.c; the item is a struct ets_finding. */
extern const struct ets_entity ets_findings_entity;

#endif
