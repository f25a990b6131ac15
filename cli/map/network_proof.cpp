// The proof of a network's optimum or curve, put together from curves of its layers, and the file that it is written
// to.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <functional>
#include <map>
#include <sstream>

#include "cli/map/map_proof.h"
#include "cli/ui/table.h"
#include "engine/base/text.h"
#include "engine/proof/network_proof.h"
#include "engine/proof/proof_file.h"
#include "engine/search/map.h"

namespace heliolite::cli {
namespace {

std::string network_file(const Network& network, const std::string& target) {
  if (network.layers.size() == 1 && !std::filesystem::is_directory(target)) return target;
  return (std::filesystem::path(target) / "network.proof.gz").string();
}

// Writes a proof of one layer's curve from these mappings.
using CurveProver = std::function<proof::ProofReport(const std::vector<UnitMapping>&, std::ostream&)>;

// Proves one curve; again, with it among the mappings, where the pass has found one below.
proof::ProofReport prove_curve_of(const std::string& layer, const CurveProver& prove, std::vector<UnitMapping> mappings,
                                  std::string& text, bool& is_right) {
  while (true) {
    std::ostringstream plain;
    proof::ProofReport report = prove(mappings, plain);
    text = std::move(plain).str();
    if (!report.better) return report;
    if (!report.is_rounding) {
      is_right = false;
      fail(fmt::format("error of the program: the proof of {} found a mapping below a curve that is certain", layer));
    }
    mappings.push_back(*report.better);
  }
}

// Whether a text begins as a proof of this network, and has proofs of all its layers' curves.
bool is_proof_of_network(const std::string& text, const Network& network, std::optional<Objective> objective,
                         const ProofTask& task) {
  // Whether the text has a proof of a layer's curve, of one of these kinds.
  const auto has = [&](std::size_t i, const std::vector<std::string>& kinds) {
    return std::ranges::any_of(kinds, [&](const std::string& kind) {
      return has_heads(text, proof_heads(network.layers[i].workload, task, kind));
    });
  };
  if (!objective && network.layers.size() == 1)
    return !text.starts_with("heliolite-network") && has(0, {"optimal curve"});
  std::map<std::size_t, u64> runs;  // by the first layer of a shape
  const std::vector<std::size_t> first = first_of_shape(network.layers);
  for (std::size_t i = 0; i < first.size(); ++i) runs[first[i]] += network.layers[i].count;
  const std::string head = fmt::format("\nclaim optimal {} ", objective ? name(*objective) : "curve");
  std::string layers = "\nlayers";
  for (const auto& [i, n] : runs) layers += fmt::format(" {}", n);
  const std::string_view opening = std::string_view(text).substr(0, text.find(layers + "\n"));
  if (!opening.starts_with("heliolite-network 1\n") || opening.find(head) == opening.npos ||
      opening.find("heliolite-instance") != opening.npos || opening.size() == text.size())
    return false;
  return std::ranges::all_of(runs, [&](const auto& shape) {
    return has(shape.first, {"optimal curve", "bound curve"});
  });
}

// One question of a whole network, and where its proof goes.
class NetworkProver {
 public:
  NetworkProver(const Network& network, std::string file, ProofTask& task)
      : network_(network), file_(std::move(file)), limits_(proof_limits(task)), task_(task) {}

  // The proof from curves that a search has found, each with all its corners' mappings.
  NetworkProofAnswer by_curves(const NetworkCurve& curve, std::optional<Objective> objective) {
    return run(objective, [&](std::size_t i, proof::ProvenShape& shape) {
      const Workload& layer = network_.layers[i].workload;
      if (curve.layers[i].mappings.empty()) return "no proof: " + layer.name + " has no mapping";
      if (!curve.layers[i].curve.certain) return "no proof: the curve of " + layer.name + " is not certain";
      const auto prove = [&](const std::vector<UnitMapping>& mappings, std::ostream& out) {
        return proof::prove_curve(layer, task_.architecture, task_.options, mappings, limits_, out);
      };
      std::vector<UnitMapping> mappings;
      for (std::size_t k = 0; k < curve.layers[i].mappings.size(); ++k)
        mappings.push_back({curve.layers[i].mappings[k], curve.layers[i].units[k]});
      shape.report = prove_curve_of(layer.name, prove, std::move(mappings), shape.text, task_.is_right);
      return std::string();
    });
  }

  // The proof from curves under the lines that the search for the optimum has proven, each with the mapping that it
  // chose.
  NetworkProofAnswer by_lines(const NetworkResult& result) {
    return run(task_.options.objective, [&](std::size_t i, proof::ProvenShape& shape) {
      const Workload& layer = network_.layers[i].workload;
      const auto prove = [&](const std::vector<UnitMapping>& mappings, std::ostream& out) {
        return proof::prove_lines(layer, task_.architecture, task_.options, result.optimum->proven[i], mappings,
                                  limits_, out);
      };
      const MappingResult& chosen = result.layers[i].result;
      shape.report = prove_curve_of(layer.name, prove, {{chosen.mapping, chosen.unit}}, shape.text, task_.is_right);
      return std::string();
    });
  }

 private:
  // Proves a layer's curve; or says why not.
  using ShapeProver = std::function<std::string(std::size_t, proof::ProvenShape&)>;

