/* info on the extra block of an ETDump: what etscope's tracer tells of itself and of its runs. */
#ifndef ETSCOPE_CLI_INFO_INFO_EXTRA_H
#define ETSCOPE_CLI_INFO_INFO_EXTRA_H

#include "cli/info/info_kinds.h"
#include "etscope/inspect.h"

/* Facts of the whole trace; nothing where it has no extra block. */
void info_print_extra(struct info_request *request, const struct ets_inspection *inspection);
/* Method, purpose, invocations and threads of a block's runs. */
void info_print_runs(struct info_request *request, const struct ets_inspection *inspection,
                     uint32_t block);
/* The members "trace" (null without an extra block) and "runs". */
void info_put_extra(struct info_json *json, const struct ets_inspection *inspection);

#endif
