/* Runs a fuzz target over files and folders, so that its corpus is an ordinary test. */
#define _XOPEN_SOURCE 700
#include <ftw.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { LARGEST_INPUT = 64 * 1024 * 1024 };

static unsigned long replayed;

static int replay(const char *path, const struct stat *info, int type, struct FTW *walk)
{
    (void)walk;
    if (type != FTW_F || info->st_size > LARGEST_INPUT) return 0;
    FILE *file = fopen(path, "rb");
    if (file == NULL) return 0;
    /* A heap block of the exact size, so that a sanitizer sees one byte too far. */
    uint8_t *data = malloc(info->st_size > 0 ? (size_t)info->st_size : 1);
    const size_t size = data == NULL ? 0 : fread(data, 1, (size_t)info->st_size, file);
    fclose(file);
    if (data != NULL) (void)LLVMFuzzerTestOneInput(data, size);
    free(data);
    replayed++;
    return 0;
}

int main(int argc, char **argv)
{
    for (int i = 1; i < argc; i++) {
        const unsigned long before = replayed;
        if (nftw(argv[i], replay, 16, FTW_PHYS) != 0 || replayed == before) {
            fprintf(stderr, "%s: no inputs\n", argv[i]);
            return 1;
        }
    }
    printf("replayed %lu inputs\n", replayed);
    return 0;
}
