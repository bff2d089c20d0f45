/*
 * Verifies files as they are and changed in many ways, with etscope's reader of FlatBuffers and
 * with FlatBuffers' own verifier, whose code flatc made of tests/data/schema:
 *
 *     verify_flatbuffers TRIES FOLDER...
 *
 * A hundred times as many tries with ETSCOPE_LONG. Prints how often both took a file, both refused
 * it, and how often only one took it; writes the first files that only etscope took to the folder
 * that VERIFY_KEEP names. Ends with 1 where there are any.
 */
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include <flatbuffers/flatbuffers.h>

/* The schemas share names of tables. */
namespace of_programs
{
#include "program_generated.h"
}
namespace of_bundles
{
#include "bundled_program_generated.h"
}
namespace of_data_files
{
#include "flat_tensor_generated.h"
}
namespace of_dumps
{
#include "etdump_generated.h"
}

#pragma GCC diagnostic ignored "-Wshadow" /* in C a struct and a function may have one name */
extern "C" {
#include "dump/etdump_schema.h"
#include "format/flatbuffer.h"
#include "format/root_types.h"
#include "mutate.h"

/* Stands in for libFuzzer's. */
size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t)
{
    if (size > 0) data[static_cast<size_t>(rand()) % size] ^= static_cast<uint8_t>(1 << rand() % 8);
    return size;
}
}

namespace
{
struct schema {
    const char *ending;
    const ets_fb_type *type;
    bool (*verify)(flatbuffers::Verifier *verifier);
    size_t start; /* of the FlatBuffer, behind its size */
};

template <typename Root>
bool verify_root(flatbuffers::Verifier *verifier)
{
    return verifier->VerifyBuffer<Root>(nullptr);
}

const schema schemas[] = {
    {".pte", &ets_program_type, verify_root<of_programs::check::Program>, 0},
    {".bpte", &ets_bundle_type, verify_root<of_bundles::check::BundledProgram>, 0},
    {".ptd", &ets_data_file_type, verify_root<of_data_files::check::FlatTensor>, 0},
    {".etdp", &ets_etdump_type, verify_root<of_dumps::etdump::ETDump>, 4},
};

unsigned long both, neither, only_theirs, only_ours;

void keep(const std::vector<uint8_t> &bytes, const schema &of)
{
    const char *folder = getenv("VERIFY_KEEP");
    if (folder == nullptr || only_ours > 20) return;
    std::ofstream(std::string(folder) + "/" + std::to_string(only_ours) + of.ending,
                  std::ios::binary)
        .write(reinterpret_cast<const char *>(bytes.data()),
               static_cast<std::streamsize>(bytes.size()));
}

void compare(const std::vector<uint8_t> &bytes, const schema &of)
{
    if (bytes.size() <= of.start + 8) return;
    ets_fb root;
    ets_error error;
    const ets_bytes body = {bytes.data() + of.start, bytes.size() - of.start};
    const bool ours = ets_fb_verify_root(body, 0, of.type, 0, &root, &error) == ETS_OK;
    flatbuffers::Verifier verifier(body.data, body.size, 64, 1000000, false);
    const bool theirs = of.verify(&verifier);
    if (ours && theirs) both++;
    else if (!ours && !theirs) neither++;
    else if (theirs) only_theirs++;
    else {
        only_ours++;
        keep(bytes, of);
    }
}

void change(const std::vector<uint8_t> &bytes, const schema &of, unsigned tries)
{
    compare(bytes, of);
    for (unsigned i = 0; i < tries; i++) {
        std::vector<uint8_t> copy(bytes.size() + 1024);
        std::copy(bytes.begin(), bytes.end(), copy.begin());
        mutant changed = {copy.data(), bytes.size(), copy.size(), i};
        for (unsigned k = 0; k <= i % 3; k++) mutate_flatbuffer(&changed);
        copy.resize(changed.size);
        compare(copy, of);
    }
}
}  // namespace

int main(int argc, char **argv)
{
    const unsigned times = getenv("ETSCOPE_LONG") != nullptr ? 100 : 1;
    const unsigned tries = argc > 1 ? times * static_cast<unsigned>(atoi(argv[1])) : 0;
    for (int i = 2; i < argc; i++) {
        for (const auto &entry : std::filesystem::recursive_directory_iterator(argv[i])) {
            if (!entry.is_regular_file() || entry.file_size() > 65536) continue;
            for (const schema &of : schemas) {
                if (entry.path().extension() != of.ending) continue;
                std::ifstream file(entry.path(), std::ios::binary);
                const std::string text((std::istreambuf_iterator<char>(file)), {});
                change(std::vector<uint8_t>(text.begin(), text.end()), of, tries);
            }
        }
    }
    printf("both took %lu, both refused %lu, only FlatBuffers took %lu, only etscope took %lu\n",
           both, neither, only_theirs, only_ours);
    return only_ours > 0 || both == 0;
}
