/* Reads JSON of trace events: the text, its events, their members. */
#ifndef ETSCOPE_IMPORT_FOREIGN_JSON_H
#define ETSCOPE_IMPORT_FOREIGN_JSON_H

#include "import/foreign.h"
#include "record/json.h"

/* A parsed text, and the event that is being read. */
struct ets_foreign_json {
    struct ets_foreign *f;
    struct ets_json tape;
    char *text;                         /* the copy that was parsed */
    const struct ets_json_value *list;  /* the events */
    const struct ets_json_value *event; /* an object */
    uint32_t number;                    /* of the event, from 0 */
    struct ets_key_table ids;           /* numbers of processes and threads */
};

/* Reads one event. */
typedef enum ets_status (*ets_foreign_event_reader)(struct ets_foreign_json *json, void *context,
                                                    struct ets_error *error);

/*
 * Parses the profile's bytes into memory of its arena. Statuses: MALFORMED, LIMIT, UNAVAILABLE,
 * NO_MEMORY. Reset it even after a failure; texts stay valid with the arena.
 */
enum ets_status ets_foreign_json_parse(struct ets_foreign *f, struct ets_foreign_json *json_out,
                                       struct ets_error *error);
void ets_foreign_json_reset(struct ets_foreign_json *json);

/* Hands each of `list` to `read`: an array of objects. */
enum ets_status ets_foreign_json_events(struct ets_foreign_json *json,
                                        const struct ets_json_value *list,
                                        ets_foreign_event_reader read, void *context,
                                        struct ets_error *error);

/* Where the event is in the file, for errors. */
uint64_t ets_foreign_json_offset(const struct ets_foreign_json *json);

/* Start and end of the event, from "ts" and "dur" in microseconds, into `slice`. */
enum ets_status ets_foreign_json_times(const struct ets_foreign_json *json, struct ets_slice *slice,
                                       struct ets_error *error);
/* The same for an event without "dur". */
enum ets_status ets_foreign_json_instant(const struct ets_foreign_json *json,
                                         struct ets_slice *slice, struct ets_error *error);
/* A number for its "pid" and "tid", which may be texts: the process's << 32 | the thread's. */
enum ets_status ets_foreign_json_thread(struct ets_foreign_json *json, struct ets_slice *slice,
                                        struct ets_error *error);
/* A text member of the event or of its "args"; absent if it has none. */
struct ets_text ets_foreign_json_member(const struct ets_foreign_json *json, const char *name);
struct ets_text ets_foreign_json_argument(const struct ets_foreign_json *json, const char *name);

#endif
