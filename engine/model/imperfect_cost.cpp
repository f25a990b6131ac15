#include "engine/model/imperfect_cost.h"

#include <algorithm>
#include <cmath>

#include "engine/base/integers.h"
#include "engine/model/cost_of_counts.h"
#include "engine/model/links.h"
#include "engine/model/ramps.h"

namespace heliolite {
namespace {

// One evaluation of a nest, level by level.

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

ImperfectComputes ImperfectEvaluation::computes() {
  ImperfectComputes out;
  u64 cycles = 1;
  for (int l = 0; l < nest_.loop_count; ++l) (nest_.loop[l].spatial ? out.utilized : cycles) *= nest_.loop[l].end;
  out.macs_used = static_cast<u64>(nest_.used[0] * static_cast<double>(nest_.fanout[0]));
  w_.words.assign(nest_.contexts[0].count(), 0);
  product_steps(nest_, w_.words);
  u64 all_steps = 0, most_active = 1;
  for (std::size_t context = 0; context < w_.words.size(); ++context) {
    if (w_.words[context] == 0) continue;
    const u64 active = active_receivers(nest_, 0, nest_.contexts[0].last(context));
    all_steps += w_.words[context] * active;
    most_active = std::max(most_active, active);
  }
  const double steps = static_cast<double>(all_steps) / static_cast<double>(most_active);  // of a unit, on average
  out.computes = static_cast<u64>(steps * static_cast<double>(out.macs_used));
  out.cycles = nest_.perfect ? (out.computes + out.macs_used - 1) / out.macs_used : cycles;
  return out;
}

// Words that one receiver below level i gets, by context.
void ImperfectEvaluation::words_below(const CompiledTensor& t, int i) {
  w_.words.assign(nest_.contexts[i].count(), 0);
  if (i == 0) product_steps(nest_, w_.words);
  else if (!closed_forms_ || !product_words(t, nest_, i, w_.words)) w_.walk.run(t, nest_, i, w_.words);
}

ImperfectSums ImperfectEvaluation::sums(const CompiledTensor& t, int i) {
  words_below(t, i);
  if (!nest_.has_spatial(i)) return {w_.words[0], w_.words[0]};
  ImperfectSums out;
  for (std::size_t context = 0; context < w_.words.size(); ++context) {
    const u64 words = w_.words[context];
    if (words == 0) continue;  // never fetched there
    const DimensionMask last = nest_.contexts[i].last(context);
    out.accesses += words * distinct_receivers(t, nest_, i, c_.level[i], last);
    out.received += words * active_receivers(nest_, i, last);
  }
  return out;
}

// From the words by context that words_below() left. Without sliding ranks all groups of a context are equally large.
double ImperfectEvaluation::scaled_accesses(const CompiledTensor& t, int i, double scale, const ImperfectSums& sums) {
  if (scale == 1 || !nest_.has_spatial(i)) return static_cast<double>(sums.accesses) * scale;
  w_.groups.clear();
  for (std::size_t context = 0; context < w_.words.size(); ++context) {
    if (w_.words[context] == 0) continue;
    const DimensionMask last = nest_.contexts[i].last(context);
    if (t.sliding) {
      records(t, i, w_.level);
      double sum = 0;
      for (const NestRecord& r : w_.level.records) sum += r.words * scale;
      return sum;
    }
    const u64 distinct = distinct_receivers(t, nest_, i, c_.level[i], last);
    const u64 multicast = active_receivers(nest_, i, last) / distinct;
    // The third number carries the words.
    auto at = std::find_if(w_.groups.begin(), w_.groups.end(), [&](const ReceiverGroups& g) {
      return g.multicast > multicast || (g.multicast == multicast && g.groups >= distinct);
    });
    if (at == w_.groups.end() || at->multicast != multicast || at->groups != distinct)
      at = w_.groups.insert(at, {multicast, distinct, 0});
    at->half_hops += w_.words[context] * distinct;
  }
  double sum = 0;
  for (const ReceiverGroups& g : w_.groups) sum += static_cast<double>(g.half_hops) * scale;
  return sum;
}

void ImperfectEvaluation::records(const CompiledTensor& t, int i, LevelNest& out) {
  out.accesses_sum = out.share = out.peer_words = 0;
  out.records.clear();
  if (may_use_peers(static_cast<int>(&t - c_.tensor.data()), i)) return take_from_peers(c_, t, nest_, i, out);
  words_below(t, i);
  for (std::size_t context = 0; context < w_.words.size(); ++context) {
    const u64 words = w_.words[context];
    if (words == 0) continue;  // never fetched there
    const DimensionMask last = nest_.contexts[i].last(context);
    imperfect_groups(t, nest_, i, c_.level[i], last, w_.groups);
    u64 distinct = 0;
    for (const ReceiverGroups& g : w_.groups) {
      add_record(g, words, out.records);
      distinct += g.groups;
    }
    out.accesses_sum += static_cast<double>(words * distinct);
    out.share += static_cast<double>(words * active_receivers(nest_, i, last));
  }
  out.share /= static_cast<double>(nest_.fanout[i]);
}

// Other than where factors divide, a tile that has changed its size may be fetched where it was: any neighbour will do.
bool ImperfectEvaluation::may_use_peers(int v, int i) const {
  return contains(c_.level[i].peers, v) && nest_.has_spatial(i);
}

bool ImperfectEvaluation::may_use_peers(int v) const {
  if (!contains(c_.peers, v)) return false;
  for (int i = 0; i < c_.level_count; ++i)
    if (may_use_peers(v, i)) return true;
  return false;
}

// Everything of tensor v at level i, its records if they are asked for.
void level_nest(ImperfectEvaluation& evaluation, const Compiled& c, int v, int i, bool records, LevelNest& out) {
  const CompiledTensor& t = c.tensor[v];
  const ImperfectNest& nest = evaluation.nest();
  out.tile_words = imperfect_box_words(t, nest.largest(nest.inside[i + 1], nest.first[i + 1]));
  out.tile_below_master = imperfect_box_words(t, nest.largest(nest.master[i], nest.first_temporal[i]));
  out.used = static_cast<u64>(nest.used[i]);
  out.fanout = nest.fanout[i];
  if (records || evaluation.may_use_peers(v)) {
    evaluation.records(t, i, out);
    if (!records) out.records.clear();
    return;
  }
  const ImperfectSums sums = evaluation.sums(t, i);
  out.records.clear();
  out.peer_words = 0;
  out.accesses_sum = static_cast<double>(sums.accesses);
  out.share = static_cast<double>(sums.received) / static_cast<double>(out.fanout);
}

}  // namespace

void imperfect_traffic(const Compiled& compiled, const Mapping& mapping, ImperfectWorkspace& workspace,
                       NestTraffic& out, const ImperfectOptions& options) {
  ImperfectEvaluation evaluation(compiled, mapping, workspace, options.closed_forms);
  const ImperfectComputes computes = evaluation.computes();
  out.computes = computes.computes;
  out.macs_used = computes.macs_used;
  out.utilized_macs = computes.utilized;
  out.compute_cycles = computes.cycles;
  out.at.resize(at(compiled.tensor_count));
  for (int v = 0; v < compiled.tensor_count; ++v) {
    auto& levels = out.at[v];
    levels.resize(at(compiled.level_count));
    for (int i = 0; i < compiled.level_count; ++i) level_nest(evaluation, compiled, v, i, options.records, levels[i]);
  }
}

namespace {

// The steps of collapse.h, one tensor at a time and only where there is something to count.
class ImperfectCost {
 public:
  ImperfectCost(const Compiled& c, const Mapping& m, ImperfectWorkspace& w)
      : c_(c), m_(m), w_(w), evaluation_(c, m, w) {}

