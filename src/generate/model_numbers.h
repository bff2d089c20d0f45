/* Numbers that a program states of itself: methods that take nothing and return a constant. */
#ifndef ETSCOPE_GENERATE_MODEL_NUMBERS_H
#define ETSCOPE_GENERATE_MODEL_NUMBERS_H

#include <stdbool.h>

#include "etscope/program.h"

/* The number or bool that method `name` returns without computing; false: there is none. */
bool ets_model_number(const struct ets_program *program, const char *name, int64_t *number_out);

/* Whether a method takes nothing and has no instructions. */
bool ets_method_is_constant(const struct ets_method *method);

#endif
