#include "cli/map/map_proof.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <filesystem>

#include "cli/ui/table.h"
#include "engine/base/file_bytes.h"
#include "engine/base/text.h"
#include "engine/model/compiled.h"
#include "engine/model/cost_model.h"
#include "engine/proof/instance.h"
#include "engine/proof/proof_file.h"
#include "engine/search/map.h"

namespace heliolite::cli {
namespace {

// The file of a layer; a folder's files are called as its layers, as far as names of files go.
std::string file_of(const Network& network, std::size_t i, const std::string& target) {
  if (network.layers.size() == 1 && !std::filesystem::is_directory(target)) return target;
  return (std::filesystem::path(target) / (file_name_of(network.layers[i].workload.name) + ".proof.gz")).string();
}

// The answer with the better mapping in its place.
void replace(MappingResult& result, const UnitMapping& better, const Evaluation& priced, const CostModel& model,
             Objective objective) {
  const Cost& cost = priced.cost;
  result.mapping = better.mapping, result.unit = better.unit;
  result.utilization = utilization(model.compiled(), model.architecture(), cost.cycles);
  result.value *= objective_number(objective, cost) / objective_number(objective, result.cost);
  result.cost = cost;
  result.lower_bound = result.value;
}

// Writes one proof; again where the pass has found a better mapping, which then is the answer.
class LayerProver {
 public:
  LayerProver(const Workload& workload, ProofTask& task) : workload_(workload), task_(task) {}

  LayerProof run(MappingResult& result, const std::string& file) const {
    LayerProof out{file, {}};
    proof::ProofOptions limits = proof_limits(task_);
    limits.packed = file.ends_with(".gz");
    if (result.status != Status::Optimal) {
      out.report.refused = "no proof of an answer that is not optimal";
      return out;
    }
    do {
      out.report = {};
      const bool written = task_.output.write(proof_option(file), [&](std::ostream& stream) {
        out.report =
            proof::prove(workload_, task_.architecture, task_.options, {result.mapping, result.unit}, limits, stream);
        return complaints(out.report);
      });
      if (!written && out.report.complete()) out.report.ended = "the file cannot be written";
    } while (out.report.better && take(result, *out.report.better));
    return out;
  }

 private:
  Diagnostics complaints(const proof::ProofReport& report) const {
    if (report.complete()) return {};
    return {{"", 0, workload_.name,
             report.better ? "a mapping below the answer was found, which takes its place" : why_incomplete(report)}};
  }

  // Whether the search could have missed it by the rounding of doubles alone.
  bool take(MappingResult& result, const UnitMapping& better) const {
    const Architecture& chain = task_.architecture.chain(better.unit);
    const CostModel model(workload_, chain);
    const Evaluation priced = model.evaluate(better.mapping);
    if (priced.verdict != Verdict::Fits) {
      task_.is_right = false;
      fail(fmt::format("error of the program: the proof of {} found a mapping that does not fit", workload_.name));
      return false;
    }
    const double before = objective_number(task_.options.objective, result.cost);
    const double now = objective_number(task_.options.objective, priced.cost);
    constexpr double kCycles = 2;  // one in bounds and one in costs
    if (now < before * (1 - most_rounding(chain, kCycles, priced.cost.cycles))) {
      task_.is_right = false;
      fail(fmt::format("error of the program: the search called {} optimal at {:.17g}, the proof found {:.17g}",
                       workload_.name, before, now));
    }
    replace(result, better, priced, model, task_.options.objective);
    return true;
  }

