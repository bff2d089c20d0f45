/*
 * The work of a program, or of the rows of an inspection, for callers without an arena: Python.
 *
 *     struct ets_cost_reader *reader;
 *     if (ets_cost_reader_program(&program, record, NULL, &reader, &error) == ETS_OK) {
 *         for (uint32_t i = 0; i < ets_cost_reader_count(reader); i++) {
 *             const struct ets_cost_row *row = ets_cost_reader_row(reader, i);
 *             printf("%.*s %llu\n", (int)row->name.size, row->name.data,
 *                    (unsigned long long)row->flops);
 *         }
 *         ets_cost_reader_close(reader);
 *     }
 *
 * All that is handed out is borrowed until close; program, record and inspection must live until
 * then.
 */
#ifndef ETSCOPE_VIEWS_COST_READER_H
#define ETSCOPE_VIEWS_COST_READER_H

#include "etscope/inspect.h"

struct ets_cost_reader;

/* A measured machine that rows of an inspection are held against. */
struct ets_cost_machine {
    struct ets_bytes file; /* of `etscope machine --save` */
    uint32_t threads;      /* that ran; 0: the most that were measured */
};

/* An instruction, what a delegate runs inside of one, or a row of an inspection. */
struct ets_cost_row {
    struct ets_text name;
    const char *method;  /* of a program; NULL: a row of an inspection */
    int64_t instruction; /* -1: none */
    uint32_t unit;       /* of a program: number within its delegate call; else ETS_NO_INDEX */
    uint32_t row;        /* of an inspection; else ETS_NO_INDEX */
    int is_taken;        /* 1: part of the method's total */
    const char *state;  /* "known", "at most", "example", "partial", "unknown"; NULL: no operator */
    const char *reason; /* why some of it is unknown; NULL: nothing is */
    const char *arithmetic; /* "float32"; NULL: none */
    int has_numbers;        /* 0: the numbers mean nothing */
    uint64_t flops, macs, ops, special_ops;
    uint64_t read_bytes, weight_bytes, written_bytes;
    uint32_t not_counted, folded;
    size_t source_count, module_count; /* of a program */
    const struct ets_text *sources, *modules;
    /* Of an inspection with a machine; NULL and NaN: not known, or the row is not judged. */
    const char *verdict, *verdict_reason; /* "memory-bound" */
    const char *roof, *level;      /* what binds: "compute"; the cache that holds its bytes */
    double bound_ns;               /* of a run, at the roof */
    double of_roof, of_roof_upper; /* the bound's share of the shortest time */
    double saved_ns;               /* of `mid`, at the roofs; of a row all inside of it */
};

/* `record` and `method` may be NULL: none, all. Statuses: those of ets_delegation_open. */
ETS_API enum ets_status ets_cost_reader_program(const struct ets_program *program,
                                                struct ets_etrecord *record, const char *method,
                                                struct ets_cost_reader **reader_out,
                                                struct ets_error *error);
/* One run of each row's block. `machine` NULL: none. Statuses: NO_MEMORY, those of the record's
 * readers and of ets_machine_read; NOT_FOUND: the machine was not measured with such threads. */
ETS_API enum ets_status ets_cost_reader_inspection(const struct ets_inspection *inspection,
                                                   const struct ets_cost_machine *machine,
                                                   struct ets_cost_reader **reader_out,
                                                   struct ets_error *error);
ETS_API void ets_cost_reader_close(struct ets_cost_reader *reader); /* NULL is allowed */

ETS_API uint32_t ets_cost_reader_count(const struct ets_cost_reader *reader);
ETS_API const struct ets_cost_row *ets_cost_reader_row(const struct ets_cost_reader *reader,
                                                       uint32_t index);
/* A line of the machine's roofline chart (roof_lines.h). */
struct ets_cost_roof {
    const char *name; /* "float32", "L2"; static storage */
    int is_bandwidth; /* 1: `rate` is bytes in a second, 0: operations */
    double rate;
};

/* [*count_out] of a reader with a machine. */
ETS_API const struct ets_cost_roof *ets_cost_reader_roofs(const struct ets_cost_reader *reader,
                                                          uint32_t *count_out);

/* The sentence for each method, or each block that computes: a line each; with a machine, one
 * before it says how far a run is from the roof. */
ETS_API const char *ets_cost_reader_headline(const struct ets_cost_reader *reader);

#endif
