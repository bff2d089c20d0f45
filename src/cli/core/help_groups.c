/* How help is divided: commands by task, options by what they are about. */
#include "cli/core/help_groups.h"

#include <string.h>

/* Names stand between spaces. Options of one name mean the same in every command. */
struct group {
    const char *name;
    const char *members;
};

static const struct group groups[] = {
    [CLI_GROUP_INPUT] = {"input",
                         " --etrecord --etrecord-b --program --program-b --before --after "
                         "--debug-buffer --source-root --input --inputs --case --cases-from "
                         "--expect --data --machine --budget --reference --reference-etrecord "
                         "--reference-trace --reference-debug-buffer --reference-npy --etdump "},
    [CLI_GROUP_WORK] = {"options", " "},
    [CLI_GROUP_FILTER] = {"filter",
                          " --method --block --run --name --module --handle --source --backend "
                          "--event --only-outputs --only-nonfinite --only-mismatches --top --all "
                          "--steady --min-change --brief --part "},
    [CLI_GROUP_OUTPUT] = {"output",
                          " --format --columns --sort --unit --color --width --output --report "
                          "--trace --picture --save --heat-map --junit --outputs --output-file "
                          "--print-outputs --c-snippet --to --schema --precision --edge-items "
                          "--full --max-samples --bounds "},
    [CLI_GROUP_ADVANCED] =
        {"advanced",
         " --no-siblings --partial --allow-mismatch --source-time-scale --target-time-scale "
         "--tsv-path --compare-results --subtract-overhead --load-library --python --engine "
         "--tracer --debug-buffer-size --encoding --reference-dtype --port --max-size --quick "},
};

/* Every command once, in the order of the overview. */
static const struct group tasks[] = {
    {"measure", " profile run machine "},
    {"understand", " inspect advise annotate delegates cost memory size report plot "},
    {"compare", " diff gate summary "},
    {"check", " verify gap tensors "},
    {"data", " info dump sql export import bundle recover "},
    {"etscope", " doctor help "},
};

enum { TASKS = sizeof tasks / sizeof *tasks };

static bool has_member(const struct group *group, const char *name)
{
    const size_t size = strlen(name);
    for (const char *at = group->members; (at = strstr(at, name)) != NULL; at++) {
        if (at[-1] == ' ' && at[size] == ' ') return true;
    }
    return false;
}

const char *cli_group_name(unsigned group)
{
    return group < CLI_GROUP_COUNT ? groups[group].name : NULL;
}

enum cli_option_group cli_group_of(const struct cli_option *option)
{
    for (unsigned i = 0; i < CLI_GROUP_COUNT; i++) {
        if (has_member(&groups[i], option->name)) return (enum cli_option_group)i;
    }
    return CLI_GROUP_WORK;
}

bool cli_group_is_used(const struct cli_command *command, unsigned group)
{
    for (const struct cli_option *option = command->options; option->name != NULL; option++) {
        if (cli_group_of(option) == group) return true;
    }
    return false;
}

const char *cli_task_name(unsigned task)
{
    return task < TASKS ? tasks[task].name : NULL;
}

const struct cli_command *cli_task_next(const struct cli_command *commands, unsigned task,
                                        const char **at)
{
    const char *name = (*at == NULL ? tasks[task].members : *at) + 1;
    const size_t size = strcspn(name, " ");
    if (size == 0) return NULL;
    *at = name + size;
    while (strncmp(commands->name, name, size) != 0 || commands->name[size] != '\0') commands++;
    return commands;
}
