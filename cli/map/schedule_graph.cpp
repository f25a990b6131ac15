// A network's schedule as two small pictures: the layers as a graph, with its groups and the bytes of each edge that
// cross to the outermost level; and by group what lives at the fusing level, layer by layer.
#include <fmt/format.h>

#include <algorithm>
#include <string>

#include "cli/map/schedule_answer.h"
#include "cli/ui/word_units.h"
#include "engine/base/integers.h"
#include "engine/base/text.h"

namespace heliolite::cli {
namespace {

constexpr double kRow = 24, kLayerBox = 170, kLane = 14, kLanes = 260, kGroupInset = 8;
constexpr const char *kStays = "#2e7d4f", *kCrosses = "#b0690b", *kGrey = "#555";

// An edge as a bracket from its maker's row to its reader's; those that would touch stand in lanes of their own.
struct GraphEdge {
  int from = 0, to = 0;  // rows
  std::size_t lane = 0;
  bool stays = false;
  u64 crossing = 0;  // bytes
};

// Edges from the network's inputs have no maker and are left out.
std::vector<GraphEdge> graph_edges(const ScheduledNetwork& network, const ScheduleBreakdown& cost) {
  std::vector<GraphEdge> out;
  for (const EdgeBreakdown& edge : cost.edges)
    if (const auto maker = network.graph.array(edge.array).maker)
      out.push_back({*maker, edge.reader, 0, edge.stays, edge.bytes(edge.read + edge.written)});
  std::ranges::stable_sort(out, {}, [](const GraphEdge& e) { return e.to - e.from; });
  for (std::size_t k = 0; k < out.size(); ++k)
    for (std::size_t other = 0; other < k; ++other)
      if (out[other].from < out[k].to && out[k].from < out[other].to)
        out[k].lane = std::max(out[k].lane, out[other].lane + 1);
  return out;
}

std::string fusing_level_name(const LinkGroup& group, const ScheduledNetwork& network) {
  return network.architecture.levels[group.level].name;
}

}  // namespace

double draw_schedule_graph(SvgCanvas& canvas, double left, double top, const ScheduledNetwork& network,
                           const ScheduleBreakdown& cost) {
  const std::string& outermost = network.architecture.levels.back().name;
  canvas.text(left, top + 14,
              fmt::format("layers and their edges: green stays inside, brown crosses {} (bytes of one run)", outermost),
              {.size = 12, .colour = kGrey});
  const double rows = top + 26, box = left + 90;
  const auto middle = [&](int l) { return rows + kRow * l + kRow / 2; };
  for (const LinkGroup& group : network.file.schedule.groups) {
    if (!group.is_single()) {
      canvas.box(
          {box - kGroupInset, rows + kRow * group.first, box + kLayerBox + kGroupInset, rows + kRow * (group.last + 1)},
          {.fill = "#e8f1ea", .stroke = kStays, .rounded = 6});
      canvas.text_within(left, middle(group.first) + 4, 80, fusing_level_name(group, network),
                         {.size = 12, .bold = true});
    }
    for (int l = group.first; l <= group.last; ++l) {
      canvas.box({box, middle(l) - 9, box + kLayerBox, middle(l) + 9}, {.fill = "#fff", .stroke = kGrey, .rounded = 3});
      canvas.text_within(box + 6, middle(l) + 4, kLayerBox - 12, network.graph.link(l).name, {.size = 12});
    }
  }
  const double lanes = box + kLayerBox + kGroupInset + 6;
  const std::vector<GraphEdge> edges = graph_edges(network, cost);
  std::size_t most = 0;
  for (const GraphEdge& edge : edges) most = std::max(most, edge.lane);
  const double lane = std::min(kLane, kLanes / static_cast<double>(most + 1));
  struct Arrivals {
    std::vector<std::string> texts{};
    bool all_stay = true;
  };
  std::vector<Arrivals> arrivals(network.graph.links.size());  // [reader]
  for (const GraphEdge& edge : edges) {
    const char* colour = edge.stays ? kStays : kCrosses;
    const double x = lanes + lane * static_cast<double>(edge.lane + 1);
    const double y1 = middle(edge.from) + 4, y2 = middle(edge.to) - 4;
    canvas.line(box + kLayerBox, y1, x, y1, {.stroke = colour});
    canvas.line(x, y1, x, y2, {.stroke = colour});
    canvas.line(x, y2, box + kLayerBox, y2, {.stroke = colour});
    Arrivals& there = arrivals[edge.to];
    there.all_stay &= edge.stays;
    there.texts.push_back(
        edge.stays && edge.crossing == 0 ? "stays" : bytes_text(edge.crossing, 1) + (edge.stays ? " stored" : ""));
  }
  const double words = lanes + lane * static_cast<double>(most + 1) + 8, right = left + kNestBoxes;
  for (int l = 0; l < static_cast<int>(arrivals.size()); ++l)
    if (const Arrivals& there = arrivals[at(l)]; !there.texts.empty())
      canvas.text_within(words, middle(l) + 2, right - words, fmt::format("{}", fmt::join(there.texts, ", ")),
                         {.size = 11, .colour = there.all_stay ? kStays : kCrosses});
  return rows + kRow * static_cast<double>(network.graph.links.size()) + 8;
}

double draw_room_timeline(SvgCanvas& canvas, double left, double top, const ScheduledNetwork& network,
                          const ScheduleBreakdown& cost, std::size_t group, const std::vector<LoopNest>& nests) {
  const LinkGroup& fused = network.file.schedule.groups[group];
  const std::size_t from_outermost = network.architecture.levels.size() - 1 - at(fused.level);
  const int links = fused.last - fused.first + 1;
  const double names = 190, column = std::clamp((kNestBoxes - names) / links, 36.0, 110.0);
  const auto x = [&](int l) { return left + names + column * (l - fused.first); };
  const NestLevel& level = nests.front().levels[from_outermost];
  canvas.text(
      left, top + 14,
      fmt::format("what lives in {} while each layer of the group runs, in words{}", fusing_level_name(fused, network),
                  level.capacity_words > 0 ? fmt::format(" of {}", grouped(level.capacity_words)) : ""),
      {.size = 12, .colour = kGrey});
  double y = top + 24;
  for (int l = fused.first; l <= fused.last; ++l)
    canvas.text_within(x(l) + 2, y + 14, column - 4, network.graph.link(l).name, {.size = 11, .bold = true});
  y += kRow;
  for (std::size_t a = 0; a < network.graph.arrays.size(); ++a) {
    const Residence& residence = cost.plans[group].residence[a];
    if (!residence.has_home()) continue;
    canvas.text_within(left, y + 15, names - 8, network.graph.array(static_cast<int>(a)).name, {.size = 11});
    for (int l = fused.first; l <= fused.last; ++l) {
      const u64 words = residence.words_while(l);
      if (words == 0) continue;
      canvas.box({x(l), y + 2, x(l) + column, y + kRow - 2}, {.fill = "#cfe3d5", .stroke = kStays});
      canvas.text_within(x(l) + 3, y + 15, column - 6, grouped(words), {.size = 10});
    }
    y += kRow;
  }
  canvas.text(left, y + 15, "taken, own tiles too", {.size = 11, .bold = true});
  for (int l = fused.first; l <= fused.last; ++l) {
    const NestLevel& used = nests[at(l - fused.first)].levels[from_outermost];
    const double share =
        used.capacity_words == 0
            ? 0
            : std::min(1.0, static_cast<double>(used.used_words) / static_cast<double>(used.capacity_words));
    canvas.box({x(l), y + 2, x(l) + column * share, y + kRow - 2}, {.fill = "#f0d9bd"});
    canvas.box({x(l), y + 2, x(l) + column, y + kRow - 2}, {.stroke = kGrey});
    canvas.text_within(x(l) + 3, y + 15, column - 6, grouped(used.used_words), {.size = 10});
  }
  return y + kRow + 8;
}

}  // namespace heliolite::cli
