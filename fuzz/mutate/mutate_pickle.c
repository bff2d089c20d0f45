/* Changes a pickle by its opcodes. */
#include <stdlib.h>
#include <string.h>

#include "mutate.h"

enum { MOST_OPCODES = 4096 };

struct opcode {
    size_t at, size;
};

/* The bytes of an opcode with its argument; 0: unknown, or cut. */
static size_t size_of(const struct mutant *m, size_t at)
{
    static const char fixed1[] = "Kqh\x80\x82", fixed2[] = "M\x83", fixed4[] = "Jrj\x84";
    static const char counted1[] =
        "U\x8a\x8c"
        "C",
                      counted4[] = "TXB\x8b", lines[] = "FILSVgpPi";
    const size_t left = m->size - at;
    const uint8_t byte = m->data[at];
    if (byte == 0) return 0;
    if (strchr(fixed1, byte) != NULL) return 2;
    if (strchr(fixed2, byte) != NULL) return 3;
    if (strchr(fixed4, byte) != NULL) return 5;
    if (byte == 'G' || byte == 0x95) return 9;
    if (strchr(counted1, byte) != NULL) return left < 2 ? 0 : 2u + m->data[at + 1];
    if (strchr(counted4, byte) != NULL) {
        if (left < 5) return 0;
        const uint8_t *count = m->data + at + 1;
        return 5u +
               (count[0] | (size_t)count[1] << 8 | (size_t)count[2] << 16 | (size_t)count[3] << 24);
    }
    if (byte != 'c' && strchr(lines, byte) == NULL) return 1;
    const uint8_t *end = memchr(m->data + at, '\n', left);
    if (end != NULL && byte == 'c')
        end = memchr(end + 1, '\n', (size_t)(m->data + m->size - end - 1));
    return end == NULL ? 0 : (size_t)(end - m->data) - at + 1;
}

static size_t read_opcodes(const struct mutant *m, struct opcode *opcodes)
{
    size_t count = 0, at = 0;
    while (at < m->size && count < MOST_OPCODES) {
        const size_t size = size_of(m, at);
        if (size == 0 || size > m->size - at) break;
        opcodes[count++] = (struct opcode){at, size};
        if (m->data[at] == '.') break;
        at += size;
    }
    return count;
}

static void insert(struct mutant *m, size_t at)
{
    static const char *const pieces[] = {"N",     "K\1",
                                         "]",     ")",
                                         "}",     "(",
                                         "t",     "l",
                                         "a",     "e",
                                         "s",     "u",
                                         "R",     "b",
                                         "0",     "2",
                                         "Q",     "\x85",
                                         "\x86",  "\x87",
                                         "\x88",  "\x89",
                                         "\x94",  "h\1",
                                         "q\1",   "J\xff\xff\xff\xff",
                                         "X\1",   "X\2",
                                         "M\1\1", "ctorch\nSize\n"};
    const char *piece = pieces[mutant_random(m, sizeof pieces / sizeof *pieces)];
    (void)mutant_replace(m, at, 0, piece, strlen(piece));
}

void mutate_pickle(struct mutant *mutant)
{
    struct mutant *m = mutant;
    struct opcode *opcodes = malloc(MOST_OPCODES * sizeof *opcodes);
    const size_t count = opcodes == NULL ? 0 : read_opcodes(m, opcodes);
    if (count > 0) {
        const struct opcode one = opcodes[mutant_random(m, count)];
        const struct opcode other = opcodes[mutant_random(m, count)];
        switch (mutant_random(m, 6)) {
        case 0: (void)mutant_replace(m, one.at, one.size, NULL, 0); break;
        case 1: (void)mutant_replace(m, other.at, 0, m->data + one.at, one.size); break;
        case 2: (void)mutant_replace(m, other.at, other.size, m->data + one.at, one.size); break;
        case 3: insert(m, one.at); break;
        default:
            if (one.size > 1) mutant_shake(m, one.at + 1, one.size - 1);
            else m->data[one.at] = (uint8_t)mutant_random(m, 256);
        }
    } else if (m->size > 0) {
        mutant_shake(m, 0, m->size);
    }
    free(opcodes);
}
