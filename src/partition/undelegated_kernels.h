/*
 * Why the kernels of a program are outside of delegates, instruction by instruction.
 *
 *     const struct ets_outside *outsides;
 *     ETS_TRY(ets_undelegated_kernels_find(&arena, record, delegation, &outsides, &error));
 *     for (uint32_t i = 0; i < ets_delegation_count(delegation); i++) show(&outsides[i]);
 */
#ifndef ETSCOPE_PARTITION_UNDELEGATED_KERNELS_H
#define ETSCOPE_PARTITION_UNDELEGATED_KERNELS_H

#include "etscope/experimental/delegates.h"
#include "partition/outside.h"

/*
 * outsides_out[step]. UNKNOWN for what is not a kernel call. The partitioners of the method's
 * backends judge, those that are known; of a method that delegates nothing those of the program,
 * and XNNPACK's if that delegates nothing either. `record` NULL: all are UNKNOWN. Statuses:
 * NO_MEMORY, those of the record's readers.
 */
enum ets_status ets_undelegated_kernels_find(struct ets_arena *arena, struct ets_etrecord *record,
                                             const struct ets_delegation *delegation,
                                             const struct ets_outside **outsides_out,
                                             struct ets_error *error);

#endif
