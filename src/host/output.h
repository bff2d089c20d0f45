/*
 * Writes output files.
 *
 * Output goes to a temporary file beside the target. It replaces the target only after everything
 * is written, so that no reader ever sees half a file:
 *
 *     struct ets_output *output;
 *     if (ets_output_open("table.tsv", &output, &error) == ETS_OK) {
 *         ets_output_write(output, text, length);
 *         status = ets_output_commit(output, &error);
 *     }
 */
#ifndef ETSCOPE_HOST_OUTPUT_H
#define ETSCOPE_HOST_OUTPUT_H

#include <stdbool.h>

#include "etscope/base.h"

struct ets_output;

/*
 * Starts writing `path` ("-": standard output, unbuffered). The target of a symbolic link is
 * replaced and the link stays; that of a dangling link is created. Devices and pipes are written
 * directly. The temporary file is always newly created; a file that is replaced keeps its
 * permissions, and one that nobody may write is refused.
 * Statuses: IO, NO_MEMORY, INVALID_ARGUMENT (the guard refuses the file).
 */
ETS_API enum ets_status ets_output_open(const char *path, struct ets_output **output_out,
                                        struct ets_error *error);

/*
 * Lets a program name files that no output may replace: `is_input` is asked when an output of
 * another name than "-" is opened, and again before it is committed. NULL: none. Set it before the
 * first output.
 */
void ets_output_set_guard(bool (*is_input)(const char *path));

/*
 * Starts writing to memory. commit sets `*data_out` and `*size_out`; the caller frees the data with
 * ets_output_free. After a failure they are NULL and 0. Status: NO_MEMORY.
 */
enum ets_status ets_output_open_memory(struct ets_output **output_out, char **data_out,
                                       size_t *size_out, struct ets_error *error);
ETS_API void ets_output_free(char *data); /* NULL is allowed */

/*
 * Appends. A failure is kept and reported by commit. `data` may be NULL if `size` is 0. If standard
 * output is a terminal, characters that are not safe to print (base.h) are written as \x1b, except
 * tabs and line feeds.
 */
void ets_output_write(struct ets_output *output, const void *data, size_t size);
/* Appends formatted text, cut at 511 bytes. */
void ets_output_print(struct ets_output *output, const char *format, ...) ETS_PRINTF(2, 3);

/* Appends a terminal sequence of the caller unescaped: "\033[1m". */
void ets_output_control(struct ets_output *output, const char *sequence);

/*
 * Appends a text as a JSON string with its quotes. Invalid UTF-8 becomes U+FFFD. Characters that
 * are not safe to print (base.h) are escaped, so that parsers restore the same text.
 */
void ets_output_write_json(struct ets_output *output, const char *text, size_t size);

/* Finishes, moves the file to its place, and always frees `output`. Statuses: IO,
 * INVALID_ARGUMENT. */
ETS_API enum ets_status ets_output_commit(struct ets_output *output, struct ets_error *error);

/*
 * Commits outputs that belong together: finishes all of them before it moves the first, so that a
 * full disk leaves no file without the others. Frees all. Sets `*failed_out` to the index of the
 * one that failed. Statuses: IO, INVALID_ARGUMENT.
 */
enum ets_status ets_outputs_commit(struct ets_output *const *outputs, size_t count,
                                   size_t *failed_out, struct ets_error *error);

/* The file that an output named `path` replaces or creates: where its symbolic links lead. To be
 * freed; NULL: there are too many links, or no memory. */
char *ets_output_resolve(const char *path);

/* Discards the written data and frees `output`. The target is unchanged. NULL is allowed. */
ETS_API void ets_output_discard(struct ets_output *output);

/*
 * The path of the empty temporary file, valid as long as the output. NULL if the target is written
 * directly (standard output, a device).
 */
const char *ets_output_temporary(const struct ets_output *output);

/*
 * Removes the temporary files of all open outputs, for a signal handler that then ends the process:
 * it may be called at any time, and outputs cannot be committed afterwards.
 */
void ets_output_remove_temporaries(void);

#endif
