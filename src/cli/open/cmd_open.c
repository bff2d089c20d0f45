/* The command `open`: shows files in a browser, in the page that reads files. */
#include <stdlib.h>
#include <string.h>

#include "cli/beside/siblings.h"
#include "cli/core/command.h"
#include "cli/core/input_files.h"
#include "cli/open/page_with_files.h"
#include "host/os/os_files.h"
#include "host/os/os_processes.h"
#include "host/os/os_signals.h"
#include "host/page_server.h"

static const struct cli_command_option option_list[] = {
    {"--output", .help = "Write the page with the files in it to FILE, and show nothing"},
    {"--no-browser"},
    {"--port", .help = "The port on 127.0.0.1; default: any free one"},
    {"--no-siblings"},
    {NULL},
};

/* What lies beside a trace and has its name. */
static const char *const endings[] = {".etrecord", ".pte", ".bpte", ".bin"};
enum { ENDINGS = sizeof endings / sizeof *endings };

/* A browser holds an element of text up to 512 MiB, and a page needs the room twice. */
static const uint64_t most_bytes = (uint64_t)256 << 20;

struct opened {
    const struct cli_arguments *arguments;
    struct ets_file *page;
    struct given_file *files;
    size_t count;
    uint64_t bytes;
    char (*beside)[CLI_SIBLING_BYTES]; /* paths of what was not named */
};

static bool is_given(const struct opened *opened, const char *path)
{
    for (size_t i = 0; i < opened->count; i++) {
        if (cli_is_same_file(opened->files[i].path, path)) return true;
    }
    return false;
}

static void keep(struct opened *opened, struct given_file file)
{
    opened->files[opened->count++] = file;
    opened->bytes += ets_file_bytes(file.file).size;
}

static int add_named(struct opened *opened, unsigned number)
{
    const char *path = opened->arguments->words[number];
    struct given_file file = {.path = path, .of = number};
    struct ets_error error;
    if (strcmp(path, "-") == 0) {
        return cli_complain(CLI_USAGE,
                            "standard input has no name that tells its kind; open reads "
                            "files");
    }
    if (cli_file_open_as_it_is(path, &file.file, &error) != ETS_OK) return cli_fail(path, &error);
    keep(opened, file);
    if (opened->bytes <= most_bytes) return CLI_OK;
    return cli_complain(CLI_USAGE,
                        "the files are larger than 256 MiB, which no page can hold; drop them on "
                        "the page of etscope open without files, or use etscope report");
}

/* Nobody asked for it: what cannot be read or does not fit is left out with a note. */
static void add_beside(struct opened *opened, const char *path, unsigned of)
{
    struct given_file file = {.path = path, .of = of, .is_beside = true};
    struct ets_error error;
    if (ets_os_look(path).size > most_bytes - opened->bytes) {
        cli_note("%s beside it is left out: no page can hold more than 256 MiB", path);
    } else if (cli_file_open_as_it_is(path, &file.file, &error) != ETS_OK) {
        cli_note("%s beside it is left out: %s", path, error.message);
    } else if (ets_file_bytes(file.file).size > most_bytes - opened->bytes) {
        ets_file_close(file.file);
    } else {
        keep(opened, file);
    }
}

/* What was named first: what lies beside may be among it. */
static int add_all(struct opened *opened)
{
    const struct cli_arguments *arguments = opened->arguments;
    const size_t most = (size_t)arguments->word_count * (1 + ENDINGS);
    opened->files = calloc(most + 1, sizeof *opened->files);
    opened->beside = calloc(most + 1, sizeof *opened->beside);
    if (opened->files == NULL || opened->beside == NULL) {
        return cli_complain(CLI_INTERNAL, "no memory for %zu files", most);
    }
    int code = CLI_OK;
    for (unsigned i = 0; i < arguments->word_count && code == CLI_OK; i++) {
        code = add_named(opened, i);
    }
    if (cli_has(arguments, "--no-siblings")) return code;
    for (unsigned i = 0; i < arguments->word_count * ENDINGS && code == CLI_OK; i++) {
        const char *ending = endings[i % ENDINGS];
        char *path = opened->beside[i];
        const bool is_there = cli_sibling_path(arguments->words[i / ENDINGS], ending, path);
        if (is_there && !is_given(opened, path)) add_beside(opened, path, i / ENDINGS);
    }
    return code;
}

