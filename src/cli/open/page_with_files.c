/* Finds the page that reads files, and puts files into it. */
#include "cli/open/page_with_files.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/core/command.h"
#include "host/os/os_files.h"
#include "host/os/os_libraries.h"
#include "output/page/page_pack.h"

/* Beside the folder of this program. The last is of a build alone: elsewhere it is nobody's folder.
 */
static const char *const places[] = {"/etscope.html", "/../share/etscope/etscope.html",
                                     "/../../build-wasm/etscope.html"};
enum { PLACES = sizeof places / sizeof *places };

static bool is_of_a_build(const char *folder)
{
    static const char end[] = "/build/bin";
    const size_t size = strlen(folder), end_size = sizeof end - 1;
    return size > end_size && strcmp(folder + size - end_size, end) == 0;
}

static bool find_page(char path[ETS_OS_PATH_BYTES])
{
    char folder[ETS_OS_PATH_BYTES];
    if (!ets_os_program(folder, sizeof folder) || !ets_os_cut_name(folder)) return false;
    for (size_t i = 0; i < PLACES; i++) {
        const int size = snprintf(path, ETS_OS_PATH_BYTES, "%s%s", folder, places[i]);
        if (i == PLACES - 1 && !is_of_a_build(folder)) break;
        if (size < ETS_OS_PATH_BYTES && ets_os_can_read(path)) return true;
    }
    return false;
}

int open_page(struct ets_file **page_out)
{
    char found[ETS_OS_PATH_BYTES];
    const char *path = getenv("ETSCOPE_PAGE");
    struct ets_error error;
    if (path == NULL || *path == '\0') {
        if (!find_page(found)) {
            return cli_complain(CLI_UNAVAILABLE,
                                "the page etscope.html is not installed with this program; `make "
                                "page` builds it, and ETSCOPE_PAGE names it; etscope report writes "
                                "a report without it");
        }
        path = found;
    }
    if (cli_file_open_as_it_is(path, page_out, &error) == ETS_OK) return CLI_OK;
    return cli_fail(path, &error);
}

#define ELEMENT "<script type=\"application/octet-stream\" class="

/* Files go before the element that holds the program. */
static const char marker[] = ELEMENT "\"program\"";
static const char given[] = ELEMENT "\"given\" data-name=\"";

static bool stands_at(struct ets_bytes page, size_t at, const char *text)
{
    const size_t size = strlen(text);
    return size <= page.size - at && memcmp(page.data + at, text, size) == 0;
}

/* The size of the page: it has none, or files of another are in it. */
static size_t find_marker(struct ets_bytes page)
{
    for (size_t at = 0; at < page.size; at++) {
        const uint8_t *next = memchr(page.data + at, '<', page.size - at);
        if (next == NULL) break;
        at = (size_t)(next - page.data);
        if (stands_at(page, at, marker)) return at;
        if (stands_at(page, at, given)) break;
    }
    return page.size;
}

/* In an attribute. */
static void write_name(struct ets_output *output, const char *name)
{
    for (; *name != '\0'; name++) {
        if (*name == '&') ets_output_print(output, "&amp;");
        else if (*name == '"') ets_output_print(output, "&quot;");
        else if (*name == '<') ets_output_print(output, "&lt;");
        else ets_output_write(output, name, 1);
    }
}

static bool have_twins(const struct given_file *files, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        for (size_t k = 0; k < i; k++) {
            if (strcmp(ets_os_name(files[i].path), ets_os_name(files[k].path)) == 0) return true;
        }
    }
    return false;
}

static void write_file(struct ets_output *output, const struct given_file *file, unsigned folder)
{
    const struct ets_bytes bytes = ets_file_bytes(file->file);
    ets_output_write(output, given, sizeof given - 1);
    if (folder > 0) ets_output_print(output, "%u/", folder);
    write_name(output, ets_os_name(file->path));
    ets_output_print(output, file->is_beside ? "\" data-beside>" : "\">");
    ets_page_write_base64(output, bytes.data, bytes.size);
    ets_output_print(output, "</script>\n");
}

int write_page(const struct ets_file *page, const struct given_file *files, size_t count,
               struct ets_output *output)
{
    const struct ets_bytes bytes = ets_file_bytes(page);
    const size_t at = find_marker(bytes);
    if (at == bytes.size) {
        return cli_complain(CLI_INPUT,
                            "the file that stands for etscope.html is not the page that "
                            "`make page` builds, or has files in it already");
    }
    ets_output_write(output, bytes.data, at);
    /* Files of one name lie in folders of their own. */
    const bool has_folders = have_twins(files, count);
    for (size_t i = 0; i < count; i++) {
        write_file(output, &files[i], has_folders ? files[i].of + 1 : 0);
    }
    ets_output_write(output, bytes.data + at, bytes.size - at);
    return CLI_OK;
}
