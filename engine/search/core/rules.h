#pragma once
// Every rule by which the searches leave mappings out: its name, its switch and its counters. Proofs: docs/rules/.
#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "engine/base/integers.h"
#include "engine/base/named.h"
#include "engine/base/types.h"

namespace heliolite {

// Each is explained in kRuleTable.
enum class Rule : u8 {
  OrderPrefix,
  OrderRun,
  OrderDominance,
  MaximalTiles,
  FullUnrolling,
  IndexingFirst,
  AlphaBeta,
  Beam,
  Refine,
  UsefulEnds,
  FillFanouts,
  MergeDimensions,
  BatchOutermost,
  CyclesFirst,
  KeepBound,
  LatticeBound,
  OwnLoops,
  UsefulInstances,
  StateDominance,
  IdleBandwidth,
  FreeLoops,
  PushIn,
  Symmetry,
  StoreOrder,
  UnrollingBound,
  RelaxedBound,
  PassingBound,
  AnyDominance,
  ColumnsFirst,
  CandidateEnds,
  SmallestMemory,
  MemoryBound,
  PeersOnly,
  UnitRegisters,
  OwnValue,
  ChainsMeet,
  LiftEnough,
  ReducedCost,
  LinkBound,
  HomeBound,
  PassBound,
  RoomReuse,
  LoneLoops,
};

// The search that asks a rule.
enum class RuleUser : u8 {
  Orders,    // the loop orders of a level, listed for sunstone and what builds on it
  Sunstone,  // and the start of exact
  Exact,
  Uneven,    // exact, where tensors of a level have tiles of their own
  Any,       // the search over all tile sizes, in true counts
  CoSearch,  // co-searches of many machines at once
  Network,   // the search for the objective of a whole network
};
constexpr ValueNames<7> value_names(RuleUser) {
  return {"orders", "sunstone", "exact", "uneven", "any factors", "co-search", "networks"};
}

// What a search may lose by a rule.
enum class Soundness : u8 {
  Sound,         // nothing: switching it off can change the run, never the best value
  WithoutHalos,  // nothing, when no tensor slides (docs/rules/loop_orders.md)
  Heuristic,     // possibly the best mapping
};
constexpr ValueNames<3> value_names(Soundness) { return {"sound", "sound without halos", "heuristic"}; }

// What else is known of a rule, as bits.
inline constexpr u8 kRemovesWitness = 1;        // it can remove the mapping that an exact search follows (witness.h)
inline constexpr u8 kNotWithRouterPrices = 2;   // off there: it prefers mappings that move fewer words, which may touch
                                                // more routers
inline constexpr u8 kNotWithUnitRegisters = 4;  // off there: it takes unrollings for one that links among compute units
                                                // tell apart
inline constexpr u8 kNotWithRamps = 8;  // off there: it prefers mappings that move fewer words, whose first tiles may
                                        // take longer on their way in

// A row of the table of rules: `name` as on the command line, `help` one phrase, `page` of docs/rules with the proof
// or, of a heuristic, the reason.
struct RuleInfo {
  Rule rule;
  std::string_view name;
  RuleUser user;
  Soundness soundness;
  std::string_view help;
  std::string_view page;
  u8 notes = 0;
};

// In the order of the enumeration.
inline constexpr auto kRuleTable = std::to_array<RuleInfo>({
    {Rule::OrderPrefix, "order-prefix", RuleUser::Orders, Soundness::WithoutHalos,
     "O1/O2: no loop is added that no tensor gains from", "loop_orders.md"},
    {Rule::OrderRun, "order-run", RuleUser::Orders, Soundness::Sound,
     "a loop that every kept tensor reuses fully comes next, without alternatives", "loop_orders.md"},
    {Rule::OrderDominance, "order-dominance", RuleUser::Orders, Soundness::WithoutHalos,
     "O3: drop an order if another gives every tensor at least its reuse", "loop_orders.md"},
    {Rule::MaximalTiles, "maximal-tiles", RuleUser::Sunstone, Soundness::Heuristic,
     "T1: drop a tile that can still grow in its level (sunstone: outside fan-outs only)", "tiles.md"},
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
    {Rule::UsefulEnds, "useful-ends", RuleUser::Any, Soundness::Heuristic,
     "of the loop ends with as many iterations outside try only the least", "any_factors.md"},
    {Rule::FillFanouts, "fill-fanouts", RuleUser::Any, Soundness::Heuristic,
     "start also from other unrollings, each axis filled by one dimension", "any_factors.md"},
    {Rule::MergeDimensions, "merge-dimensions", RuleUser::Exact, Soundness::Sound,
     "search dimensions that are one to every tensor and constraint as one", "exact.md",
     kRemovesWitness | kNotWithRouterPrices | kNotWithUnitRegisters},
    {Rule::BatchOutermost, "batch-outermost", RuleUser::Exact, Soundness::Sound,
     "temporal loops over what indexes every tensor stand at the outermost level only", "exact.md",
     kRemovesWitness | kNotWithRouterPrices | kNotWithUnitRegisters},
    {Rule::CyclesFirst, "cycles-first", RuleUser::Exact, Soundness::Sound,
     "for delay find the least cycles without regard to energy, then the least energy at these", "exact.md"},
    {Rule::KeepBound, "keep-bound", RuleUser::Exact, Soundness::Sound,
     "do not search a keep choice whose every mapping costs too much", "exact.md", kRemovesWitness},
    {Rule::LatticeBound, "lattice-bound", RuleUser::Exact, Soundness::Sound,
     "drop a partial mapping if it and the least of all tiles that can follow cost too much", "exact.md",
     kRemovesWitness},
    {Rule::OwnLoops, "own-loops", RuleUser::Exact, Soundness::Sound,
     "drop a tile if the loops of its level cost too much in every order", "exact.md", kRemovesWitness},
    {Rule::UsefulInstances, "useful-instances", RuleUser::Exact, Soundness::Sound,
     "stop at unrollings that use too few instances to be fast enough", "exact.md", kRemovesWitness},
    {Rule::StateDominance, "state-dominance", RuleUser::Exact, Soundness::Sound,
     "drop a partial mapping if another over the same tile is nowhere dearer", "exact.md", kRemovesWitness},
    {Rule::IdleBandwidth, "idle-bandwidth", RuleUser::Exact, Soundness::Sound,
     "forget bandwidths that cannot be slower than the compute units any more", "exact.md"},
    {Rule::FreeLoops, "free-loops", RuleUser::Exact, Soundness::Sound,
     "loops that move nothing still in place come first, in one order", "exact.md",
     kRemovesWitness | kNotWithRouterPrices},
    {Rule::PushIn, "push-in", RuleUser::Exact, Soundness::Sound,
     "drop a level's loops if the innermost would fit into the level inside", "exact.md",
     kRemovesWitness | kNotWithRouterPrices | kNotWithRamps},
    {Rule::Symmetry, "symmetry", RuleUser::Exact, Soundness::Sound,
     "of two tiles that are one when dimensions change places look at one", "exact.md",
     kRemovesWitness | kNotWithUnitRegisters},
    {Rule::StoreOrder, "store-order", RuleUser::Uneven, Soundness::Sound,
     "of uneven tiles that end at the same loops try one order", "uneven.md"},
    {Rule::UnrollingBound, "unrolling-bound", RuleUser::Any, Soundness::Sound,
     "bound the mappings of each unrolling apart, and drop those that cost too much", "any_factors.md"},
    {Rule::RelaxedBound, "relaxed-bound", RuleUser::Any, Soundness::Sound,
     "drop a partial mapping if it and the least that can follow cost too much", "any_factors.md"},
    {Rule::PassingBound, "passing-bound", RuleUser::Any, Soundness::Sound,
     "drop a partial mapping if tensors that pass by the outermost buffer cost too much by its tile", "any_factors.md"},
    {Rule::AnyDominance, "any-dominance", RuleUser::Any, Soundness::Sound,
     "drop a partial mapping if the bound of another with the same tiles is nowhere higher", "any_factors.md",
     kNotWithRamps},
    {Rule::ColumnsFirst, "columns-first", RuleUser::Any, Soundness::Sound,
     "of the same units along X and Y of a fan-out look at those with most along X", "any_factors.md"},
    {Rule::CandidateEnds, "candidate-ends", RuleUser::Any, Soundness::Sound,
     "of the loop ends with as many tiles outside try only those that none can beat", "true_counts.md", kNotWithRamps},
    {Rule::SmallestMemory, "smallest-memory", RuleUser::CoSearch, Soundness::Sound,
     "M1: look at a tile only on machines whose memory could not be smaller", "co_search.md"},
    {Rule::MemoryBound, "memory-bound", RuleUser::CoSearch, Soundness::Sound,
     "M2: do not search a machine whose every mapping costs too much", "co_search.md"},
    {Rule::PeersOnly, "linked-only", RuleUser::Exact, Soundness::Sound,
     "for link transfers search only what may have some: the rest was searched without", "link_transfers.md"},
    {Rule::UnitRegisters, "unit-registers", RuleUser::Exact, Soundness::Sound,
     "drop unrollings over linked compute units that cost too much with free registers or free networks",
     "link_transfers.md"},
    {Rule::OwnValue, "own-value", RuleUser::Network, Soundness::Sound,
     "what is proven of a layer's own objective bounds its energy + lambda x cycles", "network.md"},
    {Rule::ChainsMeet, "chains-meet", RuleUser::Network, Soundness::Sound,
     "do not search a layer for a lambda at which a known mapping reaches its bound", "network.md"},
    {Rule::LiftEnough, "lift-enough", RuleUser::Network, Soundness::Sound,
     "search only as many layers as can lift the network's bound to the best answer", "network.md"},
    {Rule::ReducedCost, "reduced-cost", RuleUser::Network, Soundness::Sound,
     "within limits drop choices whose layers lie further above a line than the gap is wide", "network.md"},
    {Rule::LinkBound, "link-bound", RuleUser::Network, Soundness::Sound,
     "leave out groups and trees whose layers cost too much wherever their tensors stay", "fused.md"},
    {Rule::HomeBound, "home-bound", RuleUser::Network, Soundness::Sound,
     "bound layers by the passes in which the arrays that they pass on fit into the room", "fused.md"},
    {Rule::PassBound, "pass-bound", RuleUser::Network, Soundness::Sound,
     "do not search a layer in a tree if what all its passes must move costs too much", "fused.md"},
    {Rule::RoomReuse, "room-reuse", RuleUser::Network, Soundness::Sound,
     "what is found in more room and fits, and what is proven in more room, holds in less", "fused.md"},
    {Rule::LoneLoops, "lone-loops", RuleUser::Network, Soundness::Sound,
     "put no loop of a tree around a layer alone that does no more than one of the layer's own", "fused.md"},
});
inline constexpr std::size_t kRules = kRuleTable.size();

// The rule of this name; none if there is no such rule.
inline std::optional<Rule> parse_rule(std::string_view name) {
  const RuleInfo* const row = find_row(kRuleTable, name);
  return row == nullptr ? std::nullopt : std::optional(row->rule);
}
inline std::vector<std::string> rule_names() { return names_of(kRuleTable); }

// Which rules are on; at first all.
class RuleSet {
 public:
  RuleSet() { on_.fill(true); }
  bool operator[](Rule r) const { return on_[at(r)]; }
  RuleSet& set(Rule r, bool on) {
    on_[at(r)] = on;
    return *this;
  }

