#include "engine/search/all_tiles/rounded_cycles.h"

#include <algorithm>
#include <cmath>
#include <span>

#include "engine/base/integers.h"
#include "engine/model/cost_of_counts.h"

namespace heliolite {
namespace {

constexpr double kFarFromWhole = 1e-12;  // of a number of cycles: roundings do not reach the next whole one
constexpr u64 kMostMultiples = 64;

}  // namespace

RoundedCycles::RoundedCycles(const KeptFlows& costs)
    : level_(costs.compiled().level[at(costs.compiled().level_count) - 1]),
      tensors_(at(costs.compiled().tensor_count)) {
  if (!level_.limited) return;
  double reads = 0, writes = 0;
  for (const Flow& f : costs.flows()) {
    if (f.outer + 1 != costs.compiled().level_count || f.by_network || f.carried || f.enters) continue;
    const u64 parts = level_.taken(f.tensor, f.touched);
    (f.is_output ? writes_ : reads_)[f.tensor] = parts;
    (f.is_output ? writes : reads) += static_cast<double>(parts);
  }
  const double cycles = port_cycles(level_, reads, writes);
  exact_ = saturated(std::ceil(cycles * (1 - kFarFromWhole)));
  may_round_up_ = exact_ != kTooManyCycles && static_cast<double>(exact_) <= cycles * (1 + kFarFromWhole);
}

u64 RoundedCycles::of_multiples(u64 unit, u64 least, u64 most) const {
  const u64 first = ceil_div(least, unit) * unit, last = std::min(most, exact_);
  if (!may_round_up_ || first > last || (last - first) / unit > kMostMultiples) return exact_;
  u64 fewest = exact_ + 1;  // of more steps than cycles
  for (u64 steps = first; steps <= last && fewest > exact_; steps += unit)
    fewest = std::min(
        fewest, level_cycles(level_, std::span(reads_).first(tensors_), std::span(writes_).first(tensors_), steps));
  return fewest;
}

}  // namespace heliolite
