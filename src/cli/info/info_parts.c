/* The common parts of all kinds of files: headings, and shortened lists. */
#include "cli/core/cli_text.h"
#include "cli/core/document.h"
#include "cli/info/info_kinds.h"
#include "etscope/file.h"

void info_begin(struct info_request *request)
{
    const enum ets_kind kind = ets_kind_sniff(request->bytes);
    info_begin_as(request, cli_kind_word(kind), ets_kind_name(kind));
}

void info_begin_as(struct info_request *request, const char *word, const char *name)
{
    struct ets_facts *facts = &request->facts;
    ets_json_begin_row(facts->json);
    ets_json_put_string(facts->json, "path", request->path);
    ets_json_put_string(facts->json, "kind", word);
    ets_facts_plain_line(facts, "%s", request->has_printed ? "\n" : "");
    ets_facts_string(facts, NULL, cli_path_name(request->path));
    ets_facts_words(facts, ": %s, ", name);
    ets_facts_bytes(facts, "file_bytes", request->bytes.size);
    ets_facts_end(facts);
    request->has_printed = true;
}

void info_end(struct info_request *request)
{
    ets_json_end_row(request->facts.json);
}

/* A list that is only a little longer than `most` is shown whole. */
static uint32_t shorten(const struct info_request *request, uint32_t count, uint32_t most)
{
    const bool is_whole = request->all || ets_facts_are_json(&request->facts);
    return is_whole || count <= most + 2 ? count : most;
}

uint32_t info_shown(const struct info_request *request, uint32_t count)
{
    return shorten(request, count, 6);
}

uint32_t info_shown_wrapped(const struct info_request *request, uint32_t count)
{
    return shorten(request, count, 12);
}

void info_more(struct info_request *request, uint32_t count)
{
    const uint32_t shown = info_shown(request, count);
    if (shown == count) return;
    ets_facts_plain_line(&request->facts, "    and %u more; --all shows them", count - shown);
    ets_facts_end(&request->facts);
}

void info_more_wrapped(struct info_request *request, uint32_t count)
{
    const uint32_t shown = info_shown_wrapped(request, count);
    if (shown == count) return;
    ets_facts_item(&request->facts);
    ets_facts_words(&request->facts, "and %u more (--all)", count - shown);
}

void info_item(struct info_request *request, uint64_t bytes, struct ets_text name)
{
    enum { MOST_NAME = ETS_FACTS_WIDTH - 14 };
    char room[16];
    struct ets_text_builder size = {room, sizeof room, 0};
    const bool is_cut = !request->all && name.size > MOST_NAME;
    ets_add_bytes(&size, bytes);
    ets_facts_plain_line(&request->facts, "%12s  ", size.text);
    ets_facts_text(&request->facts, NULL,
                   (struct ets_text){name.data, is_cut ? MOST_NAME - 3 : name.size});
    if (is_cut) ets_facts_words(&request->facts, "...");
}
