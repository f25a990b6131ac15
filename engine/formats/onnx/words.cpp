#include "engine/formats/onnx/words.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <string>
#include <string_view>
#include <utility>

#include "engine/base/integers.h"
#include "engine/base/mapped.h"

namespace heliolite::onnx {

// Types of tensors' elements, and how many bits of each lie in memory.

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

// In which order the words of a layer stand in a tensor, followed through reshapes and transposes.

namespace {

// Appends a part, as one with the part before it if it goes on where that one ends.
void append(Layout& layout, const Part& part) {
  if (part.size == 1) return;
  if (!layout.empty()) {
    Part& last = layout.back();
    if (last.dimension == part.dimension && last.inner == part.inner * part.size && !last.bordered && !part.bordered) {
      last.size *= part.size;
      last.inner = part.inner;
      return;
    }
  }
  layout.push_back(part);
}

// Takes the innermost `size` positions from the end of the layout, outermost first; nothing if no cut is there.
std::optional<Layout> take_back(Layout& layout, i64 size) {
  Layout taken;
  while (size > 1) {
    if (layout.empty()) return std::nullopt;
    Part& part = layout.back();
    if (part.size <= size) {
      if (size % part.size != 0) return std::nullopt;
      size /= part.size;
      taken.push_back(part);
      layout.pop_back();
    } else {
      if (part.size % size != 0 || part.bordered) return std::nullopt;
      taken.push_back({part.dimension, size, part.inner});
      part.inner *= size;
      part.size /= size;
      size = 1;
    }
  }
  std::ranges::reverse(taken);
  return taken;
}

// The parts of each dimension of a tensor of this shape; nothing if a part is in two of them.
std::optional<std::vector<Layout>> by_dimension(Layout layout, const Shape& shape) {
  std::vector<Layout> out(shape.size());
  for (std::size_t d = shape.size(); d-- > 0;) {
    std::optional<Layout> parts = take_back(layout, shape[d]);
    if (!parts) return std::nullopt;
    out[d] = *std::move(parts);
  }
  if (!layout.empty()) return std::nullopt;
  return out;
}

LayoutPtr joined_parts(const std::vector<Layout>& dimensions) {
  Layout all;
  for (const Layout& parts : dimensions)
    for (const Part& part : parts) append(all, part);
  return std::make_shared<const Layout>(std::move(all));
}

LayoutPtr transposed(Call& call, const Layout& layout, const Shape& shape) {
  const auto parts = by_dimension(layout, shape);
  const auto order = call.integers("perm");
  if (!parts || (order && order->size() != shape.size())) return nullptr;
  std::vector<Layout> moved;
  for (std::size_t d = 0; d < shape.size(); ++d) {
    const std::size_t from = order ? static_cast<std::size_t>((*order)[d]) : shape.size() - 1 - d;
    if (from >= shape.size()) return nullptr;
    moved.push_back((*parts)[from]);
  }
  return joined_parts(moved);
}

// A border makes a line longer that is the whole of its dimension.
LayoutPtr bordered(const Layout& layout, const Shape& in, const Shape& out) {
  auto parts = by_dimension(layout, in);
  if (!parts) return nullptr;
  for (std::size_t d = 0; d < in.size(); ++d) {
    if (in[d] == out[d]) continue;
    Layout& of = (*parts)[d];
    if (of.size() != 1 || of.front().inner != 1) return nullptr;
    of.front().size = out[d];
    of.front().bordered = true;
  }
  return joined_parts(*parts);
}

i64 positions(const Layout& layout) { return elements(mapped(layout, &Part::size)); }

// Equal positions of both orders, outermost first.
struct PartPair {
  Part made, read;
};

std::optional<std::vector<PartPair>> matched_parts(Layout made, Layout read) {
  std::vector<PartPair> out;
  while (!made.empty() && !read.empty()) {
    const i64 size = std::min(made.back().size, read.back().size);
    const auto a = take_back(made, size), b = take_back(read, size);
    if (!a || !b || a->size() != 1 || b->size() != 1) return std::nullopt;
    out.push_back({a->front(), b->front()});
  }
  std::ranges::reverse(out);
  return out;
}

// The other side's dimensions that meet this one, in the order of its own positions; nothing if they come in pieces.
std::optional<std::vector<std::string>> partners(std::vector<PartPair> all, Part PartPair::*side, Part PartPair::*other,
                                                 const std::string& dimension) {
  std::erase_if(all, [&](const PartPair& m) { return (m.*side).dimension != dimension; });
  std::ranges::stable_sort(all, std::ranges::greater{}, [&](const PartPair& m) { return (m.*side).inner; });
  std::vector<std::string> names;
  i64 inner = 0;
  for (const PartPair& m : all) {
    const Part& met = m.*other;
    const bool goes_on = !names.empty() && names.back() == met.dimension;
    if (goes_on ? met.inner * met.size != inner : std::ranges::find(names, met.dimension) != names.end())
      return std::nullopt;
    if (!goes_on) names.push_back(met.dimension);
    inner = met.inner;
  }
  return names;
}

std::vector<int> dimensions(const Workload& workload, const std::vector<std::string>& names) {
  return mapped(names, [&](const std::string& name) { return workload.find_dimension(name).value_or(-1); });
}

}  // namespace

Layout layout_of(Layout parts) {
  std::map<std::string, i64> inner;
  for (auto part = parts.rbegin(); part != parts.rend(); ++part) {
    i64& below = inner.emplace(part->dimension, 1).first->second;
    part->inner = below;
    below *= part->size;
  }
  Layout out;
  for (const Part& part : parts) append(out, part);
  return out;
}

LayoutPtr passed_on(const OperatorRow& op, Call& call, const TensorFacts& input, const LayoutPtr& layout,
                    const std::optional<Shape>& out) {
  if (!layout || !input.shape || !out) return nullptr;
  if (op.name == "Transpose") return transposed(call, *layout, *input.shape);
  if (op.flow == Passage::Pad) return *input.shape == *out ? layout : bordered(*layout, *input.shape, *out);
  const bool reorders = op.name == "DepthToSpace" || op.name == "SpaceToDepth" || op.name == "Slice";
  return reorders || elements(*input.shape) != elements(*out) ? nullptr : layout;
}

StatedRanks ranks_between(const EdgeEnds& ends, const Layout& made, const Layout& read) {
  if (made.empty() || read.empty() || positions(made) != positions(read)) return {};
  const auto all = matched_parts(made, read);
  if (!all) return {true, {}};
  StatedRanks out{true, {}};
  std::vector<std::string> done;
  for (const PartPair& pair : *all) {
    const std::string& from = pair.made.dimension;
    if (std::ranges::find(done, from) != done.end()) continue;
    auto readers = partners(*all, &PartPair::made, &PartPair::read, from);
    if (!readers) return {true, {}};
    std::vector<std::string> makers{from};
    for (const std::string& reader : *readers) {
      const auto back = partners(*all, &PartPair::read, &PartPair::made, reader);
      if (!back || (back->size() > 1 && readers->size() > 1)) return {true, {}};
      if (back->size() > 1) makers = *back;
    }
    done.insert(done.end(), makers.begin(), makers.end());
    out.pairs.push_back({dimensions(*ends.maker, makers), dimensions(*ends.reader, *readers)});
  }
  std::ranges::sort(out.pairs);
  if (rank_problem(ends, out.pairs)) return {true, {}};
  return out;
}

}  // namespace heliolite::onnx
