#include "engine/network/residence.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "engine/base/integers.h"
#include "engine/base/text.h"
#include "engine/model/keep.h"
#include "engine/network/schedule_text.h"

namespace heliolite {
namespace {

bool is_in(const LinkGroup& group, int link) { return group.first <= link && link <= group.last; }

// One array in one tree.
class ResidenceFinder {
 public:
  ResidenceFinder(int array, const LinkGroup& group, const TreeIndex& tree, const LinkGraph& graph,
                  const Architecture& architecture, const FusionRules& rules, std::vector<std::string>& problems)
      : a_(array),
        array_(graph.array(array)),
        group_(group),
        tree_(tree),
        graph_(graph),
        architecture_(architecture),
        rules_(rules),
        problems_(problems) {
    for (const ArrayTouch& t : array_.touches) (is_in(group, t.link) ? inside_ : outside_).push_back(&t);
    made_here_ = array_.maker && is_in(group, *array_.maker);
    is_intermediate_ = made_here_ && inside_.size() > 1;
  }

  Residence run() {
    if (inside_.empty()) {
      for (int n = 0; n < tree_.node_count(); ++n)
        if (std::ranges::count(tree_.tree(n).held, a_) != 0)
          complain(fmt::format("{} is held, but no link of the group touches it", array_.name));
      return out_;
    }
    if (is_intermediate_ && !array_.why_apart.empty()) {
      complain(fmt::format("{} cannot be passed on within a group: {}", array_.name, array_.why_apart));
      return out_;
    }
    const std::size_t before = problems_.size();
    if (is_intermediate_) check_parts();
    choose_node();
    if (!out_.has_home() || problems_.size() != before) return out_;
    check_level();
    if (!is_intermediate_ && inside_.size() > 1) check_shared_tile();
    if (is_intermediate_) check_whole_rows();
    out_.tile = tree_.tile(out_.node, first());
    slide();
    live();
    if (problems_.size() == before) move_words();
    return out_;
  }

 private:
  const ArrayTouch& first() const { return *inside_.front(); }
  void complain(std::string why) { problems_.push_back(std::move(why)); }
  std::string loop(int n) const { return loop_text(tree_.tree(n), graph_); }
  const std::string& dimension(int link, int d) const { return graph_.link(link).dimensions[d].name; }
  const std::string& link_name(const ArrayTouch& t) const { return graph_.link(t.link).name; }
  static bool is_rank(const ArrayTouch& t, int d) {
    return std::ranges::any_of(t.ranks, [&](const CommonRank& r) { return std::ranges::count(r.own, d) != 0; });
  }

  // What is made and read beneath a loop is made once and complete: the loop is over a rank of it, which maker and
  // readers divide alike.
  void check_parts() {
    const int maker = *array_.maker;
    for (int n = 1; n < tree_.node_count(); ++n) {
      if (!tree_.is_beneath(maker, n)) continue;
      for (const ArrayTouch* t : inside_) {
        if (t->link == maker || !tree_.is_beneath(t->link, n)) continue;
        if (check_loop(n, array_.touches.front()) && check_loop(n, *t)) check_division(n, *t);
      }
    }
  }
  bool check_loop(int n, const ArrayTouch& t) {
    for (const DividedLink& l : tree_.tree(n).loop) {
      if (l.link != t.link) continue;
      for (const DividedDimension& d : l.divided) {
        const bool is_maker = &t == &array_.touches.front();
        if (is_maker ? has_dimension(graph_.link(t.link), t.tensor, d.dimension) : is_rank(t, d.dimension)) continue;
        complain(
            fmt::format("the loop {} would make {} anew in each iteration, or read it incomplete: it divides {} "
                        "of {}, which is no rank of it; put {} and {} beneath different nodes, or loop over a "
                        "rank of {}",
                        loop(n), array_.name, dimension(t.link, d.dimension), link_name(t),
                        graph_.link(*array_.maker).name, link_name(t), array_.name));
        return false;
      }
    }
    return true;
  }
  void check_division(int n, const ArrayTouch& t) {
    for (const CommonRank& r : t.ranks) {
      const u64 made = tree_.factor(n, *array_.maker, r.array), read = tree_.factor(n, t.link, r.own);
      if (!r.divides && (made > 1 || read > 1))
        return complain(
            fmt::format("the loop {} slides over {}, but {} does not make {} lines for each that {} makes, "
                        "the border before the first: no loop around both divides them",
                        loop(n), array_.name, graph_.link(*array_.maker).name, r.stride, link_name(t)));
      if (made != read)
        return complain(fmt::format("the loop {} makes other parts of {} than {} reads: {} of a rank against {}",
                                    loop(n), array_.name, link_name(t), made, read));
    }
  }

