#include "engine/search/fused/group_neighbours.h"

#include <algorithm>
#include <utility>

#include "engine/search/core/parallel.h"

namespace heliolite {
namespace {

constexpr int kMostAnew = 6;  // links of two groups whose border moves

}  // namespace

GroupNeighbours::GroupNeighbours(const LinkGraph& graph, GroupLooks& looks, const std::vector<int>& fusing_levels,
                                 double lambda, int threads, std::function<bool()> is_over)
    : graph_(graph),
      looks_(looks),
      fusing_levels_(fusing_levels),
      lambda_(lambda),
      threads_(threads),
      is_over_(std::move(is_over)),
      moves_(graph, is_over_) {}

std::vector<std::vector<Neighbour>*> GroupNeighbours::of(std::span<const Question> questions, Lists& remembered) {
  // Step 1. What is remembered.
  Lists lists;
  std::vector<std::vector<Neighbour>*> out, due;
  std::vector<const Question*> unknown;
  for (const Question& question : questions) {
    std::vector<u64> key = key_of_group(*question.group);
    if (question.next != nullptr) {
      const std::vector<u64> next = key_of_group(*question.next);
      key.insert(key.end(), next.begin(), next.end());
    }
    key.push_back(static_cast<u64>(question.kind));
    if (auto known = remembered.extract(key)) lists.insert(std::move(known));
    const auto [own, is_new] = lists.try_emplace(std::move(key));
    out.push_back(&own->second);
    if (!is_new) continue;
    due.push_back(&own->second);
    unknown.push_back(&question);
  }
  // Step 2. The others, and looks at what is in them.
  parallel_for(due.size(), threads_, [&](std::size_t k) { *due[k] = list(*unknown[k]); });
  look_at(due);
  remembered = std::move(lists);
  return out;
}

std::vector<Neighbour> GroupNeighbours::list(const Question& question) {
  const LinkGroup& group = *question.group;
  std::vector<Neighbour> out;
  switch (question.kind) {
    case Kind::Changed:
      for (LinkGroup& next : moves_.changed(group)) out.push_back({{std::move(next)}});
      break;
    case Kind::Elsewhere:
      for (auto& [a, b] : moves_.parts(group)) out.push_back({{std::move(a), std::move(b)}});
      for (const int level : fusing_levels_)
        if (level != group.level) out.push_back({{{group.first, group.last, level, group.root}}});
      break;
    case Kind::Merged:
      for (const int level : fusing_levels_)
        for (LinkGroup& one : moves_.merged(group, *question.next, level)) out.push_back({{std::move(one)}});
      move_border(group, *question.next, out);
      break;
    case Kind::MergedBeneathTwo:
      for (const int level : fusing_levels_)
        for (LinkGroup& one : moves_.merged_beneath_two(
                 group.first, level, [&](int array, u64 words) { return looks_.taken(array, words, level); }))
          out.push_back({{std::move(one)}});
  }
  return out;
}

// Two groups as one with a loop around all their links, and the link at their border in the other one, around whose
// links there is one loop then: what single changes of their trees do not come to.
void GroupNeighbours::move_border(const LinkGroup& before, const LinkGroup& after, std::vector<Neighbour>& out) {
  if (before.size() + after.size() > kMostAnew || (before.is_single() && after.is_single())) return;
  for (const int level : fusing_levels_) {
    for (LinkGroup& one : moves_.anew(before.first, after.last, level)) out.push_back({{std::move(one)}});
    if (after.size() > 1)
      if (const auto rest = moves_.part(after, after.first + 1, after.last))
        for (LinkGroup& one : moves_.anew(before.first, after.first, level)) out.push_back({{std::move(one), *rest}});
    if (before.size() > 1)
      if (const auto rest = moves_.part(before, before.first, before.last - 1))
        for (LinkGroup& one : moves_.anew(before.last, after.last, level)) out.push_back({{*rest, std::move(one)}});
  }
}

// Looks at all groups of the lists, and keeps the neighbours that are legal.
void GroupNeighbours::look_at(std::span<std::vector<Neighbour>* const> lists) {
  std::vector<GroupLooks::Question> unknown;
  for (std::vector<Neighbour>* list : lists)
    for (Neighbour& neighbour : *list)
      for (const LinkGroup& group : neighbour.groups) {
        std::vector<u64> key = key_of_group(group);
        const auto [own, is_new] = known_.try_emplace(key);
        neighbour.known.push_back(&own->second);
        if (is_new) unknown.push_back({&group, std::move(key)});
      }
  const std::vector<GroupLook> looks = looks_.of(unknown, is_over_);
  for (std::size_t k = 0; k < unknown.size(); ++k) keep(std::move(unknown[k].key), *unknown[k].group, looks[k]);
  const auto is_illegal = [](const Neighbour& n) {
    return !std::ranges::all_of(n.known, [](const KnownGroup* known) { return known->look.legal; });
  };
  for (std::vector<Neighbour>* list : lists) std::erase_if(*list, is_illegal);
}

KnownGroup& GroupNeighbours::keep(std::vector<u64> key, const LinkGroup& group, const GroupLook& look) {
  KnownGroup& out = known_[std::move(key)];
  out.look = look;
  out.bound =
      look.legal ? sum_value(look.moved, lambda_) * static_cast<double>(graph_.links[group.first].count) : kNoSum;
  return out;
}

KnownGroup& GroupNeighbours::known(const LinkGroup& group) {
  std::vector<u64> key = key_of_group(group);
  if (const auto known = known_.find(key); known != known_.end()) return known->second;
  return keep(std::move(key), group, looks_.of(group));
}

}  // namespace heliolite
