#include "engine/verify/optima_verify.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <mutex>
#include <utility>

#include "engine/base/text.h"
#include "engine/model/cost_model.h"
#include "engine/model/mapping_check.h"
#include "engine/search/core/parallel.h"
#include "engine/search/map.h"
#include "engine/space/mapspace.h"
#include "engine/verify/json_record.h"

namespace heliolite {
namespace {

constexpr double kTolerance = 1e-9;  // relative; the records' energies are sums of doubles

bool agree(double expected, double ours) { return std::abs(expected - ours) <= kTolerance * std::abs(expected); }

// A record with all it refers to.
struct Question {
  OptimumRecord record;
  Workload workload;
  Architecture architecture;  // what its levels keep as recorded
  std::string note;
  std::optional<Mapping> mapping;
};

struct Outcome {
  bool skipped = false;
  bool proven = false;
  double seconds = 0;
  Mismatch mismatch;  // of a record that matches: without differences and reasons
  Diagnostics errors;

  bool matched() const { return !skipped && mismatch.differences.empty() && mismatch.refused.empty(); }
};

// Reads a file and what its records refer to, each machine and workload once.
class Reader {
 public:
  Reader(const std::string& path, const OptimaOptions& options)
      : file_(path, "machines", "workloads", "a single workload"), options_(options) {}

  Result<std::vector<Question>> run() {
    file_.read([&](const std::string& line, int number) {
      read(line, number);
      return !options_.limit || questions_.size() < *options_.limit;
    });
    if (!file_.has_errors() && questions_.empty()) file_.refuse(nothing_selected());
    if (file_.has_errors()) return file_.errors();
    return std::move(questions_);
  }

 private:
  void read(const std::string& line, int number) {
    Result<OptimumRecord> record = parse_optimum_record(line, file_.path(), number);
    if (!record) return file_.complain(record.errors());
    sets_.push_back(record->set);
    ids_.push_back(record->id());
    if ((options_.group && record->set != *options_.group) || (options_.id && record->id() != *options_.id)) return;
    const Architecture* machine = file_.machine(record->machine);
    const Workload* workload = file_.workload(record->workload);
    if (machine == nullptr || workload == nullptr) return;
    Result<RecordedMachine> kept = with_recorded_keep(*record, *workload, *machine);
    if (!kept) return file_.complain(kept.errors());
    if (record->one_axis_per_dimension) kept->architecture.one_axis_per_dimension = *record->one_axis_per_dimension;
    const auto mapping = recorded_mapping(*record, *workload, kept->architecture);
    if (!mapping) return file_.complain(mapping.errors());
    questions_.push_back({*std::move(record), *workload, std::move(kept->architecture), kept->note, *mapping});
  }

  std::string nothing_selected() {
    std::sort(sets_.begin(), sets_.end());
    sets_.erase(std::unique(sets_.begin(), sets_.end()), sets_.end());
    if (options_.id) return fmt::format("has no record '{}'{}", *options_.id, did_you_mean(*options_.id, ids_));
    return fmt::format("has no records of set '{}'; sets: {}", options_.group.value_or(""), join(sets_));
  }

