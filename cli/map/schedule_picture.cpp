// A network's schedule to look at: the graph of its layers, what lives at fusing levels, and its trees as loops around
// the nests of their links.
#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <vector>

#include "cli/map/cost_answer.h"
#include "cli/ui/svg_canvas.h"
#include "cli/ui/units.h"
#include "engine/base/integers.h"
#include "engine/base/text.h"
#include "engine/network/schedule_text.h"

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

// Draws the graph with its upper left corner there, at most kNestBoxes wide. Returns the lower end.
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

// Draws group `group`, which has several layers: a row for each array that stays at the fusing level, over the layers
// while which it does, then the room that is taken. `nests`: of the group's layers. Returns the lower end.
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

// A network's schedule to look at: its trees as loops around the nests of their links, in text and as SVG.

// Walks over the trees from the outside to the inside, links in order.
class ScheduleWalk {
 public:
  ScheduleWalk(const ScheduledNetwork& question, const ScheduleBreakdown& cost) : question_(question), cost_(cost) {}
  virtual ~ScheduleWalk() = default;

  void walk() {
    for (std::size_t g = 0; g < question_.file.schedule.groups.size(); ++g) {
      const LinkGroup& group = question_.file.schedule.groups[g];
      group_ = g;
      node_ = 0;
      if (group.is_single()) {
        leaf(group.first, 0);
      } else {
        ++fused_;
        visit(group.root, 0);
      }
    }
  }

 protected:
  virtual void node(const std::string& title, const std::string& homes, int depth) = 0;
  virtual void leaf(int link, int depth) = 0;
  virtual void end_of_node(int /*depth*/) {}

  // "kp: 2 passes of i 2, j 2"
  std::string link_title(int l) const {
    const LinkBreakdown& link = cost_.links[l];
    const Workload one_pass = question_.one_pass(l);
    const std::string sizes = pass_sizes_text(one_pass);
    return link.pass.passes == 1 ? fmt::format("{}: {}", one_pass.name, sizes)
                                 : fmt::format("{}: {} passes of {}", one_pass.name, grouped(link.pass.passes), sizes);
  }
  LoopNest nest_of(int l) const {
    const LinkBreakdown& link = cost_.links[l];
    LoopNest nest = loop_nest(with_homes(question_.file.schedule.mappings[l], link.pass), link.breakdown,
                              question_.one_pass(l), question_.chain(l));
    if (link.pass.taken == 0) return nest;
    NestLevel& level = nest.levels[nest.levels.size() - 1 - at(link.pass.level)];
    u64 own = 0;
    for (const NestPart& part : level.parts)
      for (const NestTensor& kept : part.kept) own += kept.words;
    level.other_words = level.used_words - std::min(level.used_words, own);
    return nest;
  }

  const ScheduledNetwork& question_;
  const ScheduleBreakdown& cost_;

 private:
  // Nodes are numbered as homes name them, from the root, parents before children (tree_index.h).
  void visit(const TreeNode& tree, int depth) {
    const int number = node_++;
    const std::string title = tree.loop.empty() ? fmt::format("group {} at {}", fused_, fusing_level())
                                                : fmt::format("for {}: {} times", loop_text(tree, question_.graph),
                                                              grouped(tree.iterations()));
    node(title, homes_at(number), depth);
    for (const TreeNode& child : tree.children) {
      if (child.is_leaf()) leaf(*child.link, depth + 1);
      else visit(child, depth + 1);
    }
    end_of_node(depth);
  }

  // "Buf has l1.z 16, l1.w 64"; "" if nothing stays at the node.
  std::string homes_at(int node) const {
    std::vector<std::string> homes;
    for (std::size_t a = 0; a < question_.graph.arrays.size(); ++a) {
      const Residence& r = cost_.plans[group_].residence[a];
      if (r.node != node) continue;
      std::string text = fmt::format("{} {}", question_.graph.arrays[a].name, grouped(r.tile));
      if (r.overlap) text += fmt::format(" + {} overlap", grouped(r.overlap->words));
      homes.push_back(std::move(text));
    }
    return homes.empty() ? "" : fmt::format("{} has {}", fusing_level(), fmt::join(homes, ", "));
  }
  const std::string& fusing_level() const {
    return question_.architecture.levels[question_.file.schedule.groups[group_].level].name;
  }

