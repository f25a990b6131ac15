// In what two schedules of one network on one machine differ: groups, loops, what stays where, and the nests of links.
#include <fmt/format.h>

#include <string>
#include <utility>
#include <vector>

#include "engine/model/mapping_yaml.h"
#include "engine/model/running_units.h"
#include "engine/network/fused_cost.h"
#include "engine/network/schedule_text.h"
#include "engine/network/schedule_yaml.h"

namespace heliolite {
namespace {

// Texts that together say what a schedule is, but for the mappings.
class ScheduleTexts {
 public:
  ScheduleTexts(const ScheduleFile& file, const LinkGraph& graph, const Architecture& architecture)
      : graph_(graph), architecture_(architecture) {
    group.resize(graph.links.size(), "-");
    loops.resize(graph.links.size(), "-");
    held.resize(graph.arrays.size(), "-");
    softmax = file.rules.incremental_softmax ? "incremental" : "whole";
    for (const LinkGroup& g : file.schedule.groups) {
      if (g.is_single()) continue;
      const std::string& level = architecture_.levels[g.level].name;
      links_ = fmt::format("{} .. {}", graph_.link(g.first).name, graph_.link(g.last).name);
      for (int l = g.first; l <= g.last; ++l) group[l] = fmt::format("{} at {}", links_, level);
      walk(g.root, "");
    }
  }

  std::string softmax;
  std::vector<std::string> group, loops;  // [link]: "-": alone, without any
  std::vector<std::string> held;          // [array]

 private:
  // `above`: the loops of a path, which no other node has: they name the links beneath.
  void walk(const TreeNode& node, const std::string& above) {
    if (node.is_leaf()) {
      if (!above.empty()) loops[*node.link] = above;
      return;
    }
    const std::string here =
        node.loop.empty() ? above : fmt::format("{}{}{}", above, above.empty() ? "" : " ", loop_text(node, graph_));
    for (const int a : node.held) {
      std::string place = here.empty() ? "all the time" : here;
      held[a] =
          held[a] == "-" ? fmt::format("{}: {}", links_, place) : fmt::format("{}; {}: {}", held[a], links_, place);
    }
    for (const TreeNode& child : node.children) walk(child, here);
  }

  const LinkGraph& graph_;
  const Architecture& architecture_;
  std::string links_;  // of the group
};

std::string pass_text(const Workload& one_pass, u64 passes) {
  std::vector<std::string> sizes;
  for (const Dimension& d : one_pass.dimensions)
    if (d.size > 1) sizes.push_back(fmt::format("{}{}", d.name, d.size));
  return fmt::format("{} x {}", passes, fmt::join(sizes, " "));
}

}  // namespace

FieldDifferences differences(const ScheduleFile& a, const ScheduleFile& b, const LinkGraph& graph,
                             const Architecture& architecture) {
  FieldDifferences out;
  const auto add = [&](std::string field, std::string x, std::string y) {
    if (x != y) out.push_back({std::move(field), std::move(x), std::move(y)});
  };
  const ScheduleTexts x(a, graph, architecture), y(b, graph, architecture);
  add("softmax", x.softmax, y.softmax);
  for (std::size_t l = 0; l < graph.links.size(); ++l) {
    const std::string& name = graph.links[l].workload.name;
    add(name + ".group", x.group[l], y.group[l]);
    add(name + ".loops", x.loops[l], y.loops[l]);
  }
  for (std::size_t k = 0; k < graph.arrays.size(); ++k) add(graph.arrays[k].name + ".held", x.held[k], y.held[k]);
  for (std::size_t l = 0; l < graph.links.size(); ++l) {
    const Workload& link = graph.links[l].workload;
    const Workload of_a = pass_workload(link, a.passes[l]), of_b = pass_workload(link, b.passes[l]);
    add(link.name + ".passes", pass_text(of_a, a.passes[l].passes), pass_text(of_b, b.passes[l].passes));
    for (FieldDifference& d :
         differences(a.schedule.mappings[l], b.schedule.mappings[l], link, running_chain(link, architecture)))
      out.push_back({fmt::format("{}.{}", link.name, d.field), std::move(d.a), std::move(d.b)});
  }
  return out;
}

}  // namespace heliolite
