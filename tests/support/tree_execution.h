#pragma once
// Executes a group word by word: walks its tree and the nests of its links, keeps the words of every array where they
// are, and counts what moves. Homes are sets of words here, completeness is a number of contributions, so that neither
// tiles nor legality are taken from the plan; which node is whose home is. Temporal loops and perfect factors only.
#include <algorithm>
#include <functional>
#include <map>
#include <set>
#include <string>
#include <tuple>
#include <vector>

#include "engine/network/fused_cost.h"
#include "engine/network/tree_index.h"
#include "tests/support/array_words.h"
#include "tests/support/fusion_records.h"

namespace heliolite::testing {

// What an execution saw.
struct ExecutedGroup {
  std::map<std::tuple<int, int, int>, Accesses<u64>>
      words;                                     // [link, level, tensor], up to the tensor's outermost level
  std::map<int, u64> fetched, stored, returned;  // [array]: over the border of the fusing level
  std::map<int, u64> homes;                      // [link]: most words with a home while it ran
  std::map<int, u64> term_reads;                 // [array]
  std::vector<std::string> faults;               // words that were read before they were there, or complete
};

class TreeExecution {
 public:
  TreeExecution(const FusionProblem& problem, const LinkGroup& group, const GroupPlan& plan,
                const std::vector<Mapping>& mappings)
      : graph_(problem.graph), group_(group), plan_(plan), mappings_(mappings), arrays_(graph_), tree_(group, graph_) {}

  ExecutedGroup run() {
    for (int l = group_.first; l <= group_.last; ++l)
      place_[l] = {LinkSizes(sizes_of(graph_.link(l)).size(), 0), sizes_of(graph_.link(l))};
    walk(0);
    return std::move(out_);
  }

 private:
  using Word = ArrayWord;
  using Place = LinkPart;
  using Words = std::map<Word, u64>;  // contributions that each has got

  bool is_in(int link) const { return group_.first <= link && link <= group_.last; }
  const Residence& residence(int a) const { return plan_.residence[at(a)]; }
  int array_of(int l, int v) const { return graph_.array_of[at(l)][at(v)]; }
  bool made_here(int a) const { return graph_.array(a).maker && is_in(*graph_.array(a).maker); }
  bool is_intermediate(int a) const {
    const auto& touches = graph_.array(a).touches;
    return made_here(a) && std::ranges::count_if(touches, [&](const ArrayTouch& t) { return is_in(t.link); }) > 1;
  }
  const ArrayTouch& touch_of(int l, int v) const {
    for (const ArrayTouch& t : graph_.array(array_of(l, v)).touches)
      if (t.link == l && t.tensor == v && !t.is_term) return t;
    return graph_.array(array_of(l, v)).touches.front();
  }
  void fault(int a, const std::string& what) { out_.faults.push_back(graph_.array(a).name + " " + what); }

