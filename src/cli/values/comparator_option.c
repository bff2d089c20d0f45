/* The option --comparator: loads comparators from shared libraries, and adds their columns. */
#include "cli/values/comparator_option.h"
#include "host/comparator_library.h"

#include <math.h>
#include <string.h>

/* Programs could not distinguish two columns of the same name. */
static int check_name(const struct cli_comparators *c, const char *path, const char *name)
{
    for (size_t i = 0; i + 1 < c->count; i++) {
        if (strcmp(c->comparators[i]->name, name) != 0) continue;
        return cli_complain(CLI_USAGE, "%s: another comparator is also named %s", path, name);
    }
    return CLI_OK;
}

static int open_one(const char *path, struct cli_comparators *c)
{
    struct ets_error error;
    if (c->count == CLI_MAX_COMPARATORS) {
        return cli_complain(CLI_USAGE, "more than %d comparators", CLI_MAX_COMPARATORS);
    }
    if (ets_comparator_open(path, &c->libraries[c->count], &c->comparators[c->count], &error) !=
        ETS_OK) {
        return cli_fail(path, &error);
    }
    c->count++;
    return check_name(c, path, c->comparators[c->count - 1]->name);
}

int cli_comparators_open(const struct cli_arguments *arguments, struct cli_comparators *out)
{
    const char *path;
    int code = CLI_OK;
    *out = (struct cli_comparators){.count = 0};
    for (unsigned i = 0; code == CLI_OK; i++) {
        if ((path = cli_value_at(arguments, "--comparator", i)) == NULL) break;
        code = open_one(path, out);
    }
    return code;
}

void cli_comparators_close(struct cli_comparators *comparators)
{
    for (size_t i = 0; i < comparators->count; i++) {
        ets_comparator_close(comparators->libraries[i]);
    }
}

void cli_comparators_run(struct cli_comparators *comparators, const struct ets_tensor *reference,
                         const struct ets_tensor *other, struct cli_compared *out)
{
    struct ets_error error;
    for (size_t i = 0; i < comparators->count; i++) {
        if (ets_comparator_run(comparators->comparators[i], reference, other, &out->values[i],
                               &error) == ETS_OK) {
            continue;
        }
        out->values[i] = (double)NAN;
        if (!comparators->has_refused[i]) cli_note("%s", error.message);
        comparators->has_refused[i] = true;
    }
}

static bool has_column(const struct ets_table *table, const char *name)
{
    const char *column;
    for (uint32_t i = 0; (column = ets_table_column_name(table, i)) != NULL; i++) {
        if (strcmp(column, name) == 0) return true;
    }
    return false;
}

enum ets_status cli_comparators_add_columns(const struct cli_comparators *comparators,
                                            struct ets_table *table, struct ets_error *error)
{
    for (size_t i = 0; i < comparators->count; i++) {
        const struct ets_comparator *each = comparators->comparators[i];
        const struct ets_column column = {
            .name = each->name, .title = each->title, .kind = ETS_COLUMN_REAL, .keep_empty = 1};
        if (has_column(table, each->name)) {
            *error = (struct ets_error){.status = ETS_INVALID_ARGUMENT, .offset = ETS_NO_OFFSET};
            snprintf(error->message, sizeof error->message,
                     "another column is also named like comparator %s", each->name);
            return ETS_INVALID_ARGUMENT;
        }
        ets_table_add_column(table, &column);
    }
    return ETS_OK;
}

void cli_comparators_put(const struct cli_comparators *comparators,
                         const struct cli_compared *compared, struct ets_table *table)
{
    for (size_t i = 0; i < comparators->count; i++) {
        if (compared == NULL || isnan(compared->values[i])) ets_table_put_nothing(table);
        else ets_table_put_real(table, compared->values[i]);
    }
}
