#pragma once
// Every rule by which the searches leave mappings out: its name, its switch and its counters. Proofs: docs/rules/.
#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "engine/base/integers.h"
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
  KeepBound,
  LatticeBound,
  OwnLoops,
  UsefulInstances,
  StateDominance,
  IdleBandwidth,
  FreeLoops,
  SmallestMemory,
  MemoryBound,
};
inline constexpr std::size_t kRules = 20;

// The search that asks a rule.
enum class RuleUser : u8 {
  Orders,     // the loop orders of a level, listed for sunstone and what builds on it
  Sunstone,   // and the start of exact
  Imperfect,  // the search of factors that do not divide
  Exact,
  CoSearch,  // of many machines at once
};
std::string_view name(RuleUser user);

// What a search may lose by a rule.
enum class Soundness : u8 {
  Sound,         // nothing: switching it off can change the run, never the best value
  WithoutHalos,  // nothing, when no tensor slides (docs/rules/loop_orders.md)
  Heuristic,     // possibly the best mapping
};
std::string_view name(Soundness soundness);

// A row of the table of rules: `name` as on the command line, `help` one phrase, `page` of docs/rules with the proof
// or, of a heuristic, the reason.
struct RuleInfo {
  Rule rule;
  std::string_view name;
  RuleUser user;
  Soundness soundness;
  std::string_view help;
  std::string_view page;
};

extern const std::array<RuleInfo, kRules> kRuleTable;

// The rule of this name; none if there is no such rule.
std::optional<Rule> parse_rule(std::string_view name);
std::vector<std::string> rule_names();

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

// How often a rule was asked, and how often it cut.
struct RuleCounts {
  std::array<u64, kRules> calls{}, cuts{};

  // The rule was asked so often and cut so often; searches count through a Gate (engine/search/core/gate.h).
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

}  // namespace heliolite
