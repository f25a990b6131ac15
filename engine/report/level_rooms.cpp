#include "engine/report/level_rooms.h"

#include <fmt/format.h>

#include <cmath>
#include <utility>

#include "engine/formats/load_mapping.h"
#include "engine/model/compiled.h"
#include "engine/model/cost_model.h"
#include "engine/sweep/question.h"
#include "engine/sweep/records.h"

namespace heliolite {
namespace {

std::vector<LevelRoom> rooms_in(const Breakdown& breakdown, const Workload& workload) {
  std::vector<LevelRoom> rooms;
  for (auto level = breakdown.level.rbegin(); level != breakdown.level.rend(); ++level) {
    LevelRoom room{level->name, level->used_words, level->capacity_words, {}};
    for (std::size_t v = 0; v < workload.tensors.size(); ++v) {
      if (!level->tensor[v].kept) continue;
      const double words = level->level_words(v, static_cast<double>(level->tensor[v].tile_words));
      room.kept.push_back({workload.tensors[v].name, static_cast<u64>(std::ceil(words)), workload.tensors[v].role});
    }
    rooms.push_back(std::move(room));
  }
  return rooms;
}

}  // namespace

RoomReader::RoomReader(const SweepRecord& sweep, const std::string& database) {
  Result<SweepSpec> spec = asked_sweep(sweep, database);
  if (!spec) {
    why_ = spec.errors();
    return;
  }
  spec_ = std::make_unique<const SweepSpec>(*std::move(spec));
  points_.emplace(*spec_);
}

Result<PointRooms> RoomReader::rooms(std::span<const LayerRecord> layers) const {
  if (!spec_) return why_;
  PointRooms out;
  if (layers.empty()) return out;
  if (layers.front().point >= points_->grid())
    return Diagnostic{"", 0, "", fmt::format("the sweep's text has no point {}", layers.front().point)};
  const Result<Architecture> machine = points_->machine(layers.front().point);
  if (!machine) return machine.errors();
  for (const LayerRecord& layer : layers)
    if (Diagnostics errors = add_rooms(layer, *machine, out); !errors.empty()) return errors;
  return out;
}

Diagnostics RoomReader::add_rooms(const LayerRecord& layer, const Architecture& machine, PointRooms& out) const {
  if (layer.mapping.empty()) {
    out.rooms.emplace_back();
    out.rooflines.emplace_back();
    return {};
  }
  const std::string who = fmt::format("{} of point {}", layer.name, layer.point);
  if (layer.layer >= spec_->layers.size())
    return {{"", 0, "", fmt::format("the sweep's text has no layer for {}", who)}};
  const Workload& workload = spec_->layers[layer.layer].layer.workload;
  const Result<MappingFile> file = MappingFile::parse(layer.mapping, who);
  if (!file) return file.errors();
  const Result<std::size_t> unit = file->unit(workload, machine);
  if (!unit) return unit.errors();
  const Architecture& chain = machine.chain(*unit);
  const Result<Mapping> mapping = file->read(workload, chain);
  if (!mapping) return mapping.errors();
  const Breakdown breakdown = CostModel(workload, chain).explain(*mapping);
  // Every energy by level and tensor: other files or another model would give others.
  if (breakdown_text(workload, breakdown) != layer.breakdown)
    return {
        {"", 0, "",
         fmt::format("the files that the sweep names no longer give the energies of {} that were written down", who)}};
  out.rooms.push_back(rooms_in(breakdown, workload));
  out.rooflines.emplace_back(roofline(chain, breakdown));
  return {};
}

std::vector<double> RoomReader::operations() const {
  std::vector<double> all;
  if (!spec_) return all;
  for (const SweepLayer& layer : spec_->layers)
    all.push_back(static_cast<double>(layer.layer.workload.macs()) * static_cast<double>(layer.layer.count) *
                  layer.weight);
  return all;
}

}  // namespace heliolite