  const Workload& workload_;
  ProofTask& task_;
};

constexpr std::size_t kMostKeptBytes = std::size_t{4} << 30;

// What an earlier run's file holds, unpacked; none: it cannot be read.
std::optional<std::string> plain_text_of(const std::string& path) {
  std::error_code problem;
  const std::uintmax_t size = std::filesystem::file_size(path, problem);
  if (problem || size > kMostKeptBytes) return std::nullopt;
  const Result<std::string> text = proof::unpacked(bytes_left_in(path, size), kMostKeptBytes);
  return text ? std::optional(*text) : std::nullopt;
}

Json refused_proof(const std::string& why) { return {{"refused", why}}; }

bool is_proof_of_layer(const std::string& text, const Workload& workload, const ProofTask& task) {
  const auto heads = proof_heads(workload, task, fmt::format("optimal {}", name(task.options.objective)));
  return has_heads(text, heads) && text.starts_with(heads.front());
}

}  // namespace

std::vector<std::string> proof_heads(const Workload& workload, const ProofTask& task, std::string_view claim) {
  std::vector<std::string> out;
  const auto instances = proof::instances_of(workload, task.architecture, proof::InstanceOptions::of(task.options));
  if (!instances) return out;
  for (const proof::UnitInstance& i : *instances) {
    const std::string text = proof::text_of(i.instance);
    out.push_back(fmt::format("{}heliolite-proof 1\ninstance {}\nclaim {} ", text, proof::sha256_text(text), claim));
  }
  out.front() = proof::layer_head(out.size()) + out.front();
  return out;
}

bool has_heads(std::string_view text, const std::vector<std::string>& heads) {
  return !heads.empty() && std::ranges::all_of(heads, [&](const std::string& head) {
    return text.starts_with(head) || text.find("\n" + head) != text.npos;
  });
}

bool overwrites_no_other(const std::string& file, const std::function<bool(const std::string&)>& is_same) {
  std::error_code problem;
  if (!std::filesystem::is_regular_file(file, problem) || std::filesystem::file_size(file, problem) == 0) return true;
  const std::optional<std::string> text = plain_text_of(file);
  if (text && is_same(*text)) return true;
  fail({{"", 0, "--proof",
         fmt::format("{} is there already, and is no proof of this question: choose another file", file)}});
  return false;
}

double most_rounding(const Architecture& architecture, double cycles_off, u64 cycles) {
  constexpr double kOfEnergies = 1e-9;
  if (!architecture.timeloop_cycles) return kOfEnergies;
  return kOfEnergies + kMostCyclesPower * cycles_off / static_cast<double>(std::max<u64>(1, cycles));
}

proof::ProofOptions proof_limits(const ProofTask& task) {
  proof::ProofOptions limits;
  limits.packed = false;
  limits.file_bytes = static_cast<u64>(task.arguments.limit_mebibytes * 1048576);
  limits.budget_seconds = task.options.budget_seconds;
  return limits;
}

std::string why_incomplete(const proof::ProofReport& report) {
  return report.refused.empty() ? "no proof: " + report.ended : report.refused;
}

std::string proof_option(const std::string& file) { return "--proof " + file; }

std::string file_name_of(std::string text) {
  for (char& c : text)
    if (c == '/' || c == '\0' || c == ' ') c = '_';
  return text;
}

Json written_once(const std::string& file, const Output& output, const std::function<bool(const std::string&)>& is_same,
                  const std::function<Json()>& write) {
  const std::filesystem::path path(file);
  if (std::filesystem::exists(path)) {
    const std::optional<std::string> text = plain_text_of(file);
    if (text && is_same(*text)) return {{"file", file}, {"kept", true}};
    return refused_proof(file + " is there already, and is no proof of this row");
  }
  std::error_code problem;
  std::filesystem::create_directories(path.parent_path(), problem);
  if (problem || !output.claim(proof_option(file), file)) return refused_proof(file + " cannot be written");
  return write();
}

Json write_proof_once(const Workload& workload, MappingResult& result, const std::string& file, ProofTask& task) {
  return written_once(
      file, task.output, [&](const std::string& text) { return is_proof_of_layer(text, workload, task); },
      [&] { return proof_json(LayerProver(workload, task).run(result, file)); });
}

bool makes_folder(const Network& network, const std::string& target) {
  std::error_code problem;
  if (network.layers.size() > 1) std::filesystem::create_directories(target, problem);
  if (problem) fail({{"", 0, "--proof", fmt::format("{} cannot be made a folder: {}", target, problem.message())}});
  return !problem;
}

bool claim_proofs(const Network& network, const ProofTask& task) {
  const std::string& target = task.arguments.target;
  if (target.empty()) return true;
  if (!makes_folder(network, target)) return false;
  const std::vector<std::size_t> first = first_of_shape(network.layers);
  for (std::size_t i = 0; i < first.size(); ++i) {
    const std::string file = file_of(network, i, target);
    if (first[i] != i) continue;
    if (!task.output.claim(proof_option(file), file)) return false;
    const auto is_same = [&](const std::string& text) {
      return is_proof_of_layer(text, network.layers[i].workload, task);
    };
    if (!overwrites_no_other(file, is_same)) return false;
  }
  return true;
}

LayerProofs write_proofs(const Network& network, NetworkResult& result, ProofTask& task) {
  if (task.arguments.target.empty()) return {};
  LayerProofs out;
  const std::vector<std::size_t> first = first_of_shape(network.layers);
  for (std::size_t i = 0; i < first.size(); ++i) {
    if (first[i] != i) {
      out.push_back(out[first[i]]);
      MappingResult& mine = result.layers[i].result;
      const MappingResult& its = result.layers[first[i]].result;
      mine.mapping = its.mapping, mine.cost = its.cost, mine.value = its.value, mine.lower_bound = its.lower_bound;
      continue;
    }
    out.push_back(LayerProver(network.layers[i].workload, task)
                      .run(result.layers[i].result, file_of(network, i, task.arguments.target)));
  }
  return out;
}

Json proof_json(const LayerProof& proof) {
  const proof::ProofReport& r = proof.report;
  if (!r.complete()) return refused_proof(why_incomplete(r));
  return {{"file", proof.file},
          {"instance", r.instance},
          {"claim", r.claim},
          {"states", r.states},
          {"bytes", r.bytes},
          {"seconds", r.seconds},
          {"energy_pj", r.cost.energy.picojoules()},
          {"cycles", r.cost.cycles}};
}

std::string proofs_text(const LayerProofs& proofs, const NetworkResult& result) {
  std::string text;
  for (std::size_t i = 0; i < proofs.size(); ++i) {
    const LayerProof& p = *proofs[i];
    const std::string& name = result.layers[i].name;
    if (!p.report.complete()) {
      text += fmt::format("  {}: {}\n", name, why_incomplete(p.report));
      continue;
    }
    text += fmt::format("  {}: proof in {}, {} states, {} bytes, {}", name, p.file, grouped(p.report.states),
                        grouped(p.report.bytes), cli::seconds(p.report.seconds));
    const Cost& cost = result.layers[i].result.cost;
    if (p.report.cost.cycles != cost.cycles)
      text += fmt::format("; of {} cycles, counted exactly", grouped(p.report.cost.cycles));
    text += "\n";
  }
  return text.empty() ? text : "\n" + text;
}

}  // namespace heliolite::cli
