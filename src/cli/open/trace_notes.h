/* What a trace tells of its own making, said to people. */
#ifndef ETSCOPE_CLI_OPEN_TRACE_NOTES_H
#define ETSCOPE_CLI_OPEN_TRACE_NOTES_H

#include "etscope/inspect.h"

/* A note on stderr for each thing that the tracer could not keep. */
void cli_note_losses(const struct ets_trace_facts *facts);
/* The same of a dump's bytes, where they tell. */
void cli_note_losses_of(struct ets_bytes dump);
/* Those, and what else is to be known about the trace before its numbers are read. */
void cli_note_trace(const struct ets_inspection *inspection);
/* Where no program was given: that it tells more of delegates whose events have the whole call. */
void cli_note_whole_calls(const struct ets_inspection *inspection);
/* A part of the trace that could not be read. */
void cli_note_damage(const struct ets_damage *damage);

/* Blocks that are not joined, and why; `path` NULL: of the only trace. */
void cli_note_unjoined(const char *path, const struct ets_inspection *inspection);

#endif