  NetworkProofAnswer run(std::optional<Objective> objective, const ShapeProver& prove) {
    NetworkProofAnswer out;
    const Stopwatch clock;
    // Step 1. A proof of the curve of each shape.
    std::vector<proof::ProvenShape> shapes;
    if (out.refused = prove_shapes(prove, shapes); !out.refused.empty()) return out;
    for (const proof::ProvenShape& shape : shapes)
      out.states += shape.report.states, out.corners += shape.report.corners.size();
    out.shapes = shapes.size();
    // Step 2. What follows of the network; a single curve is its own.
    const bool is_alone = !objective && network_.layers.size() == 1;
    const std::optional<proof::NetworkProof> whole = proof::network_proof(shapes, objective);
    if (!whole) return refused("no proof of values of more than 256 bits");
    out.is_closed = whole->is_closed;
    if (!out.is_closed) return out;
    out.claim = is_alone ? shapes.front().report.claim : whole->claim;
    out.cost = whole->cost;
    // Step 3. The file.
    out.file = file_;
    const bool written = task_.output.write(proof_option(file_), [&](std::ostream& stream) -> Diagnostics {
      proof::ProofFile file(stream, file_.ends_with(".gz"), limits_.file_bytes);
      bool fits = is_alone || file.write(whole->head);
      for (const proof::ProvenShape& shape : shapes) fits = fits && file.write(shape.text);
      fits = fits && file.finish();
      out.bytes = file.bytes();
      return fits ? Diagnostics{} : Diagnostics{{"", 0, "--proof", "the limit of the file's size is reached"}};
    });
    if (!written) return refused("no proof: the file cannot be written, or its limit is reached");
    out.seconds = clock.seconds();
    return out;
  }

  // In the order of their first layers. Returns why there is none of some shape.
  std::string prove_shapes(const ShapeProver& prove, std::vector<proof::ProvenShape>& shapes) const {
    const std::vector<std::size_t> first = first_of_shape(network_.layers);
    std::map<std::size_t, std::size_t> place;  // in `shapes`, by the first layer
    for (std::size_t i = 0; i < first.size(); ++i) {
      if (first[i] != i) {
        shapes[place.at(first[i])].runs += network_.layers[i].count;
        continue;
      }
      const Workload& layer = network_.layers[i].workload;
      proof::ProvenShape shape{network_.layers[i].count, {}, {}};
      if (std::string why = prove(i, shape); !why.empty()) return why;
      if (!shape.report.complete()) return layer.name + ": " + why_incomplete(shape.report);
      place[i] = shapes.size();
      shapes.push_back(std::move(shape));
    }
    return "";
  }

  static NetworkProofAnswer refused(std::string why) {
    NetworkProofAnswer out;
    out.refused = std::move(why);
    return out;
  }

  const Network& network_;
  std::string file_;
  proof::ProofOptions limits_;
  ProofTask& task_;
};

// The proof of the optimum that a search for the network's own objective found.
NetworkProofAnswer optimum_proof(const Network& network, const NetworkResult& result, const std::string& file,
                                 ProofTask& task) {
  const SearchOptions& options = task.options;
  NetworkProofAnswer out;
  if (std::string why = proof::refusal(options); !why.empty()) return out.refused = std::move(why), out;
  if (!result.optimum || result.optimum->status != Status::Optimal)
    return out.refused = "no proof of an answer that is not optimal", out;
  // Doubles may have left room below the value: then the layers' whole curves are found.
  NetworkProver prover(network, file, task);
  out = prover.by_lines(result);
  if (!out.is_closed) {
    SearchOptions quiet = options;
    quiet.progress = {};
    const Result<NetworkCurve> curve = map_curve(network, task.architecture, quiet);
    if (!curve) return out.refused = "no proof: " + to_string(curve.errors()), out;
    out = prover.by_curves(*curve, options.objective);
  }
  if (!out.refused.empty()) return out;
  // Each run of a layer may have a cycle less or more, and one more in bounds (docs/cost_model.md, rule 28).
  double runs = 0;
  for (const Layer& layer : network.layers) runs += static_cast<double>(layer.count);
  const double found = objective_number(options.objective, result.total);
  const double proved = objective_number(options.objective, out.cost);
  constexpr double kCycles = 2;
  if (std::abs(found / proved - 1) > most_rounding(task.architecture, kCycles * runs, out.cost.cycles)) {
    task.is_right = false;
    fail(fmt::format("error of the program: the search called {:.17g} optimal of the network, the proof {:.17g}", found,
                     proved));
  }
  return out;
}

}  // namespace

bool claim_network_proof(const Network& network, std::optional<Objective> objective, const ProofTask& task) {
  const std::string& target = task.arguments.target;
  if (target.empty()) return true;
  if (!makes_folder(network, target)) return false;
  const std::string file = network_file(network, target);
  return task.output.claim(proof_option(file), file) && overwrites_no_other(file, [&](const std::string& text) {
           return is_proof_of_network(text, network, objective, task);
         });
}

NetworkProofAnswer write_curve_proof(const Network& network, const NetworkCurve& curve, ProofTask& task) {
  return NetworkProver(network, network_file(network, task.arguments.target), task).by_curves(curve, std::nullopt);
}

NetworkProofAnswer write_optimum_proof(const Network& network, const NetworkResult& result, ProofTask& task) {
  return optimum_proof(network, result, network_file(network, task.arguments.target), task);
}

Json write_optimum_proof_once(const Network& network, const NetworkResult& result, const std::string& file,
                              ProofTask& task) {
  return written_once(
      file, task.output,
      [&](const std::string& text) { return is_proof_of_network(text, network, task.options.objective, task); },
      [&] { return network_proof_json(optimum_proof(network, result, file, task)); });
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
