/* Notes about what an ETRecord lacks. */
#ifndef ETSCOPE_CLI_TRACES_RECORD_NOTES_H
#define ETSCOPE_CLI_TRACES_RECORD_NOTES_H

#include "etscope/etrecord.h"

/* Of a method that has handles and no graph; its argument is the method. */
#define CLI_LACKS_GRAPH                                                     \
    "the record has no graph of method %s, and no lines of its operators: " \
    "ExecuTorch 1.2 and later record those of all methods"

/* Notes such methods of a record (NULL: none), or only `method` (NULL: all). */
void cli_note_missing_graphs(struct ets_etrecord *record, const char *method);

#endif
