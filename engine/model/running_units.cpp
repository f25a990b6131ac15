#include "engine/model/running_units.h"

#include <fmt/format.h>

#include "engine/base/integers.h"
#include "engine/base/text.h"

namespace heliolite {
namespace {

// Whether the chain's units can.
bool runs(const Architecture& chain, const Workload& workload) {
  return (chain.compute.runs & operation_bit(workload.operation)) != 0;
}

// "MXU runs product, VPU runs elementwise, softmax".
std::string what_runs(const Architecture& architecture) {
  std::vector<std::string> out;
  for (std::size_t unit = 0; unit < architecture.chains(); ++unit) {
    const Compute& compute = architecture.chain(unit).compute;
    out.push_back(fmt::format("{} runs {}", compute.name, join(operation_names(compute.runs))));
  }
  return fmt::format("{}", fmt::join(out, "; "));
}

Diagnostic complaint(const Workload& workload, std::string field, std::string message) {
  return {workload.name, 0, std::move(field), std::move(message)};
}

}  // namespace

Diagnostics operation_complaints(const Workload& workload, const Architecture& chain) {
  if (runs(chain, workload)) return {};
  return {complaint(
      workload, "operation",
      fmt::format("{}: {} of {} does not run that; {}{}", name(workload.operation), chain.compute.name, chain.name,
                  what_runs(chain), chain.units.empty() ? "" : " (asked about its first unit alone)"))};
}

Result<std::vector<std::size_t>> units_that_run(const Workload& workload, const Architecture& architecture) {
  if (!workload.unit.empty()) {
    const std::optional<std::size_t> named = find_unit(architecture, workload.unit);
    std::vector<std::string> names;
    for (std::size_t unit = 0; unit < architecture.chains(); ++unit)
      names.push_back(architecture.chain(unit).compute.name);
    if (!named)
      return complaint(workload, "unit",
                       fmt::format("{}, must be a compute unit of {}: {}{}", workload.unit, architecture.name,
                                   join(names, "or"), did_you_mean(workload.unit, names)));
    if (!runs(architecture.chain(*named), workload))
      return complaint(workload, "unit",
                       fmt::format("{} does not run operation {}: {}", workload.unit, name(workload.operation),
                                   what_runs(architecture)));
    return std::vector{*named};
  }
  std::vector<std::size_t> out;
  for (std::size_t unit = 0; unit < architecture.chains(); ++unit)
    if (runs(architecture.chain(unit), workload)) out.push_back(unit);
  if (!out.empty()) return out;
  return complaint(workload, "operation",
                   fmt::format("{}: no unit of {} does that: {}", name(workload.operation), architecture.name,
                               what_runs(architecture)));
}

Result<std::size_t> unit_that_runs(const Workload& workload, const Architecture& architecture) {
  const Result<std::vector<std::size_t>> all = units_that_run(workload, architecture);
  if (!all) return all.errors();
  if (all->size() == 1) return all->front();
  std::vector<std::string> names;
  for (const std::size_t unit : *all) names.push_back(architecture.chain(unit).compute.name);
  return complaint(workload, "unit",
                   fmt::format("{} of {} can run it, name one in the layer: unit: {}", join(names), architecture.name,
                               names.front()));
}

const Architecture& running_chain(const Workload& workload, const Architecture& architecture) {
  for (std::size_t unit = 0; unit < architecture.chains(); ++unit) {
    const Architecture& chain = architecture.chain(unit);
    if (workload.unit.empty() ? runs(chain, workload) : chain.compute.name == workload.unit) return chain;
  }
  return architecture;
}

std::optional<int> level_in_chain(const Architecture& architecture, int level, const Architecture& chain) {
  // Both end with the levels that they share.
  const int there = level + static_cast<int>(chain.levels.size()) - static_cast<int>(architecture.levels.size());
  if (there < 0 || level < 0 || chain.levels[at(there)].name != architecture.levels[at(level)].name)
    return std::nullopt;
  return there;
}

Result<const Architecture*> chain_that_runs(const Workload& workload, const Architecture& architecture) {
  if (architecture.units.empty()) return &architecture;
  const Result<std::size_t> unit = unit_that_runs(workload, architecture);
  if (!unit) return unit.errors();
  return &architecture.chain(*unit);
}

}  // namespace heliolite