  std::size_t group_ = 0;
  int fused_ = 0;  // groups of several links so far
  int node_ = 0;
};

class ScheduleDrawing : public ScheduleWalk {
 public:
  using ScheduleWalk::ScheduleWalk;

  std::string run() {
    walk();
    return text_;
  }

 private:
  void node(const std::string& title, const std::string& homes, int depth) override {
    line(depth, title);
    if (!homes.empty()) line(depth + 1, homes);
  }
  void leaf(int link, int depth) override {
    line(depth, link_title(link));
    const std::string nest = nest_drawing(nest_of(link), question_.one_pass(link), question_.chain(link));
    std::size_t from = 0;
    for (std::size_t end = nest.find('\n'); end != nest.npos; from = end + 1, end = nest.find('\n', from))
      line(depth, nest.substr(from, end - from));
  }
  void line(int depth, const std::string& words) { text_ += std::string(2 * at(depth + 1), ' ') + words + "\n"; }

  std::string text_;
};

constexpr double kTreeSide = 24, kTreeStep = 20, kTreeLine = 18;

class SchedulePicture : public ScheduleWalk {
 public:
  using ScheduleWalk::ScheduleWalk;

  std::string run() {
    overview();
    walk();
    return canvas_.document(2 * kTreeSide + kTreeStep * deepest_ + kNestBoxes, title_);
  }

  std::string run_overview() {
    overview();
    return canvas_.document(2 * kTreeSide + kNestBoxes, title_);
  }

 private:
  void overview() {
    title_ = question_.network.name + " on " + question_.architecture.name;
    canvas_.text_within(kTreeSide, 30, kNestBoxes, title_, {.size = 17, .bold = true});
    y_ = draw_schedule_graph(canvas_, kTreeSide, 44, question_, cost_) + 12;
    for (std::size_t g = 0; g < question_.file.schedule.groups.size(); ++g) {
      const LinkGroup& group = question_.file.schedule.groups[g];
      if (group.is_single()) continue;
      std::vector<LoopNest> nests;
      for (int l = group.first; l <= group.last; ++l) nests.push_back(nest_of(l));
      y_ = draw_room_timeline(canvas_, kTreeSide, y_, question_, cost_, g, nests) + 12;
    }
  }
  double left(int depth) const { return kTreeSide + kTreeStep * depth; }

  void node(const std::string& title, const std::string& homes, int depth) override {
    tops_.push_back(y_);
    line(depth, title, true);
    if (!homes.empty()) line(depth, homes, false);
    y_ += 4;
  }
  void end_of_node(int depth) override {
    canvas_.line(left(depth), tops_.back(), left(depth), y_ - 8, {.stroke = "#b0690b"});
    tops_.pop_back();
  }
  void leaf(int link, int depth) override {
    deepest_ = std::max(deepest_, depth);
    canvas_.text_within(left(depth), y_ + 14, kNestBoxes, link_title(link), {.size = 14, .bold = true});
    y_ = draw_nest(canvas_, left(depth), y_ + 22, nest_of(link), question_.one_pass(link), question_.chain(link)) + 14;
  }
  void line(int depth, const std::string& words, bool bold) {
    canvas_.text_within(left(depth) + 8, y_ + 14, kNestBoxes, words, {.size = 12, .colour = "#333", .bold = bold});
    y_ += kTreeLine;
  }

  SvgCanvas canvas_;
  std::string title_;
  std::vector<double> tops_;  // of the nodes around what is drawn
  double y_ = 0;
  int deepest_ = 0;
};

}  // namespace

std::string schedule_drawing(const ScheduledNetwork& network, const ScheduleBreakdown& cost) {
  return ScheduleDrawing(network, cost).run();
}

std::string schedule_svg(const ScheduledNetwork& network, const ScheduleBreakdown& cost) {
  return SchedulePicture(network, cost).run();
}

std::string schedule_overview_svg(const ScheduledNetwork& network, const ScheduleBreakdown& cost) {
  return SchedulePicture(network, cost).run_overview();
}

}  // namespace heliolite::cli
