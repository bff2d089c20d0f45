/*
 * The work of a block as a tree of modules. Modules are numbers of `places`; "layers.0" is a part
 * of "layers", which is a part of the model. ets_operator_lines_by_group calls this and adds the
 * time between operators.
 */
#ifndef ETSCOPE_VIEWS_MODULE_TREE_H
#define ETSCOPE_VIEWS_MODULE_TREE_H

#include "views/operator_lines.h"

/*
 * Lists modules in order of first appearance, parents before their parts. A piece of work of one
 * module counts as that module's self time. A piece of several modules becomes a line named after
 * all of them, under the innermost module that contains them: no time is divided, and the self
 * times of all lines add up to the work of each run. There is room for one more line. `per_run` is
 * scratch memory. Returns false if memory runs out.
 */
bool ets_module_tree_lines(struct ets_arena *arena, const struct ets_work *work,
                           struct ets_places *places, const struct ets_operator_options *options,
                           const struct ets_chosen_runs *runs, double *per_run,
                           struct ets_operator_lines *lines_out);

#endif
