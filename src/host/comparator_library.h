/*
 * Opens comparator plug-ins of the user (comparator_plugin.h).
 *
 *     struct ets_comparator_library *library;
 *     const struct ets_comparator *comparator;
 *     struct ets_error error;
 *     double result;
 *     if (ets_comparator_open("retyped.so", &library, &comparator, &error) != ETS_OK) {
 *         fprintf(stderr, "%s\n", error.message);
 *         return 1;
 *     }
 *     if (ets_comparator_run(comparator, &reference, &other, &result, &error) == ETS_OK) {
 *         printf("%s: %g\n", comparator->name, result);
 *     }
 *     ets_comparator_close(library);
 */
#ifndef ETSCOPE_HOST_COMPARATOR_LIBRARY_H
#define ETSCOPE_HOST_COMPARATOR_LIBRARY_H

#include "etscope/experimental/comparator_plugin.h"

struct ets_comparator_library;

/*
 * Opens a plug-in by its path; a path without a slash is a file in the current folder. The
 * comparator lives until the library is closed. Statuses: NOT_FOUND (no such file), UNAVAILABLE
 * (the dynamic loader refused it, with its reason), WRONG_KIND (it does not export
 * ets_comparator_plugin, or that returns NULL), MISMATCH (another version of the interface),
 * MALFORMED (name or function are missing or invalid), NO_MEMORY.
 */
enum ets_status ets_comparator_open(const char *path, struct ets_comparator_library **library_out,
                                    const struct ets_comparator **comparator_out,
                                    struct ets_error *error);

/*
 * Compares one pair. Returns the status of `compare`, with the comparator's name before its
 * message. `*result_out` is not changed on failure.
 */
enum ets_status ets_comparator_run(const struct ets_comparator *comparator,
                                   const struct ets_tensor *reference,
                                   const struct ets_tensor *other, double *result_out,
                                   struct ets_error *error);

/* NULL does nothing. */
void ets_comparator_close(struct ets_comparator_library *library);

#endif
