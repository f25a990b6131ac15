#include "engine/search/rules.h"

#include <algorithm>

namespace heliolite {

const std::array<RuleInfo, kRules> kRuleTable{{
    {Rule::OrderPrefix, "order-prefix", true, "O1/O2: no loop is added that no tensor gains from"},
    {Rule::OrderRun, "order-run", true, "a loop that every kept tensor reuses fully comes next, without alternatives"},
    {Rule::OrderDominance, "order-dominance", true, "O3: drop an order if another gives every tensor at least its reuse"},
    {Rule::MaximalTiles, "maximal-tiles", false, "T1: drop a tile that can still grow in its level"},
    {Rule::FullUnrolling, "full-unrolling", false, "S1a, b: unrollings that fill the fan-out, else those that cannot grow"},
    {Rule::IndexingFirst, "indexing-first", false, "S1c: unroll mostly dimensions that index the tensor that moves"},
    {Rule::AlphaBeta, "alpha-beta", false, "A1: drop a partial mapping that cannot beat the incumbent"},
    {Rule::Beam, "beam", false, "continue only the most promising partial mappings of a level"},
    {Rule::Refine, "refine", false, "hill-climb from the best complete mappings"},
}};

std::optional<Rule> parse_rule(std::string_view name) {
  const auto at = std::find_if(kRuleTable.begin(), kRuleTable.end(), [&](const RuleInfo& r) { return r.name == name; });
  if (at == kRuleTable.end()) return std::nullopt;
  return at->rule;
}

std::vector<std::string> rule_names() {
  std::vector<std::string> out;
  for (const RuleInfo& r : kRuleTable) out.emplace_back(r.name);
  return out;
}

}  // namespace heliolite
