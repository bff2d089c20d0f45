/*
 * Mutators that know a format: what they change is still of that format, so that it gets behind the
 * checks that bytes changed at random fail. libFuzzer's own mutator takes turns with them.
 */
#ifndef ETSCOPE_FUZZ_MUTATE_H
#define ETSCOPE_FUZZ_MUTATE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* An input that is changed in place; it may grow up to `most` bytes. */
struct mutant {
    uint8_t *data;
    size_t size, most;
    uint64_t state; /* of random numbers */
};

/* Below `limit`, which is not 0. */
uint32_t mutant_random(struct mutant *mutant, size_t limit);
/* A number at which readers often go wrong. */
uint64_t mutant_number(struct mutant *mutant);
/* Puts bytes, which may be the mutant's own, in the place of others; false: there is no room. */
bool mutant_replace(struct mutant *mutant, size_t at, size_t size, const void *bytes, size_t count);
/* libFuzzer's own changes of a part, which may change its size. */
void mutant_shake(struct mutant *mutant, size_t at, size_t size);

void mutate_flatbuffer(struct mutant *mutant);
void mutate_zip(struct mutant *mutant);
void mutate_json(struct mutant *mutant);
void mutate_pickle(struct mutant *mutant);
void mutate_protobuf(struct mutant *mutant);
void mutate_csv(struct mutant *mutant);

/* Of libFuzzer. */
size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t most);

#endif
