#include "cli/sweep/sweep_proofs.h"

#include <fmt/format.h>

#include <filesystem>
#include <map>

#include "cli/map/map_proof.h"
#include "engine/formats/load_mapping.h"
#include "engine/model/cost_model.h"
#include "engine/sweep/design_points.h"

namespace heliolite::cli {
namespace {

// The answer that a layer's row has kept. Errors: its mapping is not one of the machine.
Result<MappingResult> answer_of(const LayerRecord& row, const Workload& workload, const Architecture& machine) {
  MappingResult out;
  const Result<MappingFile> file = MappingFile::parse(row.mapping, row.name);
  if (!file) return file.errors();
  const Result<std::size_t> unit = file->unit(workload, machine);
  if (!unit) return unit.errors();
  Result<Mapping> mapping = file->read(workload, machine.chain(*unit));
  if (!mapping) return mapping.errors();
  out.unit = *unit;
  out.mapping = *std::move(mapping);
  out.cost = CostModel(workload, machine.chain(*unit)).evaluate(out.mapping).cost;
  out.status = Status::Optimal;
  out.value = row.value, out.lower_bound = row.lower_bound, out.utilization = row.utilization;
  return out;
}

}  // namespace

std::string proofs_refused(const SweepSpec& spec) {
  return spec.options.network ? "proofs are of layers, the objective is of whole networks"
                              : proof::refusal(spec.options);
}

Result<SweepProofs> write_sweep_proofs(const SweepSpec& spec, const Store& store, const SweepSummary& summary,
                                       const std::string& folder, const Output& output) {
  SweepProofs out;
  const DesignPoints points(spec);
  const auto is_stopped = [&] { return spec.options.stop != nullptr && spec.options.stop->load(); };
  for (const PointRecord& point : summary.best) {
    const Result<std::vector<LayerRecord>> rows = store.layers(point);
    if (!rows) return rows.errors();
    const Result<Architecture> machine = points.machine(point.id);
    if (!machine) return machine.errors();
    Json layers = Json::array();
    std::map<std::string, Json> known;  // by question: layers of equal shape share a proof
    for (const LayerRecord& row : *rows) {
      if (is_stopped()) break;
      Json& proof = known[row.question];
      if (proof.is_null() && row.status != name(Status::Optimal)) {
        proof = {{"refused", "no proof of an answer that is not optimal"}};
      } else if (proof.is_null()) {
        const Workload& workload = spec.layers[row.layer].layer.workload;
        Result<MappingResult> answer = answer_of(row, workload, *machine);
        if (!answer) return answer.errors();
        const std::string file = (std::filesystem::path(folder) / std::to_string(point.id) /
                                  (file_name_of(row.workload + "-" + row.name) + ".proof.gz"))
                                     .string();
        proof =
            write_proof_once(workload, *machine, spec.options, {.target = folder}, *answer, file, output, out.is_right);
      }
      ++(proof.contains("file") ? out.files : out.without);
      layers.push_back({{"workload", row.workload}, {"name", row.name}, {"proof", proof}});
    }
    out.points.push_back({{"id", point.id}, {"layers", std::move(layers)}});
  }
  return out;
}

}  // namespace heliolite::cli