  // The home of an intermediate is the deepest node above all that touch it; other arrays have one where they are held.
  void choose_node() {
    int held = -1;
    for (int n = 0; n < tree_.node_count(); ++n)
      for (const int a : tree_.tree(n).held) {
        if (a != a_) continue;
        if (held >= 0) return complain(fmt::format("{} is held at two nodes, must be at one", array_.name));
        held = n;
      }
    const auto is_above_all = [&](int n) {
      return std::ranges::all_of(inside_, [&](const ArrayTouch* t) { return tree_.is_beneath(t->link, n); });
    };
    if (is_intermediate_) {
      if (held >= 0)
        return complain(
            fmt::format("{} is made and read in the group: it stays there without being held, must not be "
                        "named behind a '+'",
                        array_.name));
      for (int n = 0; n < tree_.node_count(); ++n)
        if (is_above_all(n)) out_.node = n;
      return;
    }
    if (held < 0) return;
    if (!is_above_all(held))
      return complain(
          fmt::format("{} is held at {}, which is not above {}: must be held above all that touch it, or "
                      "nowhere",
                      array_.name, node_text(tree_.tree(held), graph_), links_not_beneath(held)));
    if (std::ranges::all_of(inside_, &ArrayTouch::is_term))
      return complain(
          fmt::format("{} is a term of a sum and nothing else in the group: it is read once as it is, must "
                      "not be held",
                      array_.name));
    out_.node = held;
  }
  std::string links_not_beneath(int n) const {
    std::set<std::string> names;
    for (const ArrayTouch* t : inside_)
      if (!tree_.is_beneath(t->link, n)) names.insert(link_name(*t));
    return join(std::vector<std::string>(names.begin(), names.end()));
  }

  void check_level() {
    const StorageLevel& level = architecture_.levels[group_.level];
    for (const ArrayTouch* t : inside_) {
      if (t->is_term) continue;
      const Workload& link = graph_.link(t->link);
      if (keep_choice(level.keep, link, t->tensor) != KeepChoice::Bypass) continue;
      complain(fmt::format("{} may not keep {} of {} ({} passes {}s by): fuse at another level{}", level.name,
                           link.tensors[t->tensor].name, link.name, level.name, name(link.tensors[t->tensor].role),
                           is_intermediate_ ? "" : ", or do not hold it"));
    }
  }

  // Links that read one array from outside share one tile of it.
  void check_shared_tile() {
    if (!array_.why_apart.empty())
      return complain(fmt::format("{} cannot be held for several links: {}", array_.name, array_.why_apart));
    for (const ArrayTouch* t : inside_)
      for (const CommonRank& r : t->ranks) {
        const auto same = std::ranges::find(first().ranks, r.array, &CommonRank::array);
        if (same == first().ranks.end() || same->slides != r.slides || same->window != r.window ||
            same->border != r.border)
          return complain(fmt::format("{} and {} read {} with different windows or ranks: must not be held",
                                      link_name(first()), link_name(*t), array_.name));
        for (const int n : tree_.path_to(out_.node))
          if (tree_.factor(n, first().link, same->own) != tree_.factor(n, t->link, r.own))
            return complain(
                fmt::format("beneath the loop {} {} and {} read different tiles of {}: hold it above the "
                            "loop, or nowhere",
                            loop(n), link_name(first()), link_name(*t), array_.name));
      }
  }

  void check_whole_rows() {
    for (const ArrayTouch* t : inside_) {
      const bool whole = t->between == Between::Norm || (t->between == Between::Softmax && !rules_.incremental_softmax);
      if (!whole) continue;
      const Workload& link = graph_.link(t->link);
      for (const CommonRank& r : t->ranks) {
        if (std::ranges::all_of(r.own, [&](int d) { return has_dimension(link, link.output(), d); })) continue;
        for (const int n : tree_.path_to(out_.node))
          if (tree_.factor(n, *array_.maker, r.array) > 1)
            complain(fmt::format("{} needs whole rows of {} before {}: no loop above both may divide {} of {}, {} does",
                                 t->between == Between::Norm ? "the normalisation" : "softmax", array_.name, link.name,
                                 dimension(*array_.maker, r.array[0]), graph_.link(*array_.maker).name, loop(n)));
      }
    }
  }

