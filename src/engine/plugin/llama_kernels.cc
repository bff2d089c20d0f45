/* Finds kernels by name: in the runtime's registry, and in the library of llama:: kernels. */
#include "engine/plugin/llama_kernels.h"

#include <dlfcn.h>
#include <unistd.h>

#include <atomic>
#include <cstdio>
#include <cstring>
#include <mutex>
#include <string_view>
#include <unordered_map>

#include "engine/llama/stand_ins.h"
#include "etscope/program.h"
#include "payload/providers.h"

namespace ets
{
namespace
{
namespace et = ::executorch::runtime;

struct llama_library {
    std::string path;   /* of what was loaded or tried */
    std::string reason; /* why it is not there; "": it is */
    std::vector<et::Kernel> kernels;
    std::vector<const char *> names;
};

/* The folder of the library that has `address`, with a slash at its end. */
std::string folder_of(const void *address)
{
    Dl_info info;
    if (dladdr(address, &info) == 0 || info.dli_fname == nullptr) return "";
    const std::string path = info.dli_fname;
    return path.substr(0, path.rfind('/') + 1);
}

/* What the build left in the library's place. */
std::string read_reason(const std::string &path)
{
    char line[512] = "";
    FILE *file = fopen(path.c_str(), "r");
    if (file == nullptr) return "";
    if (fgets(line, sizeof line, file) == nullptr) line[0] = '\0';
    fclose(file);
    line[strcspn(line, "\n")] = '\0';
    return line;
}

llama_library load_copy()
{
    llama_library library;
    const std::string folder = folder_of(reinterpret_cast<const void *>(&is_llama));
    library.path = folder + ETS_LLAMA_LIBRARY;
    if (access(library.path.c_str(), F_OK) != 0) {
        library.reason = read_reason(folder + ETS_LLAMA_REASON);
        if (library.reason.empty()) library.reason = library.path + " does not exist";
        return library;
    }
    /* Local, because nothing else may find the stand-ins for PyTorch. */
    void *handle = dlopen(library.path.c_str(), RTLD_NOW | RTLD_LOCAL | RTLD_NODELETE);
    if (handle == nullptr) {
        const char *reason = dlerror();
        library.reason = reason == nullptr ? library.path + " cannot be loaded" : reason;
        return library;
    }
    void *symbol = dlsym(handle, ETS_LLAMA_KERNELS_SYMBOL);
    ets_llama_kernels_function *list = nullptr;
    memcpy(&list, &symbol, sizeof list);
    size_t count = 0;
    const et::Kernel *kernels = list == nullptr ? nullptr : list(&count);
    if (count == 0) library.reason = library.path + " has no kernels";
    library.kernels.assign(kernels, kernels + count);
    for (const et::Kernel &kernel : library.kernels) library.names.push_back(kernel.name_);
    return library;
}

std::atomic<bool> is_tried{false};

const llama_library &the_library()
{
    static const llama_library library = load_copy();
    is_tried = true;
    return library;
}

/*
 * A process that has PyTorch can load the original, which registers the operators with both. Not
 * if others have registered some of them: ExecuTorch ends a process that registers a name twice.
 */
void load_original_beside_pytorch()
{
    void *pytorch = dlopen("libtorch_cpu.so", RTLD_NOW | RTLD_NOLOAD);
    if (pytorch == nullptr) return;
    dlclose(pytorch);
    for (const et::Kernel &kernel : et::get_registered_kernels()) {
        if (is_llama(kernel.name_)) return;
    }
    et::Error (*registers)(et::Span<const et::Kernel>) = et::register_kernels;
    const std::string path = folder_of(reinterpret_cast<const void *>(registers)) +
                             "../extension/llm/custom_ops/libcustom_ops_aot_lib.so";
    if (access(path.c_str(), F_OK) == 0) dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
}

bool are_registered(const std::vector<std::string> &names)
{
    for (const std::string &name : names) {
        if (registered_kernel(name.c_str()) == nullptr) return false;
    }
    return true;
}
}  // namespace

bool is_llama(const char *name)
{
    const ets_provider *other;
    for (size_t i = 0; (other = ets_provider_at(i)) != nullptr; i++) {
        const bool has_kernels = !other->is_backend && other->library != nullptr;
        if (has_kernels && strncmp(name, other->part, strlen(other->part)) == 0) return true;
    }
    return false;
}

/*
 * Looks up a kernel in a table, because the registry compares hundreds of names one by one. The
 * table grows after a library registers kernels.
 */
et::OpFunction registered_kernel(const char *name)
{
    static std::mutex mutex;
    static std::unordered_map<std::string_view, et::OpFunction> table;
    static size_t seen = 0;
    const std::lock_guard<std::mutex> lock(mutex);
    const auto kernels = et::get_registered_kernels();
    for (; seen < kernels.size(); seen++) {
        const et::Kernel &kernel = kernels[seen];
        if (kernel.kernel_key_.is_fallback()) table.emplace(kernel.name_, kernel.op_);
    }
    const auto found = table.find(name);
    return found == table.end() ? nullptr : found->second;
}

et::OpFunction llama_kernel(const char *name)
{
    if (!is_llama(name)) return nullptr;
    for (const et::Kernel &kernel : the_library().kernels) {
        if (strcmp(kernel.name_, name) == 0) return kernel.op_;
    }
    return nullptr;
}

const std::string &why_no_llama()
{
    return the_library().reason;
}

std::vector<std::string> llama_kernels_of(struct ets_bytes program)
{
    std::vector<std::string> names;
    struct ets_program read;
    if (ets_program_init(&read, program, nullptr) != ETS_OK)
        return names; /* the runtime says why */
    for (uint32_t i = 0; i < read.method_count; i++) {
        struct ets_method method;
        ets_program_method(&read, i, &method);
        for (uint32_t k = 0; k < method.operator_count; k++) {
            struct ets_operator named;
            ets_method_operator(&method, k, &named);
            std::string name(named.name.data, named.name.size);
            if (named.overload.size > 0)
                name += "." + std::string(named.overload.data, named.overload.size);
            if (is_llama(name.c_str())) names.push_back(name);
        }
    }
    return names;
}

std::vector<et::Kernel> kernels_with_llama(const std::vector<std::string> &names)
{
    std::vector<et::Kernel> all;
    if (are_registered(names)) return all;
    if (!is_tried) load_original_beside_pytorch();
    if (are_registered(names) || the_library().kernels.empty()) return all;
    const auto registered = et::get_registered_kernels();
    all.assign(registered.begin(), registered.end());
    for (const et::Kernel &kernel : the_library().kernels) {
        if (registered_kernel(kernel.name_) == nullptr) all.push_back(kernel);
    }
    return all;
}

void kernels_on_demand(struct ets_engine_kernels_on_demand *found_out)
{
    const llama_library &library = the_library();
    *found_out = {library.path.c_str(), library.reason.c_str(), library.names.size(),
                  library.names.data()};
}
}  // namespace ets
