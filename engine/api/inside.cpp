#include "engine/api/inside.h"

#include <utility>

#include "workloads/word_bits.h"

namespace heliolite::api {

Architecture Inside::handle(ArchitectureSource source) {
  return Architecture(std::make_shared<ArchitectureState>(ArchitectureState{std::move(source)}));
}

Workload Inside::handle(heliolite::Workload workload) {
  return Workload(std::make_shared<WorkloadState>(WorkloadState{std::move(workload)}));
}

Network Inside::handle(heliolite::Network network) {
  return Network(std::make_shared<NetworkState>(NetworkState{std::move(network)}));
}

Mapping Inside::handle(const heliolite::Mapping& mapping, const Workload& workload, const Architecture& architecture) {
  return Mapping(std::make_shared<MappingState>(MappingState{mapping, workload, architecture}));
}

FusedNetwork Inside::handle(SegmentedNetwork network) {
  return FusedNetwork(std::make_shared<FusedNetworkState>(FusedNetworkState{std::move(network)}));
}

Sweep Inside::handle(SweepSpec spec) { return Sweep(std::make_shared<SweepState>(SweepState{std::move(spec)})); }

SweepResults Inside::handle(Store store, SweepInfo info) {
  return SweepResults(std::make_shared<SweepResultsState>(SweepResultsState{std::move(store), std::move(info)}));
}

Result<heliolite::ReadOptions> engine_options(const ReadOptions& options) {
  heliolite::ReadOptions out{.defines = options.defines,
                             .ignore_sparse = options.ignore_sparse,
                             .peer_channel = options.link_transfers,
                             .models = options.model};
  Diagnostics errors;
  const auto refuse = [&](const char* field, Diagnostics found) {
    for (Diagnostic& error : found) {
      if (error.field.empty()) error.field = field;
      errors.push_back(std::move(error));
    }
  };
  if (!options.rename.empty()) {
    if (auto renames = parse_renames(options.rename)) out.renames = *std::move(renames);
    else refuse("rename", renames.errors());
  }
  if (!options.word_bits.empty()) {
    if (auto sizes = parse_word_bits(options.word_bits)) out.word_bits = *std::move(sizes);
    else refuse("word_bits", sizes.errors());
  }
  if (!errors.empty()) return errors;
  return out;
}

}  // namespace heliolite::api
