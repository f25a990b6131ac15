#pragma once
// Groups next to a group: what one change of its loops, of what it holds, or of the links that are in it makes of it.
// They are what a search goes through that looks for better trees step by step.
#include <functional>
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "engine/network/fused_schedule.h"
#include "engine/network/link_graph.h"
#include "engine/network/rank_classes.h"

namespace heliolite {

class GroupMoves {
 public:
  // `graph` must outlive it. Once `is_over` says so, lists end where they are: groups of many links have long ones.
  explicit GroupMoves(
      const LinkGraph& graph, std::function<bool()> is_over = [] { return false; })
      : graph_(graph), is_over_(std::move(is_over)), classes_(graph) {}

  // All lists are in a fixed order; not all groups in them are legal (group_plan.h). Several threads may ask at a time.

  // Groups of the same links with another number of iterations of a loop, a loop more or less, a child further in or
  // out, or an array that is held, or not, or at another node. Where a loop comes in, arrays that it does not divide
  // may be held around it, since they would be fetched in each of its iterations.
  std::vector<LinkGroup> changed(const LinkGroup& group);
  // Groups of these links with one loop around all of them, and nothing further in.
  std::vector<LinkGroup> anew(int first, int last, int level);
  // Two groups, one after the other, as one at the level.
  std::vector<LinkGroup> merged(const LinkGroup& before, const LinkGroup& after, int level);
  // A link and the next one, which reads what it makes, as a group at the level beneath two loops such that this array
  // fits with not too much to spare: of attention some rows of some heads. `taken`: the part of the room that so many
  // words of the array take.
  using TakenRoom = std::function<double(int array, u64 words)>;
  std::vector<LinkGroup> merged_beneath_two(int first, int level, const TakenRoom& taken);
  // The group cut in two, or its first or last links alone.
  std::vector<std::pair<LinkGroup, LinkGroup>> parts(const LinkGroup& group);
  // What is left of the group with only these links of it; nothing: no such group can be.
  std::optional<LinkGroup> part(const LinkGroup& group, int first, int last);

 private:
  using Path = std::vector<std::size_t>;  // of children, from the root

  static LinkGroup without_loops(int first, int last, int level);
  const RankClass* class_of(const TreeNode& node, int first, int last);
  bool complete(TreeNode& node, std::map<int, LinkSizes>& sizes);
  void tidy(TreeNode& node, const LinkGroup& group, std::vector<int>& above) const;
  std::vector<int> touching(const LinkGroup& group, int array) const;
  std::vector<int> holdable(const LinkGroup& group, int first, int last) const;

  void add(LinkGroup next, std::vector<LinkGroup>& out);
  void change_loop(const LinkGroup& group, const Path& path, std::vector<LinkGroup>& out);
  void bring_in_loops(const LinkGroup& group, const Path& path, std::vector<LinkGroup>& out);
  void bring_in_loops_around(const LinkGroup& group, const Path& path, std::size_t begin, std::size_t end,
                             std::vector<LinkGroup>& out);
  void bring_in_loop(const LinkGroup& group, const Path& path, std::size_t begin, std::size_t end,
                     const RankClass& ranks, u64 iterations, std::vector<LinkGroup>& out);
  void move_children(const LinkGroup& group, const Path& path, std::vector<LinkGroup>& out);
  void change_held(const LinkGroup& group, const Path& path, std::vector<LinkGroup>& out);
  u64 most_iterations(const LinkGroup& group, const Path& path, const RankClass& ranks) const;

  const LinkGraph& graph_;
  std::function<bool()> is_over_;
  KnownRankClasses classes_;
};

}  // namespace heliolite
