#include "engine/search/fused/group_moves.h"

#include <algorithm>

#include "engine/base/integers.h"
#include "engine/space/divisors.h"

namespace heliolite {
namespace {

constexpr u64 kFarthest = 4;             // times as many iterations, or this part of them, are still one change
constexpr std::size_t kMostFactors = 6;  // numbers of iterations that a new loop is tried with

// Room beneath two loops is this many times what the array takes, at most: with more iterations it comes and goes for
// nothing.
constexpr double kMostToSpare = 4;

int first_link(const TreeNode& node) { return node.is_leaf() ? *node.link : first_link(node.children.front()); }
int last_link(const TreeNode& node) { return node.is_leaf() ? *node.link : last_link(node.children.back()); }

TreeNode& node_at(TreeNode& root, const std::vector<std::size_t>& path) {
  TreeNode* node = &root;
  for (const std::size_t k : path) node = &node->children[k];
  return *node;
}
const TreeNode& node_at(const TreeNode& root, const std::vector<std::size_t>& path) {
  const TreeNode* node = &root;
  for (const std::size_t k : path) node = &node->children[k];
  return *node;
}

// The inner nodes, parents first.
void inner_nodes(const TreeNode& node, std::vector<std::size_t>& path, std::vector<std::vector<std::size_t>>& out) {
  if (node.is_leaf()) return;
  out.push_back(path);
  for (std::size_t k = 0; k < node.children.size(); ++k) {
    path.push_back(k);
    inner_nodes(node.children[k], path, out);
    path.pop_back();
  }
}

TreeNode leaf_of(int link) {
  TreeNode out;
  out.link = link;
  return out;
}

void set_iterations(TreeNode& node, u64 iterations) {
  DividedLink& one = node.loop.front();
  one.divided = {{one.divided.front().dimension, iterations}};
  node.loop.resize(1);
}

// Its children take the place of a node; what it held its parent holds.
void dissolve(TreeNode& parent, std::size_t k) {
  TreeNode gone = std::move(parent.children[k]);
  const auto here = parent.children.erase(parent.children.begin() + static_cast<std::ptrdiff_t>(k));
  parent.children.insert(here, gone.children.begin(), gone.children.end());
  parent.held.insert(parent.held.end(), gone.held.begin(), gone.held.end());
}

// Child k and the next one as one loop, which a link joins, or a loop's children. False: both are links.
bool join_next(std::vector<TreeNode>& children, std::size_t k) {
  TreeNode &a = children[k], &b = children[k + 1];
  if (a.is_leaf() && b.is_leaf()) return false;
  const auto here = children.begin() + static_cast<std::ptrdiff_t>(k);
  if (a.is_leaf()) {
    b.children.insert(b.children.begin(), a);
    children.erase(here);
  } else {
    if (b.is_leaf()) a.children.push_back(b);
    else a.children.insert(a.children.end(), b.children.begin(), b.children.end());
    a.held.insert(a.held.end(), b.held.begin(), b.held.end());
    children.erase(here + 1);
  }
  return true;
}

// What is left of a tree that only has these links; nothing if it has none.
std::optional<TreeNode> restricted(const TreeNode& node, int first, int last) {
  if (node.is_leaf()) return *node.link < first || *node.link > last ? std::nullopt : std::optional(node);
  TreeNode out = node;
  out.children.clear();
  for (const TreeNode& child : node.children)
    if (auto part = restricted(child, first, last)) out.children.push_back(*std::move(part));
  if (out.children.empty()) return std::nullopt;
  return out;
}

// A few of the divisors above 1, from the least to the most.
std::vector<u64> some_factors(u64 most) {
  std::vector<u64> all = divisors(most);
  std::erase(all, u64{1});
  std::ranges::sort(all);
  if (all.size() <= kMostFactors) return all;
  std::vector<u64> out;
  for (std::size_t k = 0; k < kMostFactors; ++k) out.push_back(all[k * (all.size() - 1) / (kMostFactors - 1)]);
  return out;
}

bool is_divided(const LinkGraph& graph, const TreeNode& node, int array) {
  for (const ArrayTouch& t : graph.array(array).touches)
    for (const DividedLink& l : node.loop) {
      if (l.link != t.link) continue;
      for (const DividedDimension& d : l.divided)
        if (has_dimension(graph.link(t.link), t.tensor, d.dimension)) return true;
    }
  return false;
}

}  // namespace

// The class that a node's loop is over, as one of the links beneath it says.
const RankClass* GroupMoves::class_of(const TreeNode& node, int first, int last) {
  for (const DividedLink& l : node.loop) {
    if (l.link < first || l.link > last) continue;
    const int dimension = l.divided.front().dimension;
    for (const RankClass& c : classes_.of(first, last))
      if (std::ranges::count(c.of(l.link), dimension) != 0) return &c;
  }
  return nullptr;
}

// Says of all links beneath each loop how it divides them, and dissolves what is no node. False: a loop cannot be.
bool GroupMoves::complete(TreeNode& node, std::map<int, LinkSizes>& sizes) {
  if (node.is_leaf()) return true;
  const int first = first_link(node), last = last_link(node);
  if (!node.loop.empty()) {
    const RankClass* ranks = class_of(node, first, last);
    if (ranks == nullptr) return false;
    const u64 iterations = node.iterations();
    node.loop.clear();
    for (int l = first; l <= last; ++l) {
      auto divided = divide(sizes[l], ranks->of(l), iterations);
      if (!divided) return false;
      for (const DividedDimension& d : *divided) sizes[l][d.dimension] /= d.factor;
      node.loop.push_back({l, *std::move(divided)});
    }
  }
  for (TreeNode& child : node.children)
    if (!complete(child, sizes)) return false;
  return true;
}

std::vector<int> GroupMoves::touching(const LinkGroup& group, int array) const {
  std::vector<int> out;
  for (const ArrayTouch& t : graph_.array(array).touches)
    if (group.first <= t.link && t.link <= group.last) out.push_back(t.link);
  return out;
}

// Arrays that are not made and read in the group, and that only links first .. last of it touch.
std::vector<int> GroupMoves::holdable(const LinkGroup& group, int first, int last) const {
  std::vector<int> out;
  for (int l = first; l <= last; ++l)
    for (const int a : graph_.array_of[l]) {
      if (std::ranges::count(out, a) != 0) continue;
      const std::vector<int> links = touching(group, a);
      const SharedArray& array = graph_.array(a);
      const bool made = array.maker && group.first <= *array.maker && *array.maker <= group.last;
      if ((made && links.size() > 1) || std::ranges::min(links) < first || std::ranges::max(links) > last) continue;
      out.push_back(a);
    }
  return out;
}

// Keeps of what nodes hold what may be held there, once on each path.
void GroupMoves::tidy(TreeNode& node, const LinkGroup& group, std::vector<int>& above) const {
  if (node.is_leaf()) return;
  const std::vector<int> may = holdable(group, first_link(node), last_link(node));
  std::vector<int> held;
  for (const int a : node.held)
    if (std::ranges::count(may, a) != 0 && std::ranges::count(above, a) == 0 && std::ranges::count(held, a) == 0)
      held.push_back(a);
  std::ranges::sort(held);
  node.held = held;
  const std::size_t before = above.size();
  above.insert(above.end(), held.begin(), held.end());
  for (TreeNode& child : node.children) tidy(child, group, above);
  above.resize(before);
}

void GroupMoves::add(LinkGroup next, std::vector<LinkGroup>& out) {
  if (is_over_()) return;
  std::map<int, LinkSizes> sizes;
  for (int l = next.first; l <= next.last; ++l) sizes[l] = sizes_of(graph_.link(l));
  if (!complete(next.root, sizes)) return;
  std::vector<int> above;
  tidy(next.root, next, above);
  out.push_back(std::move(next));
}

// Iterations that a loop over the class could have at most, inside the loops of the nodes above.
u64 GroupMoves::most_iterations(const LinkGroup& group, const Path& path, const RankClass& ranks) const {
  u64 most = ~u64{0};
  for (std::size_t k = 0; k < ranks.dimensions.size(); ++k) {
    const int link = ranks.first + static_cast<int>(k);
    LinkSizes sizes = sizes_of(graph_.link(link));
    const TreeNode* node = &group.root;
    for (const std::size_t step : path) {
      for (const DividedLink& l : node->loop)
        if (l.link == link)
          for (const DividedDimension& d : l.divided) sizes[d.dimension] /= d.factor;
      node = &node->children[step];
    }
    u64 product = 1;
    for (const int d : ranks.dimensions[k]) product *= sizes[d];
    most = std::min(most, product);
  }
  return most;
}

void GroupMoves::change_loop(const LinkGroup& group, const Path& path, std::vector<LinkGroup>& out) {
  if (path.empty()) return;
  const TreeNode& node = node_at(group.root, path);
  const RankClass* ranks = class_of(node, first_link(node), last_link(node));
  if (ranks == nullptr) return;
  const u64 now = node.iterations();
  for (const u64 iterations : divisors(most_iterations(group, path, *ranks))) {
    if (iterations < 2 || iterations == now || iterations > now * kFarthest || iterations * kFarthest < now) continue;
    LinkGroup next = group;
    set_iterations(node_at(next.root, path), iterations);
    add(std::move(next), out);
  }
  LinkGroup without = group;
  dissolve(node_at(without.root, Path(path.begin(), path.end() - 1)), path.back());
  add(std::move(without), out);
}

void GroupMoves::bring_in_loops(const LinkGroup& group, const Path& path, std::vector<LinkGroup>& out) {
  const TreeNode& node = node_at(group.root, path);
  const std::size_t n = node.children.size();
  for (std::size_t begin = 0; begin < n && !is_over_(); ++begin)
    for (std::size_t end = begin + 1; end <= n; ++end)
      if (end > begin + 1 || !node.children[begin].is_leaf()) bring_in_loops_around(group, path, begin, end, out);
}

void GroupMoves::bring_in_loops_around(const LinkGroup& group, const Path& path, std::size_t begin, std::size_t end,
                                       std::vector<LinkGroup>& out) {
  const std::vector<TreeNode>& children = node_at(group.root, path).children;
  Path child = path;
  child.push_back(begin);
  if (is_over_()) return;
  for (const RankClass& ranks : classes_.of(first_link(children[begin]), last_link(children[end - 1])))
    for (const u64 iterations : some_factors(most_iterations(group, child, ranks)))
      bring_in_loop(group, path, begin, end, ranks, iterations, out);
}

// With nothing more held; with each array, and with all, that the loop does not divide held around it; with those it
// divides held in it as well.
void GroupMoves::bring_in_loop(const LinkGroup& group, const Path& path, std::size_t begin, std::size_t end,
                               const RankClass& ranks, u64 iterations, std::vector<LinkGroup>& out) {
  LinkGroup next = group;
  TreeNode& node = node_at(next.root, path);
  TreeNode inner;
  const auto from = node.children.begin() + static_cast<std::ptrdiff_t>(begin);
  const auto to = node.children.begin() + static_cast<std::ptrdiff_t>(end);
  inner.children.assign(from, to);
  inner.loop = {{ranks.first, {{ranks.dimensions.front().front(), iterations}}}};
  const int first = first_link(inner), last = last_link(inner);
  node.children.erase(from + 1, to);
  node.children[begin] = std::move(inner);
  std::vector<LinkGroup> one;
  add(next, one);
  if (one.empty()) return;
  out.push_back(one.front());
  const TreeNode& loop = node_at(one.front().root, path).children[begin];
  std::vector<int> around, within;
  for (const int a : holdable(group, first, last)) (is_divided(graph_, loop, a) ? within : around).push_back(a);
  const auto hold = [&](const std::vector<int>& outside, const std::vector<int>& inside) {
    LinkGroup held = one.front();
    TreeNode& parent = node_at(held.root, path);
    parent.held.insert(parent.held.end(), outside.begin(), outside.end());
    std::vector<int>& own = parent.children[begin].held;
    own.insert(own.end(), inside.begin(), inside.end());
    add(std::move(held), out);
  };
  if (around.size() > 1)
    for (const int a : around) hold({a}, {});
  if (!around.empty()) hold(around, {});
  if (!within.empty()) hold(around, within);
}

// A child of a node, its first or its last, further out; a link, or a loop's children, into the loop beside it.
void GroupMoves::move_children(const LinkGroup& group, const Path& path, std::vector<LinkGroup>& out) {
  const TreeNode& node = node_at(group.root, path);
  const auto at_place = [](std::vector<TreeNode>& list, std::size_t k) {
    return list.begin() + static_cast<std::ptrdiff_t>(k);
  };
  if (!path.empty() && node.children.size() > 1)
    for (const bool front : {true, false}) {
      LinkGroup next = group;
      TreeNode& parent = node_at(next.root, Path(path.begin(), path.end() - 1));
      std::vector<TreeNode>& own = parent.children[path.back()].children;
      const std::size_t k = front ? 0 : own.size() - 1;
      TreeNode moved = std::move(own[k]);
      own.erase(at_place(own, k));
      parent.children.insert(at_place(parent.children, path.back() + (front ? 0 : 1)), std::move(moved));
      add(std::move(next), out);
    }
  for (std::size_t k = 0; k + 1 < node.children.size(); ++k) {
    LinkGroup next = group;
    if (join_next(node_at(next.root, path).children, k)) add(std::move(next), out);
  }
}

void GroupMoves::change_held(const LinkGroup& group, const Path& path, std::vector<LinkGroup>& out) {
  const TreeNode& node = node_at(group.root, path);
  std::vector<int> above;
  for (std::size_t k = 0; k < path.size(); ++k) {
    const std::vector<int>& held = node_at(group.root, Path(path.begin(), path.begin() + static_cast<long>(k))).held;
    above.insert(above.end(), held.begin(), held.end());
  }
  const auto has = [](const std::vector<int>& list, int a) { return std::ranges::count(list, a) != 0; };
  for (const int a : holdable(group, first_link(node), last_link(node))) {
    LinkGroup next = group;
    TreeNode& own = node_at(next.root, path);
    // Out of where it is: to the parent, if there is one, or nowhere.
    if (has(own.held, a)) {
      std::erase(own.held, a);
      LinkGroup further = next;
      add(std::move(next), out);
      if (path.empty()) continue;
      node_at(further.root, Path(path.begin(), path.end() - 1)).held.push_back(a);
      add(std::move(further), out);
      continue;
    }
    // Here instead of further in or nowhere, or instead of further out.
    if (has(above, a))
      for (std::size_t k = 0; k < path.size(); ++k)
        std::erase(node_at(next.root, Path(path.begin(), path.begin() + static_cast<long>(k))).held, a);
    own.held.push_back(a);
    add(std::move(next), out);
  }
}

std::vector<LinkGroup> GroupMoves::changed(const LinkGroup& group) {
  std::vector<LinkGroup> out;
  if (group.is_single()) return out;
  std::vector<Path> paths;
  Path root;
  inner_nodes(group.root, root, paths);
  for (const Path& path : paths) {
    change_held(group, path, out);
    change_loop(group, path, out);
    move_children(group, path, out);
    bring_in_loops(group, path, out);
  }
  return out;
}

LinkGroup GroupMoves::without_loops(int first, int last, int level) {
  LinkGroup out{first, last, level, {}};
  for (int l = first; l <= last; ++l) out.root.children.push_back(leaf_of(l));
  return out;
}

std::vector<LinkGroup> GroupMoves::anew(int first, int last, int level) {
  const LinkGroup flat = without_loops(first, last, level);
  std::vector<LinkGroup> out;
  bring_in_loops_around(flat, {}, 0, flat.root.children.size(), out);
  return out;
}

std::vector<LinkGroup> GroupMoves::merged(const LinkGroup& before, const LinkGroup& after, int level) {
  const auto root_of = [](const LinkGroup& group) {
    if (!group.is_single()) return group.root;
    TreeNode root;
    root.children = {leaf_of(group.first)};
    return root;
  };
  LinkGroup flat{before.first, after.last, level, root_of(before)};
  const TreeNode other = root_of(after);
  const std::size_t border = flat.root.children.size();
  flat.root.children.insert(flat.root.children.end(), other.children.begin(), other.children.end());
  flat.root.held.insert(flat.root.held.end(), other.held.begin(), other.held.end());
  std::vector<LinkGroup> out;
  add(flat, out);
  // A loop around what is on both sides of the border.
  if (!out.empty()) {
    const LinkGroup both = out.front();
    bring_in_loops_around(both, {}, border - 1, border + 1, out);
  }
  // The loops on both sides of the border as one.
  if (join_next(flat.root.children, border - 1)) add(std::move(flat), out);
  return out;
}

std::vector<LinkGroup> GroupMoves::merged_beneath_two(int first, int level, const TakenRoom& taken) {
  std::vector<LinkGroup> out;
  const auto touches = [&](int array) { return touching({first, first + 1, level, {}}, array).size() == 2; };
  const auto made =
      std::ranges::find_if(graph_.array_of[first], [&](int a) { return graph_.array(a).maker == first && touches(a); });
  if (made == graph_.array_of[first].end()) return out;
  const Workload& maker = graph_.link(first);
  const int tensor = static_cast<int>(made - graph_.array_of[first].begin());
  const LinkGroup flat = without_loops(first, first + 1, level);
  for (const RankClass& outer : classes_.of(first, first + 1))
    for (const u64 around : divisors(most_iterations(flat, {0}, outer))) {
      std::vector<LinkGroup> loop;
      if (around > 1 && !is_over_()) bring_in_loop(flat, {}, 0, 2, outer, around, loop);
      if (loop.empty()) continue;
      for (const RankClass& inner : classes_.of(first, first + 1)) {
        if (&inner == &outer) continue;
        for (const u64 iterations : divisors(most_iterations(loop.front(), {0, 0}, inner))) {
          LinkSizes sizes = sizes_of(maker);
          for (const auto& [ranks, factor] : {std::pair{&outer, around}, std::pair{&inner, iterations}})
            if (const auto divided = divide(sizes, ranks->of(first), factor))
              for (const DividedDimension& d : *divided) sizes[d.dimension] /= d.factor;
          const double part = taken(*made, tile_words(maker, tensor, sizes));
          if (iterations > 1 && part < 1 && part * kMostToSpare > 1)
            bring_in_loop(loop.front(), {0}, 0, 2, inner, iterations, out);
        }
      }
    }
  return out;
}

std::optional<LinkGroup> GroupMoves::part(const LinkGroup& group, int first, int last) {
  LinkGroup out{first, last, group.level, {}};
  if (first == last) return LinkGroup{first, last, 0, {}};
  out.root = *restricted(group.root, first, last);
  std::vector<LinkGroup> one;
  add(std::move(out), one);
  if (one.empty()) return std::nullopt;
  return one.front();
}

std::vector<std::pair<LinkGroup, LinkGroup>> GroupMoves::parts(const LinkGroup& group) {
  std::vector<std::pair<LinkGroup, LinkGroup>> out;
  for (int last = group.first; last < group.last; ++last) {
    const auto before = part(group, group.first, last), after = part(group, last + 1, group.last);
    if (before && after) out.emplace_back(*before, *after);
  }
  return out;
}

}  // namespace heliolite
