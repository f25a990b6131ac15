#include "cli/map/network_proof.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <map>
#include <sstream>

#include "cli/ui/table.h"
#include "engine/base/number_text.h"
#include "engine/model/running_units.h"
#include "engine/proof/network_proof.h"
#include "engine/proof/proof_file.h"
#include "engine/search/map.h"

namespace heliolite::cli {
namespace {

std::string network_file(const Network& network, const std::string& target) {
  if (network.layers.size() == 1 && !std::filesystem::is_directory(target)) return target;
  return (std::filesystem::path(target) / "network.proof.gz").string();
}

// Proves one curve; again, with it among the mappings, where the pass has found one below.
proof::ProofReport prove_curve_of(const Workload& workload, const Architecture& architecture,
                                  const SearchOptions& options, const proof::ProofOptions& limits,
                                  std::vector<Mapping> mappings, std::string& text, bool& is_right) {
  while (true) {
    std::ostringstream plain;
    proof::ProofReport report = proof::prove_curve(workload, architecture, options, mappings, limits, plain);
    text = std::move(plain).str();
    if (!report.better) return report;
    if (!report.is_rounding) {
      is_right = false;
      fail(fmt::format("error of the program: the proof of {} found a mapping below a curve that is certain",
                       workload.name));
    }
    mappings.push_back(*report.better);
  }
}

// Whether a text begins as a proof of this network, and has proofs of all its layers' curves.
bool is_proof_of_network(const std::string& text, const Network& network, const Architecture& architecture,
                         const SearchOptions& options, std::optional<Objective> objective) {
  const auto heads = [&](std::size_t i) {
    return proof_heads(network.layers[i].workload, architecture, options, "curve");
  };
  if (!objective && network.layers.size() == 1)
    return std::ranges::any_of(heads(0), [&](const std::string& head) { return text.starts_with(head); });
  std::map<std::size_t, u64> runs;  // by the first layer of a shape
  const std::vector<std::size_t> first = first_of_shape(network.layers);
  for (std::size_t i = 0; i < first.size(); ++i) runs[first[i]] += network.layers[i].count;
  const std::string head = fmt::format("\nclaim optimal {} ", objective ? name(*objective) : "curve");
  std::string layers = "\nlayers";
  for (const auto& [i, n] : runs) layers += fmt::format(" {}", n);
  const std::string_view opening = std::string_view(text).substr(0, text.find("heliolite-instance"));
  if (!opening.starts_with("heliolite-network 1\n") || opening.find(head) == opening.npos ||
      !opening.ends_with(layers + "\n"))
    return false;
  return std::ranges::all_of(runs, [&](const auto& shape) {
    return std::ranges::any_of(heads(shape.first),
                               [&](const std::string& h) { return text.find("\n" + h) != text.npos; });
  });
}

std::string why_incomplete(const proof::ProofReport& report) {
  return report.refused.empty() ? "no proof: " + report.ended : report.refused;
}

}  // namespace

bool claim_network_proof(const Network& network, const Architecture& architecture, const SearchOptions& options,
                         std::optional<Objective> objective, const ProofArguments& arguments, const Output& output) {
  if (arguments.target.empty()) return true;
  std::error_code problem;
  if (network.layers.size() > 1) std::filesystem::create_directories(arguments.target, problem);
  const std::string file = network_file(network, arguments.target);
  if (!problem)
    return output.claim(proof_option(file), file) && overwrites_no_other(file, [&](const std::string& text) {
             return is_proof_of_network(text, network, architecture, options, objective);
           });
  fail({{"", 0, "--proof", fmt::format("{} cannot be made a folder: {}", arguments.target, problem.message())}});
  return false;
}

NetworkProofAnswer write_network_proof(const Network& network, const Architecture& architecture,
                                       const SearchOptions& options, const ProofArguments& arguments,
                                       const NetworkCurve& curve, std::optional<Objective> objective,
                                       const Output& output, bool& is_right) {
  NetworkProofAnswer out;
  const Stopwatch clock;
  const auto refuse = [&](std::string why) {
    out.refused = std::move(why);
    return out;
  };
  // Step 1. A proof of the curve of each shape.
  proof::ProofOptions limits{.packed = false, .budget_seconds = options.budget_seconds};
  limits.file_bytes = static_cast<u64>(arguments.limit_mebibytes * 1048576);
  const std::vector<std::size_t> first = first_of_shape(network.layers);
  std::map<std::size_t, proof::ProvenShape> by_layer;
  for (std::size_t i = 0; i < first.size(); ++i) {
    if (first[i] != i) {
      by_layer.at(first[i]).runs += network.layers[i].count;
      continue;
    }
    const std::string& name = network.layers[i].workload.name;
    if (curve.layers[i].mappings.empty()) return refuse("no proof: " + name + " has no mapping");
    if (!curve.layers[i].curve.certain) return refuse("no proof: the curve of " + name + " is not certain");
    const Result<const Architecture*> chain = chain_that_runs(network.layers[i].workload, architecture);
    if (!chain) return refuse("no proof: " + to_string(chain.errors()));
    proof::ProvenShape shape{network.layers[i].count, {}, {}};
    shape.report = prove_curve_of(network.layers[i].workload, **chain, options, limits, curve.layers[i].mappings,
                                  shape.text, is_right);
    if (!shape.report.complete()) return refuse(name + ": " + why_incomplete(shape.report));
    out.states += shape.report.states, out.corners += shape.report.corners.size();
    by_layer.emplace(i, std::move(shape));
  }
  std::vector<proof::ProvenShape> shapes;
  for (auto& [i, shape] : by_layer) shapes.push_back(std::move(shape));
  out.shapes = shapes.size();
  // Step 2. What follows of the network; a single curve is its own.
  const bool is_alone = !objective && network.layers.size() == 1;
  const std::optional<proof::NetworkProof> whole = proof::network_proof(shapes, objective);
  if (!whole) return refuse("no proof of values of more than 256 bits");
  out.claim = is_alone ? shapes.front().report.claim : whole->claim;
  out.cost = whole->cost;
  // Step 3. The file.
  out.file = network_file(network, arguments.target);
  const bool written = output.write(proof_option(out.file), [&](std::ostream& stream) -> Diagnostics {
    proof::ProofFile file(stream, out.file.ends_with(".gz"), limits.file_bytes);
    bool fits = is_alone || file.write(whole->head);
    for (const proof::ProvenShape& shape : shapes) fits = fits && file.write(shape.text);
    fits = fits && file.finish();
    out.bytes = file.bytes();
    return fits ? Diagnostics{} : Diagnostics{{"", 0, "--proof", "the limit of the file's size is reached"}};
  });
  if (!written) return refuse("no proof: the file cannot be written, or its limit is reached");
  out.seconds = clock.seconds();
  return out;
}

NetworkProofAnswer write_optimum_proof(const Network& network, const Architecture& architecture,
                                       const SearchOptions& options, const ProofArguments& arguments,
                                       const NetworkResult& result, const Output& output, bool& is_right) {
  NetworkProofAnswer out;
  if (std::string why = proof::refusal(options); !why.empty()) return out.refused = std::move(why), out;
  if (!result.optimum || result.optimum->status != Status::Optimal)
    return out.refused = "no proof of an answer that is not optimal", out;
  SearchOptions quiet = options;
  quiet.progress = {};
  const Result<NetworkCurve> curve = map_curve(network, architecture, quiet);
  if (!curve) return out.refused = "no proof: " + to_string(curve.errors()), out;
  out = write_network_proof(network, architecture, options, arguments, *curve, options.objective, output, is_right);
  if (!out.refused.empty()) return out;
  // Each run of a layer may have a cycle less or more, and one more in bounds (docs/cost_model.md, rule 28).
  double runs = 0;
  for (const Layer& layer : network.layers) runs += static_cast<double>(layer.count);
  const double found = objective_number(options.objective, result.total);
  const double proved = objective_number(options.objective, out.cost);
  constexpr double kCycles = 2;
  if (std::abs(found / proved - 1) > most_rounding(architecture, kCycles * runs, out.cost.cycles)) {
    is_right = false;
    fail(fmt::format("error of the program: the search called {:.17g} optimal of the network, the proof {:.17g}", found,
                     proved));
  }
  return out;
}

Json network_proof_json(const NetworkProofAnswer& p) {
  if (!p.refused.empty()) return {{"refused", p.refused}};
  return {{"file", p.file},     {"claim", p.claim}, {"shapes", p.shapes},  {"corners", p.corners},
          {"states", p.states}, {"bytes", p.bytes}, {"seconds", p.seconds}};
}

std::string network_proof_text(const NetworkProofAnswer& p) {
  if (!p.refused.empty()) return fmt::format("\n  {}\n", p.refused);
  return fmt::format("\n  proof in {}: curves of {} shapes with {} corners, {} states, {} bytes, {}\n", p.file,
                     p.shapes, grouped(p.corners), grouped(p.states), grouped(p.bytes), cli::seconds(p.seconds));
}

}  // namespace heliolite::cli
