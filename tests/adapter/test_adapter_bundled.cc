/* Test cases of a bundled program with ExecuTorch's Module, by the names of ExecuTorch's headers.
 */
#include <executorch/devtools/etdump/etdump_flatcc.h>
#include <executorch/extension/module/bundled_module.h>

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <fstream>
#include <iterator>

extern "C" {
#include <cmocka.h>
}

namespace
{
using executorch::etdump::ETDumpGen;
using executorch::extension::bundled_module::BundledModule;
using executorch::runtime::Error;

constexpr char kBundle[] = TEST_DATA "/mlp_portable/model.bpte";

void test_bundled__a_case_runs_and_is_checked(void **)
{
    auto tracer = std::make_unique<ETDumpGen>();
    ETDumpGen &gen = *tracer;
    auto made = BundledModule::from_file(kBundle, nullptr, nullptr, std::move(tracer));
    assert_true(made.ok());
    BundledModule &module = *made.get();
    const auto outputs = module.execute("forward", 0);
    assert_true(outputs.ok() && outputs->size() == 1);
    assert_int_equal((int)module.verify_method_outputs("forward", 0), (int)Error::Ok);
    assert_int_equal(gen.get_num_blocks(), 2);
    /* Outputs of one case are not those of another; a tolerance that is large enough lets them. */
    assert_true(module.execute("forward", 1).ok());
    assert_int_equal((int)module.verify_method_outputs("forward", 0), (int)Error::NotFound);
    assert_int_equal((int)module.verify_method_outputs("forward", 0, 0, 1e6), (int)Error::Ok);
}

void test_bundled__what_is_not_there_is_an_error(void **)
{
    assert_int_equal((int)BundledModule::from_file("no/such.bpte").error(),
                     (int)Error::AccessFailed);
    auto made = BundledModule::from_file(kBundle);
    assert_true(made.ok());
    assert_int_equal((int)made.get()->execute("other", 0).error(), (int)Error::InvalidArgument);
    assert_int_equal((int)made.get()->execute("forward", 10000).error(),
                     (int)Error::InvalidArgument);
    assert_int_equal((int)made.get()->verify_method_outputs("forward", 10000),
                     (int)Error::InvalidArgument);
    auto program = BundledModule::from_file(TEST_DATA "/mlp_portable/model.pte");
    assert_true(program.ok());
    assert_int_equal((int)program.get()->execute("forward", 0).error(),
                     (int)Error::InvalidArgument);
    assert_false(program.get()->is_loaded());
}

void test_bundled__functions_over_a_method(void **)
{
    namespace bundled = executorch::bundled_program;
    std::ifstream file(kBundle, std::ios::binary);
    std::vector<char> bytes{std::istreambuf_iterator<char>(file), {}};
    const void *program = nullptr;
    size_t size = 0;
    assert_true(bundled::is_bundled_program(bytes.data(), bytes.size()));
    assert_int_equal((int)bundled::get_program_data(bytes.data(), bytes.size(), &program, &size),
                     (int)Error::Ok);
    assert_int_equal(
        (int)bundled::get_program_data(const_cast<void *>(program), size, &program, &size),
        (int)Error::NotSupported);
    executorch::extension::Module module(
        std::make_unique<executorch::extension::BufferDataLoader>(program, size));
    const auto method = module.method("forward");
    assert_true(method.ok());
    assert_int_equal((int)bundled::load_bundled_input(**method, bytes.data(), 1), (int)Error::Ok);
    assert_int_equal((int)method.get()->execute(), (int)Error::Ok);
    assert_int_equal((int)bundled::verify_method_outputs(**method, bytes.data(), 1),
                     (int)Error::Ok);
    const auto same = bundled::compute_method_output_error_stats(**method, bytes.data(), 1);
    const auto other = bundled::compute_method_output_error_stats(**method, bytes.data(), 0);
    assert_int_equal((int)same.status, (int)Error::Ok);
    assert_true(same.max_abs_error < 1e-5 && other.max_abs_error > 1e-3);
    assert_true(other.mean_abs_error > 0 && other.mean_abs_error <= other.max_abs_error);
    assert_true(other.max_relative_error > 0 && other.max_relative_error <= 2);
}
}  // namespace

int main()
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_bundled__a_case_runs_and_is_checked),
        cmocka_unit_test(test_bundled__what_is_not_there_is_an_error),
        cmocka_unit_test(test_bundled__functions_over_a_method)};
    return cmocka_run_group_tests(tests, nullptr, nullptr);
}
