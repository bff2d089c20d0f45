/* Parses the options that select rows, and suggests what was meant if nothing matches. */
#include "cli/traces/filters.h"
#include "cli/core/nearest.h"
#include "inspect/patterns.h"

#include <ctype.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "cli/core/cli_text.h"

static int parse_handles(const char *list, struct cli_filter *filter)
{
    const char *at = list;
    do {
        char *end;
        errno = 0;
        const long long handle = strtoll(at, &end, 10);
        const bool is_number = end != at && errno == 0 && (*end == ',' || *end == '\0');
        if (!is_number || handle < 0) {
            return cli_complain(
                CLI_USAGE, "--handle takes debug handles, such as 12 or 3,4, not \"%s\"", list);
        }
        if (filter->filter.handle_count == sizeof filter->handles / sizeof *filter->handles) {
            return cli_complain(CLI_USAGE, "--handle takes at most %zu handles",
                                filter->filter.handle_count);
        }
        filter->handles[filter->filter.handle_count++] = handle;
        at = *end == ',' ? end + 1 : end;
    } while (*at != '\0');
    return CLI_OK;
}

/* "zoo.py:16" into file and line. */
static int parse_source(const char *place, struct cli_filter *filter)
{
    const char *colon = strrchr(place, ':');
    size_t size = strlen(place);
    if (colon != NULL && colon[1] != '\0' && colon[1 + strspn(colon + 1, "0123456789")] == '\0') {
        size = (size_t)(colon - place);
        filter->filter.source_line = (uint32_t)strtoul(colon + 1, NULL, 10);
    }
    if (size == 0 || size >= sizeof filter->source) {
        return cli_complain(CLI_USAGE,
                            "--source takes a source file, such as zoo.py or zoo.py:16, not \"%s\"",
                            place);
    }
    memcpy(filter->source, place, size);
    filter->source[size] = '\0';
    filter->filter.source = filter->source;
    return CLI_OK;
}

int cli_filter_parse(const struct cli_arguments *arguments, struct cli_filter *filter_out)
{
    *filter_out = (struct cli_filter){.filter = {.name = cli_value(arguments, "--name"),
                                                 .module = cli_value(arguments, "--module"),
                                                 .backend = cli_value(arguments, "--backend")}};
    const char *handles, *source = cli_value(arguments, "--source");
    filter_out->filter.handles = filter_out->handles;
    for (unsigned i = 0; (handles = cli_value_at(arguments, "--handle", i)) != NULL; i++) {
        if (parse_handles(handles, filter_out) != CLI_OK) return CLI_USAGE;
    }
    return source == NULL ? CLI_OK : parse_source(source, filter_out);
}

void cli_near_offer(struct cli_near *near, struct ets_text text)
{
    char copy[CLI_NEAR_BYTES];
    if (text.data == NULL || text.size == 0) return;
    /* Compares the end of long paths. */
    const size_t size = text.size < sizeof copy ? text.size : sizeof copy - 1;
    memcpy(copy, text.data + text.size - size, size);
    copy[size] = '\0';
    const unsigned distance = cli_distance(near->word, copy);
    unsigned place = near->count;
    for (unsigned i = 0; i < near->count; i++) {
        if (strcmp(near->texts[i], copy) == 0) return;
    }
    while (place > 0 && near->distances[place - 1] > distance) place--;
    if (place == CLI_NEAR_COUNT) return;
    if (near->count < CLI_NEAR_COUNT) near->count++;
    for (unsigned i = near->count - 1; i > place; i--) {
        near->distances[i] = near->distances[i - 1];
        memcpy(near->texts[i], near->texts[i - 1], sizeof near->texts[i]);
    }
    near->distances[place] = distance;
    memcpy(near->texts[place], copy, size + 1);
}

void cli_near_print(const struct cli_near *near, char *line, size_t room)
{
    size_t used = 0;
    line[0] = '\0';
    for (unsigned i = 0; i < near->count && used < room; i++) {
        used += (size_t)snprintf(line + used, room - used, "%s%s", i == 0 ? "; nearest: " : ", ",
                                 near->texts[i]);
    }
}

struct choice {
    const struct ets_inspection *inspection;
    uint32_t block, run;
};

static bool is_chosen(const struct choice *choice, uint32_t index)
{
    const struct ets_row *row = ets_inspection_row(choice->inspection, index);
    if (choice->block != ETS_NO_INDEX && choice->block != row->block) return false;
    return choice->run == ETS_NO_INDEX ||
           ets_inspection_run(choice->inspection, choice->run)->block == row->block;
}

static bool any_matches(const struct choice *choice, const struct ets_row_filter *filter)
{
    for (uint32_t i = 0; i < ets_inspection_row_count(choice->inspection); i++) {
        if (is_chosen(choice, i) && ets_row_filter_matches(filter, choice->inspection, i)) {
            return true;
        }
    }
    return false;
}

enum part { PART_NAME, PART_MODULE, PART_HANDLE, PART_SOURCE, PART_BACKEND, PART_COUNT };

