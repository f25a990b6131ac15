#include "engine/search/core/rules.h"

#include <algorithm>

#include "engine/base/integers.h"
#include "engine/base/named.h"

namespace heliolite {

std::string_view name(RuleUser user) {
  constexpr std::array<std::string_view, 7> kUserNames{"orders",      "sunstone",  "exact",   "uneven",
                                                       "any factors", "co-search", "networks"};
  return kUserNames[at(user)];
}

std::string_view name(Soundness soundness) {
  constexpr std::array<std::string_view, 3> kSoundnessNames{"sound", "sound without halos", "heuristic"};
  return kSoundnessNames[at(soundness)];
}

std::optional<Rule> parse_rule(std::string_view name) {
  const RuleInfo* const row = find_row(kRuleTable, name);
  return row == nullptr ? std::nullopt : std::optional(row->rule);
}

RuleSet without_rules(RuleSet rules, u8 note) {
  for (const RuleInfo& rule : kRuleTable)
    if ((rule.notes & note) != 0) rules.set(rule.rule, false);
  return rules;
}

std::vector<std::string> rule_names() { return names_of(kRuleTable); }

}  // namespace heliolite
