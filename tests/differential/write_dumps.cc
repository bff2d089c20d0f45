/*
 * Writes ETDumps of random calls and records:
 *
 *     write_dumps FOLDER COUNT [FIRST]
 *
 * For each number from FIRST (0) on: NUMBER.etdp, NUMBER.bin (its debug buffer) and NUMBER.json,
 * what was given, for other readers to compare with. etscope's reader is compared here. Of eight
 * numbers one has names and doubles that text formats cannot pass on ("is_plain": false). Prints
 * how many of each kind were made; ends with 1 at the first difference.
 */
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <map>
#include <stdexcept>

#include "random_dumps.hpp"

void differ(const std::string &what, const std::string &wanted, const std::string &found)
{
    size_t at = 0;
    while (at < wanted.size() && at < found.size() && wanted[at] == found[at]) at++;
    const size_t start = at < 300 ? 0 : at - 300;
    throw std::runtime_error(what + " differ at " + std::to_string(at) + "\ngiven: ..." +
                             wanted.substr(start, 600) + "\nfound: ..." + found.substr(start, 600));
}

void require(bool is_true, const std::string &what)
{
    if (!is_true) throw std::runtime_error("wrong: " + what);
}

static random_dump make(uint64_t number, bool is_plain)
{
    random_choices random(number);
    return random.once_in(4) ? dump_of_records(&random, is_plain)
                             : dump_of_calls(&random, is_plain);
}

static void write(const std::string &path, const std::string &bytes)
{
    std::ofstream file(path, std::ios::binary);
    if (!(file << bytes).flush()) throw std::runtime_error(path + " cannot be written");
}

int main(int argc, char **argv)
{
    if (argc < 3) {
        fprintf(stderr, "write_dumps FOLDER COUNT [FIRST]\n");
        return 2;
    }
    const uint64_t first = argc > 3 ? strtoull(argv[3], nullptr, 10) : 0;
    const uint64_t end = first + strtoull(argv[2], nullptr, 10);
    std::map<std::string, unsigned> kinds;
    for (uint64_t number = first; number < end; number++) {
        const bool is_plain = number % 8 != 7;
        try {
            const random_dump made = make(number, is_plain);
            const std::string path = std::string(argv[1]) + "/" + std::to_string(number);
            write(path + ".etdp", made.file);
            write(path + ".bin", made.debug_buffer);
            write(path + ".json", std::string("{\"is_plain\": ") + (is_plain ? "true" : "false") +
                                      ", \"runs\": " + to_json(made.content) + "}\n");
            kinds[made.kind]++;
        } catch (const std::exception &error) {
            fprintf(stderr, "dump %llu: %s\n", static_cast<unsigned long long>(number),
                    error.what());
            return 1;
        }
    }
    for (const auto &[kind, count] : kinds) printf("%s: %u\n", kind.c_str(), count);
    return 0;
}
