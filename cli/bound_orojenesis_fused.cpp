#include "cli/bound_orojenesis_fused.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <vector>

#include "cli/bound_curves.h"
#include "cli/json.h"
#include "cli/table.h"
#include "engine/base/text.h"
#include "engine/bounds/provision.h"

namespace heliolite::cli {
namespace {

constexpr std::size_t kFusedRows = 24;

struct FusedPoint {
  u64 buffer = 0, unfused = 0, fused = 0;
};

// Where either curve falls; or at the capacities asked for.
std::vector<FusedPoint> fused_points(const SegmentedNetwork& network, const std::vector<u64>& buffers) {
  std::vector<FusedPoint> points;
  for (const u64 capacity : buffers.empty() ? network.capacities() : buffers) {
    const FusedPoint p{capacity, network.unfused(capacity), network.fused(capacity)};
    if (!buffers.empty() || points.empty() || p.unfused < points.back().unfused || p.fused < points.back().fused)
      points.push_back(p);
  }
  return points;
}

const char* kind_name(SegmentKind kind) {
  switch (kind) {
    case SegmentKind::Alone: return "alone";
    case SegmentKind::Untiled: return "untiled";
    case SegmentKind::Tiled: return "tiled";
  }
  return "";
}

const char* template_name(FusionTemplate how) {
  switch (how) {
    case FusionTemplate::Rows: return "rows";
    case FusionTemplate::InputAgain: return "input_again";
    case FusionTemplate::OutputSpilled: return "output_spilled";
    case FusionTemplate::WeightsOuter: return "weights_outer";
  }
  return "";
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
  return text + ")";
}

Json segment_json(const Segment& s, const Chain& chain) {
  Json json = {
      {"layers", Json::array()}, {"kind", kind_name(s.kind)}, {"buffer_words", s.buffer}, {"accesses", s.accesses}};
  for (std::size_t e = s.first; e < s.last; ++e) json["layers"].push_back(chain.links[e].name);
  if (s.kind != SegmentKind::Tiled) return json;
  json["template"] = template_name(s.tiles.how);
  json["templates"] = template_names(s.tiles, s.last - s.first);
  json["rows"] = s.tiles.rows;
  json["parts"] = s.tiles.parts;
  json["weights_kept"] = kept_names(s, chain);
  return json;
}

// Of chains of several links: single layers have nothing to tell.
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

std::string fused_csv(const std::vector<FusedPoint>& points) {
  std::string text = "buffer_words,unfused,fused\n";
  for (const FusedPoint& p : points) text += fmt::format("{},{},{}\n", p.buffer, p.unfused, p.fused);
  return text;
}

CurvePicture fused_picture(const Network& network, const std::vector<FusedPoint>& points) {
  CurvePicture picture;
  picture.title = network.name;
  picture.curves = {{"unfused", {}}, {"fused", {}}};
  for (const FusedPoint& p : points) {
    picture.curves[0].steps.push_back({p.buffer, p.unfused});
    picture.curves[1].steps.push_back({p.buffer, p.fused});
  }
  picture.minimum = points.back().fused;
  return picture;
}

std::string fused_text(const Network& network, const SegmentedNetwork& segmented, const std::vector<FusedPoint>& points,
                       const std::vector<std::size_t>& shown) {
  std::string text = fmt::format("{}: least accesses with one buffer, unfused and fused, {} MACs\n\n", network.name,
                                 count(static_cast<double>(network.macs())));
  Table table({"buffer [words]", "unfused", "fused", "x less", "<segments of the chains"});
  for (const std::size_t i : shown) {
    const FusedPoint& p = points[i];
    table.row({grouped(p.buffer), grouped(p.unfused), grouped(p.fused),
               fmt::format("{:.2f}", static_cast<double>(p.unfused) / static_cast<double>(p.fused)),
               segments_text(segmented, p.buffer)});
  }
  text += table.to_string();
  if (shown.size() < points.size())
    text += fmt::format("  {} of {} points; --all lists them, --csv FILE writes them.\n", shown.size(), points.size());
  return text;
}

}  // namespace

Result<SegmentOptions> segment_options(const OrojenesisArguments& arguments) {
  SegmentOptions options;
  Diagnostics errors;
  // The first of the two names is the default; true for the second one.
  const auto second = [&](const char* option, const std::string& word, const char* first, const char* other) {
    if (word == other || word == first) return word == other;
    const std::vector<std::string> known{first, other};
    errors.push_back(
        {"", 0, option, fmt::format("unknown name '{}'{}; known: {}", word, did_you_mean(word, known), join(known))});
    return false;
  };
  options.fusion.imperfect = arguments.imperfect;
  options.fusion.incremental_softmax = !second("--softmax", arguments.softmax, "incremental", "whole");
  options.fusion.inner_pairs = !second("--pairs", arguments.pairs, "all", "first");
  if (second("--execution", arguments.execution, "sequential", "pipelined"))
    options.fusion.execution = Execution::Pipelined;
  options.fusion.keep_weights = !arguments.stream_weights;
  if (!errors.empty()) return errors;
  return options;
}

int run_fused(const OrojenesisArguments& arguments, const Network& network, const Output& output) {
  const Result<SegmentOptions> options = segment_options(arguments);
  if (!options) return fail(options.errors());
  const Result<SegmentedNetwork> segmented = SegmentedNetwork::create(network, *options);
  if (!segmented) return fail(segmented.errors());
  if (network.edges.empty()) output.note("heliolite: " + network.name + " has no edges: nothing can be fused");
  const std::vector<FusedPoint> points = fused_points(*segmented, arguments.buffers);
  if (!output.write("--csv", fused_csv(points))) return kBadInput;
  if (!output.write("--svg", curve_svg(fused_picture(network, points)))) return kBadInput;
  const bool all = arguments.all || !arguments.buffers.empty();
  output.table(fused_text(network, *segmented, points, thinned(points.size(), all ? points.size() : kFusedRows)));
  Json json = answer_head("bound");
  json["question"] = {{"kind", "orojenesis"},
                      {"fuse", true},
                      {"workload", network.name},
                      {"imperfect", arguments.imperfect},
                      {"softmax", arguments.softmax},
                      {"pairs", arguments.pairs},
                      {"execution", arguments.execution},
                      {"stream_weights", arguments.stream_weights}};
  json["macs"] = network.macs();
  json["bounds"] = Json::array();
  for (const u64 buffer : arguments.buffers)
    json["bounds"].push_back({{"kind", "orojenesis"},
                              {"level", nullptr},
                              {"capacity_words", buffer},
                              {"words", segmented->fused(buffer)},
                              {"holds_under", "one buffer, the templates of docs/rules/fusion.md"}});
  json["curve"] = Json::array();
  for (const FusedPoint& p : points)
    json["curve"].push_back({{"buffer_words", p.buffer},
                             {"accesses", p.fused},
                             {"unfused", p.unfused},
                             {"segments", segments_json(*segmented, p.buffer)}});
  return output.json(json) ? kSuccess : kBadInput;
}

}  // namespace heliolite::cli
