/* The error for a file of the wrong kind. */
#ifndef ETSCOPE_FORMAT_WRONG_KIND_H
#define ETSCOPE_FORMAT_WRONG_KIND_H

#include "base/error.h"
#include "etscope/file.h"

/*
 * "not an ETDump but a text file" for `wanted` "an ETDump". Returns ETS_WRONG_KIND, or
 * ETS_TRUNCATED if the file has an unknown kind and fewer than `least` bytes, so that it may be the
 * start of one.
 */
enum ets_status ets_fail_kind(struct ets_error *error, const char *wanted, struct ets_bytes bytes,
                              size_t least);

#endif
