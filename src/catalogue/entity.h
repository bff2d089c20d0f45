/*
 * entity.h - what there is to know of an entity, such as a finding: its columns.
 *
 *     static const struct ets_entity_column columns[] = {
 *         {"kind", ETS_QUANTITY_TEXT, .meaning = "name of the rule", .get = get_kind},
 *         {"share", ETS_QUANTITY_SHARE, .has_bounds = true, .meaning = "of a run", .get =
 * get_share}, {NULL},
 *     };
 *
 * Tables, SQL, the document of a report and Python derive their columns from this list, so a column
 * is one row here, and its number is the same everywhere. The name is without unit: formats that
 * have nothing else to tell it add it, by one rule (ets_entity_field_name).
 */
#ifndef ETSCOPE_CATALOGUE_ENTITY_H
#define ETSCOPE_CATALOGUE_ENTITY_H

#include <stdbool.h>

#include "catalogue/datum.h"
#include "study/study.h"

enum ets_quantity {
    ETS_QUANTITY_TEXT = 0,
    ETS_QUANTITY_TEXTS = 1,   /* a list */
    ETS_QUANTITY_NUMBERS = 2, /* a list of whole numbers */
    ETS_QUANTITY_INTEGER = 3,
    ETS_QUANTITY_REAL = 4,
    ETS_QUANTITY_TIME = 5,  /* in nanoseconds, or cycles of a clock whose unit is not known */
    ETS_QUANTITY_SHARE = 6, /* 0 to 1 */
    ETS_QUANTITY_BYTES = 7
};

/* Who sees a column. */
enum ets_column_audience {
    ETS_SEEN_BY_ALL = 0,
    ETS_SEEN_BY_RELATIONS = 1,    /* SQL and the document of a report, which refer to rows by id */
    ETS_SEEN_BY_OLD_QUERIES = 2,  /* a name of an earlier version: SQL knows it, unlisted */
    ETS_SEEN_BY_TABLES = 3,       /* SQL knows it, but lists another column of the same fact */
    ETS_SEEN_BY_TABLES_ALONE = 4, /* relations have it in other tables */
    ETS_SEEN_BY_PEOPLE = 5        /* machines see another column of this name */
};

/*
 * Where a table has rows of several kinds, some columns are of some kinds only, which are bits that
 * the entity numbers: ETS_SEEN_BY_ALL | ETS_IN_ROWS(1 << kind). Relations have rows of kind 0.
 */
#define ETS_IN_ROWS(kinds) ((unsigned)(kinds) << 8)

/* A row of an entity. */
struct ets_entity_row {
    struct ets_study *study;
    uint64_t number;                       /* among the rows of the study */
    const void *item, *within;             /* what the entity is of, and what that is in */
    const void *shown;                     /* what a table has found beyond that; or NULL */
    const struct ets_studied_trace *trace; /* whose times these are; NULL: none */
    uint32_t parent;                       /* what the item belongs to, as the entity numbers it */
    struct ets_arena *scratch;             /* of lists and texts of the row's cells */
};

struct ets_entity_column {
    const char *name;
    enum ets_quantity quantity;
    bool has_bounds;
    unsigned seen; /* by an audience, and in which rows */
    const char *meaning;
    struct ets_datum (*get)(const struct ets_entity_row *row);
};

struct ets_entity {
    const char *name, *meaning;
    const struct ets_entity_column *columns; /* ends with a NULL name */
    const char *const *kinds;                /* of rows, ended by NULL; NULL: there is one */
    /* Finds what the rows are of, when first asked for; NULL: it is there from the start. */
    enum ets_status (*prepare)(struct ets_study *study, struct ets_error *error);
    uint64_t (*count)(const struct ets_study *study);
    /* Finds item, trace and parent of row->number; false: there is no such row, only its number. */
    bool (*find)(struct ets_entity_row *row);
};

/*
 * What relations have of a column: its value, or its lower bound; its upper bound; and, under names
 * that are not listed, what tables call times: these in nanoseconds, null where the unit is not
 * known.
 */
enum ets_field_part {
    ETS_FIELD_VALUE = 0,
    ETS_FIELD_UPPER = 1,
    ETS_FIELD_NS = 2,
    ETS_FIELD_NS_UPPER = 3
};

struct ets_entity_field {
    const struct ets_entity_column *column;
    enum ets_field_part part;
    bool is_hidden;
};

enum { ETS_ENTITY_MOST_FIELDS = 96, ETS_FIELD_NAME_CHARS = 48 };

/* Those that are listed come first. Returns how many there are; `*listed_out`: of those. */
uint32_t ets_entity_list_fields(const struct ets_entity *entity,
                                struct ets_entity_field fields[ETS_ENTITY_MOST_FIELDS],
                                uint32_t *listed_out);
/* "saving", "saving_upper", "saving_ns", "saved_bytes" */
void ets_entity_field_name(const struct ets_entity_field *field, char name[ETS_FIELD_NAME_CHARS]);
/* A number, a text or nothing: lists are printed. */
struct ets_datum ets_entity_field_value(const struct ets_entity_field *field,
                                        const struct ets_entity_row *row);

static inline enum ets_column_audience ets_column_audience(const struct ets_entity_column *column)
{
    return (enum ets_column_audience)(column->seen & 0xff);
}

static inline bool ets_column_is_in_rows(const struct ets_entity_column *column, uint32_t kind)
{
    const unsigned kinds = column->seen >> 8;
    return kinds == 0 || (kinds >> kind & 1) != 0;
}

static inline bool ets_column_is_in_tables(const struct ets_entity_column *column)
{
    const enum ets_column_audience audience = ets_column_audience(column);
    return audience != ETS_SEEN_BY_RELATIONS && audience != ETS_SEEN_BY_OLD_QUERIES;
}

/* "ns or cycles", "bytes", "0 to 1"; NULL: none */
const char *ets_quantity_unit(enum ets_quantity quantity);

#endif
