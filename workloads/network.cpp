#include "workloads/network.h"

#include <fmt/format.h>

#include <limits>

#include "engine/base/integers.h"

namespace heliolite {

std::string_view name(Operator op) {
  switch (op) {
    case Operator::None: return "none";
    case Operator::Elementwise: return "elementwise";
    case Operator::Softmax: return "softmax";
    case Operator::Norm: return "norm";
    case Operator::Pool: return "pool";
    case Operator::Resize: return "resize";
  }
  return "";
}

std::string_view name(Combine combine) {
  switch (combine) {
    case Combine::Alone: return "alone";
    case Combine::Add: return "add";
    case Combine::Multiply: return "multiply";
    case Combine::Concat: return "concat";
  }
  return "";
}

bool reads_whole(const Edge& edge) {
  const Operator op = edge.through.op;
  return op != Operator::Pool && op != Operator::Resize && edge.combine != Combine::Concat && !edge.slice;
}

Repeats repeats(const Network& network, const Edge& edge) {
  if (edge.from_input) return Repeats::Each;
  const u64 from = network.layers[edge.from].count, to = network.layers[edge.to].count;
  if (from == to) return Repeats::Each;
  if (from > to) return edge.outputs > 1 ? Repeats::Joined : Repeats::Last;
  return edge.shares > 1 ? Repeats::Divided : Repeats::Shared;
}

std::string repeats_text(const Network& network, const Edge& edge) {
  const auto ratio = [&](int more, int fewer) { return network.layers[more].count / network.layers[fewer].count; };
  switch (repeats(network, edge)) {
    case Repeats::Each: break;
    case Repeats::Last: return fmt::format("last of {}", ratio(edge.from, edge.to));
    case Repeats::Joined: return fmt::format("{} joined", edge.outputs);
    case Repeats::Shared: return fmt::format("1 for {}", ratio(edge.to, edge.from));
    case Repeats::Divided: return fmt::format("shared out to {}", edge.shares);
  }
  return "";
}

u64 Network::macs() const {
  constexpr u64 kTooMany = std::numeric_limits<u64>::max();
  u128 total = 0;
  for (const Layer& layer : layers) total += u128{layer.count} * layer.workload.macs();
  return total > kTooMany ? kTooMany : static_cast<u64>(total);
}

u64 Network::runs() const {
  u64 sum = 0;
  for (const Layer& layer : layers) sum += layer.count;
  return sum;
}

std::optional<u64> Network::inferences() const {
  if (layers.size() < 2 || !one_run.empty()) return std::nullopt;
  return batch;
}

std::optional<double> Network::run_tokens() const {
  if (layers.size() < 2 || !tokens) return std::nullopt;
  return static_cast<double>(batch) * static_cast<double>(*tokens);
}

std::string layers_alone_note(std::string_view outermost) {
  return fmt::format(
      "layers are mapped alone: all activations between them go through {}, even where they would fit inside",
      outermost);
}

std::string layers_alone_note(const Network& network, std::string_view outermost) {
  return network.layers.size() < 2 ? "" : layers_alone_note(outermost);
}

}  // namespace heliolite
