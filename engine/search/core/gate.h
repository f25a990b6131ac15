#pragma once
// The one place where a rule of a search is asked: its switch, its counters.
#include "engine/search/core/rules.h"

namespace heliolite {

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
