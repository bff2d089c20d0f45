/* What is done with an open file beside reading its bytes. */
#ifndef ETSCOPE_HOST_FILE_ACCESS_H
#define ETSCOPE_HOST_FILE_ACCESS_H

#include <stdbool.h>

#include "etscope/file.h"

/*
 * In samples, or from front to back, the default. Systems read megabytes ahead, which costs more
 * than the samples themselves for a large file that is not in memory: seconds for 2 GB.
 */
void ets_file_expect_samples(const struct ets_file *file, bool in_samples);

/* Puts `bytes`, which ets_libc_allocator gave, in the place of those of the file. */
void ets_file_replace(struct ets_file *file, struct ets_bytes bytes);

#endif
