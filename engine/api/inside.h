#pragma once
// What is behind the handles of the public headers: the objects of the engine, the one way from each to the other, and
// what searches are asked and answer.
#include <heliolite/curve.h>
#include <heliolite/map.h>
#include <heliolite/sweep.h>

#include "engine/bounds/fusion/cut.h"
#include "engine/formats/load_architecture.h"
#include "engine/inputs/read_options.h"
#include "engine/model/cost_model.h"
#include "engine/model/mapping.h"
#include "engine/search/core/options.h"
#include "engine/sweep/store.h"
#include "engine/sweep/sweep_spec.h"
#include "workloads/network.h"

namespace heliolite::api {

// What is behind the handles of the public headers: the objects of the engine, and the one way from each to the other.
// In heliolite::api a name is the public one, and the engine's is written heliolite::..

struct ArchitectureState {
  ArchitectureSource source;
};

struct WorkloadState {
  heliolite::Workload workload;
};

struct NetworkState {
  heliolite::Network network;
};

struct MappingState {
  heliolite::Mapping mapping;
  Workload workload;
  Architecture architecture;
};

struct CostModelState {
  Workload workload;
  Architecture architecture;
  heliolite::CostModel model;
};

struct FusedNetworkState {
  SegmentedNetwork network;
};

struct SweepState {
  SweepSpec spec;
};

struct SweepResultsState {
  Store store;
  SweepInfo info;
};

// The friend of all handles.
struct Inside {
  static const heliolite::Architecture& of(const Architecture& handle) { return handle.state_->source.architecture; }
  static const heliolite::Workload& of(const Workload& handle) { return handle.state_->workload; }
  static const heliolite::Network& of(const Network& handle) { return handle.state_->network; }
  static const heliolite::Mapping& of(const Mapping& handle) { return handle.state_->mapping; }
  static const SweepSpec& of(const Sweep& handle) { return handle.state_->spec; }

  static Architecture handle(ArchitectureSource source);
  // The machine that the chain of a further compute unit is.
  static Architecture chain(const Architecture& machine, std::size_t unit) {
    const heliolite::Architecture& of_unit = of(machine).chain(unit);
    return handle(ArchitectureSource{of_unit, std::nullopt, {}, std::vector<CostSources>(of_unit.levels.size()), {}});
  }
  static Workload handle(heliolite::Workload workload);
  static Network handle(heliolite::Network network);
  static Mapping handle(const heliolite::Mapping& mapping, const Workload& workload, const Architecture& architecture);
  static FusedNetwork handle(SegmentedNetwork network);
  static Sweep handle(SweepSpec spec);
  static SweepResults handle(Store store, SweepInfo info);
};

// A handle of what a function of the engine returned, or its errors.
template <class T>
auto handled(Result<T> result) -> Result<decltype(Inside::handle(*std::move(result)))> {
  if (!result) return result.errors();
  return Inside::handle(*std::move(result));
}

inline Cost public_cost(const heliolite::Cost& cost) { return {cost.energy.picojoules(), cost.cycles}; }

// How files are read. Errors: texts that say nothing.
Result<heliolite::ReadOptions> engine_options(const ReadOptions& options);

// What a search is asked and what it answers, between the public form and the engine's: searches of layers, networks
// and sets of machines share it.

// The options by the table that the command line has (engine/search/core/option_table.h), with its errors.
Result<heliolite::SearchOptions> engine_options(const MapOptions& options);

}  // namespace heliolite::api
