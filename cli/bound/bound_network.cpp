#include "cli/bound/bound_network.h"

#include <fmt/format.h>

#include <utility>

#include "cli/ui/interrupt.h"
#include "cli/ui/table.h"
#include "engine/base/integers.h"
#include "engine/base/text.h"
#include "engine/bounds/fusion/chain.h"
#include "engine/bounds/network/network_bound.h"

namespace heliolite::cli {
namespace {

constexpr std::size_t kNamed = 4;  // operands that a note lists

constexpr const char* kAnything =
    "as before, but inputs without an edge may be one array, or another layer's output; "
    "weights are arrays of their own";

void note_equal(const Network& network, const UnnamedOperands& unnamed, const Output& output) {
  std::vector<std::string> names = unnamed.equal();
  if (names.empty()) return;
  const std::size_t more = names.size() > kNamed ? names.size() - kNamed : 0;
  names.resize(names.size() - more);
  if (more > 0) names.push_back(fmt::format("{} more", more));
  output.note(
      fmt::format("heliolite: {} does not say whether inputs of equal size are one array: {}; they are taken for "
                  "different ones ('reads' and 'edges' name them)",
                  network.name, join(names)));
}

}  // namespace

NetworkAnswer network_answer(const Network& network, const std::vector<double>& capacities, const WordUnit& unit,
                             const Output& output) {
  const UnnamedOperands unnamed(network, Unnamed::Anything);
  const bool assumed = unnamed.any();
  note_equal(network, unnamed, output);
  std::vector<std::string> columns{"capacity", fmt::format("{} at least", unit.name())};
  if (assumed) columns.emplace_back("whatever inputs share");
  Table table(columns);
  NetworkAnswer answer;
  answer.json = Json::array();
  for (const double capacity : capacities) {
    const auto words = until_interrupted([=] {
      return std::pair(network_bound(network, capacity, Unnamed::Apart, unit).words,
                       assumed ? network_bound(network, capacity, Unnamed::Anything, unit).words : 0);
    });
    if (!words) break;
    std::vector<std::string> row{count(capacity), grouped(words->first)};
    Json json{{"capacity_words", capacity}, {"words", words->first}, {"holds_under", kNetworkHoldsUnder}};
    if (assumed) {
      row.push_back(grouped(words->second));
      json["whatever_inputs_share"] = {{"words", words->second}, {"holds_under", kAnything}};
    }
    table.row(row);
    answer.json.push_back(std::move(json));
  }
  answer.text = "the whole network, however it is fused; operands without an edge are arrays of their own:\n\n" +
                table.to_string();
  if (assumed)
    answer.text += "  whatever inputs share: inputs without an edge may be one array, or another layer's output.\n";
  return answer;
}

Json edges_not_fused(const Network& network) {
  Json edges = Json::array();
  for (const Edge& e : network.edges) {
    const std::string why = e.from_input ? "" : why_not_fused(network, e);
    if (why.empty()) continue;
    const Workload &from = network.layers[e.from].workload, &to = network.layers[e.to].workload;
    edges.push_back({{"from", from.name}, {"to", to.name}, {"tensor", to.tensors[e.tensor].name}, {"because", why}});
  }
  return edges;
}

std::string note_not_fused(const Network& network) {
  std::vector<std::string> edges;
  for (const Json& e : edges_not_fused(network))
    edges.push_back(fmt::format("{} to {} of {} ({})", e["from"].get<std::string>(), e["tensor"].get<std::string>(),
                                e["to"].get<std::string>(), e["because"].get<std::string>()));
  return edges.empty() ? "" : fmt::format("heliolite: {}: not fused: {}", network.name, join(edges));
}

}  // namespace heliolite::cli
