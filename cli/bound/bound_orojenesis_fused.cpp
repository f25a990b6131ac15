// heliolite bound --kind orojenesis --fuse: whole networks, fused or not, by buffer size.
#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <string>
#include <vector>

#include "cli/bound/bound_curves.h"
#include "cli/bound/bound_orojenesis.h"
#include "cli/bound/bound_symbolic.h"
#include "cli/map/answer_texts.h"
#include "cli/ui/json.h"
#include "cli/ui/long_work.h"
#include "cli/ui/table.h"
#include "cli/ui/units.h"
#include "engine/base/mapped.h"
#include "engine/base/text.h"
#include "engine/bounds/fusion/chain.h"
#include "engine/bounds/network/network_bound.h"

namespace heliolite::cli {
namespace {

constexpr std::size_t kFusedRows = 24;
constexpr double kBoundStep = 1.2;   // from one capacity of the bound's picture to the next
constexpr double kUnlimited = 1e21;  // units
constexpr const char* kSchedules = "least over the schedules of docs/rules/fusion.md, no bound: others may move less";

// Every word that is not an intermediate once.
u64 network_minimum(const Network& network, const WordUnit& unit) {
  return network_bound(network, kUnlimited, Unnamed::Apart, unit).words;
}

// What no schedule of the network beats, fused or not.
u64 bound_at(const Network& network, u64 capacity, const WordUnit& unit) {
  return network_bound(network, static_cast<double>(std::max<u64>(capacity, 1)), Unnamed::Apart, unit).words;
}

std::vector<std::string> kept_names(const Segment& s, const Chain& chain) {
  std::vector<std::string> names;
  for (std::size_t e = s.first; e < s.last; ++e)
    if ((s.tiles.kept >> (e - s.first) & 1) != 0) names.push_back(chain.links[e].name);
  return names;
}

std::string segment_text(const Segment& s, const Chain& chain) {
  std::string links;
  for (std::size_t e = s.first; e < s.last; ++e) links += (e > s.first ? "+" : "") + chain.links[e].name;
  if (s.kind != SegmentKind::Tiled) return s.kind == SegmentKind::Alone ? links : links + " (untiled)";
  std::string text = fmt::format("{} ({}; {} row{}", links, template_names(s.tiles, s.last - s.first), s.tiles.rows,
                                 s.tiles.rows == 1 ? "" : "s");
  if (s.tiles.parts > 1) text += fmt::format(", {} parts", s.tiles.parts);
  const std::vector<std::string> kept = kept_names(s, chain);
  if (!kept.empty()) text += ", weights of " + join(kept) + " stay";
  if (s.tiles.partly != kNoLink)
    text +=
        fmt::format(", {} words of {}'s", grouped(s.tiles.partly_words), chain.links[s.first + s.tiles.partly].name);
  return text + ")";
}

Json segment_json(const Segment& s, const Chain& chain) {
  Json json = {{"layers", Json::array()}, {"kind", name(s.kind)}, {"buffer_words", s.buffer}, {"accesses", s.accesses}};
  for (std::size_t e = s.first; e < s.last; ++e) json["layers"].push_back(chain.links[e].name);
  if (s.kind != SegmentKind::Tiled) return json;
  json["template"] = name(s.tiles.how);
  json["templates"] = template_names(s.tiles, s.last - s.first);
  json["rows"] = s.tiles.rows;
  json["parts"] = s.tiles.parts;
  json["weights_kept"] = kept_names(s, chain);
  json["weights_partly"] = nullptr;
  if (s.tiles.partly != kNoLink)
    json["weights_partly"] = {{"layer", chain.links[s.first + s.tiles.partly].name}, {"words", s.tiles.partly_words}};
  return json;
}

// What chains of several links gain; single layers have nothing to tell.
std::string segments_text(const SegmentedNetwork& network, u64 capacity) {
  std::string text;
  for (std::size_t c = 0; c < network.chains().size(); ++c) {
    const Chain& chain = network.chains()[c];
    if (chain.links.size() == 1) continue;
    for (const Segment& s : network.segmented(c).best(capacity).segments)
      text += (text.empty() ? "" : " | ") + segment_text(s, chain);
  }
  return text;
}

Json segments_json(const SegmentedNetwork& network, u64 capacity) {
  Json json = Json::array();
  for (std::size_t c = 0; c < network.chains().size(); ++c) {
    const Chain& chain = network.chains()[c];
    for (const Segment& s : network.segmented(c).best(capacity).segments) json.push_back(segment_json(s, chain));
  }
  return json;
}

std::string fused_csv(const std::vector<FusedPoint>& points, const WordUnit& unit) {
  std::string text = fmt::format("buffer_{},unfused,fused\n", unit.name());
  for (const FusedPoint& p : points) text += fmt::format("{},{},{}\n", p.buffer, p.unfused, p.fused);
  return text;
}

// The whole curves whatever capacities were asked for: these are lines across. Between two capacities the bound is
// drawn as low as at the larger one.
CurvePicture fused_picture(const Network& network, const SegmentedNetwork& segmented,
                           const OrojenesisArguments& arguments) {
  CurvePicture picture;
  const WordUnit& unit = segmented.unit();
  const std::optional<double> bytes = unit_bytes(arguments, unit);
  picture.title = network.name;
  picture.unit = unit.name();
  picture.curves = {
      {"unfused, layer by layer", {}}, {"fused, least over these schedules", {}}, {"bound on any schedule", {}}};
  const std::vector<FusedPoint> points = segmented.points();
  for (const FusedPoint& p : points) {
    picture.curves[0].steps.push_back({p.buffer, p.unfused});
    picture.curves[1].steps.push_back({p.buffer, p.fused});
  }
  u64 last = points.back().buffer;
  for (const u64 asked : arguments.buffers) {
    picture.walls.push_back({bytes ? bytes_text(asked, *bytes) : grouped(asked), asked});
    last = std::max(last, asked);
  }
  for (u64 capacity = 1; capacity < last;) {
    const u64 next =
        std::min(last, std::max(capacity + 1, static_cast<u64>(static_cast<double>(capacity) * kBoundStep)));
    picture.curves[2].steps.push_back({capacity, bound_at(network, next, unit)});
    capacity = next;
  }
  picture.minimum = network_minimum(network, unit);
  return picture;
}

std::string fused_text(const Network& network, const SegmentedNetwork& segmented, const std::vector<FusedPoint>& points,
                       const std::vector<std::size_t>& shown, const std::optional<double>& bytes) {
  std::string text = fmt::format("{}: accesses with one buffer, least over these schedules, {} MACs\n\n", network.name,
                                 count(static_cast<double>(network.macs())));
  const WordUnit& unit = segmented.unit();
  Table table({fmt::format("buffer [{}]", unit.name()), "[bytes]", "any schedule >=", "unfused", "fused", "x less",
               "<segments of the chains"});
  for (const std::size_t i : shown) {
    const FusedPoint& p = points[i];
    table.row({grouped(p.buffer), bytes ? bytes_text(p.buffer, *bytes) : "", grouped(bound_at(network, p.buffer, unit)),
               grouped(p.unfused), grouped(p.fused),
               fmt::format("{:.2f}", static_cast<double>(p.unfused) / static_cast<double>(p.fused)),
               segments_text(segmented, p.buffer)});
  }
  text += table.to_string() + fmt::format("  unfused, fused: {}.\n", kSchedules);
  if (shown.size() < points.size())
    text += fmt::format("  {} of {} points; --all lists them, --csv FILE writes them.\n", shown.size(), points.size());
  return text;
}

}  // namespace

SegmentOptions segment_options(const OrojenesisArguments& arguments) {
  SegmentOptions options;
  options.imperfect = arguments.imperfect;
  options.fusion.incremental_softmax = arguments.softmax == "incremental";
  options.fusion.inner_pairs = arguments.pairs == "all";
  if (arguments.execution == "pipelined") options.fusion.execution = Execution::Pipelined;
  options.fusion.perfect = arguments.perfect_blocks;
  if (arguments.whole_weights) options.fusion.weights = Staying::Wholes;
  if (arguments.stream_weights) options.fusion.weights = Staying::None;
  return options;
}

int run_fused(const OrojenesisArguments& arguments, const Network& network, const Output& output) {
  const SegmentOptions options = segment_options(arguments);
  struct Fused {
    Result<SegmentedNetwork> network;
    std::vector<FusedPoint> points;
  };
  const auto found = until_interrupted([=] {
    Fused fused{SegmentedNetwork::create(network, options), {}};
    if (fused.network)
      fused.points = arguments.buffers.empty() ? fused.network->points() : fused.network->points(arguments.buffers);
    return fused;
  });
  Json json = answer_head("bound");
  json["question"] = {{"kind", "orojenesis"},
                      {"fuse", true},
                      {"workload", network.name},
                      {"imperfect", arguments.imperfect},
                      {"softmax", arguments.softmax},
                      {"pairs", arguments.pairs},
                      {"execution", arguments.execution},
                      {"perfect_blocks", arguments.perfect_blocks},
                      {"whole_weights", arguments.whole_weights},
                      {"stream_weights", arguments.stream_weights},
                      {"word_bytes", arguments.word_bytes ? Json(*arguments.word_bytes) : Json()}};
  if (!found) return write_partial_answer(output, json, 0, 1, "networks");
  const Result<SegmentedNetwork>& segmented = found->network;
  if (!segmented) return fail(segmented.errors());
  if (network.edges.empty()) output.note("heliolite: " + network.name + " has no edges: nothing can be fused");
  const std::vector<UnfusedEdge> unfused = unfused_edges(network);
  const auto in_words = [](const UnfusedEdge& e) {
    return fmt::format("{} to {} of {} ({})", e.from, e.tensor, e.to, e.because);
  };
  if (!unfused.empty())
    output.note(fmt::format("heliolite: {}: not fused: {}", network.name, join(mapped(unfused, in_words))));
  const std::vector<FusedPoint>& points = found->points;
  const WordUnit& unit = segmented->unit();
  if (!arguments.csv.empty() && !output.write("--csv", fused_csv(segmented->points(), unit))) return kBadInput;
  if (!arguments.svg.empty() && !output.write("--svg", curve_svg(fused_picture(network, *segmented, arguments))))
    return kBadInput;
  const bool all = arguments.all || !arguments.buffers.empty();
  output.table(fused_text(network, *segmented, points, thinned(points.size(), all ? points.size() : kFusedRows),
                          unit_bytes(arguments, unit)));
  json["unit"] = unit.name();
  json["macs"] = network.macs();
  json["minimum"] = network_minimum(network, unit);
  json["schedules"] = kSchedules;
  json["not_fused"] = Json::array();
  for (const UnfusedEdge& e : unfused)
    json["not_fused"].push_back({{"from", e.from}, {"to", e.to}, {"tensor", e.tensor}, {"because", e.because}});
  json["bounds"] = Json::array();
  for (const u64 buffer : arguments.buffers)
    json["bounds"].push_back({{"kind", "iolb"},
                              {"level", nullptr},
                              {"capacity_words", buffer},
                              {"words", bound_at(network, buffer, unit)},
                              {"holds_under", kNetworkHoldsUnder}});
  json["curve"] = Json::array();
  for (const FusedPoint& p : points)
    json["curve"].push_back({{"buffer_words", p.buffer},
                             {"accesses", p.fused},
                             {"unfused", p.unfused},
                             {"segments", segments_json(*segmented, p.buffer)}});
  return write_partial_answer(output, json, 1, 1, "networks");
}

}  // namespace heliolite::cli
