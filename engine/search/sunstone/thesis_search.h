#pragma once
// The search of the thesis (Ng, UBC 2022, algorithms 3 to 8), the strategy `thesis`. From the inside out, from one
// level with loops to the next:
//  1. Each unrolling of the fan-outs between them (rules full-unrolling and indexing-first: S1), each tile of the inner
//     level in what it leaves (rule maximal-tiles: T1), with the cheapest of the loop orders that can matter (rules
//     order-prefix and order-dominance: O1-O3): a candidate, priced by the ladder.
//  2. Candidates in ascending price, each continued outward, until the price is above the incumbent (rule alpha-beta:
//     A1).
//  3. At the outermost level the rest of all loops: a complete mapping.
#include <functional>
#include <optional>
#include <vector>

#include "engine/search/core/rules.h"
#include "engine/search/sunstone/ladder.h"
#include "engine/search/sunstone/strategies.h"
#include "engine/space/divisors.h"
#include "engine/space/unrolling.h"

namespace heliolite {

// One search, with the keep choice and the machine that the ladder is set to at each run.
class ThesisSearch {
 public:
  // What one step adds to a partial plan. Plans are large, and there are many candidates.
  struct Choice {
    Value price;
    Unrolling unrolling;
    Extents factor = unit_extents();  // factors of the level's temporal loops
    std::array<u16, kMaxLevels> order{};
    bool done = false;  // it has been continued already
  };

  // A candidate of the first step, with the tag that its tile got.
  struct Tagged {
    Choice choice;
    int tag = 0;
  };
  // The tag of a tile of the first step's level, see for_each_tagged_tile() (engine/space/factor_tree.h).
  using Tagger = std::function<int(const Extents& tile)>;

  // Candidates may take about `memory_bytes`; beyond that the dearest are forgotten.
  // At most `evaluations` plans are priced in all.
  ThesisSearch(Ladder& ladder, const RuleSet& rules, u64 memory_bytes, u64 evaluations = ~u64{0});

  // Looks for a mapping better than `best`, if there is one already, and puts it there.
  void run(std::optional<Candidate>& best);

  // Step 1 at the innermost level with loops, with tags in the place of one capacity: every candidate, priced on the
  // machine that the ladder uses.
  std::vector<Tagged> first_candidates(const Tagger& tagger);
  // Prices such a candidate on the machine that the ladder uses now; none: it does not fit.
  std::optional<Score> first_price(const Choice& choice);
  // Steps 2 and 3 with these candidates, on that machine; `best` as in run().
  void run_from(std::vector<Choice> candidates, std::optional<Candidate>& best);

  const RuleCounts& rules() const { return counts_; }
  // Whether candidates that could have led to something better were forgotten.
  bool forgot() const { return forgot_; }

 private:
  // What is decided so far: the levels of the steps before some step.
  struct Node {
    Plan plan;
    Extents tile = unit_extents();  // tile of everything placed so far
    Extents rest = unit_extents();  // what is left of every dimension
  };
  Gate gate() { return {rules_, counts_}; }
  bool over() const { return ladder_.evaluated() >= last_evaluation_ || ladder_.stopped(); }
  bool hopeless(const Value& price);

  Node root() const;
  void stage(std::size_t k, const Node& node);
  void follow(std::size_t k, const Node& node, std::vector<Choice>& candidates);
  void unrollings(std::size_t k, const Node& node, std::vector<Choice>& candidates);
  void tiles(std::size_t k, const Node& node, const Unrolling& u, std::vector<Choice>& candidates);
  void collect(const Node& node, Choice& choice, int tag);
  void price(std::size_t k, const Node& node, Choice& choice, std::vector<Choice>& candidates);
  Node after(std::size_t k, const Node& node, const Choice& choice) const;
  void forget(std::vector<Choice>& candidates);
  void complete(Node& node, int first);

  Ladder& ladder_;
  const Mapspace& space_;
  RuleSet rules_;
  std::vector<ChainStep> chain_;
  std::vector<DivisorTable> divisors_;  // by dimension
  std::size_t most_candidates_;
  u64 last_evaluation_;
  std::optional<Candidate>* best_ = nullptr;
  const Tagger* tagger_ = nullptr;  // while first_candidates() collects
  std::vector<Tagged>* tagged_ = nullptr;
  RuleCounts counts_;
  u64 reached_ = 0;  // candidates and complete mappings that fit
  bool forgot_ = false;
};

}  // namespace heliolite