  Evaluation run() {
    const ImperfectNest& nest = evaluation_.nest();
    for (u8 i = 0; i < c_.level_count; ++i) {
      if (nest.columns[i] > c_.level[i].fanout_x) return {Verdict::OverFanoutX, i, {}};
      if (nest.fanout[i] / nest.columns[i] > c_.level[i].fanout_y) return {Verdict::OverFanoutY, i, {}};
    }
    for (u8 i = 0; i < c_.level_count; ++i)
      if (!tiles_fit(i)) return {Verdict::OverCapacity, i, {}};
    u64 spanned = 1;
    for (int i = c_.level_count - 1; i >= 0; --i) {
      instances_[i] = {static_cast<u64>(nest.used[i]), spanned};
      spanned *= nest.fanout[i];
    }
    const ImperfectComputes computes = evaluation_.computes();
    CostSum sum(c_, computes.computes, computes.cycles);
    sum.ramp(ramps_of(c_, m_));
    for (int v = 0; v < c_.tensor_count; ++v) tensor(v, sum);
    for (u8 i = 0; i < c_.level_count; ++i) {
      sum.add(c_.level[i], load_[i], instances_[i]);
      if (!sum.is_finite()) return {Verdict::OverCapacity, i, {}};
    }
    return {Verdict::Fits, 0, sum.total()};
  }

