#include "engine/network/rank_classes.h"

#include <algorithm>
#include <map>
#include <numeric>

namespace heliolite {
namespace {

// Dimensions of links and of arrays, and which of them are one rank.
class RankPartition {
 public:
  RankPartition(const LinkGraph& graph, int first, int last) : graph_(graph), first_(first), last_(last) {
    for (int l = first; l <= last; ++l)
      for (int d = 0; d < static_cast<int>(graph.link(l).dimensions.size()); ++d) number({true, l, d});
    for (std::size_t a = 0; a < graph.arrays.size(); ++a) identify(static_cast<int>(a));
  }

  std::vector<RankClass> classes() {
    std::map<int, std::map<int, std::vector<int>>> members;  // [root][link]: dimensions
    for (const auto& [item, n] : number_)
      if (item.of_link) members[root(n)][item.owner].push_back(item.dimension);
    std::vector<RankClass> out;
    for (auto& [root, links] : members) {
      if (static_cast<int>(links.size()) != last_ - first_ + 1) continue;
      RankClass c{first_, {}};
      for (auto& [link, dimensions] : links)
        if (order(link, dimensions)) c.dimensions.push_back(dimensions);
      if (c.dimensions.size() == links.size()) out.push_back(std::move(c));
    }
    return out;
  }

 private:
  struct Item {
    bool of_link;
    int owner, dimension;
    auto operator<=>(const Item&) const = default;
  };

  bool is_inside(int link) const { return first_ <= link && link <= last_; }
  int number(const Item& item) {
    const auto [found, is_new] = number_.emplace(item, static_cast<int>(same_as_.size()));
    if (is_new) same_as_.push_back(found->second);
    return found->second;
  }
  int root(int n) const {
    while (same_as_[n] != n) n = same_as_[n];
    return n;
  }
  void unite(int a, int b) { same_as_[root(a)] = root(b); }

  void identify(int a) {
    const SharedArray& array = graph_.array(a);
    if (!array.why_apart.empty()) return;
    const int first = array.touches.front().link;
    int least = last_ + 1, most = first_ - 1;  // links inside that touch it
    for (const ArrayTouch& t : array.touches)
      if (is_inside(t.link)) least = std::min(least, t.link), most = std::max(most, t.link);
    if (least >= most) return;
    for (const ArrayTouch& t : array.touches) {
      if (!is_inside(t.link)) continue;
      for (const CommonRank& rank : t.ranks) {
        if (!rank.divides) continue;
        const int same = number({true, t.link, rank.own[0]});
        for (const int d : rank.own) unite(number({true, t.link, d}), same);
        for (const int d : rank.array) unite(number({false, a, d}), same);
        lists_.push_back({t.link, rank.own});
        if (is_inside(first)) lists_.push_back({first, rank.array});
      }
    }
  }

  // Puts the dimensions of a link in a class into the order of division. False: no loop is over them.
  bool order(int link, std::vector<int>& dimensions) const {
    for (const int d : dimensions)
      if (is_in_window(graph_.link(link), d)) return false;
    if (dimensions.size() == 1) return true;
    const auto names_all = [&](const List& list) {
      return list.link == link && std::ranges::is_permutation(list.dimensions, dimensions);
    };
    const auto list = std::ranges::find_if(lists_, names_all);
    if (list == lists_.end()) return false;
    dimensions = list->dimensions;
    return true;
  }

  struct List {
    int link;
    std::vector<int> dimensions;
  };

  const LinkGraph& graph_;
  int first_, last_;
  std::map<Item, int> number_;
  std::vector<int> same_as_;
  std::vector<List> lists_;  // of corresponding ranks
};

}  // namespace

std::vector<RankClass> rank_classes(const LinkGraph& graph, int first, int last) {
  return RankPartition(graph, first, last).classes();
}

const std::vector<RankClass>& KnownRankClasses::of(int first, int last) {
  const std::lock_guard lock(mutex_);
  const auto [found, is_new] = known_.try_emplace({first, last});
  if (is_new) found->second = rank_classes(graph_, first, last);
  return found->second;
}

std::optional<std::vector<DividedDimension>> divide(const LinkSizes& sizes, const std::vector<int>& dimensions,
                                                    u64 iterations) {
  std::vector<DividedDimension> out;
  for (const int d : dimensions) {
    const u64 size = sizes[d];
    if (iterations == 1 || size == 1) continue;
    if (size % iterations != 0 && iterations % size != 0) return std::nullopt;
    out.push_back({d, std::min(size, iterations)});
    iterations /= out.back().factor;
  }
  if (iterations != 1) return std::nullopt;
  return out;
}

}  // namespace heliolite
