// Proofs of a suite's rows: files that a small program of its own can check.
#include "cli/bench/bench_tables.h"

#include <algorithm>
#include <filesystem>

#include "cli/map/map_proof.h"
#include "cli/map/network_proof.h"

namespace heliolite::cli {

BenchProofs write_bench_proofs(const BenchSuite& suite, std::vector<BenchRow>& rows, const std::atomic<bool>* stop,
                               const Output& output, bool& is_right) {
  BenchProofs out;
  for (std::size_t k = 0; k < rows.size() && !suite.proofs.empty(); ++k) {
    BenchRow& row = rows[k];
    if (row.status != Status::Optimal || (stop != nullptr && stop->load())) continue;
    const BenchMachine& machine = *std::ranges::find(suite.machines, row.machine, &BenchMachine::name);
    const BenchLayer& layer = *std::ranges::find(suite.layers, row.layer, &BenchLayer::name);
    const BenchStrategy& strategy = *std::ranges::find(suite.strategies, row.strategy, &BenchStrategy::label);
    SearchOptions options = options_of(suite, strategy);
    options.stop = stop;
    const std::filesystem::path folder = std::filesystem::path(suite.proofs) / file_name_of(row.machine);
    const std::string file = (folder / (file_name_of(row.layer + "-" + row.strategy) + ".proof.gz")).string();
    if (row.answer)
      out[k] = write_proof_once(layer.workload(), machine.architecture, options, {.target = suite.proofs}, *row.answer,
                                file, output, is_right);
    else if (row.network)
      out[k] = write_optimum_proof_once(layer.network, machine.architecture, options, {.target = suite.proofs},
                                        *row.network, file, output, is_right);
    else out[k] = {{"refused", "no proof for layers that are fused yet"}};
  }
  return out;
}

}  // namespace heliolite::cli
