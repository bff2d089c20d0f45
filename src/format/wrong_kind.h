/* The error of a file that is of another kind than a reader takes. */
#ifndef ETSCOPE_FORMAT_WRONG_KIND_H
#define ETSCOPE_FORMAT_WRONG_KIND_H

#include "base/error.h"
#include "etscope/file.h"

/*
 * "not an ETDump but a text file" for `wanted` "an ETDump". Answers ETS_WRONG_KIND, or
 * ETS_TRUNCATED where fewer than `least` bytes of no known kind may be the beginning of one.
 */
enum ets_status ets_fail_kind(struct ets_error *error, const char *wanted, struct ets_bytes bytes,
                              size_t least);

#endif
