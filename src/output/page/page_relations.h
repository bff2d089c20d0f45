/* The tables of output/sql as tables of a page, all but the events. */
#ifndef ETSCOPE_OUTPUT_PAGE_PAGE_RELATIONS_H
#define ETSCOPE_OUTPUT_PAGE_PAGE_RELATIONS_H

#include "output/page/page_table.h"
#include "study/study.h"

/* Statuses: those of the tables' prepare, NO_MEMORY. */
enum ets_status ets_page_add_relations(struct ets_page_document *document, struct ets_study *study,
                                       struct ets_error *error);

/* The part of a path after the last slash. */
const char *ets_page_file_name(const char *path);

#endif
