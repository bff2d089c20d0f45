/* What is inside of an output, for those who write it by other means than its stream. */
#ifndef ETSCOPE_HOST_OUTPUT_H
#define ETSCOPE_HOST_OUTPUT_H

#include "etscope/file.h"

/*
 * The empty file that takes the target's place at commit, as long as the output; NULL where the
 * target is written straight (standard output, a device).
 */
const char *ets_output_temporary(const struct ets_output *output);

#endif
