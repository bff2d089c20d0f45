/* Compiled only: the sizes of these variables are those of the structs on the target. */
#include "etscope/trace.h"

extern uint8_t trace_bytes[], thread_bytes[];
uint8_t trace_bytes[sizeof(struct ets_trace)], thread_bytes[sizeof(struct ets_trace_thread)];
