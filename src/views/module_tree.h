/* The work of a block as a tree of modules. */
#ifndef ETSCOPE_VIEWS_MODULE_TREE_H
#define ETSCOPE_VIEWS_MODULE_TREE_H

#include "views/operator_lines.h"

/*
 * Lines in order of first appearance, parts behind what they are a part of. A piece of one module
 * is that module's own. One of several modules is a line of its own, named by all of them, under
 * the innermost module that holds them all: nothing is divided, and the own times of all lines add
 * up to the work, run by run. There is room for one line more. `per_run` is scratch. Returns false
 * where memory ran out.
 */
bool ets_module_tree_lines(struct ets_arena *arena, const struct ets_work *work,
                           struct ets_places *places, const struct ets_operator_options *options,
                           const struct ets_chosen_runs *runs, double *per_run,
                           struct ets_operator_lines *lines_out);

#endif
