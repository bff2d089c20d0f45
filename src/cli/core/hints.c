/* Tells what a mistyped or misplaced word may mean. */
#include "cli/core/hints.h"

#include <string.h>

#include "cli/core/nearest.h"
#include "etscope/file.h"
#include "host/os/os_files.h"

static const struct cli_arguments *given;

/* What takes files of a kind. */
struct use {
    enum ets_kind kind;
    const char *commands[4]; /* NULL-ended */
    const char *text;
};

static const struct use uses[] = {
    {ETS_KIND_PROGRAM,
     {"profile", "run", "info"},
     "`etscope profile` or `etscope run` runs it, `etscope info` describes it"},
    {ETS_KIND_BUNDLE,
     {"verify", "profile", "info"},
     "`etscope verify` runs its test cases, `etscope profile` measures it"},
    {ETS_KIND_ETDUMP, {"inspect", "info"}, "`etscope inspect` shows it"},
    {ETS_KIND_ETRECORD,
     {"info"},
     "--etrecord takes it, beside a trace or program; `etscope info` describes it"},
    {ETS_KIND_DATA_FILE, {"size", "info"}, "`etscope size` and `etscope info` describe it"},
    {ETS_KIND_NPY, {NULL}, "--input of `etscope run` takes it"},
    {ETS_KIND_DEVICE_LOG, {"recover"}, "`etscope recover` makes a trace of it"},
    {ETS_KIND_SUMMARY, {"summary", "info"}, "`etscope summary` shows it"},
};

void cli_hints_start(const struct cli_arguments *arguments)
{
    given = arguments;
}

/* Value number `index` of --method, or NULL. */
static const char *wanted_method(unsigned index)
{
    for (unsigned i = 0; given != NULL && i < given->value_count; i++) {
        const char *option = given->command->options[given->option_of[i]].name;
        if (strcmp(option, "--method") == 0 && index-- == 0) return given->values[i];
    }
    return NULL;
}

/* The name in a message "no method NAME; ..." or "no test cases for method 'NAME'; ..."; NULL: it
 * is another message. */
static const char *missing_method(const struct ets_error *error)
{
    static const char *const begins[] = {"no method ", "no test cases for method "};
    if (error->status != ETS_NOT_FOUND || wanted_method(0) == NULL) return NULL;
    for (size_t i = 0; i < sizeof begins / sizeof *begins; i++) {
        const char *name = error->message + strlen(begins[i]);
        if (strncmp(error->message, begins[i], strlen(begins[i])) != 0) continue;
        return *name == '\'' ? name + 1 : name;
    }
    return NULL;
}

bool cli_is_missing_method(const struct ets_error *error)
{
    return missing_method(error) != NULL;
}

/* The message ends with the names of all methods: "...; the program has encode, forward". */
static void add_method(struct ets_text_builder *text, const struct ets_error *error)
{
    const char *list = strrchr(error->message, ';'), *begin;
    const char *name = missing_method(error), *wanted;
    char found[64];
    if (list == NULL) return;
    if ((begin = strstr(list, " those of ")) != NULL) list = begin + strlen(" those of ");
    else if ((begin = strstr(list, " has ")) != NULL) list = begin + strlen(" has ");
    else if ((begin = strstr(list, " are: ")) != NULL) list = begin + strlen(" are: ");
    else return;
    for (unsigned i = 0; (wanted = wanted_method(i)) != NULL; i++) {
        const size_t size = strlen(wanted);
        if (strncmp(name, wanted, size) != 0 || (name[size] != ';' && name[size] != '\'')) continue;
        if (!cli_nearest_in_list(wanted, list, found, sizeof found)) return;
        ets_add_text(text, "; did you mean %s?", found);
        return;
    }
}

static void add_file(struct ets_text_builder *text, const char *path)
{
    char found[ETS_OS_PATH_BYTES];
    if (ets_os_look(path).kind != ETS_OS_NOTHING) return;
    if (cli_nearest_file(path, found, sizeof found))
        ets_add_text(text, "; did you mean %s?", found);
}

static bool is_argument(const char *path)
{
    for (unsigned i = 0; given != NULL && i < given->word_count; i++) {
        if (strcmp(given->words[i], path) == 0) return true;
    }
    return false;
}

static void add_use(struct ets_text_builder *text, const char *path)
{
    struct ets_file *file;
    if (!is_argument(path) || ets_os_look(path).kind != ETS_OS_FILE) return;
    if (ets_file_open(path, &file, NULL) != ETS_OK) return;
    const enum ets_kind kind = ets_kind_sniff(ets_file_bytes(file));
    ets_file_close(file);
    for (size_t i = 0; i < sizeof uses / sizeof *uses; i++) {
        if (uses[i].kind != kind) continue;
        for (const char *const *name = uses[i].commands; *name != NULL; name++) {
            if (strcmp(given->command->name, *name) == 0) return; /* it is told otherwise */
        }
        ets_add_text(text, "; %s", uses[i].text);
    }
}

void cli_add_hint(struct ets_text_builder *text, const char *path, const struct ets_error *error)
{
    if (cli_is_missing_method(error)) add_method(text, error);
    else if (path == NULL) return;
    else if (error->status == ETS_NOT_FOUND) add_file(text, path);
    else if (error->status == ETS_WRONG_KIND) add_use(text, path);
}
