/* What `info` says of a language model, and of methods that return constants. */
#ifndef ETSCOPE_CLI_INFO_INFO_MODEL_H
#define ETSCOPE_CLI_INFO_INFO_MODEL_H

#include "cli/info/info_kinds.h"

/* A line of what a language model states of itself, and one of its KV caches. */
void info_tell_model(struct info_request *request, const struct ets_program *program);

/* Whether a method is only in the line of constants: it returns numbers or texts, others compute,
 * and not everything is shown. */
bool info_is_folded(const struct info_request *request, const struct ets_method *method);
/* "other constants get_head_dim 64, enable_dynamic_shape true": what the line of a language model
 * does not have; for people. */
void info_tell_folded(struct info_request *request, const struct ets_program *program);

#endif
