/*
 * Changes the files of folders with each mutator, so that their own mistakes are found by ordinary
 * tests: what they write lies in the room that they have. And a zip stays one with right checksums.
 */
#define _XOPEN_SOURCE 700
#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "etscope/etrecord.h"
#include "mutate.h"

enum { LARGEST_INPUT = 64 * 1024, TRIES = 24 };

static void (*const mutators[])(struct mutant *) = {mutate_flatbuffer, mutate_zip,      mutate_json,
                                                    mutate_pickle,     mutate_protobuf, mutate_csv};
enum { MUTATOR_COUNT = sizeof mutators / sizeof *mutators };

static unsigned long tried, changed, archives, opened;

/* Stands in for libFuzzer's. */
size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t most)
{
    if (size < most) data[size++] = (uint8_t)most;
    if (size > 1) data[size / 2] ^= 0x55;
    return size;
}

static void check(int condition)
{
    if (!condition) abort();
}

static void open_record(const struct mutant *mutant)
{
    struct ets_etrecord *record;
    struct ets_error error;
    archives++;
    if (ets_etrecord_open((struct ets_bytes){mutant->data, mutant->size}, NULL, &record, &error) !=
        ETS_OK) {
        return;
    }
    opened++;
    ets_etrecord_close(record);
}

static void change(const uint8_t *data, size_t size, unsigned number, unsigned seed)
{
    const size_t most = size + (seed % 4 == 0 ? 0 : 4096);
    struct mutant mutant = {malloc(most + 1), size, most, seed};
    check(mutant.data != NULL);
    mutant.data =
        realloc(mutant.data, most > 0 ? most : 1); /* the exact size: one byte more is seen */
    check(mutant.data != NULL);
    if (size > 0) memcpy(mutant.data, data, size);
    mutators[number](&mutant);
    check(mutant.size <= most);
    tried++;
    changed += mutant.size != size || memcmp(mutant.data, data, size) != 0;
    if (mutators[number] == mutate_zip && size > 4 && memcmp(data, "PK\3\4", 4) == 0) {
        open_record(&mutant);
    }
    free(mutant.data);
}

static int replay(const char *path, const struct stat *info, int type, struct FTW *walk)
{
    (void)walk;
    if (type != FTW_F || info->st_size > LARGEST_INPUT || info->st_size == 0) return 0;
    FILE *file = fopen(path, "rb");
    check(file != NULL);
    const size_t size = (size_t)info->st_size;
    uint8_t *data = malloc(size);
    check(data != NULL && fread(data, 1, size, file) == size);
    fclose(file);
    for (unsigned i = 0; i < MUTATOR_COUNT; i++) {
        for (unsigned seed = 0; seed < TRIES; seed++) change(data, size, i, seed);
    }
    free(data);
    return 0;
}

int main(int argc, char **argv)
{
    for (int i = 1; i < argc; i++) check(nftw(argv[i], replay, 16, FTW_PHYS) == 0);
    printf("changed %lu of %lu inputs; %lu of %lu archives are still records\n", changed, tried,
           opened, archives);
    fflush(stdout);
    check(tried > 1000 && changed > tried / 2);
    check(archives > 20 && opened > 15); /* most of the corpus are none before, too */
    return 0;
}
