/* Notes about how a trace was recorded. */
#ifndef ETSCOPE_CLI_TRACES_TRACE_NOTES_H
#define ETSCOPE_CLI_TRACES_TRACE_NOTES_H

#include "etscope/inspect.h"

/* Prints a note for everything that the tracer could not keep. */
void cli_note_losses(const struct ets_trace_facts *facts);
/* The same for an ETDump's bytes, if they state it. */
void cli_note_losses_of(struct ets_bytes dump);
/* These, and other notes that matter for reading the trace's numbers. */
void cli_note_trace(const struct ets_inspection *inspection);
/* Without a program: notes that it would show source lines inside delegates. */
void cli_note_whole_calls(const struct ets_inspection *inspection);
/* Notes a part of the trace that could not be read. */
void cli_note_damage(const struct ets_damage *damage);

/* Notes blocks that are not joined, and why; `path` NULL: of the only trace. */
void cli_note_unjoined(const char *path, const struct ets_inspection *inspection);

#endif
