/* Advice as a list for people. */
#include "output/text/advice_text.h"

#include <math.h>
#include <string.h>

#include "base/text.h"
#include "views/sentence_numbers.h"

enum { LABEL_CHARS = 8, FIELD_BYTES = 1024, LEAST_WIDTH = 40, MOST_LINES = 6 };

size_t ets_saving_print(const struct ets_saving *saving, double tick_ns, char *text, size_t room)
{
    struct ets_text_builder line = {text, room, 0};
    if (saving->bytes > 0) {
        ets_add_bytes(&line, saving->bytes);
        ets_add_text(&line, saving->basis == ETS_SAVING_FILE ? " of the file" : " of memory");
        if (saving->basis == ETS_SAVING_MEMORY) ets_add_text(&line, " at most");
        return line.used;
    }
    if (isnan(saving->ticks.upper) || !(saving->ticks.upper > 0)) return 0;
    const struct ets_span *measured = &saving->measured;
    const double scale = ets_time_scale(measured->upper, tick_ns);
    if (saving->basis == ETS_SAVING_BOUND) {
        ets_add_time_in(&line, (struct ets_span){saving->away, saving->away}, tick_ns,
                        ets_time_scale(saving->away, tick_ns));
        ets_add_text(&line, " (");
        ets_add_share(&line, (struct ets_span){saving->away_part, saving->away_part});
        ets_add_text(&line, ") of the median run%s, less the time of what takes its place",
                     saving->others > 0 ? ", with what goes along" : "");
        return line.used;
    }
    ets_add_text(&line, "about ");
    ets_add_time_in(&line, *measured, tick_ns, scale);
    ets_add_text(&line, " of the median run, by the measured time of what goes away");
    if (ets_is_unsure(saving->unsure, measured->upper)) {
        ets_add_text(&line, "; the median is known to ");
        ets_add_time_in(&line, (struct ets_span){saving->unsure, saving->unsure}, tick_ns, scale);
        ets_add_text(&line, " only");
    }
    return line.used;
}

/* "models/net.py:20, 24 and 2 more lines": others of the first one's file by number. */
static void add_lines(struct ets_text_builder *line, const struct ets_finding *finding)
{
    const struct ets_graph_frame *first = finding->frames[0];
    uint32_t told = 1;
    ets_add_shown_text(line, first->place);
    while (told < finding->frame_count && told < MOST_LINES &&
           ets_text_equal(finding->frames[told]->file, first->file)) {
        ets_add_text(line, ", %u", finding->frames[told++]->line);
    }
    if (told == finding->frame_count) return;
    ets_add_text(line, " and %u more line%s", finding->frame_count - told,
                 finding->frame_count - told == 1 ? "" : "s");
}

size_t ets_finding_place_print(const struct ets_finding *finding, char *text, size_t room)
{
    struct ets_text_builder line = {text, room, 0};
    if (finding->frame_count > 0) add_lines(&line, finding);
    if (finding->module_count > 0) {
        ets_add_text(&line, "%smodule ", line.used > 0 ? ", " : "");
        ets_add_shown_text(&line, finding->modules[0]);
    }
    if (finding->module_count > 1) ets_add_text(&line, " and %u more", finding->module_count - 1);
    if (finding->method.size > 0) {
        ets_add_text(&line, "%smethod ", line.used > 0 ? ", " : "");
        ets_add_shown_text(&line, finding->method);
    }
    return line.used;
}

/* Text in lines of `width`, the later ones indented. */
static void put_wrapped(struct ets_output *output, struct ets_text text, uint32_t indent,
                        uint32_t width)
{
    uint32_t column = indent;
    for (size_t at = 0; at < text.size;) {
        size_t end = at;
        while (end < text.size && text.data[end] != ' ') end++;
        const uint32_t chars = (uint32_t)(end - at);
        if (width > 0 && column > indent && column + 1 + chars > width) {
            ets_output_print(output, "\n%*s", (int)indent, "");
            column = indent;
        } else if (at > 0) {
            ets_output_write(output, " ", 1);
            column++;
        }
        ets_output_write(output, text.data + at, end - at);
        column += chars;
        at = end + (end < text.size);
    }
    ets_output_write(output, "\n", 1);
}

/* A fact about a finding: "do", "where"... */
struct fact {
    const char *label;
    struct ets_text text;
};

enum { DOUBT = 4, FACT_COUNT = 6 }; /* what would make it wrong, and the check */

static void list_facts(const struct ets_advice_page *page, const struct ets_finding *finding,
                       char place[FIELD_BYTES], char saving[FIELD_BYTES],
                       struct fact facts[FACT_COUNT])
{
    const size_t place_size = ets_finding_place_print(finding, place, FIELD_BYTES);
    const size_t saving_size =
        ets_saving_print(&finding->saving, page->tick_ns, saving, FIELD_BYTES);
    const bool is_checked = ets_finding_is_advice(finding) || finding->severity == ETS_SEVERITY_BAD;
    facts[0] = (struct fact){"do", finding->action};
    facts[1] = (struct fact){"where", {place, place_size}};
    facts[2] = (struct fact){"seen", finding->evidence};
    facts[3] = (struct fact){"saves", {saving, saving_size}};
    facts[4] = (struct fact){"but", ets_text_of(finding->doubt)};
    facts[5] =
        (struct fact){"check", ets_text_of(is_checked ? page->checks[finding->check] : NULL)};
}

