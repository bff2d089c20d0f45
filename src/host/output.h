/*
 * Files out.
 *
 * Writing goes to a temporary name beside the target, which takes the target's
 * place only when everything has been written, so that a reader never meets half
 * a file:
 *
 *     struct ets_output *output;
 *     if (ets_output_open("table.tsv", &output, &error) == ETS_OK) {
 *         ets_output_write(output, text, length);
 *         status = ets_output_commit(output, &error);
 *     }
 */
#ifndef ETSCOPE_HOST_OUTPUT_H
#define ETSCOPE_HOST_OUTPUT_H

#include "etscope/base.h"

struct ets_output;

/*
 * Starts writing `path` ("-": standard output, written through). Behind a symbolic link the file
 * that it leads to is written and the link stays; a link that leads to nothing is replaced itself.
 * A device or pipe is written straight. The temporary file is new (never one that was put there)
 * and has the permissions of any new file. Statuses: IO, NO_MEMORY.
 */
enum ets_status ets_output_open(const char *path, struct ets_output **output_out,
                                struct ets_error *error);

/*
 * Starts writing to memory. commit sets `*data_out` and `*size_out`: the caller's, to be given to
 * ets_output_free; after a failure they are NULL and 0. Status: NO_MEMORY.
 */
enum ets_status ets_output_open_memory(struct ets_output **output_out, char **data_out,
                                       size_t *size_out, struct ets_error *error);
ETS_API void ets_output_free(char *data); /* NULL is allowed */

/*
 * Appends; a failure is kept and reported by commit. `data` may be NULL where `size` is 0. Where
 * standard output is a terminal, of the bytes only text passes, with tabs and line feeds; what is
 * not plain (base.h) is written as \x1b.
 */
void ets_output_write(struct ets_output *output, const void *data, size_t size);

/* Appends a sequence of the caller's own for the terminal, "\033[1m", as it is. */
void ets_output_control(struct ets_output *output, const char *sequence);

/*
 * Appends a text as a JSON string with its quotes: U+FFFD for bytes that are no UTF-8, escapes for
 * what is not plain (base.h), from which parsers make the same text again.
 */
void ets_output_write_json(struct ets_output *output, const char *text, size_t size);

/* Finishes, puts the file in its place and frees `output` in any case. Status: IO. */
enum ets_status ets_output_commit(struct ets_output *output, struct ets_error *error);

/* Drops what was written and frees `output`; the target stays as it was. NULL is allowed. */
void ets_output_discard(struct ets_output *output);

/*
 * The empty file that takes the target's place at commit, as long as the output; NULL where the
 * target is written straight (standard output, a device).
 */
const char *ets_output_temporary(const struct ets_output *output);

#endif