/* Offers the row's values for a part of the filter. */
static void offer_row(const struct ets_row *row, enum part part, struct cli_near *near)
{
    char text[512];
    if (part == PART_NAME) cli_near_offer(near, ets_row_operator(row));
    if (part == PART_BACKEND && row->chain != -1)
        cli_near_offer(near, cli_text(ets_row_backend(row)));
    for (size_t i = 0; part == PART_HANDLE && i < row->handle_count; i++) {
        snprintf(text, sizeof text, "%lld", (long long)row->handles[i]);
        cli_near_offer(near, cli_text(text));
    }
    for (size_t i = 0; i < row->node_count; i++) {
        const struct ets_graph_node *node = row->nodes[i].node;
        const struct ets_graph_frame *frame = ets_graph_user_frame(node);
        if (part == PART_MODULE) cli_near_offer(near, ets_graph_module_path(node));
        if (part != PART_SOURCE || frame == NULL) continue;
        size_t name = frame->file.size;
        while (name > 0 && frame->file.data[name - 1] != '/') name--;
        const int size = (int)(frame->file.size - name);
        snprintf(text, sizeof text, "%.*s:%u", size < 400 ? size : 400, frame->file.data + name,
                 frame->line);
        cli_near_offer(near, cli_text(text));
    }
}

static int complain(const struct choice *choice, enum part part, const char *option,
                    const char *word)
{
    struct cli_near near = {.word = word};
    char line[CLI_NEAR_COUNT * (CLI_NEAR_BYTES + 2) + 16];
    for (uint32_t i = 0; i < ets_inspection_row_count(choice->inspection); i++) {
        if (is_chosen(choice, i)) {
            offer_row(ets_inspection_row(choice->inspection, i), part, &near);
        }
    }
    cli_near_print(&near, line, sizeof line);
    const char *hint = near.count > 0 || part == PART_NAME || part == PART_BACKEND
                           ? ""
                           : "; this needs an ETRecord (--etrecord)";
    return cli_complain(CLI_USAGE, "%s %s matches no row%s%s", option, word, line, hint);
}

/* Reports the first part of the filter that alone matches nothing. */
static int explain(const struct choice *choice, const struct ets_row_filter *f)
{
    char handle[24], source[4200];
    snprintf(handle, sizeof handle, "%lld", f->handle_count > 0 ? (long long)f->handles[0] : 0);
    const int size = snprintf(source, sizeof source, "%s", f->source == NULL ? "" : f->source);
    if (f->source_line > 0) {
        snprintf(source + size, sizeof source - (size_t)size, ":%u", f->source_line);
    }
    const struct {
        const char *option, *word;
        struct ets_row_filter alone;
    } parts[PART_COUNT] = {
        [PART_NAME] = {"--name", f->name, {.name = f->name}},
        [PART_MODULE] = {"--module", f->module, {.module = f->module}},
        [PART_HANDLE] = {"--handle",
                         f->handle_count > 0 ? handle : NULL,
                         {.handles = f->handles, .handle_count = f->handle_count}},
        [PART_SOURCE] = {"--source",
                         f->source == NULL ? NULL : source,
                         {.source = f->source, .source_line = f->source_line}},
        [PART_BACKEND] = {"--backend", f->backend, {.backend = f->backend}},
    };
    for (int i = 0; i < PART_COUNT; i++) {
        if (parts[i].word != NULL && !any_matches(choice, &parts[i].alone)) {
            return complain(choice, (enum part)i, parts[i].option, parts[i].word);
        }
    }
    return cli_complain(CLI_USAGE, "each filter matches some rows, but no row matches all filters");
}

/*
 * Completes "xnn" to XnnpackBackend if no other backend starts with it. Keeps names and patterns
 * that match.
 */
static int complete_backend(const struct choice *choice, struct ets_row_filter *filter)
{
    const char *begun = NULL;
    const struct ets_row_filter alone = {.backend = filter->backend};
    if (filter->backend == NULL || filter->backend[0] == '\0' || any_matches(choice, &alone)) {
        return CLI_OK;
    }
    const size_t size = strlen(filter->backend);
    for (uint32_t i = 0; i < ets_inspection_row_count(choice->inspection); i++) {
        const struct ets_row *row = ets_inspection_row(choice->inspection, i);
        const char *backend = ets_row_backend(row);
        if (!is_chosen(choice, i) || row->chain == -1) continue;
        if (strncasecmp(backend, filter->backend, size) != 0) continue;
        if (begun != NULL && strcmp(begun, backend) != 0) {
            return cli_complain(CLI_USAGE, "--backend %s is ambiguous: %s or %s", filter->backend,
                                begun, backend);
        }
        begun = backend;
    }
    if (begun != NULL) filter->backend = begun;
    return CLI_OK;
}

int cli_filter_settle(struct cli_filter *filter, const struct ets_inspection *inspection,
                      const char *method, uint32_t block, uint32_t run)
{
    const struct choice choice = {inspection, block, run};
    const bool is_asked = !ets_row_filter_is_empty(&filter->filter);
    for (uint32_t i = 0; method != NULL && i < ets_inspection_block_count(inspection); i++) {
        const struct ets_block *b = ets_inspection_block(inspection, i);
        const bool is_its = b->method != NULL && strcmp(b->method, method) == 0;
        if (is_its && b->method_state != ETS_METHOD_AMBIGUOUS) filter->filter.method = method;
    }
    if (complete_backend(&choice, &filter->filter) != CLI_OK) return CLI_USAGE;
    if (!is_asked || any_matches(&choice, &filter->filter)) return CLI_OK;
    return explain(&choice, &filter->filter);
}
