/* Describes the extra block of an ETDump: facts about the tracer and its runs. */
#ifndef ETSCOPE_CLI_INFO_INFO_EXTRA_H
#define ETSCOPE_CLI_INFO_INFO_EXTRA_H

#include "cli/info/info_kinds.h"
#include "etscope/inspect.h"

/*
 * Prints the facts about the whole trace, if there is an extra block; in JSON the members "trace"
 * (null without one) and "runs".
 */
void info_tell_extra(struct ets_facts *facts, const struct ets_inspection *inspection);
/* For people: method, purpose, invocations and threads of a block's runs. */
void info_tell_runs(struct ets_facts *facts, const struct ets_inspection *inspection,
                    uint32_t block);

#endif
