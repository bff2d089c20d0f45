/*
 * program_tables.h - the tables of programs in one call each, for callers from other languages.
 *
 *     struct ets_table *table;
 *     ets_table_open(NULL, &table, &error);
 *     if (ets_memory_table_fill(table, &program, record, NULL, ETS_MEMORY_TENSORS, &error) ==
 * ETS_OK) { ets_table_to_json(table, &text, &size, &error);
 *     }
 *
 * Each fills an empty table; its sections' headings are the sentences for people. Records may be
 * NULL: then there are no names, source lines and modules. Programs and records are borrowed for
 * the call.
 */
#ifndef ETSCOPE_OUTPUT_TABLE_PROGRAM_TABLES_H
#define ETSCOPE_OUTPUT_TABLE_PROGRAM_TABLES_H

#include "etscope/etrecord.h"
#include "etscope/program.h"
#include "output/table/table.h"

enum ets_memory_rows {
    ETS_MEMORY_TENSORS = 0,      /* planned tensors, those alive at the peak first */
    ETS_MEMORY_ALL_TENSORS = 1,  /* also constants, and the caller's inputs and outputs */
    ETS_MEMORY_ALTERNATIVES = 2, /* what other plans would take */
    ETS_MEMORY_STEPS = 3         /* live bytes, instruction by instruction */
};

/* Planned memory of `method`, or of all methods (NULL). Statuses: NOT_FOUND (no such method), those
 * of ets_delegation_open and ets_memory_plan_init, NO_MEMORY. */
ETS_API enum ets_status ets_memory_table_fill(struct ets_table *table,
                                              const struct ets_program *program,
                                              struct ets_etrecord *record, const char *method,
                                              enum ets_memory_rows rows, struct ets_error *error);

/* Where the bytes of a file (.pte, .bpte, .ptd) are, item by item. Statuses: those of
 * ets_byte_map_open. */
ETS_API enum ets_status ets_size_table_of(struct ets_table *table, struct ets_bytes file,
                                          struct ets_etrecord *record, struct ets_error *error);

/* What differs between two programs; no row: nothing does. Statuses: those of
 * ets_program_difference_find. */
ETS_API enum ets_status ets_program_difference_of(struct ets_table *table,
                                                  const struct ets_program *const programs[2],
                                                  struct ets_etrecord *const records[2],
                                                  struct ets_error *error);

#endif
