/*
 * A backend for ExecuTorch in one file: element-wise additions and multiplications of floats, each
 * reported as an event. demo_partition.py is its other half, which makes the payload:
 *
 *     "DEMO", then 32-bit little-endian numbers: arguments of the call, values, operators; and for
 *     each operator its kind (0 add, 1 mul, 2 mul then add), three inputs (the third for kind 2,
 *     else 0), its output, and where its name lies in the texts behind the operators, which end in
 *     zeros. The first values are the arguments, in the order of the call.
 */
#include <executorch/runtime/backend/interface.h>
#include <executorch/runtime/core/exec_aten/exec_aten.h>
#include <etscope/backend.hpp>

#include <cstring>
#include <new>
#include <vector>

namespace
{
using executorch::aten::ArrayRef;
using executorch::aten::ScalarType;
using executorch::aten::Tensor;
using namespace executorch::runtime;

enum Kind : uint32_t { kAdd = 0, kMul = 1, kMulAdd = 2 };

struct Operator {
    uint32_t kind, inputs[3], output;
    const char *name;
};

struct Plan {
    uint32_t argument_count, value_count;
    std::vector<Operator> operators;
};

/* Numbers of the payload; past its end: no payload. */
class Reader
{
  public:
    Reader(const uint8_t *data, size_t size) : data_(data), size_(size) {}

    bool number(uint32_t *out)
    {
        if (size_ - at_ < 4) return false;
        const uint8_t *p = data_ + at_;
        *out = p[0] | p[1] << 8 | p[2] << 16 | static_cast<uint32_t>(p[3]) << 24;
        at_ += 4;
        return true;
    }
    /* The text that begins `offset` bytes behind `start`. */
    const char *text(size_t start, uint32_t offset) const
    {
        if (start > size_ || offset >= size_ - start) return nullptr;
        const uint8_t *text = data_ + start + offset;
        return std::memchr(text, 0, size_ - start - offset) == nullptr
                   ? nullptr
                   : reinterpret_cast<const char *>(text);
    }
    size_t left() const
    {
        return size_ - at_;
    }
    size_t at() const
    {
        return at_;
    }

  private:
    const uint8_t *data_;
    size_t size_, at_ = 4;
};

constexpr uint32_t kNumbersOfOperator = 6;

bool read_plan(const uint8_t *data, size_t size, Plan *plan)
{
    uint32_t count = 0;
    if (size < 4 || std::memcmp(data, "DEMO", 4) != 0) return false;
    Reader reader(data, size);
    if (!reader.number(&plan->argument_count) || !reader.number(&plan->value_count) ||
        !reader.number(&count) || plan->value_count < plan->argument_count ||
        plan->value_count > size || count > reader.left() / (4 * kNumbersOfOperator)) {
        return false;
    }
    const size_t texts = reader.at() + size_t{4} * kNumbersOfOperator * count;
    for (uint32_t i = 0; i < count; i++) {
        Operator op = {};
        uint32_t name = 0;
        (void)reader.number(&op.kind);
        for (uint32_t &input : op.inputs) (void)reader.number(&input);
        (void)reader.number(&op.output);
        (void)reader.number(&name);
        op.name = reader.text(texts, name);
        for (const uint32_t value : {op.inputs[0], op.inputs[1], op.inputs[2], op.output}) {
            if (value >= plan->value_count) return false;
        }
        if (op.kind > kMulAdd || op.name == nullptr) return false;
        plan->operators.push_back(op);
    }
    return true;
}

void compute(const Operator &op, float *const *values, size_t count)
{
    const float *a = values[op.inputs[0]], *b = values[op.inputs[1]], *c = values[op.inputs[2]];
    float *out = values[op.output];
    for (size_t i = 0; i < count; i++) {
        out[i] = op.kind == kAdd ? a[i] + b[i] : op.kind == kMul ? a[i] * b[i] : a[i] * b[i] + c[i];
    }
}

class DemoBackend final : public BackendInterface
{
  public:
    bool is_available() const override
    {
        return true;
    }

    /* The plan's names stay in `processed`, which the runtime keeps as long as the handle. */
    Result<DelegateHandle *> init(BackendInitContext &context, FreeableBuffer *processed,
                                  ArrayRef<CompileSpec>) const override
    {
        Plan *plan = context.get_runtime_allocator()->allocateInstance<Plan>();
        if (plan == nullptr) return Error::MemoryAllocationFailed;
        new (plan) Plan();
        const auto *data = static_cast<const uint8_t *>(processed->data());
        if (!read_plan(data, processed->size(), plan)) {
            plan->~Plan();
            return Error::DelegateInvalidCompatibility;
        }
        return plan;
    }

    Error execute(BackendExecutionContext &context, DelegateHandle *handle,
                  Span<EValue *> args) const override
    {
        const Plan &plan = *static_cast<Plan *>(handle);
        if (args.size() != plan.argument_count || args.size() == 0) return Error::InvalidArgument;
        const size_t count = static_cast<size_t>(args[0]->toTensor().numel());
        std::vector<float *> values(plan.value_count);
        std::vector<float> inner(count * (plan.value_count - plan.argument_count));
        for (size_t i = 0; i < plan.value_count; i++) {
            if (i >= args.size()) {
                values[i] = inner.data() + count * (i - args.size());
                continue;
            }
            const Tensor &tensor = args[i]->toTensor();
            if (tensor.scalar_type() != ScalarType::Float ||
                static_cast<size_t>(tensor.numel()) != count) {
                return Error::InvalidArgument;
            }
            values[i] = tensor.mutable_data_ptr<float>();
        }
        for (const Operator &op : plan.operators) {
            etscope::DelegateOp event(context, op.name);
            compute(op, values.data(), count);
            if (op.output < args.size()) event.output(args[op.output]->toTensor());
        }
        return Error::Ok;
    }

    void destroy(DelegateHandle *handle) const override
    {
        static_cast<Plan *>(handle)->~Plan();
    }
};

DemoBackend backend;
const Error registered = register_backend({"DemoBackend", &backend});
}  // namespace
