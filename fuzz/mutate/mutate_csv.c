/* Changes a table of lines by its cells. */
#include <stdio.h>
#include <string.h>

#include "mutate.h"

struct span {
    size_t at, size;
};

static char separator(const struct mutant *m)
{
    static const char candidates[] = ",\t|;";
    for (size_t i = 0; i < sizeof candidates - 1; i++) {
        if (memchr(m->data, candidates[i], m->size) != NULL) return candidates[i];
    }
    return ' ';
}

/* What lies between two separators, or line ends. */
static struct span between(struct mutant *m, char border)
{
    size_t at = mutant_random(m, m->size), end = at;
    while (at > 0 && m->data[at - 1] != border && m->data[at - 1] != '\n') at--;
    while (end < m->size && m->data[end] != border && m->data[end] != '\n') end++;
    return (struct span){at, end - at};
}

static void change_line(struct mutant *m)
{
    const struct span from = between(m, '\n'), to = between(m, '\n');
    switch (mutant_random(m, 3)) {
    case 0: (void)mutant_replace(m, from.at, from.size, NULL, 0); break;
    case 1: (void)mutant_replace(m, to.at, to.size, m->data + from.at, from.size); break;
    default:
        if (mutant_replace(m, to.at, 0, "\n", 1)) {
            const size_t at = from.at + (from.at >= to.at);
            (void)mutant_replace(m, to.at, 0, m->data + at, from.size);
        }
    }
}

static void change_cell(struct mutant *m)
{
    static const char *const values[] = {"",       "0",   "-0", "1e999", "nan", "inf",  "\"\"",
                                         "\"a,\"", "1.5", "-1", " ",     "\"",  "true", "0x10"};
    char text[24];
    const char border = separator(m);
    const struct span from = between(m, border), to = between(m, border);
    const char *value = values[mutant_random(m, sizeof values / sizeof *values)];
    snprintf(text, sizeof text, "%lld", (long long)mutant_number(m));
    switch (mutant_random(m, 5)) {
    case 0: (void)mutant_replace(m, to.at, to.size, m->data + from.at, from.size); break;
    case 1: (void)mutant_replace(m, to.at, to.size, value, strlen(value)); break;
    case 2: (void)mutant_replace(m, to.at, to.size, text, strlen(text)); break;
    case 3: (void)mutant_replace(m, to.at, 0, &border, 1); break;
    default: mutant_shake(m, to.at, to.size);
    }
}

void mutate_csv(struct mutant *mutant)
{
    if (mutant->size == 0) return;
    if (mutant_random(mutant, 3) == 0) change_line(mutant);
    else change_cell(mutant);
}
