#include "engine/network/group_plan.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "engine/base/integers.h"
#include "engine/model/keep.h"
#include "engine/model/running_units.h"
#include "engine/network/schedule_text.h"
#include "engine/network/tree_index.h"

namespace heliolite {

std::string why_not_fusing_level(const Architecture& architecture, int level) {
  const int top = static_cast<int>(architecture.levels.size()) - 1;
  if (level < 0 || level > top) return fmt::format("there is no level {}", level);
  const StorageLevel& here = architecture.levels[level];
  if (level == top) return fmt::format("{} is the outermost level: what goes there is not fused", here.name);
  if (here.is_interconnect || holds_nothing(here)) return fmt::format("{} holds nothing", here.name);
  if (!can_be_opened(architecture, level))
    return fmt::format("{} is split into buffers of single tensors: an intermediate has none that both links share",
                       here.name);
  for (int i = level + 1; i <= top; ++i)
    if (architecture.levels[i].fanout() > 1)
      return fmt::format("there are {} of {}, fed by {}: one of them does not have all of an intermediate",
                         architecture.levels[i].fanout(), architecture.levels[i - 1].name, architecture.levels[i].name);
  return "";
}

Diagnostics unit_complaints(const LinkGraph& graph, const Architecture& architecture) {
  Diagnostics errors;
  for (const Layer& link : graph.links)
    if (const auto unit = unit_that_runs(link.workload, architecture); !unit)
      errors.insert(errors.end(), unit.errors().begin(), unit.errors().end());
  return errors;
}

std::string why_not_fused_there(const LinkGraph& graph, const Architecture& architecture, int level, int first,
                                int last) {
  for (int l = first; l <= last; ++l)
    if (const Architecture& chain = running_chain(graph.link(l), architecture);
        !level_in_chain(architecture, level, chain))
      return fmt::format("{} does not lead to {}, which runs {}: fuse at a level that leads to the units of all links",
                         architecture.levels[level].name, chain.compute.name, graph.link(l).name);
  return "";
}

u64 room_words(int a, u64 words, int level, const LinkGraph& graph, const Architecture& architecture) {
  const ArrayTouch& first = graph.array(a).touches.front();
  const ValueParts parts = value_parts(value_bits(graph.link(first.link)), architecture.levels[level]);
  return ceil_div(words * parts.of[first.tensor], u64{parts.of_word});
}

namespace {

// The touch of a link of the group for which the words from and to the outside count: the maker's, else the first whose
// nest reads the array. Null: none.
const ArrayTouch* counted_touch(const SharedArray& array, const LinkGroup& group) {
  for (const ArrayTouch& t : array.touches)
    if (group.first <= t.link && t.link <= group.last && !t.is_term) return &t;
  return nullptr;
}

// Plans one group of two links or more.
class GroupPlanner {
 public:
  GroupPlanner(const LinkGroup& group, const LinkGraph& graph, const Architecture& architecture,
               const FusionRules& rules, KnownRankClasses& classes)
      : group_(group),
        graph_(graph),
        architecture_(architecture),
        rules_(rules),
        classes_(classes),
        tree_(group, graph) {}

  GroupPlan run() {
    if (!check_frame() || !check_loops()) return std::move(out_);
    for (int a = 0; a < static_cast<int>(graph_.arrays.size()); ++a)
      out_.residence.push_back(find_residence(a, group_, tree_, graph_, architecture_, rules_, out_.problems));
    if (!out_.is_legal()) return std::move(out_);
    for (int l = group_.first; l <= group_.last; ++l) out_.passes.push_back(pass_of(l));
    for (int a = 0; a < static_cast<int>(graph_.arrays.size()); ++a) place(a);
    return std::move(out_);
  }

 private:
  void complain(std::string why) { out_.problems.push_back(std::move(why)); }

