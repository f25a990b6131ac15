// simulate -w KERNEL.c: what caches move when an affine program runs in the order of its text.
#include <fmt/format.h>

#include "cli/execute/executed_nest.h"
#include "cli/ui/command.h"
#include "cli/ui/inputs.h"
#include "cli/ui/json.h"
#include "cli/ui/long_work.h"
#include "cli/ui/table.h"
#include "engine/base/integers.h"
#include "engine/base/text.h"
#include "engine/program/bound/program_answer.h"
#include "engine/program/program_touches.h"

namespace heliolite::cli {
namespace {

std::vector<MemoryArray> arrays_of(const ProgramTouches& run) {
  std::vector<MemoryArray> arrays;
  u64 first = 0;
  for (const ProgramTouches::Array& a : run.arrays()) {
    arrays.push_back({a.name, a.extents, 1, first, a.written});
    for (const u64 extent : a.extents) arrays.back().words = saturating_product(arrays.back().words, extent);
    first += arrays.back().words;
  }
  return arrays;
}

// Why the caches cannot see the program: they would need too much memory. Each knows all words of the arrays' boxes.
Diagnostics check_memory(const std::vector<MemoryArray>& arrays, const ProgramTouches& run,
                         const std::vector<SimulatedCache>& caches) {
  constexpr double kLineBytes = 16, kTouchBytes = 12, kMostBytes = 4e9;
  double words = 0, bytes = 0;
  for (const MemoryArray& a : arrays) words += static_cast<double>(a.words);
  bool opt = false;
  for (const SimulatedCache& cache : caches) {
    bytes += words * kLineBytes;
    opt = opt || cache.policy == CachePolicy::Opt;
  }
  if (opt) bytes += static_cast<double>(run.touches()) * kTouchBytes;
  if (bytes <= kMostBytes) return {};
  return {{"", 0, "execution",
           fmt::format("caches in front of arrays of {:.3g} words and {:.3g} touches need {:.1f} GB of memory, at most "
                       "{:.0f} are taken: fewer caches, smaller parameters, or --policy lru",
                       words, static_cast<double>(run.touches()), bytes / 1e9, kMostBytes / 1e9)}};
}

// Writes replace what was there: they load nothing.
Result<std::vector<CacheTraffic>> traffic_of(const ProgramTouches& run, const std::vector<MemoryArray>& arrays,
                                             const std::vector<SimulatedCache>& caches, const ProgramStop& stop) {
  CacheBank bank(arrays, caches, false);
  const Result<u64> done = run.run(
      [&](const ProgramTouch& t) {
        bank.touch(t.array, arrays[t.array].first + t.element, t.write ? TouchKind::Write : TouchKind::Read, t.last);
      },
      &stop);
  if (!done) return done.errors();
  return bank.answers();
}

// The bound is left out where it is not known.
using BoundWords = std::optional<std::vector<u64>>;  // [capacity]

std::string program_table(const SimulatedProgram& question, const BoundWords& bound,
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
                                 bound ? grouped((*bound)[c / question.policies]) : "-"};
    for (std::size_t p = 0; p < question.policies; ++p) {
      row.push_back(grouped(traffic[c + p].all_loads()));
      row.push_back(grouped(traffic[c + p].all_stores()));
    }
    table.row(row);
  }
  return table.to_string();
}

Json program_json(const SimulatedProgram& question, const ProgramTouches& run, const BoundWords& bound,
                  const std::vector<CacheTraffic>& traffic) {
  Json caches = Json::array();
  for (std::size_t c = 0; c < traffic.size(); ++c) {
    Json arrays = Json::object();
    for (std::size_t a = 0; a < run.arrays().size(); ++a)
      arrays[run.arrays()[a].name] = {{"loads", traffic[c].loads[a]}, {"stores", traffic[c].stores[a]}};
    caches.push_back({{"words", question.caches[c].shape.capacity_words},
                      {"policy", name(question.caches[c].policy)},
                      {"bound", bound ? Json((*bound)[c / question.policies]) : Json()},
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
    Result<ProgramTouches> run = Diagnostic{};
    Diagnostics errors;
    std::vector<CacheTraffic> traffic;
    BoundWords bound;
    std::vector<std::string> notes;
  };
  const auto stop = std::make_shared<ProgramStop>();
  const auto work = [question, parameters = *parameters, stop] {
    Answer a;
    a.run = ProgramTouches::load(question.file, parameters, stop.get());
    if (!a.run) return a;
    const std::vector<MemoryArray> arrays = arrays_of(*a.run);
    a.errors = check_caches(question.caches, a.run->operands(), static_cast<double>(a.run->touches()), {});
    if (a.errors.empty()) a.errors = check_memory(arrays, *a.run, question.caches);
    if (!a.errors.empty()) return a;
    const auto traffic = traffic_of(*a.run, arrays, question.caches, *stop);
    if (!traffic) {
      a.errors = traffic.errors();
      return a;
    }
    a.traffic = *traffic;
    ProgramQuestion bound{question.file, parameters, {}, false, {}, false, stop.get()};
    for (std::size_t c = 0; c < question.caches.size(); c += question.policies)
      bound.capacities.push_back(question.caches[c].shape.capacity_words);
    const Result<ProgramAnswer> known = bound_program(bound);
    if (!known) {
      a.notes.push_back("no bound: " + known.errors().front().message);
      return a;
    }
    a.bound = known->words;
    if (!known->given_up.empty())
      a.notes.push_back(
          fmt::format("the bound is weaker than it could be; given up: {}", fmt::join(known->given_up, ", ")));
    return a;
  };
  const auto answer = until_stopped(
      work, [stop] { stop->request(); }, question.budget);
  const bool interrupted = interrupt_flag();
  // Executions are told as a whole or not at all.
  const bool unfinished = !answer || (answer->traffic.empty() && stop->requested());
  if (unfinished && interrupted) return kInterrupted;
  if (unfinished) return fail(fmt::format("--budget: the execution is not done after {:g} s", *question.budget));
  if (!answer->run) return fail(answer->run.errors());
  if (!answer->errors.empty()) return fail(answer->errors);
  output.report_notes(answer->run->notes());
  output.report_notes(answer->notes);
  output.table(fmt::format("{}: {} instances in the order of the text; words loaded\n\n{}", question.file,
                           grouped(answer->run->instances()), program_table(question, answer->bound, answer->traffic)));
  Json json = answer_head("simulate");
  Json values = Json::object();
  for (const auto& [name, value] : *parameters) values[name] = value;
  json["question"] = {{"program", question.file}, {"parameters", values}};
  json["instances"] = answer->run->instances();
  json["caches"] = program_json(question, *answer->run, answer->bound, answer->traffic);
  json["interrupted"] = interrupted;
  json["notes"] = answer->run->notes();
  for (const std::string& note : answer->notes) json["notes"].push_back(note);
  if (!output.json(json)) return kBadInput;
  return interrupted ? kInterrupted : kSuccess;
}

}  // namespace heliolite::cli
