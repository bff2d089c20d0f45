/* Numbers that a program states of itself: methods that take nothing and return a constant. */
#ifndef ETSCOPE_FORMAT_MODEL_NUMBERS_H
#define ETSCOPE_FORMAT_MODEL_NUMBERS_H

#include <stdbool.h>

#include "etscope/program.h"

/* The number or bool that method `name` returns without computing; false: there is none. */
bool ets_model_number(const struct ets_program *program, const char *name, int64_t *number_out);
/*
 * The same for a method that returns several, such as get_eos_ids: how many there are; 0: none, or
 * something else is among them. The first `room` are written.
 */
uint32_t ets_model_numbers(const struct ets_program *program, const char *name, int64_t *numbers,
                           uint32_t room);

/* The positions of a language model in all, and the method that states them; NULL: none does. */
const char *ets_model_context(const struct ets_program *program, int64_t *number_out);

/* Whether a method takes nothing and has no instructions. */
bool ets_method_is_constant(const struct ets_method *method);

#endif
