#include "engine/report/model_json.h"

#include <fmt/format.h>

#include <string>
#include <vector>

#include "arch/architecture.h"
#include "engine/base/integers.h"
#include "engine/base/mapped.h"
#include "engine/model/keep.h"
#include "workloads/workload.h"

namespace heliolite {
namespace {

using Json = nlohmann::ordered_json;

// Outermost loop first: [{"K": 4}, {"C": [3, 2]}], of the mapping's loops [first, last) of this kind.
Json loops_json(const Mapping& mapping, const Workload& workload, int first, int last, LoopKind kind) {
  Json loops = Json::array();
  for (int k = last; k-- > first;) {
    const Loop& loop = mapping.loop[k];
    if (loop.kind != kind) continue;
    const std::string& name = workload.dimensions[loop.dimension].name;
    loops.push_back(loop.is_perfect() ? Json{{name, loop.end}} : Json{{name, Json::array({loop.end, loop.residual})}});
  }
  return loops;
}

Json tensor_json(const TensorTraffic& t, const Tensor& tensor) {
  return {{"role", std::string(name(tensor.role))},
          {"tile_words", t.tile_words},
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
  for (const MulticastRecord& m : n.multicast)
    multicast.push_back(
        {{"receivers", m.multicast}, {"groups", m.groups == 0 ? Json() : Json(m.groups)}, {"words", m.words}});
  return {{"fanout", n.fanout},
          {"ingresses", n.ingresses},
          {"all_ingresses", n.all_ingresses},
          {"multicast", multicast},
          {"spatial_reductions", n.spatial_reductions},
          {"hops", n.hops},
          {kPeerChannel.words, n.peer_words},
          {fmt::format("{}_pj", kPeerChannel.energy), n.peer_energy.picojoules()},
          {"energy_pj", n.energy.picojoules()}};
}

Json level_json(const LevelBreakdown& level, const Workload& workload) {
  Json tensors = Json::object();
  Json networks = Json::object();
  for (std::size_t v = 0; v < workload.tensors.size(); ++v) {
    if (level.tensor[v].counted())
      tensors[workload.tensors[v].name] = tensor_json(level.tensor[v], workload.tensors[v]);
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

Json to_json(const Mapping& mapping, const Workload& workload, const Architecture& architecture) {
  Json levels = Json::array();
  for (int i = mapping.level_count - 1; i >= 0; --i) {
    const std::vector<LevelPart> parts = parts_of(mapping, i);
    for (const LevelPart& part : parts) {
      Json keep = mapped(bits(part.keep), [&](const int v) { return workload.tensors[v].name; });
      levels.push_back({{"level", architecture.levels[i].name},
                        {"keep", keep},
                        {"temporal", loops_json(mapping, workload, part.first, part.last, LoopKind::Temporal)}});
    }
    // The fan-out is below the innermost part.
    const int first = first_loop(mapping, i);
    const Json x = loops_json(mapping, workload, first, parts.back().first, LoopKind::SpatialX);
    const Json y = loops_json(mapping, workload, first, parts.back().first, LoopKind::SpatialY);
    if (!x.empty() || !y.empty()) levels.back()["spatial"] = {{"x", x}, {"y", y}};
    for (const int v : bits(mapping.no_peers[i]))
      levels.back()["spatial"][kPeerChannel.excludes].push_back(workload.tensors[v].name);
  }
  return levels;
}

Json to_json(const Breakdown& b, const Workload& workload) {
  Json levels = Json::array();
  for (auto level = b.level.rbegin(); level != b.level.rend(); ++level) levels.push_back(level_json(*level, workload));
  return {{"levels", levels},
          {"ramps", b.ramps ? Json{{"fill_cycles", b.ramps->fill}, {"drain_cycles", b.ramps->drain}} : Json()},
          {"compute",
           {{"name", b.compute.name},
            {"computes", b.compute.computes},
            {"utilized", b.compute.utilized},
            {"instances", b.compute.instances},
            {"cycles", b.compute.cycles},
            {"energy_pj", b.compute.energy.picojoules()}}}};
}

}  // namespace heliolite