  // Loops over ranks that slide above the home: lines that neighbouring tiles share stay while the loop's node runs.
  void slide() {
    std::map<std::pair<int, int>, u64> shared;  // [node, dimension of the array]: words
    const auto add = [&](const ArrayTouch& reader, const ArrayTouch& sized) {
      for (const CommonRank& r : reader.ranks) {
        if (!r.slides) continue;
        for (const int n : tree_.path_to(out_.node)) {
          if (tree_.factor(n, reader.link, r.own) <= 1) continue;
          const int line = &sized == &reader ? r.own[0] : r.array[0];
          u64& words = shared[{n, r.array[0]}];
          words = std::max(words, tree_.overlap(tree_.node(n).parent, sized, line, r.overlap()));
        }
      }
    };
    if (!is_intermediate_) {
      if (!made_here_) add(first(), first());
    } else {
      for (const ArrayTouch* t : inside_)
        if (!t->is_term && t != &array_.touches.front()) add(*t, array_.touches.front());
    }
    if (shared.size() > 1)
      return complain(
          fmt::format("{} slides along two loops above its home, whose corners would have to stay, too: "
                      "must be one",
                      array_.name));
    for (const auto& [place, words] : shared)
      out_.overlap = {place.first, tree_.node(place.first).first, tree_.node(place.first).last, words};
  }

  // An intermediate is there from its maker's child of the node to the last reader's; what is held while the node runs.
  void live() {
    out_.first = tree_.node(out_.node).first;
    out_.last = tree_.node(out_.node).last;
    if (!is_intermediate_) return;
    int last = *array_.maker;
    for (const ArrayTouch* t : inside_) last = std::max(last, t->link);
    if (last == *array_.maker) return;
    out_.first = child_with(*array_.maker).first;
    out_.last = child_with(last).last;
  }
  TreeIndex::Node child_with(int link) const {
    int n = tree_.parent_of(link);
    if (n == out_.node) return {nullptr, n, link, link};
    while (tree_.node(n).parent != out_.node) n = tree_.node(n).parent;
    return tree_.node(n);
  }

  void move_words() {
    if (is_intermediate_) {
      if (!outside_.empty()) out_.stored = graph_.words(a_);
      return;
    }
    const int above = tree_.node(out_.node).parent;
    const u64 moved = tree_.iterations_to(above) * tree_.tiles(out_.node, first().link, first().tensor) * out_.tile;
    if (made_here_) {
      out_.stored = moved;
      out_.returned = moved - graph_.words(a_);
    } else {
      out_.fetched = out_.overlap ? sliding_words() : moved;
    }
  }
  // A held operand that slides is fetched once in each run of the sliding loop's node, border included.
  u64 sliding_words() {
    const int sliding = out_.overlap->node;
    for (const int n : tree_.path_to(out_.node))
      if (n >= sliding && n != out_.node && tree_.tiles(n, first().link, first().tensor) != tree_.iterations(n))
        complain(
            fmt::format("the loop {} is between the loop {} along which {} slides and the node where it is held, "
                        "and {} lacks it: hold it further out",
                        loop(n), loop(sliding), array_.name, array_.name));
    const int above = tree_.node(sliding).parent;
    return tree_.iterations_to(above) * tree_.tile(above, first());
  }

  int a_;
  const SharedArray& array_;
  const LinkGroup& group_;
  const TreeIndex& tree_;
  const LinkGraph& graph_;
  const Architecture& architecture_;
  const FusionRules& rules_;
  std::vector<std::string>& problems_;
  std::vector<const ArrayTouch*> inside_, outside_;  // touches of links of the group, and of others
  bool made_here_ = false;
  bool is_intermediate_ = false;  // made and read, or added, in the group
  Residence out_;
};

}  // namespace

Residence find_residence(int array, const LinkGroup& group, const TreeIndex& tree, const LinkGraph& graph,
                         const Architecture& architecture, const FusionRules& rules,
                         std::vector<std::string>& problems) {
  return ResidenceFinder(array, group, tree, graph, architecture, rules, problems).run();
}

}  // namespace heliolite
