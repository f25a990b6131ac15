#include "engine/search/rules.h"

#include <algorithm>

namespace heliolite {

const std::array<RuleInfo, kRules> kRuleTable{{
    {Rule::OrderPrefix, "order-prefix", Soundness::WithoutHalos, "O1/O2: no loop is added that no tensor gains from"},
    {Rule::OrderRun, "order-run", Soundness::Sound,
     "a loop that every kept tensor reuses fully comes next, without alternatives"},
    {Rule::OrderDominance, "order-dominance", Soundness::WithoutHalos,
     "O3: drop an order if another gives every tensor at least its reuse"},
    {Rule::MaximalTiles, "maximal-tiles", Soundness::Heuristic,
     "T1: outside every fan-out, drop a tile that can still grow in its level"},
    {Rule::FullUnrolling, "full-unrolling", Soundness::Heuristic,
     "S1a, b: unrollings that fill the fan-out, else those that cannot grow"},
    {Rule::IndexingFirst, "indexing-first", Soundness::Heuristic,
     "S1c: unroll mostly dimensions that index the tensor that moves"},
    {Rule::AlphaBeta, "alpha-beta", Soundness::Heuristic, "A1: drop a partial mapping that cannot beat the incumbent"},
    {Rule::Beam, "beam", Soundness::Heuristic, "continue only the most promising partial mappings of a level"},
    {Rule::Refine, "refine", Soundness::Heuristic, "hill-climb from the best complete mappings"},
    {Rule::UsefulEnds, "useful-ends", Soundness::Heuristic,
     "imperfect: of the loop ends with as many iterations outside try only the least"},
    {Rule::FillFanouts, "fill-fanouts", Soundness::Heuristic,
     "imperfect: start also from other unrollings, each axis filled by one dimension"},
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
