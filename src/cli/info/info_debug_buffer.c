/* Describes a debug buffer: nothing in it says what it is, but its name does. */
#include "cli/beside/siblings.h"
#include "cli/core/cli_text.h"
#include "cli/info/info_kinds.h"
#include "etscope/file.h"

/* A file with such a name that is of no known kind is damaged. */
static const char *const other_endings[] = {".pte",  ".bpte",  ".ptd", ".etrecord",
                                            ".etdp", ".etsum", ".npy", ".npz"};

bool info_may_be_debug_buffer(const char *path)
{
    for (size_t i = 0; i < sizeof other_endings / sizeof *other_endings; i++) {
        if (cli_ends_with(path, other_endings[i])) return false;
    }
    return true;
}

bool info_debug_buffer(struct info_request *request)
{
    static char trace[CLI_SIBLING_BYTES]; /* too large for the stack */
    struct ets_facts *facts = &request->facts;
    if (ets_kind_sniff(request->bytes) != ETS_KIND_UNKNOWN) return false;
    if (!info_may_be_debug_buffer(request->path)) return false;
    if (!cli_sibling_path(request->path, ".etdp", trace)) return false;
    info_begin_as(request, "debug_buffer", "by its name a debug buffer");
    ets_facts_line(facts, "trace");
    ets_facts_string(facts, "trace", trace);
    ets_facts_end(facts);
    ets_facts_line(facts, "values");
    ets_facts_words(facts, "etscope tensors ");
    ets_facts_string(facts, NULL, trace);
    ets_facts_words(facts, " --debug-buffer ");
    ets_facts_string(facts, NULL, request->path);
    ets_facts_words(facts, " lists them");
    ets_facts_end(facts);
    info_end(request);
    return true;
}
