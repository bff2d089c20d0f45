/* Writes errors and notes to standard error. */
#include "cli/core/notes.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/core/cli_text.h"
#include "host/hash.h"
#include "host/os/os_streams.h"
#include "host/text_builder.h"
#include "output/text/character_width.h"

enum { LEAST_WIDTH = 20, MOST_TOLD = 256 };

static struct {
    uint64_t told[MOST_TOLD]; /* hashes of notes; beyond that the oldest is forgotten */
    uint32_t told_count;
    bool is_holding;
    char **held;
    size_t held_count, held_room;
} notes;

/* Where a command to copy begins, which a line break would cut in two; `size`: there is none. */
static size_t find_command(const char *text, size_t size)
{
    static const char name[] = "etscope ";
    const size_t length = sizeof name - 1;
    for (size_t at = 0; at + length < size; at++) {
        if (at > 0 && text[at - 1] != ' ') continue;
        if (memcmp(text + at, name, length) != 0) continue;
        if (text[at + length] >= 'a' && text[at + length] <= 'z') return at;
    }
    return size;
}

/* Moves the end of a line out of `quotes`, which hold what to type. */
static size_t leave_quotes(const char *text, size_t size, size_t taken)
{
    size_t opening = taken, count = 0;
    for (size_t at = 0; at < taken; at++) {
        if (text[at] != '`') continue;
        count++;
        opening = at;
    }
    if (count % 2 == 0) return taken;
    while (opening > 0 && text[opening] != ' ') opening--;
    if (opening > 0) return opening;
    while (taken < size && text[taken] != '`') taken++;
    while (taken < size && text[taken] != ' ') taken++;
    return taken;
}

/* Bytes of the first line, and where the next begins. */
static size_t take_line(const char *text, size_t size, uint32_t width, size_t *next_out)
{
    *next_out = size;
    if (ets_text_columns(text, size) <= width) return size;
    const size_t command = find_command(text, size);
    if (command == 0) return size;
    size_t taken = ets_text_words(text, command < size ? command - 1 : size, width, next_out);
    taken = leave_quotes(text, size, taken);
    while (taken < size && text[taken] == ' ') taken++;
    *next_out = taken > 0 ? taken : size;
    return *next_out;
}

static void write_wrapped(const char *prefix, const char *text, uint32_t width)
{
    const uint32_t hang = (uint32_t)strlen(prefix);
    size_t left = strlen(text);
    fputs(prefix, stderr);
    for (size_t next; left > 0; text += next, left -= next) {
        size_t taken = take_line(text, left, width - hang, &next);
        while (next < left && taken > 0 && text[taken - 1] == ' ') taken--;
        fwrite(text, 1, taken, stderr);
        if (next < left) fprintf(stderr, "\n%*s", (int)hang, "");
    }
    fputc('\n', stderr);
}

static void write_line(const char *prefix, const char *text)
{
    static char shown[4 * CLI_MESSAGE_CHARS]; /* too large for the stack */
    struct ets_text_builder visible = {shown, sizeof shown, 0};
    const unsigned width =
        ets_os_is_terminal(ETS_OS_MESSAGES) ? ets_os_terminal_width(ETS_OS_MESSAGES) : 0;
    shown[0] = '\0';
    ets_add_shown_text(&visible, cli_text(text));
    if (width >= LEAST_WIDTH) write_wrapped(prefix, shown, width);
    else fprintf(stderr, "%s%s\n", prefix, shown);
}

static bool was_told(const char *text)
{
    uint64_t hash = strlen(text);
    for (const char *at = text; *at != '\0'; at++) hash = ets_hash_mix(hash + (unsigned char)*at);
    const uint32_t known = notes.told_count < MOST_TOLD ? notes.told_count : MOST_TOLD;
    for (uint32_t i = 0; i < known; i++) {
        if (notes.told[i] == hash) return true;
    }
    notes.told[notes.told_count++ % MOST_TOLD] = hash;
    return false;
}

static bool hold(const char *text)
{
    if (notes.held_count == notes.held_room) {
        const size_t room = 2 * notes.held_room + 8;
        char **grown = realloc(notes.held, room * sizeof *grown);
        if (grown == NULL) return false;
        notes.held = grown;
        notes.held_room = room;
    }
    const size_t bytes = strlen(text) + 1;
    char *copy = malloc(bytes);
    if (copy == NULL) return false;
    memcpy(copy, text, bytes);
    notes.held[notes.held_count++] = copy;
    return true;
}

bool cli_write_note(const char *text)
{
    if (was_told(text)) return false;
    if (!notes.is_holding || !hold(text)) write_line("note: ", text);
    return true;
}

void cli_write_error(const char *prefix, const char *text)
{
    cli_release_notes();
    write_line(prefix, text);
}

void cli_hold_notes(void)
{
    notes.is_holding = true;
}

void cli_release_notes(void)
{
    for (size_t i = 0; i < notes.held_count; i++) {
        write_line("note: ", notes.held[i]);
        free(notes.held[i]);
    }
    free(notes.held);
    notes.held = NULL;
    notes.held_count = notes.held_room = 0;
    notes.is_holding = false;
}
