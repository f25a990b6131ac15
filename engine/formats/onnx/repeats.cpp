// Words of a tensor that are the same along a dimension, followed from node to node.
#include <algorithm>
#include <array>
#include <iterator>
#include <utility>

#include "engine/base/mapped.h"
#include "engine/formats/onnx/words.h"

namespace heliolite::onnx {
namespace {

// Factors of one dimension, outermost first; those of size 1 are left out.
Factors factors_of(const TensorFacts& tensor, std::size_t d) {
  if (tensor.repeats) return (*tensor.repeats)[d];
  const i64 size = (*tensor.shape)[d];
  return size == 1 ? Factors{} : Factors{{size, false}};
}

void push(Factors& factors, Factor factor) {
  if (factor.size == 1) return;
  if (!factors.empty() && factors.back().repeated == factor.repeated) factors.back().size *= factor.size;
  else factors.push_back(factor);
}

// Both lists cut at the same places, innermost first; none if they cannot be.
struct Pair {
  i64 size = 1;
  bool first = false, second = false;  // repeated
};
std::optional<std::vector<Pair>> cut_alike(Factors a, Factors b) {
  std::vector<Pair> out;
  while (!a.empty() && !b.empty()) {
    Factor &x = a.back(), &y = b.back();
    const i64 size = std::min(x.size, y.size);
    if (size < 1 || x.size % size != 0 || y.size % size != 0) return std::nullopt;
    out.push_back({size, x.repeated, y.repeated});
    if ((x.size /= size) == 1) a.pop_back();
    if ((y.size /= size) == 1) b.pop_back();
  }
  return out;
}

// Repeated where both are.
Factors both_repeated(const Factors& a, const Factors& b, i64 size) {
  Factors out;
  if (const auto pairs = cut_alike(a, b)) {
    for (auto pair = pairs->rbegin(); pair != pairs->rend(); ++pair)
      push(out, {pair->size, pair->first && pair->second});
    return out;
  }
  push(out, {size, false});
  return out;
}

using Maybe = std::optional<FactorLists>;

// A reshape keeps elements and their order: factors are cut where the new dimensions end.
Maybe reshaped(const TensorFacts& in, const Shape& out) {
  Factors all;
  for (std::size_t d = 0; d < in.shape->size(); ++d) {
    const Factors here = factors_of(in, d);
    all.insert(all.end(), here.begin(), here.end());
  }
  FactorLists repeats(out.size());
  for (std::size_t d = out.size(); d-- > 0;) {
    Factors reversed;
    for (i64 left = out[d]; left > 1;) {
      if (all.empty()) return std::nullopt;
      Factor& last = all.back();
      const i64 size = std::min(left, last.size);
      if (left % size != 0 || last.size % size != 0) return std::nullopt;
      push(reversed, {size, last.repeated});
      left /= size;
      if ((last.size /= size) == 1) all.pop_back();
    }
    std::ranges::reverse(reversed);
    repeats[d] = std::move(reversed);
  }
  return repeats;
}

// Every input stretched to the output, position by position.
Maybe broadcast(Call& call, const Shape& out) {
  Maybe all;
  for (std::size_t i = 0; i < call.inputs(); ++i) {
    const TensorFacts* in = call.input(i);
    if (in == nullptr) continue;
    if (!in->shape || in->shape->size() > out.size()) return std::nullopt;
    const std::size_t missing = out.size() - in->shape->size();
    FactorLists here(out.size());
    for (std::size_t d = 0; d < out.size(); ++d) {
      const bool stretched = d < missing || (*in->shape)[d - missing] != out[d];
      if (!stretched) here[d] = factors_of(*in, d - missing);
      else push(here[d], {out[d], true});
    }
    if (all)
      for (std::size_t d = 0; d < out.size(); ++d) here[d] = both_repeated((*all)[d], here[d], out[d]);
    all = std::move(here);
  }
  return all;
}

// Dimensions that keep their size in every input keep what is repeated in all of them; others are taken for plain.
Maybe parted(Call& call, const Shape& out, std::size_t inputs) {
  FactorLists all(out.size());
  for (std::size_t d = 0; d < out.size(); ++d) {
    bool kept = true;
    for (std::size_t i = 0; i < inputs; ++i) {
      const TensorFacts* in = call.input(i);
      if (in == nullptr || !in->shape || in->shape->size() != out.size()) return std::nullopt;
      const bool same = (*in->shape)[d] == out[d];
      kept = kept && same;
      if (same) all[d] = i == 0 ? factors_of(*in, d) : both_repeated(all[d], factors_of(*in, d), out[d]);
    }
    if (kept) continue;
    all[d].clear();
    push(all[d], {out[d], false});
  }
  return all;
}

Maybe tiled(const TensorFacts& in, const Shape& out) {
  FactorLists all(out.size());
  for (std::size_t d = 0; d < out.size(); ++d) {
    if ((*in.shape)[d] > 0) push(all[d], {out[d] / (*in.shape)[d], true});
    for (const Factor& factor : factors_of(in, d)) push(all[d], factor);
  }
  return all;
}

Maybe transposed(Call& call, const TensorFacts& in) {
  return mapped(transpose_order(call, in.shape->size()), [&](const std::size_t from) { return factors_of(in, from); });
}

// Whether all inputs but the first are left out or of one element.
bool acts_alike(Call& call) {
  for (std::size_t i = 1; i < call.inputs(); ++i)
    if (const TensorFacts* in = call.input(i); in != nullptr && (!in->shape || elements(*in->shape) != 1)) return false;
  return true;
}

Maybe found(const OperatorRow& op, Call& call, const Shape& out) {
  const TensorFacts* in = call.input(0);
  if (in == nullptr || !in->shape) return std::nullopt;
  constexpr std::array<std::string_view, 8> kInOrder{"Identity", "Dropout",   "Cast",    "CastLike",
                                                     "Reshape",  "Unsqueeze", "Squeeze", "Flatten"};
  const auto any = [&](std::size_t inputs) {
    for (std::size_t i = 0; i < inputs; ++i)
      if (call.input(i) != nullptr && call.input(i)->repeats) return true;
    return false;
  };
  if (op.name == "Tile") return in->shape->size() == out.size() ? tiled(*in, out) : std::nullopt;
  if (op.name == "Expand") {
    FactorLists all(out.size());
    const std::size_t missing = out.size() - std::min(out.size(), in->shape->size());
    for (std::size_t d = 0; d < out.size(); ++d) {
      if (d >= missing && (*in->shape)[d - missing] == out[d]) all[d] = factors_of(*in, d - missing);
      else push(all[d], {out[d], true});
    }
    return all;
  }
  if (!any(call.inputs())) return std::nullopt;
  if (op.name == "Transpose") return transposed(call, *in);
  if (std::ranges::count(kInOrder, op.name) > 0) return reshaped(*in, out);
  if (op.name == "Concat") return parted(call, out, call.inputs());
  if (op.name == "Slice" || op.name == "Split") return parted(call, out, 1);
  const bool by_position = op.flow == Passage::Elementwise || op.flow == Passage::Norm || op.flow == Passage::Softmax;
  if (!by_position || call.has("broadcast")) return std::nullopt;  // opsets before 7 align otherwise
  if (op.shapes == broadcast_shape || op.shapes == layer_normalization_shapes) return broadcast(call, out);
  return op.shapes == same_shape && acts_alike(call) && *in->shape == out && in->repeats ? Maybe(*in->repeats)
                                                                                         : std::nullopt;
}

}  // namespace

FactorListsPtr repeats_of(const OperatorRow& op, Call& call, const Shape& out) {
  if (std::ranges::any_of(out, [](i64 size) { return size < 1; })) return nullptr;
  const Maybe repeats = found(op, call, out);
  if (!call.ok() || !repeats) return nullptr;
  const auto repeated = [](const Factors& factors) { return std::ranges::any_of(factors, &Factor::repeated); };
  return std::ranges::any_of(*repeats, repeated) ? std::make_shared<const FactorLists>(*repeats) : nullptr;
}

SharedIndex shared_index(const TensorFacts& first, std::size_t d, const TensorFacts& second, std::size_t e) {
  SharedIndex out;
  const auto pairs = cut_alike(factors_of(first, d), factors_of(second, e));
  if (!pairs) return {(*first.shape)[d], 1, 1};
  for (const Pair& pair : *pairs)
    (pair.first == pair.second ? out.both : pair.first ? out.second : out.first) *= pair.size;
  return out;
}

i64 repeated_heads(const TensorFacts& keys, std::size_t d, const TensorFacts& values, std::size_t e, i64 heads) {
  // The heads' own factors, without those of the words of a head: the innermost ones repeated in both.
  const auto of_heads = [&](const TensorFacts& tensor, std::size_t dimension) -> std::optional<Factors> {
    const i64 size = (*tensor.shape)[dimension];
    if (size % heads != 0) return std::nullopt;
    TensorFacts flat;
    flat.shape = Shape{size};
    flat.repeats = std::make_shared<const FactorLists>(FactorLists{factors_of(tensor, dimension)});
    const Maybe cut = reshaped(flat, {heads, size / heads});
    return cut ? std::optional((*cut)[0]) : std::nullopt;
  };
  const auto of_keys = of_heads(keys, d), of_values = of_heads(values, e);
  if (!of_keys || !of_values) return 1;
  const auto pairs = cut_alike(*of_keys, *of_values);
  i64 times = 1;
  for (std::size_t i = 0; pairs && i < pairs->size() && (*pairs)[i].first && (*pairs)[i].second; ++i)
    times *= (*pairs)[i].size;
  return times;
}

}  // namespace heliolite::onnx
