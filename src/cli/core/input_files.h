/*
 * The files that this command opened as inputs. No output may replace one of them, whoever named
 * it: an option, a folder, a list, or a search beside a trace.
 */
#ifndef ETSCOPE_CLI_CORE_INPUT_FILES_H
#define ETSCOPE_CLI_CORE_INPUT_FILES_H

#include <stdbool.h>

/* From now on ets_output_open and ets_output_commit refuse inputs. */
void cli_inputs_guard(void);

/*
 * Counts a file as an input; false: it was one already. Devices, pipes and standard input cannot be
 * replaced, and are new each time.
 */
bool cli_inputs_add(const char *path);

/* Whether both are the same regular file, or would create the same file, however they are spelled
 * and linked. */
bool cli_is_same_file(const char *left, const char *right);

void cli_inputs_free(void);

#endif
