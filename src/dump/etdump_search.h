/* Searches for tables in a damaged ETDump. */
#ifndef ETSCOPE_DUMP_ETDUMP_SEARCH_H
#define ETSCOPE_DUMP_ETDUMP_SEARCH_H

#include <stdbool.h>

#include "dump/etdump_parts.h"
#include "dump/etdump_schema.h"

/* Visits allowed per byte: to look for damage, then once or twice to read. */
enum { ETS_SALVAGE_BUDGET = 4 };

struct ets_etdump_search {
    struct ets_bytes bytes;
    const struct ets_etdump_visitor *visitor;
    uint64_t budget; /* for all verification together, so that overlapping parts stay cheap */
    bool stopped;
    bool has_told_damage;
};

/* Reports a damaged part to the visitor. */
void ets_etdump_tell_error(struct ets_etdump_search *s, const struct ets_error *part);
void ets_etdump_tell_damage(struct ets_etdump_search *s, uint64_t offset, const char *reason);

/* Charges one element of a vector to the budget. */
void ets_etdump_charge(struct ets_etdump_search *s, size_t at);

/* Follows the u32 offset stored at `at`; 0 if it leads out of the file. */
size_t ets_etdump_follow(struct ets_bytes bytes, size_t at);

/* The vector of tables in `slot` of the table at `table_at`; count 0 if it cannot be read. */
struct ets_fb_vector ets_etdump_find_tables(struct ets_etdump_search *s, size_t table_at,
                                            unsigned slot);
struct ets_fb_vector ets_etdump_find_runs(struct ets_etdump_search *s, size_t root_at);

/* Reads the event at `at`, if it is a plausible event. */
bool ets_etdump_find_event(struct ets_etdump_search *s, size_t at, struct ets_etdump_event *event);
/* Whether an entry of the table of runs is an event. */
bool ets_etdump_has_events(struct ets_etdump_search *s, struct ets_fb_vector runs);

#endif
