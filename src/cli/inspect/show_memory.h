/* Memory instead of operators: what --memory and its companions ask for. */
#ifndef ETSCOPE_CLI_INSPECT_SHOW_MEMORY_H
#define ETSCOPE_CLI_INSPECT_SHOW_MEMORY_H

#include "cli/core/command.h"
#include "etscope/inspect.h"

/* Options that show memory, for the option tables of `inspect` and `profile`. */
/* clang-format off */
#define CLI_MEMORY_OPTIONS                                                                        \
    {"--memory"}, {"--c-snippet"}, {"--allocations"}
/* clang-format on */

/* Whether it is asked for. */
bool cli_wants_memory(const struct cli_arguments *arguments);
/* Options that contradict it. Returns an exit code. */
int cli_check_memory(const struct cli_arguments *arguments);
/* `path`: the trace, for messages. Returns an exit code. */
int cli_show_memory(const struct cli_arguments *arguments, const struct ets_inspection *inspection,
                    const char *path);

#endif
