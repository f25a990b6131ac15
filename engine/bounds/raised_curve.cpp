#include "engine/bounds/raised_curve.h"

#include <algorithm>

namespace heliolite {
namespace {

void add(std::vector<RaisedStep>& steps, const RaisedStep& step) {
  if (steps.empty() || steps.back().step.accesses != step.step.accesses) steps.push_back(step);
}

}  // namespace

ScheduleBounds schedule_bounds(const Workload& workload, const OrojenesisOptions& options) {
  std::vector<double> sizes;
  u64 operands = 0;
  for (std::size_t v = 0; v < workload.tensors.size(); ++v) {
    sizes.push_back(static_cast<double>(options.word_size[v]));
    operands += options.word_size[v];
  }
  return {LowerBounds(workload, {}, sizes), operands};
}

std::vector<RaisedStep> raised(std::span<const CurveStep> curve, const ScheduleBounds& schedules, u64 largest) {
  constexpr u64 kPointsPerBuffer = 16;
  std::vector<RaisedStep> out;
  for (std::size_t i = 0; i < curve.size(); ++i) {
    const CurveStep own = curve[i];
    const bool last = i + 1 == curve.size();
    const u64 end = last ? std::max(largest, own.buffer) + 1 : curve[i + 1].buffer;
    for (u64 buffer = own.buffer; buffer < end;) {
      if (schedules.at(buffer).words <= own.accesses) {
        add(out, {{buffer, own.accesses}, std::nullopt, i});
        break;
      }
      const u64 next = std::min(end, buffer + std::max<u64>(1, buffer / kPointsPerBuffer));
      const LowerBound there = schedules.at(next - 1);
      if (there.words > own.accesses) add(out, {{buffer, there.words}, there.kind, i});
      else add(out, {{buffer, own.accesses}, std::nullopt, i});
      buffer = next;
    }
  }
  return out;
}

}  // namespace heliolite
