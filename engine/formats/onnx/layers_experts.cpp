// Mixtures of experts (com.microsoft's MoE) as Einsums: the products of the active experts, whose weights are dimension
// h, tokens spread evenly (workloads/experts.h).
#include <fmt/format.h>

#include <iterator>
#include <utility>

#include "engine/formats/onnx/layers.h"
#include "workloads/experts.h"

namespace heliolite::onnx {
namespace {

struct MoeSizes {
  i64 tokens = 1, hidden = 1, experts = 1, per_token = 1;
  i64 up = 1;     // rows of the first product: the inner width, twice that if the gate is part of it
  i64 inner = 1;  // of the second
};

// Weights [experts, a, b], of which one is the width of the model, whichever the exporter puts first: the other.
i64 other_width(Call& call, std::size_t input, const MoeSizes& m) {
  const Shape& weights = call.shape(input, 3);
  if (!call.ok()) return 1;
  const bool last = weights[2] == m.hidden;
  if (weights[0] != m.experts || (!last && weights[1] != m.hidden))
    call.fail(
        fmt::format("weights of {} for {} experts and {} words of a token", to_text(weights), m.experts, m.hidden));
  return last ? weights[1] : weights[2];
}

MoeSizes moe_sizes(Call& call) {
  MoeSizes m;
  const Shape& tokens = call.shape(0);
  const Shape& first = call.shape(2, 3);
  if (call.ok() && (tokens.size() < 2 || tokens.size() > 3)) call.fail(fmt::format("tokens of {}", to_text(tokens)));
  if (!call.ok()) return m;
  m.hidden = tokens.back();
  m.tokens = elements(tokens) / std::max<i64>(1, m.hidden);
  m.experts = first[0];
  m.per_token = call.integer("k", 1);
  m.up = other_width(call, 2, m);
  m.inner = other_width(call, 4, m);
  if (call.ok() && (m.per_token < 1 || m.per_token > m.experts))
    call.fail(fmt::format("k = {}, must be from 1 to the {} experts", m.per_token, m.experts));
  if (call.ok() && (m.tokens < 1 || m.tokens > kMaxSize || m.hidden < 1 || (m.up != m.inner && m.up != 2 * m.inner)))
    call.fail(fmt::format("products to {} words and from {}", m.up, m.inner));
  return m;
}

constexpr const char* kChosen = "a selection of experts";
constexpr std::size_t kThird = 6;  // the gate's weights, if they are apart

}  // namespace

Shapes moe_shape(Call& call) { return {call.shape(0)}; }

Drafts moe_layers(Call& call) {
  const MoeSizes m = moe_sizes(call);
  Drafts all;
  if (!call.ok()) return all;
  const auto product = [&](const ExpertGroup& group, std::size_t weights, i64 rows, i64 k, const char* suffix) {
    std::vector<Operand> operands{{.tensor = "A", .value = call.input(weights), .lost_by = kChosen}};
    if (k == m.hidden && weights != 4) operands.push_back({.tensor = "B", .value = call.input(0), .lost_by = kChosen});
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
    product(group, 2, m.up, m.hidden, more ? ".fc1_more" : ".fc1");
    if (call.input(kThird) != nullptr) product(group, kThird, m.inner, m.hidden, more ? ".fc3_more" : ".fc3");
    product(group, 4, m.hidden, m.inner, more ? ".fc2_more" : ".fc2");
  }
  return all;
}

}  // namespace heliolite::onnx
