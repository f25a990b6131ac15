#include "engine/model/imperfect.h"

#include "engine/base/integers.h"
#include "engine/model/imperfect_level.h"
#include "engine/model/imperfect_nest.h"

namespace heliolite {

void level_nest(ImperfectEvaluation& evaluation, const Compiled& c, int v, int i, bool records, LevelNest& out) {
  const CompiledTensor& t = c.tensor[at(v)];
  const ImperfectNest& nest = evaluation.nest();
  out.tile_words = imperfect_box_words(t, nest.largest(nest.inside[i + 1], nest.first[i + 1]));
  out.tile_below_master = imperfect_box_words(t, nest.largest(nest.master[i], nest.first_temporal[i]));
  out.used = static_cast<u64>(nest.used[i]);
  out.fanout = nest.fanout[i];
  if (records || evaluation.may_link(v)) {
    evaluation.records(t, i, out);
    if (!records) out.records.clear();
    return;
  }
  const ImperfectSums sums = evaluation.sums(t, i);
  out.records.clear();
  out.links = 0;
  out.accesses_sum = static_cast<double>(sums.accesses);
  out.share = static_cast<double>(sums.received) / static_cast<double>(out.fanout);
}

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
    auto& levels = out.at[at(v)];
    levels.resize(at(compiled.level_count));
    for (int i = 0; i < compiled.level_count; ++i)
      level_nest(evaluation, compiled, v, i, options.records, levels[at(i)]);
  }
}

NestTraffic imperfect_traffic(const Workload& workload, const Architecture& architecture, const Mapping& mapping) {
  ImperfectWorkspace workspace;
  NestTraffic out;
  imperfect_traffic(Compiled(workload, architecture), mapping, workspace, out);
  return out;
}

}  // namespace heliolite
