/* Notes about what an ETRecord lacks. */
#ifndef ETSCOPE_CLI_TRACES_RECORD_NOTES_H
#define ETSCOPE_CLI_TRACES_RECORD_NOTES_H

#include "etscope/etrecord.h"

/* Of a method that has handles and no graph; arguments: the method, ets_etrecord_why_no_graph. */
#define CLI_LACKS_GRAPH "the record has no graph of method %s, and no lines of its operators%s"

/* Notes such methods of a record (NULL: none), or only `method` (NULL: all). */
void cli_note_missing_graphs(struct ets_etrecord *record, const char *method);

#endif
