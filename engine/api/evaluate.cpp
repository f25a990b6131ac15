// The cost model as users of the library see it (heliolite/evaluate.h).
#include <fmt/format.h>
#include <heliolite/evaluate.h>

#include <utility>

#include "engine/api/inside.h"
#include "engine/model/fingerprint.h"
#include "engine/model/mapping_check.h"

namespace heliolite::api {
namespace {

TensorCost tensor_cost(const LevelBreakdown& level, std::size_t v, const std::string& name) {
  const TensorTraffic& traffic = level.tensor[v];
  const NetworkTraffic& network = level.network[v];
  return {.tensor = name,
          .counted = traffic.counted(),
          .tile_words = traffic.tile_words,
          .instances = traffic.instances,
          .reads = traffic.reads,
          .fills = traffic.fills,
          .updates = traffic.updates,
          .all_reads = traffic.all.reads,
          .all_fills = traffic.all.fills,
          .all_updates = traffic.all.updates,
          .access_pj = traffic.energy.picojoules(),
          .address_pj = traffic.address_generation_energy.picojoules(),
          .network_pj = network.energy.picojoules(),
          .network_words = network.ingresses,
          .hops = network.hops,
          .link_words = network.peer_words};
}

LevelCost level_cost(const LevelBreakdown& level, const heliolite::Workload& workload) {
  LevelCost out{.level = level.name,
                .cycles = level.cycles,
                .capacity_words = {},
                .used_words = level.used_words,
                .energy_pj = level.energy().picojoules(),
                .leakage_pj = level.leakage.picojoules(),
                .tensors = {}};
  if (level.capacity_words > 0) out.capacity_words = level.capacity_words;
  for (std::size_t v = 0; v < workload.tensors.size(); ++v)
    out.tensors.push_back(tensor_cost(level, v, workload.tensors[v].name));
  return out;
}

CostBreakdown public_breakdown(const Breakdown& all, const heliolite::Workload& workload) {
  const ComputeBreakdown& compute = all.compute;
  CostBreakdown out{.energy_pj = all.energy.picojoules(),
                    .cycles = all.cycles,
                    .utilization = all.utilization,
                    .levels = {},
                    .compute = {.name = compute.name,
                                .macs = compute.computes,
                                .used = compute.utilized,
                                .instances = compute.instances,
                                .cycles = compute.cycles,
                                .energy_pj = compute.energy.picojoules()}};
  if (all.ramps) out.fill_cycles = all.ramps->fill, out.drain_cycles = all.ramps->drain;
  for (const LevelBreakdown& level : all.level) out.levels.push_back(level_cost(level, workload));
  return out;
}

// How a mapping is counted. Its indices mean something with the pair that it was made for alone.
Result<Counts> asked(const std::string& counts, const CostModelState& state, const Mapping& mapping) {
  const heliolite::CostModel& model = state.model;
  const heliolite::Workload& workload = Inside::of(mapping.workload());
  const heliolite::Architecture& machine = Inside::of(mapping.architecture());
  const bool same_pair = (&workload == &Inside::of(state.workload) && &machine == &Inside::of(state.architecture)) ||
                         (fingerprint(workload) == fingerprint(model.workload()) &&
                          fingerprint(machine) == fingerprint(model.architecture()));
  if (!same_pair)
    return Diagnostic{"", 0, "mapping",
                      fmt::format("is one of {} on {}, must be one of {} on {}, which the model prices", workload.name,
                                  machine.name, model.workload().name, model.architecture().name)};
  return counts_named(counts, model, Inside::of(mapping));
}

}  // namespace

CostModel::CostModel(const Workload& workload, const Architecture& architecture)
    : state_(std::make_shared<CostModelState>(CostModelState{
          workload, architecture, heliolite::CostModel(Inside::of(workload), Inside::of(architecture))})) {}

const Workload& CostModel::workload() const { return state_->workload; }
const Architecture& CostModel::architecture() const { return state_->architecture; }

Result<Cost> CostModel::evaluate(const Mapping& mapping, const std::string& counts) const {
  const Result<Counts> how = asked(counts, *state_, mapping);
  if (!how) return how.errors();
  const Result<heliolite::Cost> cost = cost_or_reasons(state_->model, Inside::of(mapping), *how);
  if (!cost) return cost.errors();
  return public_cost(*cost);
}

Result<CostBreakdown> CostModel::explain(const Mapping& mapping, const std::string& counts) const {
  const Result<Counts> how = asked(counts, *state_, mapping);
  if (!how) return how.errors();
  return public_breakdown(state_->model.explain(Inside::of(mapping), *how), state_->model.workload());
}

}  // namespace heliolite::api