  void walk(int n) {
    const TreeNode& node = tree_.tree(n);
    const auto whole = place_;
    for (u64 k = 0; k < node.iterations(); ++k) {
      enter(n, k, whole);
      for (const int a : node.held) refill(a, n);
      for (std::size_t c = 0; c < node.children.size(); ++c) {
        const TreeNode& child = node.children[c];
        const int first = span_of(child).first, last = span_of(child).second;
        for_homes(n, [&](int a) {
          if (is_intermediate(a) && first <= *graph_.array(a).maker && *graph_.array(a).maker <= last)
            for (const Word& w : arrays_.box(graph_.array(a).touches.front(), place_.at(*graph_.array(a).maker)))
              home_[a].emplace(w, 0);
        });
        if (child.is_leaf()) pass(*child.link);
        else walk(number_of(child));
        for_homes(n, [&](int a) {
          if (is_intermediate(a) && first <= last_touch(a) && last_touch(a) <= last) leave(a, n);
        });
      }
    }
    for (const int a : node.held) leave(a, n);
    // What neighbours shared along the node's loop.
    for (std::size_t a = 0; a < graph_.arrays.size(); ++a)
      if (residence(static_cast<int>(a)).overlap && residence(static_cast<int>(a)).overlap->node == n)
        shared_.erase(static_cast<int>(a));
    place_ = whole;
  }
  std::pair<int, int> span_of(const TreeNode& node) const {
    const TreeNode *first = &node, *last = &node;
    while (!first->is_leaf()) first = &first->children.front();
    while (!last->is_leaf()) last = &last->children.back();
    return {*first->link, *last->link};
  }
  int number_of(const TreeNode& node) const {
    int n = 0;
    while (&tree_.tree(n) != &node) ++n;
    return n;
  }
  int last_touch(int a) const {
    int last = 0;
    for (const ArrayTouch& t : graph_.array(a).touches)
      if (is_in(t.link)) last = std::max(last, t.link);
    return last;
  }
  void for_homes(int n, const std::function<void(int)>& visit) {
    for (std::size_t a = 0; a < graph_.arrays.size(); ++a)
      if (residence(static_cast<int>(a)).node == n) visit(static_cast<int>(a));
  }
  // Iteration k of the node's loop; of several dimensions the last counts fastest.
  void enter(int n, u64 k, const std::map<int, Place>& whole) {
    for (const DividedLink& l : tree_.tree(n).loop) {
      Place& place = place_[l.link] = whole.at(l.link);
      u64 rest = k;
      for (auto d = l.divided.rbegin(); d != l.divided.rend(); ++d) {
        place.size[at(d->dimension)] /= d->factor;
        place.base[at(d->dimension)] += rest % d->factor * place.size[at(d->dimension)];
        rest /= d->factor;
      }
    }
  }

  const ArrayTouch& holder(int a) const {
    for (const ArrayTouch& t : graph_.array(a).touches)
      if (is_in(t.link)) return t;
    return graph_.array(a).touches.front();
  }
  // The held array's tile of this iteration comes; what is there and in it stays.
  void refill(int a, int n) {
    const std::vector<Word> wanted = arrays_.box(holder(a), place_.at(holder(a).link));
    const std::set<Word> wanted_set(wanted.begin(), wanted.end());
    Words &home = home_[a], &shared = shared_[a];
    if (made_here(a) && std::ranges::any_of(home, [&](const auto& w) { return !wanted_set.contains(w.first); }))
      leave(a, n);
    std::erase_if(home, [&](const auto& w) { return !wanted_set.contains(w.first); });
    for (const Word& w : wanted) {
      if (home.contains(w)) continue;
      if (const auto found = shared.find(w); found != shared.end()) {
        home.insert(*found);
      } else if (!made_here(a)) {
        ++out_.fetched[a];
        home.emplace(w, 0);
      } else {
        const u64 sum = outer_[a].contains(w) ? outer_[a][w] : 0;
        out_.returned[a] += sum != 0;
        home.emplace(w, sum);
      }
    }
    if (residence(a).overlap) remember(a);
  }
  // The tile leaves its home: results go out, lines that the next iteration reads again stay.
  void leave(int a, int) {
    const bool outside = std::ranges::any_of(graph_.array(a).touches, [&](const auto& t) { return !is_in(t.link); });
    if (made_here(a) && (!is_intermediate(a) || outside)) {
      out_.stored[a] += home_[a].size();
      for (const auto& [w, sum] : home_[a]) outer_[a][w] = sum;
    }
    if (residence(a).overlap) remember(a);
    home_[a].clear();
  }
  // Words of the home that are the last lines along the sliding rank, which neighbours share.
  void remember(int a) {
    const int n = residence(a).overlap->node;
    Words& shared = shared_[a];
    for (const auto& w : home_[a]) shared.insert(w);
    for (const ArrayTouch& t : graph_.array(a).touches) {
      if (!is_in(t.link) || t.is_term) continue;
      for (const CommonRank& r : t.ranks) {
        if (!r.slides || tree_.factor(n, t.link, r.own) <= 1) continue;
        const ArrayTouch& first = graph_.array(a).touches.front();
        const int rank = *rank_with(graph_.link(first.link), first.tensor, r.array[0]);
        i64 end = 0;
        for (const auto& w : home_[a]) end = std::max(end, w.first[at(rank)] + 1);
        const i64 begin = end - static_cast<i64>(widest(a, n));
        // Older lines of the columns that are here now have been read for the last time.
        std::set<Word> here;
        const auto column = [&](Word w) { return w[at(rank)] = 0, w; };
        for (const auto& w : home_[a]) here.insert(column(w.first));
        std::erase_if(shared,
                      [&](const auto& w) { return w.first[at(rank)] < begin && here.contains(column(w.first)); });
      }
    }
  }
  u64 widest(int a, int n) const {
    u64 lines = 0;
    for (const ArrayTouch& t : graph_.array(a).touches)
      for (const CommonRank& r : t.ranks)
        if (is_in(t.link) && !t.is_term && r.slides && tree_.factor(n, t.link, r.own) > 1)
          lines = std::max(lines, r.overlap());
    return lines;
  }