/* The finding's number among those to act upon; 0: it is an observation, for which nothing is done.
 */
static uint32_t number_of(const struct ets_advice_page *page, uint32_t index)
{
    uint32_t number = 0;
    for (uint32_t i = 0; i <= index; i++) {
        const struct ets_finding *finding = page->findings[i];
        const bool counts = finding->severity == ETS_SEVERITY_BAD || ets_finding_is_advice(finding);
        if (i == index && !counts) return 0;
        number += counts;
    }
    return number;
}

/* Of a fact that an earlier finding has with the same words, this one's number; 0: of none. */
static uint32_t number_of_same(const struct ets_advice_page *page, uint32_t index, bool is_check)
{
    const struct ets_finding *finding = page->findings[index];
    for (uint32_t i = 0; i < index; i++) {
        const struct ets_finding *earlier = page->findings[i];
        const uint32_t number = number_of(page, i);
        if (number == 0) continue;
        if (is_check ? earlier->check == finding->check
                     : earlier->doubt != NULL && finding->doubt != NULL &&
                           strcmp(earlier->doubt, finding->doubt) == 0) {
            return number;
        }
    }
    return 0;
}

/* A finding in bold; that something is wrong in red. */
static void put_sentence(struct ets_output *output, uint32_t number,
                         const struct ets_finding *finding, uint32_t width, bool is_colored)
{
    const bool is_bad = finding->severity == ETS_SEVERITY_BAD;
    if (number > 0) ets_output_print(output, "\n%2u  ", number);
    else ets_output_print(output, "\n -  ");
    if (is_colored) ets_output_control(output, is_bad ? "\033[1;31m" : "\033[1m");
    if (is_bad) ets_output_print(output, "WRONG: ");
    if (is_colored && is_bad) ets_output_control(output, "\033[39m");
    put_wrapped(output, finding->sentence, 4, is_bad && width > 0 ? width - 7 : width);
    if (is_colored) ets_output_control(output, "\033[0m");
}

void ets_advice_write_text(const struct ets_advice_page *page, uint32_t width, bool is_colored,
                           struct ets_output *output)
{
    char place[FIELD_BYTES], saving[FIELD_BYTES];
    struct fact facts[FACT_COUNT];
    if (width > 0 && width < LEAST_WIDTH) width = LEAST_WIDTH;
    if (is_colored) ets_output_control(output, "\033[1m");
    put_wrapped(output, ets_text_of(page->headline), 0, width);
    if (is_colored) ets_output_control(output, "\033[0m");
    for (uint32_t i = 0; i < page->count; i++) {
        const struct ets_finding *finding = page->findings[i];
        put_sentence(output, number_of(page, i), finding, width, is_colored);
        list_facts(page, finding, place, saving, facts);
        for (int k = 0; k < FACT_COUNT; k++) {
            if (facts[k].text.size == 0) continue;
            if (is_colored) ets_output_control(output, "\033[2m");
            ets_output_print(output, "    %-*s", LABEL_CHARS, facts[k].label);
            if (is_colored) ets_output_control(output, "\033[0m");
            const uint32_t same = k >= DOUBT ? number_of_same(page, i, k > DOUBT) : 0;
            if (same > 0) ets_output_print(output, "as %u\n", same);
            else put_wrapped(output, facts[k].text, 4 + LABEL_CHARS, width);
        }
    }
    if (page->hidden > 0 || page->missing != NULL) ets_output_write(output, "\n", 1);
    if (page->hidden > 0) {
        ets_output_print(output, "%u observation%s without advice: %s\n", page->hidden,
                         page->hidden == 1 ? "" : "s", page->more);
    }
    if (page->missing != NULL) put_wrapped(output, ets_text_of(page->missing), 0, width);
}

/* Text that Markdown would read as markup is escaped. */
static void put_markdown(struct ets_output *output, struct ets_text text)
{
    for (size_t i = 0; i < text.size; i++) {
        if (strchr("\\`*_[]<>#|&", text.data[i]) != NULL && text.data[i] != '\0') {
            ets_output_write(output, "\\", 1);
        }
        ets_output_write(output, &text.data[i], 1);
    }
}

void ets_advice_write_markdown(const struct ets_advice_page *page, struct ets_output *output)
{
    char place[FIELD_BYTES], saving[FIELD_BYTES];
    struct fact facts[FACT_COUNT];
    put_markdown(output, ets_text_of(page->headline));
    ets_output_print(output, "\n\n");
    for (uint32_t i = 0; i < page->count; i++) {
        const struct ets_finding *finding = page->findings[i];
        const uint32_t number = number_of(page, i);
        if (number > 0) ets_output_print(output, "%u. ", number);
        else ets_output_print(output, "- ");
        ets_output_print(output, "%s**", finding->severity == ETS_SEVERITY_BAD ? "WRONG: " : "");
        put_markdown(output, finding->sentence);
        ets_output_print(output, "**\n");
        list_facts(page, finding, place, saving, facts);
        for (int k = 0; k < FACT_COUNT; k++) {
            if (facts[k].text.size == 0) continue;
            ets_output_print(output, "   - %s: ", facts[k].label);
            put_markdown(output, facts[k].text);
            ets_output_write(output, "\n", 1);
        }
    }
    if (page->missing == NULL) return;
    ets_output_write(output, "\n", 1);
    put_markdown(output, ets_text_of(page->missing));
    ets_output_write(output, "\n", 1);
}
