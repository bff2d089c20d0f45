/*
 * What the lists of partitioners say of a node: NO_RULE for an operator that is on no list, and
 * UNKNOWN, with a reason, for any other: conditions on types, sizes and layouts are not read.
 */
#ifndef ETSCOPE_PARTITION_PARTITIONER_LISTS_H
#define ETSCOPE_PARTITION_PARTITIONER_LISTS_H

#include "partition/outside.h"

enum ets_outside_kind ets_vulkan_judge(struct ets_judgement *judgement);
enum ets_outside_kind ets_tosa_judge(
    struct ets_judgement *judgement); /* Ethos-U's and VGF's, too */
enum ets_outside_kind ets_coreml_judge(struct ets_judgement *judgement);

/* Names of operators, NULL at the end: "aten.add.Tensor", "aten.abs" of "aten.abs.default". */
extern const char *const ets_vulkan_operators[];
extern const char *const ets_tosa_operators[];
/* Of Core ML in lower case, without "aten.", and without the overloads that coremltools drops. */
extern const char *const ets_coreml_converters[];

#endif
