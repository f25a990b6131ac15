#include "cli/execute/simulate_program.h"

#include <fmt/format.h>

#include "cli/ui/interrupt.h"
#include "cli/ui/json.h"
#include "cli/ui/program_parameters.h"
#include "cli/ui/table.h"
#include "engine/base/integers.h"
#include "engine/program/bound/program_answer.h"
#include "engine/program/program_touches.h"

namespace heliolite::cli {
namespace {

std::vector<MemoryArray> arrays_of(const ProgramTouches& run) {
  std::vector<MemoryArray> arrays;
  u64 first = 0;
  for (const ProgramTouches::Array& a : run.arrays) {
    arrays.push_back({a.name, a.extents, 1, first, a.written});
    for (const u64 extent : a.extents) arrays.back().words *= extent;
    first += arrays.back().words;
  }
  return arrays;
}

// Writes replace what was there: they load nothing.
std::vector<CacheTraffic> traffic_of(const ProgramTouches& run, const std::vector<SimulatedCache>& caches) {
  const std::vector<MemoryArray> arrays = arrays_of(run);
  CacheBank bank(arrays, caches, false);
  for (const ProgramTouch& t : run.touches)
    bank.touch(t.array, arrays[t.array].first + t.element, t.write ? TouchKind::Write : TouchKind::Read, t.last);
  return bank.answers();
}

std::string program_table(const SimulatedProgram& question, const ProgramAnswer& bound,
                          const std::vector<CacheTraffic>& traffic) {
  std::vector<std::string> headings{"cache", "bound"};
  for (std::size_t p = 0; p < question.policies; ++p) {
    const std::string policy(name(question.caches[p].policy));
    headings.push_back(policy);
    headings.push_back(policy + " stores");
  }
  Table table(headings);
  for (std::size_t c = 0; c < traffic.size(); c += question.policies) {
    std::vector<std::string> row{grouped(question.caches[c].shape.capacity_words),
                                 grouped(bound.words[c / question.policies])};
    for (std::size_t p = 0; p < question.policies; ++p) {
      row.push_back(grouped(traffic[c + p].all_loads()));
      row.push_back(grouped(traffic[c + p].all_stores()));
    }
    table.row(row);
  }
  return table.to_string();
}

Json program_json(const SimulatedProgram& question, const ProgramTouches& run, const ProgramAnswer& bound,
                  const std::vector<CacheTraffic>& traffic) {
  Json caches = Json::array();
  for (std::size_t c = 0; c < traffic.size(); ++c) {
    Json arrays = Json::object();
    for (std::size_t a = 0; a < run.arrays.size(); ++a)
      arrays[run.arrays[a].name] = {{"loads", traffic[c].loads[a]}, {"stores", traffic[c].stores[a]}};
    caches.push_back({{"words", question.caches[c].shape.capacity_words},
                      {"policy", name(question.caches[c].policy)},
                      {"bound", bound.words[c / question.policies]},
                      {"loads", traffic[c].all_loads()},
                      {"stores", traffic[c].all_stores()},
                      {"arrays", std::move(arrays)}});
  }
  return caches;
}

}  // namespace

int run_simulated_program(const SimulatedProgram& question, const Output& output) {
  const auto parameters = read_parameters(question.parameters);
  if (!parameters) return fail(parameters.errors());
  for (const SimulatedCache& cache : question.caches)
    if (cache.policy == CachePolicy::Scratchpad)
      return fail("--policy: programs have no tiles that a scratchpad holds");
  struct Answer {
    Result<ProgramTouches> run;
    Diagnostics errors;
    std::vector<CacheTraffic> traffic;
    Result<ProgramAnswer> bound;
  };
  const auto answer = until_interrupted([question, parameters = *parameters] {
    ProgramQuestion bound{question.file, parameters, {}, false, {}};
    for (std::size_t c = 0; c < question.caches.size(); c += question.policies)
      bound.capacities.push_back(question.caches[c].shape.capacity_words);
    Answer a{program_touches(question.file, parameters), {}, {}, Diagnostic{}};
    if (!a.run) return a;
    a.errors = check_caches(question.caches, a.run->operands, static_cast<double>(a.run->touches.size()), {});
    if (!a.errors.empty()) return a;
    a.traffic = traffic_of(*a.run, question.caches);
    a.bound = bound_program(bound);
    return a;
  });
  if (!answer) return kInterrupted;
  if (!answer->run) return fail(answer->run.errors());
  if (!answer->errors.empty()) return fail(answer->errors);
  if (!answer->bound) return fail(answer->bound.errors());
  output.table(fmt::format("{}: {} instances in the order of the text; words loaded\n\n{}", question.file,
                           grouped(answer->run->instances), program_table(question, *answer->bound, answer->traffic)));
  Json json = answer_head("simulate");
  Json values = Json::object();
  for (const auto& [name, value] : *parameters) values[name] = value;
  json["question"] = {{"program", question.file}, {"parameters", values}};
  json["instances"] = answer->run->instances;
  json["caches"] = program_json(question, *answer->run, *answer->bound, answer->traffic);
  return output.json(json) ? kSuccess : kBadInput;
}

}  // namespace heliolite::cli
