#pragma once
// Every rule by which the searches leave mappings out: its name, its switch and its counters. Proofs: docs/rules/.
#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "engine/base/types.h"

namespace heliolite {

enum class Rule : u8 {
  OrderPrefix,      // O1/O2: no loop is added that no tensor gains from
  OrderRun,         // a loop that every kept tensor reuses fully comes next, without alternatives
  OrderDominance,   // O3: an order is dropped if another gives every tensor at least its reuse
  MaximalTiles,     // T1: a tile that can grow in its level is dropped
  FullUnrolling,    // S1 a, b: unrollings that use the whole fan-out, else those that cannot grow
  IndexingFirst,    // S1 c: mostly dimensions that index the tensor that moves
  AlphaBeta,        // A1: a partial mapping that cannot beat the incumbent is dropped
  Beam,             // only the most promising partial mappings of a level are continued
  Refine,           // hill-climbing from the best complete mappings
  UsefulEnds,       // imperfect: of the loop ends with as many iterations outside only the least
  FillFanouts,      // imperfect: starts from other unrollings, each axis filled by one dimension
  KeepBound,        // exact: a keep choice whose every mapping costs too much is not searched
  LatticeBound,     // exact: what is placed, and the least of all tiles that can follow, cost too much
  OwnLoops,         // exact: a tile is dropped if its level's loops cost too much in every order
  UsefulInstances,  // exact: no unrolling that uses so few instances can be fast enough
  StateDominance,   // exact: a partial mapping is dropped if another over the same tile is nowhere dearer
  IdleBandwidth,    // exact: bandwidths that cannot be the slowest any more are not compared
  FreeLoops,        // exact: loops that move nothing still in place come first, in one order
  SmallestMemory,   // M1: a tile is looked at only on machines whose memory could not be smaller
  MemoryBound,      // M2: a machine whose every mapping costs too much is not searched
};
inline constexpr std::size_t kRules = 20;

// What a search may lose by a rule.
enum class Soundness : u8 {
  Sound,         // nothing: switching it off can change the run, never the best value
  WithoutHalos,  // nothing, when no tensor slides (docs/rules/loop_orders.md)
  Heuristic,     // possibly the best mapping
};

// A row of the table of rules: `name` as on the command line, `help` one phrase.
struct RuleInfo {
  Rule rule;
  std::string_view name;
  Soundness soundness;
  std::string_view help;
};

extern const std::array<RuleInfo, kRules> kRuleTable;

// The rule of this name; none if there is no such rule.
std::optional<Rule> parse_rule(std::string_view name);
std::vector<std::string> rule_names();

// Which rules are on; at first all.
class RuleSet {
 public:
  RuleSet() { on_.fill(true); }
  bool operator[](Rule r) const { return on_[static_cast<std::size_t>(r)]; }
  RuleSet& set(Rule r, bool on) {
    on_[static_cast<std::size_t>(r)] = on;
    return *this;
  }

 private:
  std::array<bool, kRules> on_;
};

// How often a rule was asked, and how often it cut.
struct RuleCounts {
  std::array<u64, kRules> calls{}, cuts{};

  // Counts that the rule was asked and whether it cut; returns `cut`.
  bool count(Rule r, bool cut) {
    ++calls[static_cast<std::size_t>(r)];
    cuts[static_cast<std::size_t>(r)] += cut;
    return cut;
  }
  RuleCounts& operator+=(const RuleCounts& other) {
    for (std::size_t r = 0; r < kRules; ++r) calls[r] += other.calls[r], cuts[r] += other.cuts[r];
    return *this;
  }
  bool operator==(const RuleCounts&) const = default;
};

}  // namespace heliolite
