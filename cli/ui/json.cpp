#include "cli/ui/json.h"

#include <heliolite/version.h>

#include "arch/architecture.h"
#include "engine/model/fingerprint.h"

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

double edp(Energy energy, u64 cycles) { return energy.picojoules() * static_cast<double>(cycles); }

void add_cost(Json& object, Energy energy, u64 cycles, double utilization) {
  object["energy_pj"] = energy.picojoules();
  object["cycles"] = cycles;
  object["edp_pj_cycles"] = edp(energy, cycles);
  object["utilization"] = utilization;
}

}  // namespace heliolite::cli
