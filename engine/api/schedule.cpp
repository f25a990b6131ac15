// Schedules of networks as users of the library see them (heliolite/schedule.h).
#include <heliolite/schedule.h>

#include <utility>

#include "engine/api/inside.h"
#include "engine/base/yaml_node.h"
#include "engine/network/schedule_text.h"
#include "engine/network/schedule_yaml.h"
#include "engine/search/scheduling/fused_network.h"
#include "engine/space/constraint_notes.h"

namespace heliolite::api {
namespace {

std::string level_name(int level, const heliolite::Architecture& machine) {
  return level < 0 ? std::string() : machine.levels[level].name;
}

// What stays at the level of a group of several layers.
void add_homes(ScheduleGroup& out, const LinkGroup& group, const GroupPlan& plan, const LinkGraph& graph,
               const heliolite::Architecture& machine) {
  out.capacity_words = machine.levels[group.level].capacity_words().value_or(0);
  for (std::size_t a = 0; a < plan.residence.size(); ++a) {
    if (!plan.residence[a].has_home()) continue;
    ScheduleHome& home = out.homes.emplace_back();
    home.array = graph.array(static_cast<int>(a)).name;
    for (int l = group.first; l <= group.last; ++l) home.words.push_back(plan.residence[a].words_while(l));
  }
}

std::vector<ScheduleGroup> public_groups(const std::vector<LinkGroup>& groups, const ScheduleBreakdown& cost,
                                         const LinkGraph& graph, const heliolite::Architecture& machine) {
  std::vector<ScheduleGroup> out;
  for (std::size_t g = 0; g < groups.size(); ++g) {
    const LinkGroup& group = groups[g];
    ScheduleGroup one{.layers = {},
                      .level = group.is_single() ? std::string() : level_name(group.level, machine),
                      .text = group_text(group, graph, machine),
                      .count = graph.links[group.first].count,
                      .cost = public_cost(cost.groups[g]),
                      .homes = {}};
    for (int l = group.first; l <= group.last; ++l) one.layers.push_back(graph.link(l).name);
    if (!group.is_single()) add_homes(one, group, cost.plans[g], graph, machine);
    out.push_back(std::move(one));
  }
  return out;
}

std::vector<ScheduleEdge> public_edges(const ScheduleBreakdown& cost, const LinkGraph& graph,
                                       const heliolite::Architecture& machine) {
  std::vector<ScheduleEdge> out;
  for (const EdgeBreakdown& edge : cost.edges)
    out.push_back({.array = graph.array(edge.array).name,
                   .reader = graph.link(edge.reader).name,
                   .maker = graph.array(edge.array).maker ? graph.link(*graph.array(edge.array).maker).name : "",
                   .level = level_name(edge.home, machine),
                   .stays = edge.stays,
                   .bytes = edge.bytes(edge.words),
                   .bytes_read = edge.bytes(edge.read),
                   .bytes_written = edge.bytes(edge.written)});
  return out;
}

Schedule public_schedule(const FusedSchedule& schedule, const ScheduleBreakdown& cost, const std::string& network,
                         const LinkGraph& graph, const heliolite::Architecture& machine, const FusionRules& rules) {
  return {.text = write_schedule(schedule.groups, graph, machine),
          .yaml = write_schedule_file(schedule, network, graph, machine, rules),
          .cost = public_cost(cost.total),
          .outermost_words = cost.outermost.sum(),
          .groups = public_groups(schedule.groups, cost, graph, machine),
          .edges = public_edges(cost, graph, machine)};
}

// The network as searches of the machine take it.
heliolite::Network fitted_network(const Network& network, const heliolite::Architecture& machine) {
  heliolite::Network out = Inside::of(network);
  fit_names(out, machine);
  return out;
}

Result<Schedule> schedule_of(const Result<YamlNode>& document, const Network& network,
                             const Architecture& architecture) {
  if (!document) return document.errors();
  const heliolite::Architecture& machine = Inside::of(architecture);
  const heliolite::Network fitted = fitted_network(network, machine);
  Result<LinkGraph> graph = graph_of_network(fitted);
  if (!graph) return graph.errors();
  take_units(*document, machine, *graph);
  const Result<ScheduleFile> file = read_schedule_file(*document, *graph, machine);
  if (!file) return file.errors();
  const Result<ScheduleBreakdown> cost = schedule_breakdown(file->schedule, *graph, machine, file->rules);
  if (!cost) return file->placed(cost.errors(), *graph);
  return public_schedule(file->schedule, *cost, fitted.name, *graph, machine, file->rules);
}

}  // namespace

Result<ScheduleAnswer> map_fused(const Network& network, const Architecture& architecture, const MapOptions& options,
                                 Softmax softmax) {
  const Result<heliolite::SearchOptions> asked = engine_options(options);
  if (!asked) return asked.errors();
  const heliolite::Architecture& machine = Inside::of(architecture);
  const heliolite::Network fitted = fitted_network(network, machine);
  const FusionRules rules{.incremental_softmax = softmax == Softmax::Incremental};
  const Result<heliolite::FusedNetwork> found = fuse_network(fitted, machine, *asked, rules);
  if (!found) return found.errors();
  const FusedOptimum& best = found->best;
  ScheduleAnswer out{.status = std::string(heliolite::name(best.status)),
                     .why_not_proven = best.why_not_proven,
                     .value = best.value,
                     .lower_bound = best.lower_bound,
                     .gap = best.gap,
                     .value_unit = unit(info(asked->objective)),
                     .left_out = std::string(kLeftOutOfFusion),
                     .schedule = public_schedule(best.schedule, found->cost, fitted.name, found->graph, machine, rules),
                     .evaluated = best.evaluated,
                     .seconds = best.seconds};
  for (const heliolite::KeptApart& one : kept_apart(found->graph, machine)) {
    KeptApart& apart = out.kept_apart.emplace_back();
    apart.why = one.why;
    for (const int a : one.arrays) apart.arrays.push_back(found->graph.array(a).name);
  }
  if (!found->unfused) return out;
  out.unfused = public_schedule(best.unfused, *found->unfused, fitted.name, found->graph, machine, rules);
  out.unfused_value = found->best.unfused_value;
  return out;
}

Result<Schedule> load_schedule(const std::string& path, const Network& network, const Architecture& architecture) {
  return schedule_of(YamlNode::load_file(path), network, architecture);
}

Result<Schedule> parse_schedule(std::string_view text, const std::string& name, const Network& network,
                                const Architecture& architecture) {
  return schedule_of(YamlNode::parse(std::string(text), name), network, architecture);
}

}  // namespace heliolite::api
