/* Finds tags by their brackets, and attributes by their quotes. */
#include "format/xml.h"

#include <string.h>

#include "base/text.h"

static bool fail(struct ets_xml *xml)
{
    xml->is_broken = true;
    return false;
}

/* Where `end` begins, from `at` on; SIZE_MAX: nowhere. */
static size_t find(struct ets_text text, size_t at, const char *end)
{
    const size_t size = strlen(end);
    while (at + size <= text.size) {
        const char *next = memchr(text.data + at, end[0], text.size - at - size + 1);
        if (next == NULL) return SIZE_MAX;
        if (memcmp(next, end, size) == 0) return (size_t)(next - text.data);
        at = (size_t)(next - text.data) + 1;
    }
    return SIZE_MAX;
}

static bool begins(const struct ets_xml *xml, const char *start)
{
    const size_t size = strlen(start);
    return xml->text.size - xml->at >= size && memcmp(xml->text.data + xml->at, start, size) == 0;
}

/* Behind what is no tag of an element; true: there was such a thing. */
static bool pass_other(struct ets_xml *xml)
{
    static const struct {
        const char *start, *end;
    } others[] = {{"<!--", "-->"}, {"<![CDATA[", "]]>"}, {"<?", "?>"}};
    for (size_t i = 0; i < sizeof others / sizeof *others; i++) {
        if (!begins(xml, others[i].start)) continue;
        const size_t end = find(xml->text, xml->at, others[i].end);
        if (end == SIZE_MAX) fail(xml);
        else xml->at = end + strlen(others[i].end);
        return true;
    }
    if (!begins(xml, "<!")) return false;
    fail(xml); /* a DTD */
    return true;
}

static bool is_space(char letter)
{
    return ets_is_blank(letter) || letter == '\n';
}

static bool ends_name(char letter)
{
    return is_space(letter) || letter == '>' || letter == '/' || letter == '=' || letter == '<' ||
           letter == '"' || letter == '\'';
}

/* The bracket that ends the tag, which quotes may hold too. */
static size_t end_of_tag(const struct ets_xml *xml, size_t at)
{
    char quote = '\0';
    for (; at < xml->text.size; at++) {
        const char letter = xml->text.data[at];
        if (quote != '\0') {
            if (letter == quote) quote = '\0';
        } else if (letter == '"' || letter == '\'') {
            quote = letter;
        } else if (letter == '>') {
            return at;
        } else if (letter == '<') {
            return SIZE_MAX;
        }
    }
    return SIZE_MAX;
}

static bool read_tag(struct ets_xml *xml)
{
    const char *data = xml->text.data;
    size_t at = xml->at + 1;
    const bool is_close = at < xml->text.size && data[at] == '/';
    const size_t start = is_close ? ++at : at, end = end_of_tag(xml, at);
    if (end == SIZE_MAX) return fail(xml);
    while (at < end && !ends_name(data[at])) at++;
    if (at == start) return fail(xml);
    xml->name = (struct ets_text){data + start, at - start};
    xml->is_empty = !is_close && data[end - 1] == '/';
    xml->attributes = (struct ets_text){data + at, end - at - xml->is_empty};
    xml->kind = is_close ? ETS_XML_CLOSE : ETS_XML_OPEN;
    xml->at = end + 1;
    return true;
}

bool ets_xml_next(struct ets_xml *xml)
{
    if (xml->is_broken) return false;
    /* `depth` is of this tag; the tag before it may have opened an element */
    const bool opened = xml->name.data != NULL && xml->kind == ETS_XML_OPEN && !xml->is_empty;
    uint32_t depth = xml->depth + opened;
    const size_t start = xml->at;
    size_t open;
    do {
        open = find(xml->text, xml->at, "<");
        if (open == SIZE_MAX) return depth == 0 ? false : fail(xml);
        xml->at = open;
    } while (pass_other(xml) && !xml->is_broken);
    if (xml->is_broken || !read_tag(xml)) return false;
    xml->before = (struct ets_text){xml->text.data + start, open - start};
    if (xml->kind == ETS_XML_CLOSE && depth-- == 0) return fail(xml);
    if (depth > ETS_XML_MOST_NESTED) return fail(xml);
    xml->depth = depth;
    return true;
}

bool ets_xml_next_attribute(const struct ets_xml *xml, size_t *at, struct ets_text *name_out,
                            struct ets_text *value_out)
{
    const struct ets_text text = xml->attributes;
    *name_out = *value_out = (struct ets_text){NULL, 0};
    while (*at < text.size && is_space(text.data[*at])) (*at)++;
    const size_t start = *at;
    while (*at < text.size && !ends_name(text.data[*at])) (*at)++;
    const size_t end = *at;
    while (*at < text.size && text.data[*at] != '"' && text.data[*at] != '\'') (*at)++;
    if (*at >= text.size) return false;
    const char *value = text.data + *at + 1;
    const char *last = memchr(value, text.data[*at], text.size - *at - 1);
    if (last == NULL) return false;
    *name_out = (struct ets_text){text.data + start, end - start};
    *value_out = (struct ets_text){value, (size_t)(last - value)};
    *at = (size_t)(last - text.data) + 1;
    return true;
}

bool ets_xml_attribute(const struct ets_xml *xml, const char *name, struct ets_text *value_out)
{
    struct ets_text found;
    size_t at = 0;
    while (ets_xml_next_attribute(xml, &at, &found, value_out)) {
        if (ets_text_is(found, name)) return true;
    }
    return false;
}

static int digit_of(char letter)
{
    if (letter >= '0' && letter <= '9') return letter - '0';
    if (letter >= 'a' && letter <= 'f') return letter - 'a' + 10;
    return letter >= 'A' && letter <= 'F' ? letter - 'A' + 10 : 16;
}

/* The character of "#38" or "#x26", below 128; -1: another. */
static int number_of(struct ets_text entity)
{
    const bool is_hex = entity.size > 2 && entity.data[1] == 'x';
    const int base = is_hex ? 16 : 10;
    int number = 0;
    if (entity.size < 2 || entity.data[0] != '#') return -1;
    for (size_t i = is_hex ? 2 : 1; i < entity.size; i++) {
        const int digit = digit_of(entity.data[i]);
        if (digit >= base) return -1;
        number = number * base + digit;
        if (number > 127) return -1;
    }
    return number > 0 ? number : -1;
}

static int entity_of(struct ets_text entity)
{
    static const struct {
        const char *name;
        char letter;
    } known[] = {{"amp", '&'}, {"lt", '<'}, {"gt", '>'}, {"quot", '"'}, {"apos", '\''}};
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        if (ets_text_is(entity, known[i].name)) return known[i].letter;
    }
    return number_of(entity);
}

size_t ets_xml_unescape(struct ets_text text, char *out)
{
    enum { LONGEST_ENTITY = 8 };
    size_t used = 0;
    for (size_t at = 0; at < text.size; at++) {
        size_t end = at + 1;
        out[used] = text.data[at];
        if (text.data[at] == '&') {
            while (end < text.size && end - at < LONGEST_ENTITY && text.data[end] != ';') end++;
            const bool is_ended = end < text.size && text.data[end] == ';';
            const int letter =
                is_ended ? entity_of((struct ets_text){text.data + at + 1, end - at - 1}) : -1;
            if (letter >= 0) {
                out[used] = (char)letter;
                at = end;
            }
        }
        used++;
    }
    return used;
}
