#include "engine/search/core/rules.h"

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
    {Rule::KeepBound, "keep-bound", Soundness::Sound,
     "exact: do not search a keep choice whose every mapping costs too much"},
    {Rule::LatticeBound, "lattice-bound", Soundness::Sound,
     "exact: drop a partial mapping if it and the least of all tiles that can follow cost too much"},
    {Rule::OwnLoops, "own-loops", Soundness::Sound,
     "exact: drop a tile if the loops of its level cost too much in every order"},
    {Rule::UsefulInstances, "useful-instances", Soundness::Sound,
     "exact: stop at unrollings that use too few instances to be fast enough"},
    {Rule::StateDominance, "state-dominance", Soundness::Sound,
     "exact: drop a partial mapping if another over the same tile is nowhere dearer"},
    {Rule::IdleBandwidth, "idle-bandwidth", Soundness::Sound,
     "exact: forget bandwidths that cannot be slower than the compute units any more"},
    {Rule::FreeLoops, "free-loops", Soundness::Sound,
     "exact: loops that move nothing still in place come first, in one order"},
    {Rule::SmallestMemory, "smallest-memory", Soundness::Sound,
     "M1, co-search: look at a tile only on machines whose memory could not be smaller"},
    {Rule::MemoryBound, "memory-bound", Soundness::Sound,
     "M2, co-search: do not search a machine whose every mapping costs too much"},
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
