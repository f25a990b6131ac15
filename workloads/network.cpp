#include "workloads/network.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <limits>
#include <utility>

#include "engine/base/integers.h"
#include "engine/base/mapped.h"
#include "engine/base/text.h"
#include "engine/inputs/read_options.h"

namespace heliolite {

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

u64 Network::runs() const { return sum_of<u64>(layers, &Layer::count); }

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

namespace {

bool is_dimension_name(std::string_view text) {
  return !text.empty() && is_letter(text.front()) &&
         std::ranges::all_of(text, [](char c) { return is_letter(c) || is_digit(c); });
}

}  // namespace

Result<std::vector<Rename>> parse_renames(const std::string& text) {
  std::vector<Rename> renames;
  for (const std::string& part : split(text, ',')) {
    const std::size_t equals = std::min(part.find('='), part.size());
    const std::string from(trim(std::string_view(part).substr(0, equals)));
    const std::string to(equals < part.size() ? trim(std::string_view(part).substr(equals + 1)) : "");
    const bool twice = std::ranges::find(renames, from, &Rename::from) != renames.end();
    if (!is_dimension_name(from) || !is_dimension_name(to) || twice)
      return Diagnostic{"", 0, "--rename",
                        fmt::format("'{}' must be OLD=NEW, two names of dimensions{}", shortened(part),
                                    twice ? ", each OLD once" : "")};
    renames.push_back({from, to});
  }
  if (renames.empty()) return Diagnostic{"", 0, "--rename", "must be OLD=NEW, two names of dimensions"};
  return renames;
}

Diagnostics rename_dimensions(Workload& workload, std::span<const Rename> renames) {
  std::vector<std::string> names;
  for (const Dimension& d : workload.dimensions) {
    const auto rename = std::ranges::find(renames, d.name, &Rename::from);
    names.push_back(rename == renames.end() ? d.name : rename->to);
  }
  for (std::size_t d = 0; d < names.size(); ++d)
    if (std::ranges::find(names.begin(), names.begin() + d, names[d]) != names.begin() + d)
      return {{"", 0, "--rename", fmt::format("{} would have two dimensions '{}'", workload.name, names[d])}};
  for (std::size_t d = 0; d < names.size(); ++d) workload.dimensions[d].name = std::move(names[d]);
  return {};
}

Diagnostics rename_dimensions(Network& network, std::span<const Rename> renames) {
  std::vector<std::string> known;
  for (const Layer& layer : network.layers)
    for (const Dimension& d : layer.workload.dimensions)
      if (std::ranges::find(known, d.name) == known.end()) known.push_back(d.name);
  Diagnostics errors;
  for (const Rename& rename : renames)
    if (std::ranges::find(known, rename.from) == known.end())
      errors.push_back({"", 0, "--rename",
                        fmt::format("{} has no dimension '{}'{}; it has {}", network.name, rename.from,
                                    did_you_mean(rename.from, known), join(known))});
  if (!errors.empty()) return errors;
  for (Layer& layer : network.layers)
    for (Diagnostic& error : rename_dimensions(layer.workload, renames)) errors.push_back(std::move(error));
  return errors;
}

}  // namespace heliolite
