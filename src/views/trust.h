/*
 * How far a measurement can be believed, and what could not be told for want of a file.
 *
 *     struct ets_sentences trust;
 *     if (!ets_trust_collect(&arena, inspection, 0, &trust)) return no_memory;
 *
 * Sentences are in the arena, without a full stop.
 */
#ifndef ETSCOPE_VIEWS_TRUST_H
#define ETSCOPE_VIEWS_TRUST_H

#include "views/headline.h"

/* What the document does not disclose; added up. */
enum ets_untold { ETS_UNTOLD_SOURCE = 1, ETS_UNTOLD_VALUES = 2 };

/*
 * What tracing costs, how exact the clocks are, what is lost, which joins are inferred, and what of
 * the model the document discloses. `untold`: of enum ets_untold. Returns false if memory runs out.
 */
bool ets_trust_collect(struct ets_arena *arena, const struct ets_inspection *inspection,
                       unsigned untold, struct ets_sentences *trust_out);

/* Files that add to what others tell. */
enum ets_missing_file {
    ETS_MISSING_RECORD = 0,
    ETS_MISSING_PROGRAM = 1,
    ETS_MISSING_DEBUG_BUFFER = 2,
    ETS_MISSING_MACHINE = 3,
    ETS_MISSING_TRACE = 4,
    ETS_MISSING_BEFORE = 5,
    ETS_MISSING_COUNT = 6
};

struct ets_missing {
    const char *view;     /* of the report, that would show it: "source" */
    const char *sentence; /* "source lines and modules need the ETRecord of the export" */
};

/* What is not told without `file`. */
struct ets_missing ets_missing_without(enum ets_missing_file file);

#endif
