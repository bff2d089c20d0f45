/* The option --columns: chooses the columns of a table. */
#include <string.h>

#include "cli/core/columns.h"
#include "cli/core/nearest.h"

enum { MOST_COLUMNS = 63, MAX_WORD = 48 };

static bool is_among(const char *const *names, const char *name)
{
    while (*names != NULL && strcmp(*names, name) != 0) names++;
    return *names != NULL;
}

/* The names of a table's columns, each once, NULL-ended. */
static void list_names(const struct ets_table *table, const char *names[MOST_COLUMNS + 1])
{
    unsigned count = 0;
    names[0] = NULL;
    for (uint32_t i = 0; count < MOST_COLUMNS; i++) {
        const char *name = ets_table_column_name(table, i);
        if (name == NULL) return;
        if (is_among(names, name)) continue;
        names[count++] = name;
        names[count] = NULL;
    }
}

/*
 * Finds the first of the comma-separated `wanted` that is not in `names`, and copies it to `word`.
 */
static bool find_unknown(const char *wanted, const char *const *names, char word[MAX_WORD])
{
    do {
        const size_t size = strcspn(wanted, ",");
        snprintf(word, MAX_WORD, "%.*s", (int)size, wanted);
        if (!is_among(names, word)) return true;
        wanted += size;
    } while (*wanted++ == ',');
    return false;
}

int cli_complain_columns(const struct cli_arguments *arguments, const struct ets_table *table,
                         const struct ets_error *error)
{
    const char *names[MOST_COLUMNS + 1];
    char word[MAX_WORD], list[640];
    list_names(table, names);
    if (!find_unknown(cli_value(arguments, "--columns"), names, word)) {
        return cli_complain(CLI_USAGE, "--columns: %s", error->message);
    }
    size_t used = 0;
    list[0] = '\0';
    for (int i = 0; names[i] != NULL && used < sizeof list; i++) {
        used +=
            (size_t)snprintf(list + used, sizeof list - used, "%s%s", i > 0 ? ", " : "", names[i]);
    }
    const char *nearest = cli_nearest(word, names);
    if (nearest == NULL) {
        return cli_complain(CLI_USAGE, "--columns: %s; the columns are %s", error->message, list);
    }
    return cli_complain(CLI_USAGE, "--columns: %s; did you mean %s? The columns are %s",
                        error->message, nearest, list);
}

int cli_choose_columns(const struct cli_arguments *arguments, struct ets_table *table)
{
    const char *names = cli_value(arguments, "--columns");
    struct ets_error error;
    if (names == NULL || ets_table_choose_columns(table, names, &error) == ETS_OK) return CLI_OK;
    if (error.status != ETS_NOT_FOUND) return cli_fail(NULL, &error);
    return cli_complain_columns(arguments, table, &error);
}
