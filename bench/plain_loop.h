/* The loop of a runner without etscope: ExecuTorch's Module, the largest logit, the next token. */
#ifndef ETSCOPE_BENCH_PLAIN_LOOP_H
#define ETSCOPE_BENCH_PLAIN_LOOP_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

struct plain_loop;

/* Registers the kernels of the library that the engine has beside it; NULL: none. 0: failed. */
int plain_loop_kernels(const char *library);

/*
 * Loads `method` of `program`, whose input 0 takes tokens and input 1 their position; traced: with
 * ETDumpGen. NULL: failed.
 */
struct plain_loop *plain_loop_open(const char *program, const char *method, int is_traced);

/* One token at `position`; returns the next one, -1: failed. */
int64_t plain_loop_step(struct plain_loop *loop, int64_t token, int64_t position);
void plain_loop_close(struct plain_loop *loop);

#ifdef __cplusplus
}
#endif

#endif
