// The answer of `eval` and `explain` about a network's schedule as JSON (docs/json.md).

#include "cli/map/cost_answer.h"
#include "cli/ui/units.h"
#include "engine/base/integers.h"
#include "engine/base/mapped.h"
#include "engine/network/group_plan.h"
#include "engine/network/schedule_text.h"
#include "engine/report/model_json.h"

namespace heliolite::cli {
namespace {

class ScheduleJson {
 public:
  ScheduleJson(const ScheduledNetwork& question, const ScheduleBreakdown& cost)
      : question_(question), graph_(question.graph), architecture_(question.architecture), cost_(cost) {}

  Json questions() const {
    return mapped(graph_.links, [&](const Layer& layer) { return question(layer.workload); });
  }

  Json mappings() const {
    Json json = Json::object();
    for (int l = 0; l < static_cast<int>(graph_.links.size()); ++l)
      json[graph_.link(l).name] =
          to_json(question_.file.schedule.mappings[l], question_.one_pass(l), question_.chain(l));
    return json;
  }

  Json groups() const {
    Json json = Json::array();
    for (std::size_t g = 0; g < cost_.groups.size(); ++g) {
      const LinkGroup& group = question_.file.schedule.groups[g];
      Json layers = Json::array(), homes = Json::array();
      for (int l = group.first; l <= group.last; ++l) layers.push_back(graph_.link(l).name);
      for (std::size_t a = 0; a < graph_.arrays.size(); ++a)
        if (const Residence& r = cost_.plans[g].residence[a]; r.has_home())
          homes.push_back({{"array", graph_.arrays[a].name},
                           {"first", graph_.link(r.first).name},
                           {"last", graph_.link(r.last).name},
                           {"words", r.tile},
                           {"overlap_words", r.overlap ? r.overlap->words : 0},
                           {"fetched", r.fetched},
                           {"stored", r.stored},
                           {"returned", r.returned}});
      json.push_back({{"layers", layers},
                      {"level", group.is_single() ? Json() : Json(architecture_.levels[group.level].name)},
                      {"schedule", group_text(group, graph_, architecture_)},
                      {"count", graph_.links[group.first].count},
                      {"energy_pj", cost_.groups[g].energy.picojoules()},
                      {"cycles", cost_.groups[g].cycles},
                      {"homes", homes}});
    }
    return json;
  }

  Json links() const {
    Json json = Json::array();
    for (int l = 0; l < static_cast<int>(graph_.links.size()); ++l) {
      const LinkBreakdown& link = cost_.links[l];
      const Workload one_pass = question_.one_pass(l);
      Json homes = mapped(bits(link.pass.at_home), [&](const int v) { return one_pass.tensors[v].name; });
      json.push_back({{"name", one_pass.name},
                      {"group", link.group},
                      {"unit", architecture_.units.empty() ? Json() : Json(question_.chain(l).compute.name)},
                      {"count", graph_.links[l].count},
                      {"passes", link.pass.passes},
                      {"dimensions_of_a_pass", dimensions_json(one_pass)},
                      {"at_home", homes},
                      {"room_of_homes", link.pass.taken},
                      {"energy_pj", link.breakdown.energy.picojoules()},
                      {"cycles", link.breakdown.cycles},
                      {"words_read", link.outermost.read},
                      {"words_written", link.outermost.written},
                      {"breakdown", to_json(link.breakdown, graph_.link(l))}});
    }
    return json;
  }

  Json sums() const {
    Json json = Json::array();
    for (std::size_t k = 0; k < cost_.terms.size(); ++k)
      json.push_back({{"array", graph_.array(cost_.terms[k].array).name},
                      {"level", architecture_.levels[cost_.terms[k].level].name},
                      {"words", cost_.terms[k].words},
                      {"energy_pj", cost_.term_costs[k].energy.picojoules()},
                      {"cycles", cost_.term_costs[k].cycles}});
    return json;
  }

  Json edges() const {
    Json json = Json::array();
    for (const EdgeBreakdown& edge : cost_.edges) {
      const Workload& reader = graph_.link(edge.reader);
      json.push_back({{"array", graph_.array(edge.array).name},
                      {"from_input", edge.is_input},
                      {"to", reader.name},
                      {"tensor", reader.tensors[edge.tensor].name},
                      {"sum", edge.is_term},
                      {"stays", edge.stays},
                      {"level", edge.home < 0 ? Json() : Json(architecture_.levels[edge.home].name)},
                      {"words", edge.words},
                      {"words_at_a_time", edge.home < 0 ? Json() : Json(edge.tile)},
                      {"bytes", edge.bytes(edge.words)},
                      {"bytes_read", edge.bytes(edge.read)},
                      {"bytes_written", edge.bytes(edge.written)}});
    }
    return json;
  }

  Json apart() const {
    Json json = Json::array();
    for (const KeptApart& one : kept_apart(graph_, architecture_)) {
      Json names = mapped(one.arrays, [&](const int a) { return graph_.array(a).name; });
      json.push_back({{"arrays", names}, {"why", one.why}});
    }
    return json;
  }

 private:
  const ScheduledNetwork& question_;
  const LinkGraph& graph_;
  const Architecture& architecture_;
  const ScheduleBreakdown& cost_;
};

}  // namespace

Json schedule_json(const char* command, const ScheduledNetwork& network, const ScheduleBreakdown& cost,
                   const Diagnostics& outside) {
  const ScheduleJson parts(network, cost);
  const FusedSchedule& schedule = network.file.schedule;
  const u64 macs = network.network.macs();
  const double pj = cost.total.energy.picojoules();
  const auto cycles = static_cast<double>(cost.total.cycles);
  Json answer = answer_head(command);
  answer["question"] = {{"network", {{"name", network.network.name}, {"layers", parts.questions()}}},
                        {"architecture", question(network.architecture)}};
  answer["notes"] = network.notes;
  answer["name"] = network.network.name;
  add_cost(answer, cost.total.energy, cost.total.cycles, cost.utilization);
  answer["macs"] = macs;
  answer["rates"] = rates_json({pj, cycles, static_cast<double>(macs)}, network.architecture);
  answer["area_um2"] = area_json(network.architecture);
  answer["schedule"] = write_schedule(schedule.groups, network.graph, network.architecture);
  answer["softmax"] = network.file.rules.incremental_softmax ? "incremental" : "whole";
  answer["mappings"] = parts.mappings();
  answer["outside_mapspace"] = mapped(outside, &Diagnostic::to_string);
  answer["outermost"] = {{"level", network.architecture.levels.back().name},
                         {"words_read", cost.outermost.read},
                         {"words_written", cost.outermost.written}};
  const EdgeBytes& bytes = cost.edge_bytes;
  answer["edge_bytes"] = {{"edges", bytes.edges},           {"stay", bytes.stay}, {"bytes", bytes.bytes},
                          {"bytes_stay", bytes.bytes_stay}, {"read", bytes.read}, {"written", bytes.written}};
  answer["groups"] = parts.groups();
  answer["links"] = parts.links();
  answer["sums"] = parts.sums();
  answer["edges"] = parts.edges();
  answer["kept_apart"] = parts.apart();
  return answer;
}

}  // namespace heliolite::cli