  // A word at the outermost place of tensor v: its home, or outside.
  u64& source(int l, int v, const Word& w) {
    const int a = array_of(l, v);
    if (!residence(a).has_home()) return outer_[a][w];
    if (const auto found = home_[a].find(w); found != home_[a].end()) return found->second;
    if (const auto found = shared_[a].find(w); found != shared_[a].end()) return found->second;
    if (!arrays_.is_border(a, w)) fault(a, "is read where it is not");
    return nothing_ = made_here(a) ? arrays_.complete(a) : 0;
  }

  // Tiles of a link's tensors at the levels that keep them, one pass.
  void pass(int l) {
    const Workload& link = graph_.link(l);
    const Mapping& m = mappings_[at(l)];
    u64 at_home = 0;
    std::set<std::pair<int, Word>> counted;
    for (const auto& [a, words] : home_)
      for (const auto& w : words) counted.emplace(a, w.first);
    for (const auto& [a, words] : shared_)
      for (const auto& w : words) counted.emplace(a, w.first);
    at_home = counted.size();
    out_.homes[l] = std::max(out_.homes[l], at_home);
    const int out = link.output();
    std::vector<std::vector<int>> levels(link.tensors.size());  // that keep it, innermost first, its outermost one last
    for (int v = 0; v < static_cast<int>(link.tensors.size()); ++v) {
      const int level = plan_.passes[at(l - group_.first)].level;
      const int top = residence(array_of(l, v)).has_home() ? level : m.level_count - 1;
      for (int i = 0; i < top; ++i)
        if (m.keeps(i, v)) levels[at(v)].push_back(i);
      levels[at(v)].push_back(top);
    }
    struct Tile {
      Place part;
      Words words;
      bool valid = false;
    };
    std::map<std::pair<int, int>, Tile> tiles;  // [tensor, place in `levels`]
    const auto value = [&](int v, std::size_t k, const Word& w) -> u64& {
      return k + 1 == levels[at(v)].size() ? source(l, v, w) : tiles[{v, static_cast<int>(k)}].words.at(w);
    };
    const auto count = [&](int v, std::size_t k) -> Accesses<u64>& { return out_.words[{l, levels[at(v)][k], v}]; };
    const auto write_back = [&](std::size_t k) {
      Tile& tile = tiles[{out, static_cast<int>(k)}];
      if (!tile.valid) return;
      count(out, k + 1).updates += tile.words.size();
      for (const auto& [w, sum] : tile.words) value(out, k + 1, w) = sum;
      tile.valid = false;
    };
    std::vector<u64> index(m.loop_count, 0);
    while (true) {
      // Step 1. Where the loops outside each level stand, and the tile that they leave.
      const auto part_at = [&](int level) {
        Place part = place_.at(l);
        for (int j = m.loop_count; j-- > 0;) {
          const Loop& loop = m.loop[at(j)];
          if (loop.level <= level) continue;
          part.size[at(loop.dimension)] /= loop.end;
          part.base[at(loop.dimension)] += index[at(j)] * part.size[at(loop.dimension)];
        }
        return part;
      };
      // Step 2. Results go out from the inside, tiles come in from the outside.
      for (std::size_t k = 0; k + 1 < levels[at(out)].size(); ++k) {
        const Place part = part_at(levels[at(out)][k]);
        if (!same_words(touch_of(l, out), tiles[{out, static_cast<int>(k)}].part, part)) write_back(k);
      }
      for (int v = 0; v < static_cast<int>(link.tensors.size()); ++v)
        for (std::size_t k = levels[at(v)].size() - 1; k-- > 0;) {
          Tile& tile = tiles[{v, static_cast<int>(k)}];
          const Place part = part_at(levels[at(v)][k]);
          if (tile.valid && same_words(touch_of(l, v), tile.part, part)) continue;
          tile = {part, {}, true};
          for (const Word& w : arrays_.box(touch_of(l, v), part)) {
            const u64 sum = value(v, k + 1, w);
            tile.words.emplace(w, sum);
            if (v == out && sum == 0) continue;
            check_complete(l, v, w, sum);
            ++count(v, k + 1).reads;
            ++count(v, k).fills;
          }
        }
      // Step 3. One MAC.
      Place point = part_at(-1);
      for (int v = 0; v < static_cast<int>(link.tensors.size()); ++v) {
        const Word w = arrays_.box(touch_of(l, v), point).front();
        u64& sum = value(v, 0, w);
        if (v != out) {
          check_complete(l, v, w, sum);
          ++count(v, 0).reads;
          continue;
        }
        count(v, 0).reads += sum != 0;
        ++count(v, 0).updates;
        ++sum;
      }
      int j = 0;
      while (j < m.loop_count && ++index[at(j)] == m.loop[at(j)].end) index[at(j++)] = 0;
      if (j == m.loop_count) break;
    }
    for (std::size_t k = 0; k + 1 < levels[at(out)].size(); ++k) write_back(k);
    read_terms(l);
  }
  bool same_words(const ArrayTouch& t, const Place& a, const Place& b) const {
    return !a.base.empty() && arrays_.box(t, a) == arrays_.box(t, b);
  }
  void check_complete(int l, int v, const Word& w, u64 sum) {
    const int a = array_of(l, v);
    if (v == graph_.link(l).output() || !made_here(a) || arrays_.is_border(a, w)) return;
    if (sum != arrays_.complete(a)) fault(a, "is read before it is complete");
  }

