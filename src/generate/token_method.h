/* Tells tokens, positions and logits among the inputs and outputs of one method. */
#ifndef ETSCOPE_GENERATE_TOKEN_METHOD_H
#define ETSCOPE_GENERATE_TOKEN_METHOD_H

#include "generate/recognize.h"

/*
 * `vocabulary`: what the program states, or NONE. Inputs that are fed by the choice are left out.
 * Statuses as those of ets_token_model_recognize.
 */
enum ets_status ets_token_method_read(const struct ets_method *method,
                                      const struct ets_token_choice *choice, uint32_t vocabulary,
                                      struct ets_token_method *out, struct ets_error *error);

/* "forward", cut to what a name may have. */
void ets_token_copy_name(struct ets_text name, char out[ETS_TOKEN_NAME]);

#endif