static int write_to_file(const struct opened *opened, const char *path)
{
    struct ets_output *output;
    struct ets_error error;
    if (ets_output_open(path, &output, &error) != ETS_OK) return cli_fail_output(path, &error);
    const int code = write_page(opened->page, opened->files, opened->count, output);
    if (code != CLI_OK) {
        ets_output_discard(output);
        return code;
    }
    if (ets_output_commit(output, &error) != ETS_OK) return cli_fail_output(path, &error);
    if (strcmp(path, "-") != 0) printf("wrote %s\n", path);
    return CLI_OK;
}

/* Until the browser has the page: one that runs already may take it after the program that was
 * started has ended. */
static int wait_for_browser(struct ets_page_server *server)
{
    struct ets_os_process browser;
    int code = 0;
    bool runs = ets_os_show_in_browser(ets_page_server_address(server), &browser) == 0;
    bool has_failed = !runs;
    while (!has_failed && !ets_page_server_is_seen(server)) {
        ets_page_server_wait(server, -1, 200);
        if (!runs) continue;
        runs = ets_os_wait(&browser, false, &code) == ETS_OS_RUNS;
        has_failed = !runs && code != 0;
    }
    if (ets_page_server_is_seen(server)) return CLI_OK;
    return cli_complain(CLI_UNAVAILABLE,
                        "no browser could be started; --no-browser waits for one "
                        "that opens the address, and -o writes the page");
}

/* The same for one that the user starts. */
static int wait_for_reader(struct ets_page_server *server)
{
    while (!ets_page_server_is_seen(server)) ets_page_server_wait(server, -1, 1000);
    return CLI_OK;
}

static int serve(const struct opened *opened)
{
    struct ets_page_server *server = NULL;
    struct ets_output *output;
    struct ets_error error;
    char *page = NULL;
    size_t size = 0;
    const unsigned port = (unsigned)cli_number(opened->arguments, "--port", 0);
    if (ets_output_open_memory(&output, &page, &size, &error) != ETS_OK) {
        return cli_fail(NULL, &error);
    }
    int code = write_page(opened->page, opened->files, opened->count, output);
    if (code != CLI_OK) {
        ets_output_discard(output);
        return code;
    }
    enum ets_status status = ets_output_commit(output, &error);
    if (status == ETS_OK) status = ets_page_server_open(port, &server, &error);
    if (status == ETS_OK) {
        const struct ets_text state = {"{}", 2};
        status = ets_page_server_show(server, (struct ets_text){page, size}, state, &error);
    }
    ets_output_free(page);
    if (status == ETS_OK) {
        printf("showing %s once\n", ets_page_server_address(server));
        fflush(stdout);
        ets_os_ignore_lost_readers();
        code = cli_has(opened->arguments, "--no-browser") ? wait_for_reader(server)
                                                          : wait_for_browser(server);
    } else {
        code = cli_complain(CLI_INTERNAL, "%s", error.message);
    }
    ets_page_server_close(server);
    return code;
}

static void close_all(struct opened *opened)
{
    for (size_t i = 0; i < opened->count; i++) ets_file_close(opened->files[i].file);
    ets_file_close(opened->page);
    free(opened->files);
    free(opened->beside);
}

static int run(const struct cli_arguments *arguments)
{
    struct opened opened = {.arguments = arguments};
    const char *path = cli_value(arguments, "--output");
    int code = open_page(&opened.page);
    if (code == CLI_OK) code = add_all(&opened);
    if (code == CLI_OK) code = path != NULL ? write_to_file(&opened, path) : serve(&opened);
    close_all(&opened);
    return code;
}

const struct cli_command cli_open_command = {
    .name = "open",
    .task = CLI_TASK_UNDERSTAND,
    .summary = "show files in a browser, and drop others on them",
    .arguments = "[FILE...]",
    .description =
        "Starts the browser with the page that reads files (make page), and with the files in "
        "it: traces, ETRecords, programs, captured tensors, profiles of other runtimes, a measured "
        "machine. What has the name of a file and lies beside it comes along. The page "
        "shows what report shows; files that are dropped on it are read there, too, compared with "
        "what it shows, and asked by SQL. Nothing leaves the machine.\n"
        "\n"
        "The page is served on 127.0.0.1, once, to who knows its address: the command ends when "
        "the browser has it, and the page needs it no more. With -o it is written to a file "
        "instead, which can be kept, sent and opened anywhere.",
    .options = option_list,
    .examples =
        "etscope open trace.etdp\n"
        "etscope open trace.etdp -o trace.html\n",
    .guide = "page.md",
    .run = run,
};
