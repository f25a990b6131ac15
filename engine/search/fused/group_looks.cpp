#include "engine/search/fused/group_looks.h"

#include <algorithm>

#include "engine/network/fused_cost.h"

namespace heliolite {
namespace {

constexpr u64 kPartsForLooks = 8;  // of the memory
constexpr u64 kBytesOfLook = 160;  // of what is remembered of a group, about, without its key

void write_key(const TreeNode& node, std::vector<u64>& out) {
  if (node.is_leaf()) return out.push_back(2 * static_cast<u64>(*node.link) + 1);
  out.insert(out.end(), {0, node.children.size(), node.iterations()});
  for (const DividedLink& l : node.loop)
    for (const DividedDimension& d : l.divided) out.insert(out.end(), {static_cast<u64>(d.dimension), d.factor});
  out.push_back(node.held.size());
  for (const int a : node.held) out.push_back(static_cast<u64>(a));
  for (const TreeNode& child : node.children) write_key(child, out);
}

}  // namespace

std::vector<u64> key_of_group(const LinkGroup& group) {
  std::vector<u64> out{static_cast<u64>(group.first), static_cast<u64>(group.last), static_cast<u64>(group.level)};
  if (!group.is_single()) write_key(group.root, out);
  return out;
}

GroupLook GroupLooks::of(const LinkGroup& group, const std::vector<u64>& key) {
  if (const auto known = known_.find(key); known != known_.end()) return known->second;
  if (bytes_ > solver_.memory_bytes() / kPartsForLooks) known_.clear(), bytes_ = 0;
  bytes_ += kBytesOfLook + key.size() * sizeof(u64);
  return known_[key] = fresh(group);
}

GroupLook GroupLooks::fresh(const LinkGroup& group) {
  GroupLook out;
  const GroupPlan p = plan(group, graph_, architecture_, rules_);
  if (!p.is_legal()) return out;
  out.legal = true;
  out.taken = taken(group, p);
  out.moved = terms_cost(p, graph_, architecture_);
  for (int l = group.first; l <= group.last; ++l) out.moved += solver_.least_moved(l, p.passes[l - group.first]);
  return out;
}

double GroupLooks::taken(const LinkGroup& group, const GroupPlan& plan) const {
  if (group.is_single()) return 0;
  const auto room = architecture_.levels[group.level].capacity_words();
  if (!room) return 0;
  u64 most = 0;
  for (const LinkPass& pass : plan.passes) most = std::max(most, pass.taken);
  return static_cast<double>(most) / static_cast<double>(*room);
}

}  // namespace heliolite
