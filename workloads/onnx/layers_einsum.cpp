#include <fmt/format.h>

#include <algorithm>

#include "engine/base/integers.h"
#include "engine/base/text.h"
#include "workloads/onnx/einsum_equation.h"
#include "workloads/onnx/layers.h"
#include "workloads/onnx/repeats.h"

namespace heliolite::onnx {
namespace {

bool in(const std::vector<int>& indices, int i) { return std::ranges::count(indices, i) > 0; }

// Indices of operand `o` without those of size 1, which are no indices: they are stretched.
std::vector<int> indices_of(Call& call, const Equation& equation, std::size_t o) {
  const Shape& shape = call.shape(o);
  std::vector<int> out;
  for (std::size_t d = 0; d < shape.size(); ++d) {
    const int i = equation.operands[o][d];
    if (shape[d] == 1 && equation.sizes[at(i)] >= 1) continue;
    if (in(out, i)) call.fail(fmt::format("takes a diagonal: index {} twice in one operand", equation.names[at(i)]));
    out.push_back(i);
  }
  return out;
}

// Where operand `o` has the index, which it has.
std::size_t dimension_of(const Equation& e, std::size_t o, int index) {
  return static_cast<std::size_t>(std::ranges::find(e.operands[o], index) - e.operands[o].begin());
}

// Every index is in one of the four classes of a product of matrices.
Drafts pairwise(Call& call, const Equation& e) {
  const std::vector<int> a = indices_of(call, e, 0), b = indices_of(call, e, 1);
  Product p{.first = call.input(0), .second = call.input(1)};
  for (std::size_t i = 0; i < e.sizes.size() && call.ok(); ++i) {
    const int index = static_cast<int>(i);
    const bool first = in(a, index), second = in(b, index), out = in(e.output, index);
    if (!first && !second) continue;  // of size 1
    if (first != second && !out) call.fail(fmt::format("sums one operand over index {}", e.names[i]));
    const auto times = [&](i64& into, i64 size) {
      if (__builtin_mul_overflow(into, size, &into)) call.fail("too many elements");
    };
    if (!first || !second || !out) {
      times(first && second ? p.k : first ? p.of_first : p.of_second, e.sizes[i]);
      continue;
    }
    const SharedIndex shared = shared_index(*p.first, dimension_of(e, 0, index), *p.second, dimension_of(e, 1, index));
    times(p.stacked, shared.both);
    times(p.of_first, shared.first);
    times(p.of_second, shared.second);
    p.first_once = p.first_once || shared.second > 1;
    p.second_once = p.second_once || shared.first > 1;
  }
  if (!call.ok()) return {};
  return product_draft(call, p);
}

// Upper and lower case are told apart in equations but not in names of dimensions.
std::string dimension_name(const std::string& index) {
  return index.size() == 1 && index[0] < 'a' ? lower(index) + "_" : index;
}

Drafts many(Call& call, const Equation& e) {
  const auto tensor = [&](const std::string& name, const std::vector<int>& indices) {
    std::vector<std::string> ranks;
    for (const int i : indices) ranks.push_back(dimension_name(e.names[at(i)]));
    return fmt::format("{}[{}]", name, fmt::join(ranks, ","));
  };
  std::vector<std::string> reads;
  std::vector<Operand> operands;
  std::vector<int> used, output;
  for (std::size_t o = 0; o < e.operands.size(); ++o) {
    const std::vector<int> indices = indices_of(call, e, o);
    used.insert(used.end(), indices.begin(), indices.end());
    operands.push_back({fmt::format("t{}", o), call.input(o)});
    reads.push_back(tensor(operands.back().tensor, indices));
  }
  std::ranges::copy_if(e.output, std::back_inserter(output), [&](int i) { return in(used, i); });
  Parameters sizes;
  std::vector<std::string> names;
  for (std::size_t i = 0; i < e.names.size(); ++i) names.push_back(dimension_name(e.names[i]));
  for (std::size_t i = 0; i < e.names.size(); ++i)
    if (in(used, static_cast<int>(i))) sizes.emplace_back(names[i], e.sizes[i]);
  return einsum_draft(call, fmt::format("{} += {}", tensor("out", output), fmt::join(reads, " * ")), sizes,
                      std::move(operands));
}

}  // namespace

Shapes einsum_shape(Call& call) {
  const Equation equation = equation_of(call);
  Shape out;
  for (const int i : equation.output) out.push_back(equation.sizes[at(i)]);
  return {out};
}

Drafts einsum_layers(Call& call) {
  const Equation equation = equation_of(call);
  if (!call.ok() || equation.operands.size() < 2) return {};
  return equation.operands.size() == 2 ? pairwise(call, equation) : many(call, equation);
}

}  // namespace heliolite::onnx
