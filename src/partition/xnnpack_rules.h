/* The rules of XnnpackPartitioner, ExecuTorch 1.5.1. */
#ifndef ETSCOPE_PARTITION_XNNPACK_RULES_H
#define ETSCOPE_PARTITION_XNNPACK_RULES_H

#include "partition/partition_node.h"

/* Judges a node; `judgement->rule` stays NULL where the rules take it. Returns the kind. */
enum ets_outside_kind ets_xnnpack_judge(struct ets_judgement *judgement);

#endif
