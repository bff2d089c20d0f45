/* Names of the parts of a program. */
#ifndef ETSCOPE_FORMAT_PROGRAM_NAMES_H
#define ETSCOPE_FORMAT_PROGRAM_NAMES_H

#include "etscope/program.h"

/* "int list" for ETS_EVALUE_INT_LIST...; "unknown" for an unknown number. Static storage. */
const char *ets_evalue_kind_name(enum ets_evalue_kind kind);
/* "KernelCall" for ETS_INSTRUCTION_KERNEL_CALL...; "unknown" for an unknown number. Static storage.
 */
const char *ets_instruction_kind_name(enum ets_instruction_kind kind);
/* "constant", "planned", "planned, with state", "runtime", "external", "external state". */
const char *ets_tensor_place_name(enum ets_tensor_place place);

#endif
