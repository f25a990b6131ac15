#include "engine/search/fused/group_looks.h"

#include <algorithm>

#include "engine/search/core/parallel.h"

namespace heliolite {
namespace {

constexpr u64 kPartsForLooks = 8;  // of the memory
constexpr u64 kBytesOfLook = 160;  // of what is remembered of a group, about, without its key
constexpr std::size_t kPlansAtOnce = 256;

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

std::vector<GroupLook> GroupLooks::of(std::span<const Question> questions, const std::function<bool()>& is_over) {
  // Step 1. What is remembered.
  std::vector<GroupLook> out(questions.size());
  std::vector<std::size_t> due;
  for (std::size_t q = 0; q < questions.size(); ++q)
    if (const auto known = known_.find(questions[q].key); known != known_.end()) out[q] = known->second;
    else due.push_back(q);
  std::vector<std::optional<GroupPlan>> plans(std::min(due.size(), kPlansAtOnce));
  for (std::size_t begin = 0; begin < due.size(); begin += plans.size()) {
    const std::span<const std::size_t> now =
        std::span(due).subspan(begin).first(std::min(plans.size(), due.size() - begin));
    // Step 2. Plans of the others, a few at a time.
    parallel_for(now.size(), solver_.threads(), [&](std::size_t k) {
      plans[k].reset();
      if (!is_over()) plans[k] = plan(*questions[now[k]].group, graph_, architecture_, rules_, classes_);
    });
    // Step 3. What they must move.
    for (std::size_t k = 0; k < now.size(); ++k) {
      if (!plans[k]) continue;
      const auto& [group, key] = questions[now[k]];
      if (bytes_ > solver_.memory_bytes() / kPartsForLooks) known_.clear(), bytes_ = 0;
      bytes_ += kBytesOfLook + key.size() * sizeof(u64);
      out[now[k]] = known_[key] = look(*group, *plans[k]);
    }
  }
  return out;
}

GroupLook GroupLooks::look(const LinkGroup& group, const GroupPlan& plan) {
  GroupLook out;
  if (!plan.is_legal()) return out;
  out.legal = true;
  out.taken = taken(group, plan);
  for (const SumTerm& term : plan.terms) out.moved += solver_.term_cost(term.array, term.level);
  for (int l = group.first; l <= group.last; ++l) out.moved += solver_.least_moved(l, plan.passes[l - group.first]);
  return out;
}

double GroupLooks::taken(const LinkGroup& group, const GroupPlan& plan) const {
  if (group.is_single()) return 0;
  u64 most = 0;
  for (const LinkPass& pass : plan.passes) most = std::max(most, pass.taken);
  return part_of_level(most, group.level);
}

double GroupLooks::part_of_level(u64 words, int level) const {
  const auto room = architecture_.levels[level].capacity_words();
  return room ? static_cast<double>(words) / static_cast<double>(*room) : 0;
}

double GroupLooks::taken(int array, u64 words, int level) const {
  return part_of_level(room_words(array, words, level, graph_, architecture_), level);
}

}  // namespace heliolite
