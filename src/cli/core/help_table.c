/* The commands, or the options of one, as a table. */
#include "cli/core/help_table.h"

#include <string.h>

#include "cli/core/write_table.h"
#include "output/table/catalogue_table.h"

const char *cli_task_name(unsigned task)
{
    static const char *const names[] = {
        [CLI_TASK_MEASURE] = "measure", [CLI_TASK_UNDERSTAND] = "understand",
        [CLI_TASK_COMPARE] = "compare", [CLI_TASK_CHECK] = "check",
        [CLI_TASK_DATA] = "data",       [CLI_TASK_ETSCOPE] = "etscope"};
    return task < sizeof names / sizeof *names ? names[task] : NULL;
}

static const struct ets_column command_columns[] = {
    {.name = "command"},
    {.name = "task"},
    {.name = "summary", .title = "what it does", .wraps = 1},
    {.name = "arguments", .machine_only = 1},
    {.name = "guide"},
};

static void put_command(struct ets_table *table, const struct cli_command *command)
{
    ets_table_add_row(table, 0);
    ets_table_put_string(table, command->name);
    ets_table_put_string(table, cli_task_name(command->task));
    ets_table_put_string(table, command->summary);
    ets_table_put_string(table, command->arguments);
    ets_table_put_string(table, command->guide);
}

static const struct ets_column option_columns[] = {
    {.name = "option"},
    {.name = "letter"},
    {.name = "aliases", .kind = ETS_COLUMN_LIST},
    /* which mean this option here and may be another elsewhere */
    {.name = "older", .kind = ETS_COLUMN_LIST, .machine_only = 1},
    {.name = "value", .wraps = 1},
    {.name = "least", .kind = ETS_COLUMN_INTEGER, .machine_only = 1},
    {.name = "most", .kind = ETS_COLUMN_INTEGER, .machine_only = 1},
    {.name = "group"},
    {.name = "is_output", .kind = ETS_COLUMN_INTEGER, .machine_only = 1},
    {.name = "is_repeatable", .kind = ETS_COLUMN_INTEGER, .machine_only = 1},
    {.name = "is_hidden", .kind = ETS_COLUMN_INTEGER, .machine_only = 1},
    {.name = "help", .wraps = 1},
};

static void put_spellings(struct ets_table *table, const char *const *spellings, unsigned most)
{
    struct ets_text items[CLI_MAX_ALIASES];
    unsigned count = 0;
    for (; count < most && spellings[count] != NULL; count++) {
        items[count] = (struct ets_text){spellings[count], strlen(spellings[count])};
    }
    ets_table_put_list(table, items, count);
}

static void put_option(struct ets_table *table, const struct cli_command_option *own,
                       const struct cli_option *option)
{
    struct cli_option row;
    (void)cli_option_find(own->name, &row);
    ets_table_add_row(table, 0);
    ets_table_put_string(table, option->name);
    ets_table_put_string(table, option->letter);
    put_spellings(table, row.aliases, CLI_MAX_ALIASES);
    put_spellings(table, own->aliases, sizeof own->aliases / sizeof *own->aliases);
    ets_table_put_string(table, option->value);
    for (int i = 0; i < 2; i++) {
        if (option->most == 0) ets_table_put_nothing(table);
        else ets_table_put_integer(table, i == 0 ? option->least : option->most);
    }
    ets_table_put_string(table, cli_group_name(option->group));
    ets_table_put_integer(table, option->is_output);
    ets_table_put_integer(table, option->is_repeatable);
    ets_table_put_integer(table, own->is_hidden);
    ets_table_put_string(table, option->help);
}

#define ADD(table, columns) \
    ets_table_add_columns(table, columns, sizeof *columns, sizeof columns / sizeof *columns, 1)

int cli_write_help_table(const struct cli_arguments *arguments, const struct cli_command *command)
{
    struct ets_table *table;
    struct ets_error error;
    if (ets_table_open(NULL, &table, &error) != ETS_OK) return cli_fail(NULL, &error);
    struct cli_option option;
    if (command == NULL) ADD(table, command_columns);
    else ADD(table, option_columns);
    for (unsigned i = 0; command == NULL && arguments->commands[i] != NULL; i++) {
        put_command(table, arguments->commands[i]);
    }
    for (unsigned i = 0; command != NULL && cli_command_option(command, i, &option); i++) {
        put_option(table, &command->options[i], &option);
    }
    const int code = cli_write_styled(arguments, table);
    ets_table_close(table);
    return code;
}

int cli_write_columns_table(const struct cli_arguments *arguments)
{
    struct ets_table *table;
    struct ets_error error;
    if (ets_table_open(NULL, &table, &error) != ETS_OK) return cli_fail(NULL, &error);
    ets_catalogue_table_fill(table);
    const int code = cli_write_styled(arguments, table);
    ets_table_close(table);
    return code;
}
