/* A measured machine as the JSON that cost/machine.h reads. */
#ifndef ETSCOPE_OUTPUT_TEXT_MACHINE_TEXT_H
#define ETSCOPE_OUTPUT_TEXT_MACHINE_TEXT_H

#include "cost/machine.h"
#include "host/output.h"

void ets_machine_write(const struct ets_machine *machine, struct ets_output *output);

#endif