  RecordFile file_;
  const OptimaOptions& options_;
  std::vector<std::string> sets_, ids_;
  std::vector<Question> questions_;
};

// The recorded mapping through our cost model.
void replay(const Question& q, Mismatch& out) {
  if (!q.mapping) return;
  const auto refuse = [&](const char* what, const Diagnostics& why) {
    out.refused += fmt::format("{}the recorded mapping {}: {}", out.refused.empty() ? "" : "; ", what, to_string(why));
  };
  if (const Diagnostics illegal = check(*q.mapping, q.workload, q.architecture); !illegal.empty())
    return refuse("is not legal", illegal);
  const auto space = resolve(q.workload, q.architecture);
  if (space && !violations(*space, *q.mapping).empty())
    refuse("is outside the mapspace", violations(*space, *q.mapping));
  const Cost cost = CostModel(q.workload, q.architecture).evaluate(*q.mapping).cost;
  const double energy = cost.energy.picojoules(), cycles = static_cast<double>(cost.cycles);
  if (q.record.energy_pj && !agree(*q.record.energy_pj, energy))
    out.differences.push_back({"energy of the recorded mapping [pJ]", *q.record.energy_pj, energy});
  if (q.record.cycles && *q.record.cycles != cycles)
    out.differences.push_back({"cycles of the recorded mapping", *q.record.cycles, cycles});
}

Outcome answer(const Question& q, const OptimaOptions& options) {
  Outcome out;
  out.mismatch = {q.record.id(), q.record.line, "", {}};
  SearchOptions search;
  search.objective = q.record.objective;
  search.strategy = options.strategy;
  search.budget_seconds = options.budget_seconds;
  search.stop = options.stop;
  const Result<MappingResult> found = map_workload(q.workload, q.architecture, search);
  if (!found) {
    out.errors = found.errors();
    for (Diagnostic& d : out.errors)
      if (d.file.empty()) d.file = q.record.file, d.line = q.record.line;
    return out;
  }
  out.seconds = found->seconds;
  out.proven = found->status == Status::Optimal;
  if (options.stop != nullptr && *options.stop && !out.proven) {
    out.skipped = true;
    return out;
  }
  if (found->status == Status::Infeasible) {
    out.mismatch.refused = "no legal mapping found: " + to_string(found->why_infeasible);
    return out;
  }
  const bool equal =
      q.record.objective == Objective::Delay ? found->value == q.record.optimum : agree(q.record.optimum, found->value);
  if (!equal)
    out.mismatch.differences.push_back(
        {fmt::format("optimum ({})", name(q.record.objective)), q.record.optimum, found->value});
  if (found->lower_bound > q.record.optimum * (1 + kTolerance))
    out.mismatch.differences.push_back({"lower bound above the optimum", q.record.optimum, found->lower_bound});
  if (!out.proven && options.strategy == Strategy::Exact)
    out.mismatch.refused =
        fmt::format("not proven: found {:.12g}, lower bound {:.12g}", found->value, found->lower_bound);
  replay(q, out.mismatch);
  return out;
}

void add(OptimaTally& tally, const Outcome& outcome) {
  ++(outcome.skipped ? tally.skipped : outcome.matched() ? tally.matched : tally.mismatched);
  tally.proven += outcome.proven ? 1 : 0;
  tally.seconds += outcome.seconds;
}

}  // namespace

bool holds_optima(const std::string& path) {
  bool found = false;
  const Diagnostics unreadable = for_each_line(path, [&](const std::string& line, int number) {
    const auto record = parse_record_line(line, path, number);
    found = record.ok() && record->contains("optimum");
    return false;
  });
  return unreadable.empty() && found;
}

Result<OptimaReport> verify_optima(const std::string& path, const OptimaOptions& options) {
  // Step 1. Everything is read before anything is searched: complaints come at once.
  const auto questions = Reader(path, options).run();
  if (!questions) return questions.errors();

  // Step 2. The searches, side by side, one thread each.
  std::vector<Outcome> outcomes(questions->size());
  std::mutex reporting;
  u64 done = 0, mismatched = 0;
  if (options.progress) options.progress(0, outcomes.size(), 0);
  parallel_for(outcomes.size(), options.threads, [&](std::size_t k) {
    Outcome& outcome = outcomes[k];
    if (options.stop != nullptr && *options.stop) outcome.skipped = true;
    else outcome = answer((*questions)[k], options);
    const std::lock_guard lock(reporting);
    ++done;
    mismatched += outcome.skipped || outcome.matched() ? 0 : 1;
    if (options.progress) options.progress(done, outcomes.size(), mismatched);
  });

  // Step 3. The report, in the file's order.
  OptimaReport report;
  Diagnostics errors;
  for (std::size_t k = 0; k < outcomes.size(); ++k) {
    const Question& q = (*questions)[k];
    const Outcome& outcome = outcomes[k];
    errors.insert(errors.end(), outcome.errors.begin(), outcome.errors.end());
    for (OptimaTally* tally : {&report.total, &report.by_set[q.record.set], &report.by_machine[q.record.machine],
                               &report.by_objective[std::string(name(q.record.objective))]})
      add(*tally, outcome);
    if (outcome.skipped) ++report.skip_reasons["interrupted"];
    if (!q.note.empty()) ++report.notes[q.note];
    if (outcome.seconds > report.slowest_seconds)
      report.slowest_seconds = outcome.seconds, report.slowest_id = q.record.id();
    if (!outcome.skipped && !outcome.matched() && report.mismatches.size() < options.show)
      report.mismatches.push_back(outcome.mismatch);
  }
  if (errors.size() > kMaxBadLines) errors.resize(kMaxBadLines);
  if (!errors.empty()) return errors;
  return report;
}

}  // namespace heliolite
