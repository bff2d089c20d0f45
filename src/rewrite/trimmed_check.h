/* Compares a program that was made smaller with the original. */
#ifndef ETSCOPE_REWRITE_TRIMMED_CHECK_H
#define ETSCOPE_REWRITE_TRIMMED_CHECK_H

#include "rewrite/constant_layout.h"

/*
 * Whether two verified programs have the same values, constants, start values, payloads and named
 * data, byte for byte, but for the tensors that nobody reads, which are null in the second. It uses
 * nothing of the code that makes the second. False also where a file names the same bytes so often
 * that comparing them would not end.
 */
bool ets_trimmed_check(const struct ets_program *was, const struct ets_program *is,
                       const struct ets_constant_layout *constants);

#endif
