#include "engine/search/core/rules.h"

#include <algorithm>

#include "engine/base/integers.h"

namespace heliolite {

const std::array<RuleInfo, kRules> kRuleTable{{
    {Rule::OrderPrefix, "order-prefix", RuleUser::Orders, Soundness::WithoutHalos,
     "O1/O2: no loop is added that no tensor gains from", "loop_orders.md"},
    {Rule::OrderRun, "order-run", RuleUser::Orders, Soundness::Sound,
     "a loop that every kept tensor reuses fully comes next, without alternatives", "loop_orders.md"},
    {Rule::OrderDominance, "order-dominance", RuleUser::Orders, Soundness::WithoutHalos,
     "O3: drop an order if another gives every tensor at least its reuse", "loop_orders.md"},
    {Rule::MaximalTiles, "maximal-tiles", RuleUser::Sunstone, Soundness::Heuristic,
     "T1: outside every fan-out, drop a tile that can still grow in its level", "tiles.md"},
    {Rule::FullUnrolling, "full-unrolling", RuleUser::Sunstone, Soundness::Heuristic,
     "S1a, b: unrollings that fill the fan-out, else those that cannot grow", "unrolling.md"},
    {Rule::IndexingFirst, "indexing-first", RuleUser::Sunstone, Soundness::Heuristic,
     "S1c: unroll mostly dimensions that index the tensor that moves", "unrolling.md"},
    {Rule::AlphaBeta, "alpha-beta", RuleUser::Sunstone, Soundness::Heuristic,
     "A1: drop a partial mapping that cannot beat the incumbent", "search.md"},
    {Rule::Beam, "beam", RuleUser::Sunstone, Soundness::Heuristic,
     "continue only the most promising partial mappings of a level", "search.md"},
    {Rule::Refine, "refine", RuleUser::Sunstone, Soundness::Heuristic, "hill-climb from the best complete mappings",
     "search.md"},
    {Rule::UsefulEnds, "useful-ends", RuleUser::Imperfect, Soundness::Heuristic,
     "of the loop ends with as many iterations outside try only the least", "imperfect.md"},
    {Rule::FillFanouts, "fill-fanouts", RuleUser::Imperfect, Soundness::Heuristic,
     "start also from other unrollings, each axis filled by one dimension", "imperfect.md"},
    {Rule::KeepBound, "keep-bound", RuleUser::Exact, Soundness::Sound,
     "do not search a keep choice whose every mapping costs too much", "exact.md"},
    {Rule::LatticeBound, "lattice-bound", RuleUser::Exact, Soundness::Sound,
     "drop a partial mapping if it and the least of all tiles that can follow cost too much", "exact.md"},
    {Rule::OwnLoops, "own-loops", RuleUser::Exact, Soundness::Sound,
     "drop a tile if the loops of its level cost too much in every order", "exact.md"},
    {Rule::UsefulInstances, "useful-instances", RuleUser::Exact, Soundness::Sound,
     "stop at unrollings that use too few instances to be fast enough", "exact.md"},
    {Rule::StateDominance, "state-dominance", RuleUser::Exact, Soundness::Sound,
     "drop a partial mapping if another over the same tile is nowhere dearer", "exact.md"},
    {Rule::IdleBandwidth, "idle-bandwidth", RuleUser::Exact, Soundness::Sound,
     "forget bandwidths that cannot be slower than the compute units any more", "exact.md"},
    {Rule::FreeLoops, "free-loops", RuleUser::Exact, Soundness::Sound,
     "loops that move nothing still in place come first, in one order", "exact.md"},
    {Rule::SmallestMemory, "smallest-memory", RuleUser::CoSearch, Soundness::Sound,
     "M1: look at a tile only on machines whose memory could not be smaller", "co_search.md"},
    {Rule::MemoryBound, "memory-bound", RuleUser::CoSearch, Soundness::Sound,
     "M2: do not search a machine whose every mapping costs too much", "co_search.md"},
}};

std::string_view name(RuleUser user) {
  constexpr std::array<std::string_view, 5> kUserNames{"orders", "sunstone", "imperfect", "exact", "co-search"};
  return kUserNames[at(user)];
}

std::string_view name(Soundness soundness) {
  constexpr std::array<std::string_view, 3> kSoundnessNames{"sound", "sound without halos", "heuristic"};
  return kSoundnessNames[at(soundness)];
}

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