 private:
  std::array<bool, kRules> on_;
};

// Without the rules of which this is noted.
inline RuleSet without_rules(RuleSet rules, u8 note) {
  for (const RuleInfo& rule : kRuleTable)
    if ((rule.notes & note) != 0) rules.set(rule.rule, false);
  return rules;
}

// How often a rule was asked, and how often it cut.
struct RuleCounts {
  std::array<u64, kRules> calls{}, cuts{};

  // The rule was asked so often and cut so often; searches count through a Gate (engine/search/core/rules.h).
  void add(Rule r, u64 asked, u64 cut) {
    calls[at(r)] += asked;
    cuts[at(r)] += cut;
  }
  RuleCounts& operator+=(const RuleCounts& other) {
    for (std::size_t r = 0; r < kRules; ++r) calls[r] += other.calls[r], cuts[r] += other.cuts[r];
    return *this;
  }
  bool operator==(const RuleCounts&) const = default;
};

// The one place where a rule of a search is asked: its switch, its counters.

// Asks the rules of one search.
class Gate {
 public:
  // Counts into `counts` of a search whose switches are `rules`; both outlive the gate.
  Gate(const RuleSet& rules, RuleCounts& counts) : rules_(rules), counts_(counts) {}

  // Whether the rule is switched on.
  bool on(Rule rule) const { return rules_[rule]; }

  // Whether a candidate may be left out by the rule: the rule is on, and `test()`, which is run only then, returns
  // true.
  template <class Test>
  bool prunes(Rule rule, Test test) const {
    if (!rules_[rule]) return false;
    const bool goes = test();
    counts_.add(rule, 1, goes ? 1 : 0);
    return goes;
  }

  // Counts `things` candidates that a rule has left out all at once.
  void pruned(Rule rule, u64 things) const { counts_.add(rule, things, things); }

 private:
  const RuleSet& rules_;
  RuleCounts& counts_;
};

}  // namespace heliolite
