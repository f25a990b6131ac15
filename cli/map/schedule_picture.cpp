// A network's schedule to look at: its trees as loops around the nests of their links, in text and as SVG.
#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <vector>

#include "cli/map/nest_picture.h"
#include "cli/map/schedule_answer.h"
#include "cli/ui/svg_canvas.h"
#include "engine/base/integers.h"
#include "engine/base/text.h"
#include "engine/network/schedule_text.h"

namespace heliolite::cli {
namespace {

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
