#include "cli/ui/json.h"

#include <fmt/format.h>
#include <heliolite/version.h>

#include <vector>

#include "arch/architecture.h"
#include "engine/base/integers.h"
#include "engine/model/fingerprint.h"
#include "engine/model/keep.h"

namespace heliolite::cli {
namespace {

#if defined(NDEBUG)
constexpr bool kAssertions = false;
#else
constexpr bool kAssertions = true;
#endif

}  // namespace

nlohmann::ordered_json version_json() {
  const VersionInfo v = version_info();
  return {{"program", "heliolite"},   {"version", v.version},       {"commit", v.commit},
          {"compiler", v.compiler},   {"build_type", v.build_type}, {"sanitizers", v.sanitizers},
          {"assertions", kAssertions}};
}

namespace {

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

Json answer_head(const std::string& command) {
  Json head = version_json();
  head["command"] = command;
  return head;
}

Json to_json(const EvaluatorReport& report, bool found) {
  return {{"value", found ? Json(report.value) : Json()},
          {"evaluations", report.evaluations},
          {"failures", report.failures},
          {"repeated", report.repeated},
          {"first_failure", report.failures == 0 ? Json() : Json(report.first_failure)}};
}

Json dimensions_json(const Workload& workload) {
  Json sizes = Json::object();
  for (const Dimension& d : workload.dimensions) sizes[d.name] = d.size;
  return sizes;
}

Json question(const Workload& workload) {
  Json out = {{"name", workload.name},
              {"hash", to_hex(fingerprint(workload))},
              {"dimensions", dimensions_json(workload)},
              {"macs", workload.macs()}};
  for (const Tensor& t : workload.tensors)
    if (t.word_bits) out["word_bits"][t.name] = *t.word_bits;
  return out;
}

Json question(const Architecture& architecture) {
  return {{"name", architecture.name},
          {"hash", to_hex(fingerprint(architecture))},
          {"cycles", architecture.timeloop_cycles ? "timeloop" : "exact"}};
}

Json to_json(const Mapping& mapping, const Workload& workload, const Architecture& architecture) {
  Json levels = Json::array();
  for (int i = mapping.level_count - 1; i >= 0; --i) {
    const std::vector<LevelPart> parts = parts_of(mapping, i);
    for (const LevelPart& part : parts) {
      Json keep = Json::array();
      for (const int v : bits(part.keep)) keep.push_back(workload.tensors[v].name);
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

double edp(Energy energy, u64 cycles) { return energy.picojoules() * static_cast<double>(cycles); }

void add_cost(Json& object, Energy energy, u64 cycles, double utilization) {
  object["energy_pj"] = energy.picojoules();
  object["cycles"] = cycles;
  object["edp_pj_cycles"] = edp(energy, cycles);
  object["utilization"] = utilization;
}

}  // namespace heliolite::cli
