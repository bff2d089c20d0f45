/* Prints numbers as text that reads back as the same number. */
#ifndef ETSCOPE_HOST_NUMBER_H
#define ETSCOPE_HOST_NUMBER_H

#include <stddef.h>

enum { ETS_NUMBER_CHARS = 40 };

/*
 * The shortest decimal that reads back as `value`, as Python's repr prints it: "0.0", "9e-05",
 * "1e+16", "inf", "nan". Returns the length. Independent of the locale.
 */
size_t ets_print_double(char buffer[ETS_NUMBER_CHARS], double value);

#endif