  bool check_frame() {
    if (const std::string why = why_not_fusing_level(architecture_, group_.level); !why.empty())
      complain(fmt::format("no group is fused there: {}", why));
    else if (const std::string other =
                 why_not_fused_there(graph_, architecture_, group_.level, group_.first, group_.last);
             !other.empty())
      complain(other);
    for (int l = group_.first; l <= group_.last; ++l)
      if (graph_.links[l].count != graph_.links[group_.first].count) {
        complain(fmt::format("{} runs {} times and {} runs {} times: links of a group run equally often",
                             graph_.link(group_.first).name, graph_.links[group_.first].count, graph_.link(l).name,
                             graph_.links[l].count));
        break;
      }
    if (!group_.root.loop.empty()) complain("the root has a loop; put it at a node beneath");
    std::vector<int> wanted;
    for (int l = group_.first; l <= group_.last; ++l) wanted.push_back(l);
    if (tree_.leaves() != wanted) complain("the leaves must be consecutive links of the network, each once, in order");
    for (int n = 0; n < tree_.node_count(); ++n)
      if (tree_.tree(n).children.empty()) complain("a node has no children");
    return out_.is_legal();
  }

  // What a loop leaves is asked of the loops above it: the first that is not legal is the last that is looked at.
  bool check_loops() {
    for (int n = 1; n < tree_.node_count() && out_.is_legal(); ++n) {
      if (tree_.iterations(n) < 2)
        complain(fmt::format("{}: a node beneath the root must have a loop of at least two iterations",
                             node_text(tree_.tree(n), graph_)));
      else if (check_class(n)) check_repeats(n);
    }
    return out_.is_legal();
  }

  // The loop divides a rank that all links beneath have, each as the rank says.
  bool check_class(int n) {
    const TreeNode& node = tree_.tree(n);
    const auto [first, last] = std::pair(tree_.node(n).first, tree_.node(n).last);
    for (int l = first; l <= last; ++l)
      if (tree_.factor_count(n, l) != 1) {
        complain(fmt::format("the loop {} must name every link beneath once, {} {}", loop_text(node, graph_),
                             graph_.link(l).name, tree_.factor_count(n, l) == 0 ? "is missing" : "is there twice"));
        return false;
      }
    for (const DividedLink& l : node.loop)
      if (l.link < first || l.link > last) {
        complain(fmt::format("the loop {} names {}, which is not beneath it", loop_text(node, graph_),
                             graph_.link(l.link).name));
        return false;
      }
    std::vector<LinkSizes> sizes;  // [link - first]
    for (int l = first; l <= last; ++l) sizes.push_back(tree_.sizes_under(l, tree_.node(n).parent));
    std::vector<TreeNode> wanted;
    for (const RankClass& c : classes_.of(first, last)) {
      const auto loop = loop_over(c, sizes, node.iterations());
      if (!loop) continue;
      if (std::ranges::is_permutation(*loop, node.loop)) return true;
      wanted.emplace_back().loop = *loop;
    }
    std::string others;
    for (const TreeNode& other : wanted)
      others += fmt::format("{}{}", others.empty() ? "" : ", ", loop_text(other, graph_));
    complain(
        fmt::format("the loop {} is not over one rank that all links beneath have, in parts of equal size, the "
                    "outer dimensions divided first; {}",
                    loop_text(node, graph_),
                    others.empty() ? fmt::format("no loop of {} iterations around them is", node.iterations())
                                   : fmt::format("of {} iterations {} would be", node.iterations(), others)));
    return false;
  }

  // A loop of this many iterations over the class; none: some part would be incomplete. `sizes`: [link - first].
  static std::optional<std::vector<DividedLink>> loop_over(const RankClass& ranks, const std::vector<LinkSizes>& sizes,
                                                           u64 iterations) {
    std::vector<DividedLink> out;
    for (std::size_t k = 0; k < sizes.size(); ++k) {
      const int link = ranks.first + static_cast<int>(k);
      auto how = divide(sizes[k], ranks.of(link), iterations);
      if (!how) return std::nullopt;
      out.push_back({link, *std::move(how)});
    }
    return out;
  }

