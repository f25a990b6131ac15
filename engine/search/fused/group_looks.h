#pragma once
// What can be said of a group before its links are mapped, and at any lambda: whether it is legal, what room its homes
// take, and what its passes must move. A search that goes from group to group looks at the same ones again and again.
#include <functional>
#include <map>
#include <span>
#include <vector>

#include "engine/network/fused_schedule.h"
#include "engine/network/group_plan.h"
#include "engine/search/fused/link_solver.h"

namespace heliolite {

// The group as a key.
std::vector<u64> key_of_group(const LinkGroup& group);

struct GroupLook {
  bool legal = false;
  double taken = 0;  // the most room that homes take in a pass, as a part of all there is: below 1 it fits
  Cost moved{};      // what passes must move, and terms, of one repetition
};

class GroupLooks {
 public:
  // All must outlive it.
  GroupLooks(const LinkGraph& graph, const Architecture& architecture, const FusionRules& rules, LinkSolver& solver)
      : graph_(graph), architecture_(architecture), rules_(rules), solver_(solver), classes_(graph) {}

  // `key`: key_of_group().
  struct Question {
    const LinkGroup* group;
    std::vector<u64> key;
  };
  // [question], looked at by several threads. Remembered in its part of the memory; where that is full everything is
  // forgotten. Once `is_over` says so what is left is not looked at, as if it were not legal, nor remembered.
  std::vector<GroupLook> of(
      std::span<const Question> questions, const std::function<bool()>& is_over = [] { return false; });
  GroupLook of(const LinkGroup& group) { return of(std::vector{Question{&group, key_of_group(group)}}).front(); }

  // The part of the level's room that so many words of the array take.
  double taken(int array, u64 words, int level) const;

 private:
  GroupLook look(const LinkGroup& group, const GroupPlan& plan);
  double taken(const LinkGroup& group, const GroupPlan& plan) const;
  double part_of_level(u64 words, int level) const;

  const LinkGraph& graph_;
  const Architecture& architecture_;
  const FusionRules& rules_;
  LinkSolver& solver_;
  KnownRankClasses classes_;
  std::map<std::vector<u64>, GroupLook> known_;
  u64 bytes_ = 0;
};

}  // namespace heliolite