 private:
  bool tiles_fit(int i) {
    const ImperfectNest& nest = evaluation_.nest();
    tile_[i] = nest.largest(nest.inside[i + 1], nest.first[i + 1]);
    if (c_.level[i].room == CompiledLevel::kUnbounded) return true;
    u64 used = 0;
    for (int v = 0; v < c_.tensor_count; ++v)
      if (m_.keeps(i, v)) used += c_.level[i].taken(v, imperfect_box_words(c_.tensor[v], tile_[i]));
    return used <= c_.level[i].room;
  }

  // Rule 14, for outputs.
  void partition(const CompiledTensor& t) {
    const ImperfectNest& nest = evaluation_.nest();
    u64 inside = imperfect_box_words(t, tile_[c_.level_count - 1]);
    part_[c_.level_count - 1] = inside;
    for (int i = c_.level_count - 1; i > 0; --i) {
      const u64 below = imperfect_box_words(t, tile_[i - 1]);
      part_[i - 1] = part_[i] * below / imperfect_box_words(t, nest.largest(nest.master[i], nest.first_temporal[i]));
    }
  }

  void tensor(int v, CostSum& sum) {
    const CompiledTensor& t = c_.tensor[v];
    const ImperfectNest& nest = evaluation_.nest();
    if (evaluation_.may_use_peers(v)) return tensor_with_peers(v, sum);
    if (t.is_output) partition(t);
    double scale = 1;      // rule 16: what a bypassed level inside passes on, over what it receives
    double hop_scale = 1;  // rule 16 for an interconnect inside: its factor for the hops
    ImperfectSums sums = evaluation_.sums(t, 0);
    for (int i = 0; i < c_.level_count; ++i) {
      const bool kept = m_.keeps(i, v);
      const double accesses = evaluation_.scaled_accesses(t, i, scale, sums);
      const double part = t.is_output ? static_cast<double>(part_[i]) : 0;
      if (c_.level[i].network_costs) sum.pay(network(v, i, scale, hop_scale, kept && t.is_output ? part_[i] : 0).units);
      if (i + 1 == c_.level_count)
        return load_[i].add(v, averaged_words(c_.level[i], t.is_output, accesses, 0, part), t.is_output);
      const bool carried = c_.level[i].is_interconnect;
      const double passing = carried ? evaluation_.scaled_accesses(t, i, hop_scale, sums) : 0;
      sums = evaluation_.sums(t, i + 1);
      const auto fanout = static_cast<double>(nest.fanout[i + 1]), received = static_cast<double>(sums.received);
      if (kept || carried)
        load_[i].add(v, averaged_words(c_.level[i], t.is_output, accesses, kept ? received / fanout : 0, part),
                     t.is_output);
      hop_scale = carried ? passing * fanout / received : 1;
      scale = kept ? 1 : accesses * fanout / received;
    }
  }

  // The rows of explain().
  void tensor_with_peers(int v, CostSum& sum) {
    std::vector<LevelNest> nest(at(c_.level_count));
    for (int i = 0; i < c_.level_count; ++i) level_nest(evaluation_, c_, v, i, true, nest[i]);
    add_counts(c_, v, collapse(c_, m_.keep, v, nest), sum, load_);
  }

  Energy network(int v, int i, double scale, double hop_scale, u64 partition) {
    const CompiledTensor& t = c_.tensor[v];
    evaluation_.records(t, i, w_.level);
    NetworkSum sum;
    for (const NestRecord& r : w_.level.records)
      sum.add(network_record(c_.level[i], r, scale, hop_scale, t.is_output, partition), t.is_output);
    return network_energy(c_.level[i], v, sum, instances_[i].used);
  }

  const Compiled& c_;
  const Mapping& m_;
  ImperfectWorkspace& w_;
  ImperfectEvaluation evaluation_;
  // Only what is used is written: built once per evaluation.
  std::array<ImperfectExtents, kMaxLevels> tile_;  // the largest of each level
  std::array<u64, kMaxLevels> part_;
  std::array<InstanceCount, kMaxLevels> instances_;
  std::array<LevelLoad, kMaxLevels> load_;
};

}  // namespace

Evaluation imperfect_cost_of(const Compiled& compiled, const Mapping& mapping, ImperfectWorkspace& workspace) {
  return ImperfectCost(compiled, mapping, workspace).run();
}

}  // namespace heliolite