  // A dimension is divided again directly beneath only, and one that slides not at all.
  void check_repeats(int n) {
    for (const DividedLink& l : tree_.tree(n).loop)
      for (const DividedDimension& d : l.divided)
        for (const int above : tree_.path_to(tree_.node(n).parent)) {
          if (!tree_.divides(above, l.link, d.dimension)) continue;
          const std::string what =
              fmt::format("{} of {}", graph_.link(l.link).dimensions[d.dimension].name, graph_.link(l.link).name);
          if (above != tree_.node(n).parent)
            complain(
                fmt::format("the loops {} and {} both divide {} with another loop between them, must be one loop "
                            "or a node and its child",
                            loop_text(tree_.tree(above), graph_), loop_text(tree_.tree(n), graph_), what));
          else if (counts_windows(graph_.link(l.link), d.dimension))
            complain(fmt::format("the loops {} and {} both divide {}, along which windows slide, must be one loop",
                                 loop_text(tree_.tree(above), graph_), loop_text(tree_.tree(n), graph_), what));
        }
  }

  LinkPass pass_of(int l) const {
    LinkPass pass;
    const Workload& link = graph_.link(l);
    pass.level = *level_in_chain(architecture_, group_.level, running_chain(link, architecture_));
    pass.size = tree_.sizes_under(l, tree_.parent_of(l));
    pass.passes = tree_.iterations_to(tree_.parent_of(l));
    for (const int d : bits(link.indexing(link.output()))) pass.parts *= link.dimensions[d].size / pass.size[d];
    return pass;
  }

  LinkPass& pass(int l) { return out_.passes[l - group_.first]; }

  // Room at the level, and words that count for one of the links.
  void place(int a) {
    const SharedArray& array = graph_.array(a);
    const Residence& r = out_.residence[a];
    if (!r.has_home()) return;
    for (int l = group_.first; l <= group_.last; ++l)
      pass(l).taken += room_words(a, r.words_while(l), group_.level, graph_, architecture_);
    for (const ArrayTouch& t : array.touches)
      if (!t.is_term && group_.first <= t.link && t.link <= group_.last)
        pass(t.link).at_home = static_cast<TensorMask>(pass(t.link).at_home | 1U << t.tensor);
    if (const ArrayTouch* t = counted_touch(array, group_)) {
      pass(t->link).fetched[t->tensor] = r.fetched;
      if (array.maker != t->link) return;
      pass(t->link).stored = r.stored;
      pass(t->link).returned = r.returned;
    }
  }