  // Other terms of the sum whose last one the link makes, for words that this pass has completed.
  void read_terms(int l) {
    const int out = graph_.link(l).output();
    const int place = array_of(l, out);
    for (const Word& w : arrays_.box(touch_of(l, out), place_.at(l))) {
      if (source(l, out, w) != arrays_.complete(place)) continue;
      for (std::size_t a = 0; a < graph_.arrays.size(); ++a)
        for (const ArrayTouch& t : graph_.arrays[a].touches) {
          if (!t.is_term || t.link != l) continue;
          const int term = static_cast<int>(a);
          ++out_.term_reads[term];
          if (!residence(term).has_home() || !made_here(term)) continue;
          const auto found = home_[term].find(arrays_.in_array(t, w));
          if (found == home_[term].end() || found->second != arrays_.complete(term))
            fault(term, "is added before it is complete");
        }
    }
  }

  const LinkGraph& graph_;
  const LinkGroup& group_;
  const GroupPlan& plan_;
  const std::vector<Mapping>& mappings_;
  ArrayWords arrays_;
  TreeIndex tree_;
  std::map<int, Place> place_;                  // [link]: the part of it that the loops above are at
  std::map<int, Words> outer_, home_, shared_;  // [array]
  u64 nothing_ = 0;
  ExecutedGroup out_;
};

}  // namespace heliolite::testing
