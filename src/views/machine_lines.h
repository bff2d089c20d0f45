/*
 * A measured machine as lines: of each program and number of threads the best rate, of vectors in
 * each cache, and that of the largest vectors in memory.
 */
#ifndef ETSCOPE_VIEWS_MACHINE_LINES_H
#define ETSCOPE_VIEWS_MACHINE_LINES_H

#include "cost/roof.h"
#include "host/text_builder.h"

struct ets_machine_line {
    const struct ets_roof
        *roof; /* the one with the best rate; in memory, with the largest vectors */
    enum ets_memory_level level; /* of its working set; calls: UNKNOWN */
    double rate;                 /* operations, bytes or calls in a second */
    uint32_t roof_count;         /* that it stands for */
};

struct ets_machine_lines {
    struct ets_machine_line *items; /* by threads, then programs, then levels */
    uint32_t count;
};

/* All memory is the arena's; false: there is none. */
bool ets_machine_lines_collect(struct ets_arena *arena, const struct ets_machine *machine,
                               struct ets_machine_lines *lines_out);

/*
 * The sentence that a table of the machine begins with: "float32 224 GFLOP/s, int8 850 GOP/s,
 * memory 38 GB/s with 2 threads; an empty kernel takes 0.13 us; an empty delegate call 0.38 us".
 */
void ets_machine_headline(const struct ets_machine *machine, struct ets_text_builder *text);

#endif
