/*
 * Lines of standard error: wrapped on a terminal, each note once, and after the answer where a
 * command holds them back.
 */
#ifndef ETSCOPE_CLI_CORE_NOTES_H
#define ETSCOPE_CLI_CORE_NOTES_H

#include <stdbool.h>

enum { CLI_MESSAGE_CHARS = 8192 }; /* a path, and a message */

/*
 * Writes "etscope: " or another prefix, and `text`, with control characters escaped. Notes that are
 * held back are written before it.
 */
void cli_write_error(const char *prefix, const char *text);

/* Writes "note: " and `text`, or holds it back. false: this note was written already. */
bool cli_write_note(const char *text);

/* From now on notes are held back until the answer or an error is written. */
void cli_hold_notes(void);
void cli_release_notes(void);

#endif
