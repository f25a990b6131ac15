// Mixtures of experts (com.microsoft's MoE and QMoE) as Einsums: the products of the active experts, whose weights are
// dimension h, tokens spread evenly (workloads/experts.h).
#include <fmt/format.h>

#include <iterator>
#include <utility>

#include "engine/formats/onnx/layers.h"
#include "workloads/experts.h"

namespace heliolite::onnx {
namespace {

// Where the weights of the products are among the inputs, and how many stand in an element. Scales of packed ones
// follow them.
struct MoeWeights {
  std::size_t up = 2, down = 4, gate = 6;
  i64 bits = 0;  // of a packed weight; 0: they are not packed

  bool packed() const { return bits != 0; }
  i64 in_element() const { return packed() ? 8 / bits : 1; }
};

MoeWeights moe_weights(Call& call) {
  if (call.op() != "QMoE") return {};
  MoeWeights out{.up = 2, .down = 5, .gate = 8, .bits = call.integer("expert_weight_bits", 4)};
  if (out.bits == 1 || out.bits == 2 || out.bits == 4 || out.bits == 8) return out;
  call.fail(fmt::format("expert_weight_bits = {}, must be 1, 2, 4 or 8", out.bits));
  return {};
}

struct MoeSizes {
  i64 tokens = 1, hidden = 1, experts = 1, per_token = 1;
  i64 up = 1;     // rows of the first product: the inner width, twice that if the gate is part of it
  i64 inner = 1;  // of the second
};

// Weights [experts, a, b], of which one is the width of the model, whichever the exporter puts first: the other. Packed
// are those of b.
i64 other_width(Call& call, std::size_t input, i64 in_element, const MoeSizes& m) {
  Shape weights = call.shape(input, 3);
  if (!call.ok()) return 1;
  weights[2] *= in_element;
  const bool last = weights[2] == m.hidden;
  if (weights[0] != m.experts || (!last && weights[1] != m.hidden))
    call.fail(
        fmt::format("weights of {} for {} experts and {} words of a token", to_text(weights), m.experts, m.hidden));
  return last ? weights[1] : weights[2];
}

MoeSizes moe_sizes(Call& call, const MoeWeights& weights) {
  MoeSizes m;
  const Shape& tokens = call.shape(0);
  const Shape& first = call.shape(weights.up, 3);
  if (call.ok() && (tokens.size() < 2 || tokens.size() > 3)) call.fail(fmt::format("tokens of {}", to_text(tokens)));
  if (!call.ok()) return m;
  m.hidden = tokens.back();
  m.tokens = elements(tokens) / std::max<i64>(1, m.hidden);
  m.experts = first[0];
  m.per_token = call.integer("k", 1);
  m.up = other_width(call, weights.up, weights.in_element(), m);
  m.inner = other_width(call, weights.down, weights.in_element(), m);
  if (call.ok() && (m.per_token < 1 || m.per_token > m.experts))
    call.fail(fmt::format("k = {}, must be from 1 to the {} experts", m.per_token, m.experts));
  if (call.ok() && (m.tokens < 1 || m.tokens > kMaxSize || m.hidden < 1 || (m.up != m.inner && m.up != 2 * m.inner)))
    call.fail(fmt::format("products to {} words and from {}", m.up, m.inner));
  return m;
}

constexpr const char* kChosen = "a selection of experts";
constexpr std::size_t kZeroPoints = 11;  // of QMoE: those of each product's weights

}  // namespace

Shapes moe_shape(Call& call) { return {call.shape(0)}; }

Drafts moe_layers(Call& call) {
  const MoeWeights weights = moe_weights(call);
  const MoeSizes m = moe_sizes(call, weights);
  const i64 block = call.integer("block_size", 0);
  const bool zero_points = weights.packed() && call.input(kZeroPoints) != nullptr;
  Drafts all;
  if (!call.ok()) return all;
  const auto product = [&](const ExpertGroup& group, std::size_t input, i64 rows, i64 k, const char* suffix) {
    std::vector<Operand> operands{{.tensor = "A", .value = call.input(input), .lost_by = kChosen}};
    if (weights.packed()) operands[0].bits = packed_bits({weights.bits, block, call.input(input + 1), zero_points});
    if (input != weights.down) operands.push_back({.tensor = "B", .value = call.input(0), .lost_by = kChosen});
    Drafts made = stacked_draft(call, {static_cast<i64>(group.experts), rows, static_cast<i64>(group.tokens), k},
                                std::move(operands));
    for (LayerDraft& draft : made) {
      draft.suffix = suffix;
      draft.lost_by = kChosen;
      all.push_back(std::move(draft));
    }
  };
  const std::vector<ExpertGroup> groups =
      spread_tokens(static_cast<u64>(m.experts), static_cast<u64>(m.tokens), static_cast<u64>(m.per_token));
  for (const ExpertGroup& group : groups) {
    const bool more = &group != &groups.front();
    product(group, weights.up, m.up, m.hidden, more ? ".fc1_more" : ".fc1");
    if (call.input(weights.gate) != nullptr)
      product(group, weights.gate, m.inner, m.hidden, more ? ".fc3_more" : ".fc3");
    product(group, weights.down, m.hidden, m.inner, more ? ".fc2_more" : ".fc2");
  }
  return all;
}

}  // namespace heliolite::onnx
