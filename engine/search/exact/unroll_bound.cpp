#include "engine/search/exact/unroll_bound.h"

#include <algorithm>

#include "engine/base/integers.h"

namespace heliolite {

UnrollBound::UnrollBound(const FlowCosts& model, const RestBounds& tables, const PartialMapping& s,
                         const PartialBounds::Inside& before, int level)
    : closed_(before.settled[0] - before.pending), loops_(before.outside.present) {
  const u64 left = model.lattice.full().index - s.tile.index;
  // Fan-outs further out may spread words over more receivers, the less of them the less is left.
  const auto server = [&](std::size_t v) { return model.servers.server(level - 1, s.servers, static_cast<int>(v)); };
  const auto beyond = [&](std::size_t v) { return tables.spread(level, server(v), static_cast<int>(v), left); };
  for (std::size_t v = 0; v < s.tensor_count; ++v) {
    const double each = tables.of(s.pending[v], 0, before.sharing);
    if (each <= 0) continue;
    const double least = each * tables.spread(level - 1, server(v), static_cast<int>(v), left);
    passing_[passing_count_++] = {v, each * beyond(v), least};
  }
  for (std::size_t n = 0; n < before.open_count; ++n) {
    const std::size_t v = before.tensor[n];
    Waiting& flow = waiting_[waiting_count_++];
    flow = {v,      before.relevant[n], 0, 0, before.repeats[n], before.without_reuse[n][0], before.full_reuse[n][0],
            nullptr};
    const int sliding = before.halo_of[n];
    flow.fill = tables.of(sliding < 0 ? s.fill[v] : s.sliding[at(sliding)].fill, 0, before.sharing) * s.iterations;
    flow.serve = tables.of(sliding < 0 ? s.serve[v] : s.sliding[at(sliding)].serve, 0, before.sharing) * s.iterations *
                 beyond(v);
    if (sliding >= 0) {
      flow.fill = s.sliding[at(sliding)].least_fill(flow.fill);
      flow.serve = s.sliding[at(sliding)].least_serve(flow.serve);
    }
    flow.halo = before.halo_shares(n);
  }
}

double UnrollBound::energy(const SpatialChoice& choice) const {
  const double each = 1 / choice.instances;
  double sum = closed_;
  for (std::size_t k = 0; k < passing_count_; ++k) {
    const Passing& flow = passing_[k];
    sum += contains(choice.slides, flow.tensor) ? flow.least : flow.each * choice.spread[flow.tensor] * each;
  }
  std::array<double, kMaxDimensions> first{};  // [loop]: what being the first one adds
  for (std::size_t k = 0; k < waiting_count_; ++k) {
    const Waiting& flow = waiting_[k];
    double without_reuse = flow.without_reuse, full_reuse = flow.least;
    if (!contains(choice.slides, flow.tensor)) {
      const double spread = choice.spread[flow.tensor] * each;
      without_reuse = std::max(without_reuse, flow.fill + flow.serve * spread);
      full_reuse += flow.repeats * flow.fill * (1 / spread - 1);  // a word goes to every instance that needs it
    }
    sum += full_reuse;
    for (const int d : bits(flow.relevant & loops_)) {
      const double moved = flow.halo == nullptr ? without_reuse : without_reuse * flow.halo[d];
      if (moved > full_reuse) first[at(d)] += moved - full_reuse;
    }
  }
  double least = loops_ == 0 ? 0 : first[at(*bits(loops_).begin())];
  for (const int d : bits(loops_)) least = std::min(least, first[at(d)]);
  return sum + least;
}

}  // namespace heliolite
