/* info on the extra block of an ETDump: what etscope's tracer tells of itself and of its runs. */
#ifndef ETSCOPE_CLI_INFO_INFO_EXTRA_H
#define ETSCOPE_CLI_INFO_INFO_EXTRA_H

#include "cli/info/info_kinds.h"
#include "etscope/inspect.h"

/* What the tracer tells of the whole trace, where there is an extra block; as JSON the members
 * "trace" (null without one) and "runs", of all runs. */
void info_tell_extra(struct ets_facts *facts, const struct ets_inspection *inspection);
/* For people: method, purpose, invocations and threads of a block's runs. */
void info_tell_runs(struct ets_facts *facts, const struct ets_inspection *inspection,
                    uint32_t block);

#endif
