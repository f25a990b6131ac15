#pragma once
// Legality and cost of a mapping with imperfect factors: the totals of CostModel::explain, without the table of counts.
#include <vector>

#include "engine/model/collapse.h"
#include "engine/model/compiled.h"
#include "engine/model/imperfect_nest.h"
#include "engine/model/mapping.h"
#include "engine/model/multicast.h"

namespace heliolite {

// Traffic of nests with imperfect factors, by the rules of Timeloop: closed forms where they exist, elsewhere
// a walk of the nest that remembers equal states. Perfect factors are a special case.

// Choices that change the time and not the counts.
struct ImperfectOptions {
  bool closed_forms = true;  // false: walk everything; the result is the same
  bool records = true;       // false: leave LevelNest::records empty (enough where the network costs nothing)
};

// Storage that evaluations one after the other share; each thread needs its own.
struct ImperfectWorkspace {
  ImperfectWalk walk;
  std::vector<u64> words;  // [context of a fan-out]
  std::vector<ReceiverGroups> groups;
  LevelNest level;  // where only one is needed at a time
};

// Overwrites `out`, whose storage is reused. The mapping must be well formed (mapping_check.h): factors reach the
// sizes, residuals are legal, loops are in nest order.
void imperfect_traffic(const Compiled& compiled, const Mapping& mapping, ImperfectWorkspace& workspace,
                       NestTraffic& out, const ImperfectOptions& options = {});

// Whether the mapping fits, and its cost if it does; it must be well formed (mapping_check.h). The cost is equal to the
// totals of explain() to the last unit. With a workspace that has been used before nothing is allocated.
Evaluation imperfect_cost_of(const Compiled& compiled, const Mapping& mapping, ImperfectWorkspace& workspace);

// The receivers of a fan-out at one step of a nest with imperfect factors: how many there are, how many want different
// words, and what reaching them costs (docs/cost_model.md, rules 9-11).

// Receivers in use at steps where the dimensions `last` are in their last context and all others in a middle one
// (imperfect_nest.h).
u64 active_receivers(const ImperfectNest& nest, int level, DimensionMask last);

// How many of those receivers want different words of tensor t; by closed form, else by enumeration.
u64 distinct_receivers(const CompiledTensor& t, const ImperfectNest& nest, int level, const CompiledLevel& machine,
                       DimensionMask last);

// Writes the groups of receivers with the same words into `out` (reused storage), sorted by multicast. Receivers in use
// are numbered without gaps, X fastest, and laid out on the physical grid. Without spatial loops: one receiver, no
// hops.
void imperfect_groups(const CompiledTensor& t, const ImperfectNest& nest, int level, const CompiledLevel& machine,
                      DimensionMask last, std::vector<ReceiverGroups>& out);

// MACs as Timeloop counts them (docs/cost_model.md, rules 13, 24, 27).
struct ImperfectComputes {
  u64 computes = 0;   // not the workload's with imperfect spatial factors
  u64 macs_used = 1;  // units in use: the average, truncated
  u64 utilized = 1;   // product of all spatial ends
  u64 cycles = 1;     // product of all temporal ends with any residual, else ceil(computes / macs_used)
};

// Words of one tensor that one sender sends over the fan-out below a level.
struct ImperfectSums {
  u64 accesses = 0;  // read by the sender; a word that several receivers share counts once
  u64 received = 0;  // received by all receivers together
};

// One evaluation; nest and workspace are in use as long as it lives.
class ImperfectEvaluation {
 public:
  ImperfectEvaluation(const Compiled& c, const Mapping& m, ImperfectWorkspace& w, bool closed_forms = true)
      : c_(c), nest_(c, m), w_(w), closed_forms_(closed_forms) {}

  const ImperfectNest& nest() const { return nest_; }

  ImperfectComputes computes();

  // Words of tensor t across the fan-out below level i.
  ImperfectSums sums(const CompiledTensor& t, int i);

  // The accesses of `sums`, which must be those that sums() returned last, times `scale`, added record by record as
  // Timeloop does: what bypassed levels inside pass on (rule 16).
  double scaled_accesses(const CompiledTensor& t, int i, double scale, const ImperfectSums& sums);

  // sums() with the records of the network, into `out`; its tiles and instances are not filled in. Words from
  // peers are not among the accesses, and receivers that they reach not among the records'.
  void records(const CompiledTensor& t, int i, LevelNest& out);

  // Whether some words of tensor v may come from peers, somewhere.
  bool may_use_peers(int v) const;

 private:
  void words_below(const CompiledTensor& t, int i);
  bool may_use_peers(int v, int i) const;

  const Compiled& c_;
  ImperfectNest nest_;
  ImperfectWorkspace& w_;
  bool closed_forms_;
};

// Everything of tensor v at level i, its records if they are asked for.
void level_nest(ImperfectEvaluation& evaluation, const Compiled& c, int v, int i, bool records, LevelNest& out);

}  // namespace heliolite
