/* How a mapped file is about to be read. */
#ifndef ETSCOPE_HOST_FILE_ACCESS_H
#define ETSCOPE_HOST_FILE_ACCESS_H

#include <stdbool.h>

#include "etscope/file.h"

/*
 * In samples, or from front to back, as at first. Systems read megabytes ahead of a place, which
 * costs more than the samples of a large file that is not in memory: seconds for 2 GB.
 */
void ets_file_expect_samples(const struct ets_file *file, bool in_samples);

#endif
