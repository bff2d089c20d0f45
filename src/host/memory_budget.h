/*
 * The memory that a process lets its input files ask for: some in any case, and a multiple of their
 * bytes. Small files can describe much (packed data, parts that are shared many times), and no
 * reader has to think of it: what comes from the C library's allocator (arena.h) is taken from this
 * one budget, and an allocation beyond it fails.
 *
 *     ets_memory_budget_start();
 *     ets_memory_budget_add(size_of_a_file);
 *     ...
 *     if (ets_memory_budget_was_exceeded()) ...
 *
 * Without a start, as in a program that links the library, nothing is counted and all is allowed.
 * After it, only one thread may allocate.
 */
#ifndef ETSCOPE_HOST_MEMORY_BUDGET_H
#define ETSCOPE_HOST_MEMORY_BUDGET_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* SECURITY.md's bound for a process that reads files of so many bytes in all. */
uint64_t ets_memory_bound_bytes(uint64_t file_bytes);

/* Begins to count, with the budget of a process without files; stop ends that. */
void ets_memory_budget_start(void);
void ets_memory_budget_stop(void);
/* Adds the budget of an input of this size: of a file as it is stored, or of recorded data. */
void ets_memory_budget_add(uint64_t file_bytes);
/* Adds bytes that do not depend on the size of files. */
void ets_memory_budget_extend(uint64_t bytes);

/* The bytes of the inputs, and what may be taken for them: three quarters of the bound. The rest is
   for code, mapped files and stacks. */
uint64_t ets_memory_budget_files(void);
uint64_t ets_memory_budget_total(void);

/* An allocator asks before it takes so many bytes more, and counts them then; < 0: given back. */
bool ets_memory_budget_allows(size_t bytes);
void ets_memory_budget_count(int64_t bytes);

/* Whether an allocation was refused. */
bool ets_memory_budget_was_exceeded(void);

/*
 * Whether the C library had no memory since the start. What went on without it may be incomplete:
 * no output is committed then (output.h). The allocator notes it; so does other code that goes on.
 */
void ets_memory_note_refusal(void);
bool ets_memory_was_refused(void);

#endif
