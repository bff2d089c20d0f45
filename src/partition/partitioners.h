/*
 * The partitioners whose rules or lists are known.
 *
 *     struct ets_asked asked = {.count = 0};
 *     ets_ask_partitioner_of(&asked, backend);
 *     if (asked.count == 0) no_verdict();
 */
#ifndef ETSCOPE_PARTITION_PARTITIONERS_H
#define ETSCOPE_PARTITION_PARTITIONERS_H

#include "host/text_builder.h"
#include "partition/outside.h"

/* Adds the partitioner of a backend ("VulkanBackend"), once; none if it is not known. XNNPACK's
 * goes first: its rules say most. */
void ets_ask_partitioner_of(struct ets_asked *asked, struct ets_text backend);

/* Adds all that `more` has and `asked` lacks. */
void ets_ask_partitioners(struct ets_asked *asked, const struct ets_asked *more);

/* Adds "the rules of XnnpackPartitioner in ExecuTorch 1.5.1", and so on for each, between `and`. */
void ets_say_asked(struct ets_text_builder *text, const struct ets_asked *asked, const char *and);

#endif