  const LinkGroup& group_;
  const LinkGraph& graph_;
  const Architecture& architecture_;
  const FusionRules& rules_;
  KnownRankClasses& classes_;
  TreeIndex tree_;
  GroupPlan out_;
};

}  // namespace

GroupPlan plan(const LinkGroup& group, const LinkGraph& graph, const Architecture& architecture,
               const FusionRules& rules) {
  KnownRankClasses classes(graph);
  return plan(group, graph, architecture, rules, classes);
}

GroupPlan plan(const LinkGroup& group, const LinkGraph& graph, const Architecture& architecture,
               const FusionRules& rules, KnownRankClasses& classes) {
  GroupPlan out;
  if (group.is_single()) {
    if (!group.root.children.empty() || !group.root.held.empty()) {
      out.problems.push_back("a link alone has no tree and holds nothing; loops around it are those of its mapping");
      return out;
    }
    LinkPass pass;
    pass.size = sizes_of(graph.link(group.first));
    out.passes = {pass};
    out.residence.resize(graph.arrays.size());
  } else {
    out = GroupPlanner(group, graph, architecture, rules, classes).run();
    if (!out.is_legal()) return out;
  }
  for (int a = 0; a < static_cast<int>(graph.arrays.size()); ++a)
    for (const ArrayTouch& t : graph.array(a).touches)
      if (t.is_term && group.first <= t.link && t.link <= group.last) {
        const int outermost = static_cast<int>(architecture.levels.size()) - 1;
        out.terms.push_back({a, out.residence[a].has_home() ? group.level : outermost, graph.words(a)});
      }
  return out;
}

std::string homes_text(const GroupPlan& plan, const LinkGraph& graph, int link) {
  std::string out;
  for (std::size_t a = 0; a < plan.residence.size(); ++a)
    if (const u64 words = plan.residence[a].words_while(link); words != 0)
      out += fmt::format("{}{} {}", out.empty() ? "" : ", ", graph.arrays[a].name, words);
  return out;
}

namespace {

// Why the level is no home of what one link makes and another reads; empty if it may be.
std::string why_no_home(const ArrayTouch& maker, const ArrayTouch& reader, const LinkGraph& graph,
                        const Architecture& architecture, int level) {
  if (std::string why = why_not_fusing_level(architecture, level); !why.empty()) return why;
  for (const ArrayTouch* t : {&maker, &reader}) {
    if (std::string why = why_not_fused_there(graph, architecture, level, t->link, t->link); !why.empty()) return why;
    const Workload& link = graph.link(t->link);
    const StorageLevel& here = architecture.levels[level];
    if (!t->is_term && keep_choice(here.keep, link, t->tensor) == KeepChoice::Bypass)
      return fmt::format("{} passes {}s by", here.name, name(link.tensors[t->tensor].role));
  }
  return "";
}

// Why no level has the array of one of its readers; empty if one may.
std::string why_no_level(const SharedArray& array, const LinkGraph& graph, const Architecture& architecture) {
  std::string of_levels;
  const ArrayTouch& maker = array.touches.front();
  for (std::size_t t = 1; t < array.touches.size(); ++t)
    for (int level = static_cast<int>(architecture.levels.size()) - 2; level >= 0; --level) {
      const std::string why = why_no_home(maker, array.touches[t], graph, architecture, level);
      if (why.empty()) return "";
      if (t == 1) of_levels += (of_levels.empty() ? "" : "; ") + why;
    }
  return fmt::format("no level may keep it for its maker and a reader: {}",
                     of_levels.empty() ? "there is none inside the outermost" : of_levels);
}

}  // namespace

std::vector<KeptApart> kept_apart(const LinkGraph& graph, const Architecture& architecture) {
  std::vector<KeptApart> out;
  for (int a = 0; a < static_cast<int>(graph.arrays.size()); ++a) {
    const SharedArray& array = graph.array(a);
    if (!array.maker || array.touches.size() < 2) continue;
    const std::string why = array.why_apart.empty() ? why_no_level(array, graph, architecture) : array.why_apart;
    if (why.empty()) continue;
    auto known = std::ranges::find(out, why, &KeptApart::why);
    if (known == out.end()) known = out.insert(out.end(), {why, {}});
    known->arrays.push_back(a);
  }
  return out;
}

Diagnostics check_groups(const std::vector<LinkGroup>& groups, const LinkGraph& graph, const Architecture& architecture,
                         const FusionRules& rules) {
  Diagnostics errors = unit_complaints(graph, architecture);
  if (!errors.empty()) return errors;
  int next = 0;
  for (const LinkGroup& group : groups) {
    const std::string text = group_text(group, graph, architecture);
    if (group.first != next || group.last < group.first)
      errors.push_back({"", 0, text,
                        fmt::format("begins with {}, must begin with {}: groups take the links in order",
                                    graph.link(group.first).name,
                                    next < static_cast<int>(graph.links.size()) ? graph.link(next).name : "nothing")});
    next = group.last + 1;
    for (const std::string& why : plan(group, graph, architecture, rules).problems)
      errors.push_back({"", 0, text, why});
  }
  if (errors.empty() && next != static_cast<int>(graph.links.size()))
    errors.push_back({"", 0, "schedule", fmt::format("ends before {}, must have all links", graph.link(next).name)});
  return errors;
}

}  // namespace heliolite
