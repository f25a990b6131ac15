// Proofs of a suite's rows: files that a small program of its own can check.
#include "cli/bench/bench_tables.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "cli/map/map_proof.h"
#include "engine/base/file_bytes.h"
#include "engine/proof/instance.h"
#include "engine/proof/proof_file.h"
#include "engine/proof/sha256.h"

namespace heliolite::cli {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kMostBytes = std::size_t{4} << 30;

Json refused_proof(const std::string& why) { return {{"refused", why}}; }

// Whether a file is a proof of this instance and objective: an earlier run's.
bool is_proof_of(const std::string& file, const std::string& instance, std::string_view objective) {
  const Result<std::string> bytes = read_file_bytes(file, kMostBytes);
  if (!bytes) return false;
  const Result<std::string> text = proof::unpacked(*bytes, kMostBytes);
  const std::string head = fmt::format("{}heliolite-proof 1\ninstance {}\nclaim optimal {} ", instance,
                                       proof::sha256_text(instance), objective);
  return text.ok() && text->starts_with(head);
}

}  // namespace

BenchProofs write_bench_proofs(const BenchSuite& suite, std::vector<BenchRow>& rows, const std::atomic<bool>* stop,
                               const Output& output, bool& is_right) {
  BenchProofs out;
  for (std::size_t k = 0; k < rows.size() && !suite.proofs.empty(); ++k) {
    BenchRow& row = rows[k];
    if (!row.answer || row.status != Status::Optimal || (stop != nullptr && stop->load())) continue;
    const BenchMachine& machine = *std::ranges::find(suite.machines, row.machine, &BenchMachine::name);
    const BenchLayer& layer = *std::ranges::find(suite.layers, row.layer, &BenchLayer::name);
    const BenchStrategy& strategy = *std::ranges::find(suite.strategies, row.strategy, &BenchStrategy::label);
    SearchOptions options = options_of(suite, strategy);
    options.stop = stop;
    const fs::path folder = fs::path(suite.proofs) / file_name_of(row.machine);
    const std::string file = (folder / (file_name_of(row.layer + "-" + row.strategy) + ".proof.gz")).string();
    if (fs::exists(file)) {
      const auto instance =
          proof::instance_of(layer.workload(), machine.architecture, {.free = options.free, .open = options.open});
      const bool is_same = instance && is_proof_of(file, proof::text_of(*instance), name(options.objective));
      out[k] = is_same ? Json{{"file", file}, {"kept", true}}
                       : refused_proof(file + " is there already, and is no proof of this row");
      continue;
    }
    std::error_code problem;
    fs::create_directories(folder, problem);
    if (problem || !output.claim(proof_option(file), file)) {
      out[k] = refused_proof(file + " cannot be written");
      continue;
    }
    out[k] = proof_json(write_proof(layer.workload(), machine.architecture, options, {.target = suite.proofs},
                                    *row.answer, file, output, is_right));
  }
  return out;
}

}  // namespace heliolite::cli
