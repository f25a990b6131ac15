#include "cli/ui/json.h"

#include <algorithm>
#include <vector>

#include "cli/ui/version.h"
#include "engine/model/fingerprint.h"

namespace heliolite::cli {
namespace {

// Outermost loop first: [{"K": 4}, {"C": [3, 2]}].
Json loops_json(const Mapping& mapping, const Workload& workload, int level, LoopKind kind) {
  std::vector<Json> loops;
  for (const Loop& loop : mapping.loops()) {
    if (loop.level != level || loop.kind != kind) continue;
    const std::string& name = workload.dimensions[loop.dimension].name;
    loops.push_back(loop.is_perfect() ? Json{{name, loop.end}} : Json{{name, Json::array({loop.end, loop.residual})}});
  }
  std::reverse(loops.begin(), loops.end());
  return Json(loops);
}

Json tensor_json(const TensorTraffic& t) {
  return {{"tile_words", t.tile_words},
          {"instances", t.instances},
          {"reads", t.reads},
          {"fills", t.fills},
          {"updates", t.updates},
          {"all_instances", {{"reads", t.all.reads}, {"fills", t.all.fills}, {"updates", t.all.updates}}},
          {"energy_pj", t.energy.picojoules()},
          {"address_generation_pj", t.address_generation_energy.picojoules()}};
}

Json network_json(const NetworkTraffic& n) {
  Json multicast = Json::array();
  for (const MulticastRecord& m : n.multicast) {
    multicast.push_back(
        {{"receivers", m.multicast}, {"groups", m.groups == 0 ? Json() : Json(m.groups)}, {"words", m.words}});
  }
  return {{"fanout", n.fanout},
          {"ingresses", n.ingresses},
          {"all_ingresses", n.all_ingresses},
          {"multicast", multicast},
          {"spatial_reductions", n.spatial_reductions},
          {"hops", n.hops},
          {"energy_pj", n.energy.picojoules()}};
}

Json level_json(const LevelBreakdown& level, const Workload& workload) {
  Json tensors = Json::object();
  Json networks = Json::object();
  for (std::size_t v = 0; v < workload.tensors.size(); ++v) {
    if (level.tensor[v].kept) tensors[workload.tensors[v].name] = tensor_json(level.tensor[v]);
    networks[workload.tensors[v].name] = network_json(level.network[v]);
  }
  Json capacity = nullptr;
  if (level.capacity_words != 0) capacity = level.capacity_words;
  return {{"level", level.name},
          {"capacity_words", capacity},
          {"used_words", level.used_words},
          {"cycles", level.cycles},
          {"leakage_pj", level.leakage.picojoules()},
          {"tensors", tensors},
          {"network_below", networks}};
}

}  // namespace

Json answer_head(const std::string& command) {
  Json head = version_json();
  head["command"] = command;
  return head;
}

Json dimensions_json(const Workload& workload) {
  Json sizes = Json::object();
  for (const Dimension& d : workload.dimensions) sizes[d.name] = d.size;
  return sizes;
}

Json question(const Workload& workload) {
  return {{"name", workload.name},
          {"hash", to_hex(fingerprint(workload))},
          {"dimensions", dimensions_json(workload)},
          {"macs", workload.macs()}};
}

Json question(const Architecture& architecture) {
  return {{"name", architecture.name}, {"hash", to_hex(fingerprint(architecture))}};
}

Json to_json(const Mapping& mapping, const Workload& workload, const Architecture& architecture) {
  Json levels = Json::array();
  for (int i = mapping.level_count - 1; i >= 0; --i) {
    Json keep = Json::array();
    for (std::size_t v = 0; v < workload.tensors.size(); ++v)
      if (mapping.keeps(i, static_cast<int>(v))) keep.push_back(workload.tensors[v].name);
    Json level = {{"level", architecture.levels[i].name}, {"keep", keep}};
    level["temporal"] = loops_json(mapping, workload, i, LoopKind::Temporal);
    const Json x = loops_json(mapping, workload, i, LoopKind::SpatialX);
    const Json y = loops_json(mapping, workload, i, LoopKind::SpatialY);
    if (!x.empty() || !y.empty()) level["spatial"] = {{"x", x}, {"y", y}};
    levels.push_back(std::move(level));
  }
  return levels;
}

Json to_json(const Breakdown& b, const Workload& workload) {
  Json levels = Json::array();
  for (auto level = b.level.rbegin(); level != b.level.rend(); ++level) levels.push_back(level_json(*level, workload));
  return {{"levels", levels},
          {"compute",
           {{"name", b.compute.name},
            {"computes", b.compute.computes},
            {"utilized", b.compute.utilized},
            {"instances", b.compute.instances},
            {"cycles", b.compute.cycles},
            {"energy_pj", b.compute.energy.picojoules()}}}};
}

double edp(Energy energy, u64 cycles) { return energy.picojoules() * static_cast<double>(cycles); }

void add_cost(Json& object, Energy energy, u64 cycles, double utilization) {
  object["energy_pj"] = energy.picojoules();
  object["cycles"] = cycles;
  object["edp_pj_cycles"] = edp(energy, cycles);
  object["utilization"] = utilization;
}

}  // namespace heliolite::cli
