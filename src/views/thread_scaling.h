/*
 * What more threads gain. Each number of threads is measured in turns: the method is loaded, warmed
 * up and run for every number, then again, so that drift hits all alike. Numbers are compared turn
 * by turn; the interval of a speed-up is that of the median of its turns, and so holds for newly
 * loaded methods, not for one alone.
 *
 *     struct ets_thread_turns turns[2]; // of the traces with 1 and 2 threads
 *     bool ok = ets_thread_turns_find(&arena, inspections[0], 1, &turns[0]) && ...;
 *     struct ets_thread_line lines[2];
 *     if (ok) ets_thread_scaling(turns, 2, lines);
 *     printf("%u threads: %.2f times as fast\n", lines[1].threads, lines[1].speedup.median);
 *
 * Times are nanoseconds.
 */
#ifndef ETSCOPE_VIEWS_THREAD_SCALING_H
#define ETSCOPE_VIEWS_THREAD_SCALING_H

#include "views/headline.h"

enum { ETS_MOST_THREAD_COUNTS = 16, ETS_MOST_THREAD_TURNS = 64 };

/* The medians of the turns of one number of threads. */
struct ets_thread_turns {
    uint32_t threads;
    uint32_t count, runs;                  /* turns; their runs */
    double medians[ETS_MOST_THREAD_TURNS]; /* [count] in order of execution */
};

enum ets_thread_gain {
    ETS_THREADS_FIRST = 0,   /* what others are compared with */
    ETS_THREADS_FASTER = 1,  /* than the best of the lines before */
    ETS_THREADS_NOTHING = 2, /* at most 5 % faster, at most 5 % slower */
    ETS_THREADS_SLOWER = 3,
    ETS_THREADS_UNCLEAR = 4 /* the interval holds several of these; or too few turns */
};

/* Of the turns; the ends are NaN for too few of them. */
struct ets_turn_ratio {
    double low, median, high;
};

struct ets_thread_line {
    uint32_t threads, runs, turns;
    struct ets_turn_ratio time;    /* of a run, ns */
    struct ets_turn_ratio speedup; /* over the first line */
    double efficiency; /* speedup divided by how many times the threads of the first line */
    enum ets_thread_gain gain;
    uint32_t over;              /* threads of the line that `gain` compares with */
    struct ets_turn_ratio step; /* how many times as fast as that */
};

/*
 * The turns of a trace: a load begins a new one. Runs of a method alone count, not loads. Returns
 * false if memory runs out, or for a clock of cycles.
 */
bool ets_thread_turns_find(struct ets_arena *arena, const struct ets_inspection *inspection,
                           uint32_t threads, struct ets_thread_turns *turns_out);

/* `turns`: [count] by growing numbers of threads, in turns. A turn that not all made is left out.
 */
void ets_thread_scaling(const struct ets_thread_turns *turns, uint32_t count,
                        struct ets_thread_line *lines_out);

/* The line with the most threads that is faster than those before; 0: none is. */
uint32_t ets_thread_best(const struct ets_thread_line *lines, uint32_t count);

/* "faster", "nothing"; NULL: of the first line. Static storage. */
const char *ets_thread_gain_name(enum ets_thread_gain gain);

/* "2 threads are 1.60 times as fast as 1 (1.21 ms -> 760 us); 4 gain nothing more". */
bool ets_thread_headline(struct ets_arena *arena, const struct ets_thread_line *lines,
                         uint32_t count, struct ets_text *sentence_out);

/*
 * The operators that gain nothing from more threads, with their share of a run with these: of the
 * traces with `few` and `more`; `threads` 0: not known. Data NULL: none is large enough to be
 * named. Status: NO_MEMORY.
 */
enum ets_status ets_thread_operators(struct ets_arena *arena, const struct ets_inspection *few,
                                     const struct ets_inspection *more, uint32_t threads,
                                     struct ets_text *sentence_out, struct ets_error *error);

#endif
