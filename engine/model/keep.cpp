#include "engine/model/keep.h"

#include <algorithm>

#include "engine/base/integers.h"
#include "engine/base/text.h"
#include "workloads/tensor_selector.h"

namespace heliolite {
namespace {

int best(const std::vector<std::string>& selectors, const Tensor& tensor) {
  int most = 0;
  for (const std::string& s : selectors) most = std::max(most, specificity(s, tensor));
  return most;
}

}  // namespace

KeepChoice keep_choice(const KeepRule& rule, const Workload& workload, int tensor) {
  const int keep = best(rule.keep, workload.tensors[tensor]);
  const int bypass = best(rule.bypass, workload.tensors[tensor]);
  if (keep == 0 && bypass == 0) return KeepChoice::Open;
  return keep >= bypass ? KeepChoice::Keep : KeepChoice::Bypass;
}

TensorMask default_keep(const Architecture& architecture, int level, const Workload& workload) {
  TensorMask mask = 0;
  const bool outermost = level + 1 == static_cast<int>(architecture.levels.size());
  for (int v = 0; v < static_cast<int>(workload.tensors.size()); ++v) {
    const KeepChoice choice = keep_choice(architecture.levels[level].keep, workload, v);
    if (outermost || choice != KeepChoice::Bypass) mask = static_cast<TensorMask>(mask | 1u << v);
  }
  return mask;
}

bool holds_nothing(const StorageLevel& level) {
  const auto is_all = [](const std::string& selector) { return lower(selector) == "all"; };
  return level.keep.keep.empty() && std::ranges::any_of(level.keep.bypass, is_all);
}

bool is_outer_part(const StorageLevel& level) {
  return !level.loops_allowed && level.fanout_x * level.fanout_y == 1 && !level.is_interconnect;
}

bool can_be_opened(const Architecture& architecture, int level) {
  if (level + 1 == static_cast<int>(architecture.levels.size())) return false;
  // Of a split level only the innermost part has loops, and there is no fan-out between the parts.
  const StorageLevel &here = architecture.levels[at(level)], &outer = architecture.levels[at(level + 1)];
  return here.loops_allowed && !is_outer_part(outer) && !holds_nothing(here);
}

}  // namespace heliolite
