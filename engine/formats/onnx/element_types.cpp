// Types of tensors' elements, and how many bits of each lie in memory.
#include <algorithm>
#include <array>
#include <cmath>
#include <string_view>

#include "engine/base/integers.h"
#include "engine/formats/onnx/words.h"

namespace heliolite::onnx {
namespace {

// [DataType]: undefined, float, uint8, int8, uint16, int16, int32, int64, string, bool, float16, double, uint32,
// uint64, complex64, complex128, bfloat16, four float8, uint4, int4, float4, float8 of exponents alone.
constexpr std::array<u64, 25> kElementBits{0,  32, 8,   8,  16, 16, 32, 64, 0, 8, 16, 64, 32,
                                           64, 64, 128, 16, 8,  8,  8,  8,  4, 4, 4,  8};

i64 type_of(const Call& call, std::size_t input) {
  const TensorFacts* const value = call.input(input);
  return value == nullptr ? 0 : value->element;
}

// The input by which an operator says the type of what it makes.
struct TypeInput {
  std::string_view op;
  std::size_t input;
};
constexpr std::array kTypeInputs{
    TypeInput{"CastLike", 1},         TypeInput{"QuantizeLinear", 2},      TypeInput{"QLinearConv", 7},
    TypeInput{"QLinearMatMul", 7},    TypeInput{"QLinearAdd", 7},          TypeInput{"QLinearMul", 7},
    TypeInput{"QLinearSigmoid", 4},   TypeInput{"QLinearLeakyRelu", 4},    TypeInput{"QLinearSoftmax", 4},
    TypeInput{"DequantizeLinear", 1}, TypeInput{"MatMulIntegerToFloat", 2}};

// Bits of what QONNX's operators make, as constants that are inputs say; 0: unknown.
u64 rounded_bits(const Call& call) {
  const auto number = [&](std::size_t input) -> u64 {
    const TensorFacts* const value = call.input(input);
    if (value == nullptr || !value->contents || value->contents->size() != 1) return 0;
    const double bits =
        value->contents->real ? value->contents->reals.front() : static_cast<double>(value->contents->integers.front());
    return bits > 0 && bits <= static_cast<double>(kMaxWordLength) ? static_cast<u64>(std::ceil(bits)) : 0;
  };
  const std::string_view op = call.op();
  if (op == "Quant" || op == "IntQuant") return number(3);
  if (op == "BipolarQuant") return 1;
  if (op == "Trunc") return number(4);
  if (op != "FloatQuant" || number(2) == 0 || number(3) == 0) return 0;
  return 1 + number(2) + number(3);  // sign, exponent, mantissa
}

i64 constant_type(const Call& call) {
  const Attribute* const value = call.find("value");
  if (value != nullptr && value->t != nullptr) return value->t->type;
  if (call.has("value_float") || call.has("value_floats")) return kFloat;
  if (call.has("value_int") || call.has("value_ints")) return kInt64;
  return 0;
}

// The type of output `i`; 0: unknown.
i64 made(Call& call, std::size_t i) {
  const std::string_view op = call.op();
  if (op == "Constant") return constant_type(call);
  if (op == "Cast") return call.integer("to", 0);
  if (op == "ConvInteger" || op == "MatMulInteger") return kInt32;
  if (op == "Shape" || op == "Size") return kInt64;
  if (op == "DynamicQuantizeLinear") return i == 1 ? kFloat : kUint8;
  for (const TypeInput& of : kTypeInputs) {
    if (of.op != op) continue;
    const i64 type = type_of(call, of.input);
    if (type != 0) return type;
    if (op == "QuantizeLinear") return call.integer("output_dtype", kUint8);
    if (op == "DequantizeLinear") return kFloat;
    return 0;
  }
  return i == 0 ? type_of(call, 0) : 0;
}

}  // namespace

u64 element_bits(i64 type) {
  return type >= 0 && type < static_cast<i64>(kElementBits.size()) ? kElementBits[type] : 0;
}

void infer_elements(const OperatorRow* op, Call& call, std::vector<TensorFacts>& outputs) {
  const TensorFacts* const from = call.input(0);
  const bool moved = op != nullptr && (op->flow == Passage::Layout || op->flow == Passage::Part) &&
                     call.op() != "Cast" && call.op() != "CastLike";
  for (std::size_t i = 0; i < outputs.size(); ++i) {
    TensorFacts& value = outputs[i];
    if (value.element == 0) value.element = made(call, i);
    value.stored_bits = element_bits(value.element);
    if (from == nullptr) continue;
    if (call.op() == "DequantizeLinear") value.stored_bits = element_bits(from->element);
    else if (moved) value.stored_bits = from->stored_bits;
    else if (const u64 bits = rounded_bits(call); bits != 0) value.stored_bits = bits;
  }
}

bool types_differ(const LayerDraft& draft) {
  WordLength first = 0;
  for (const Operand& operand : draft.operands) {
    if (operand.value == nullptr) continue;
    const WordLength bits = operand.bits != 0 ? operand.bits : WordLength(operand.value->stored_bits);
    if (bits != 0 && first != 0 && bits != first) return true;
    if (bits != element_bits(operand.value->element) && bits != 0) return true;
    first = bits != 0 ? bits : first;
  }
  return false;
}

void set_word_bits(LayerDraft& draft, const TensorFacts& output) {
  const auto set = [](Tensor& tensor, WordLength bits) {
    if (!refusal(bits)) tensor.word_bits = bits;
  };
  for (const Operand& operand : draft.operands)
    if (const auto v = draft.workload.find_tensor(operand.tensor))
      set(draft.workload.tensors[*v], operand.bits != 0          ? operand.bits
                                      : operand.value != nullptr ? WordLength(operand.value->stored_bits)
                                                                 : WordLength(output.stored_bits));
  set(draft.workload.tensors[draft.workload.output()], output.stored_bits);
  for (Tensor& t : draft.workload.tensors)
    if (t.access_of) t.word_bits = draft.workload.tensors[*t.access_of].word_bits;
}

}  // namespace heliolite::onnx
