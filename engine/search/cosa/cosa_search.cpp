#include "engine/search/cosa/cosa_search.h"

#include <fmt/format.h>

#include <memory>

#include "engine/base/integers.h"
#include "engine/search/cosa/convex_search.h"
#include "engine/search/cosa/log_traffic.h"
#include "engine/search/cosa/mip_solver.h"

namespace heliolite {
namespace {

constexpr int kMostExclusions = 64;  // answers that did not fit, before the search gives up

std::unique_ptr<LogTrafficProgram> make_program(const LayerProblem& problem) {
  const SearchOptions& options = problem.options;
  return std::make_unique<LogTrafficProgram>(problem, usual_keep(problem.space), options.cosa_variant,
                                             options.cosa_weights, options.cosa_halo);
}

class ProgramSearch {
 public:
  ProgramSearch(const LayerProblem& problem, const std::optional<Mapping>& start, const SearchBudget& budget)
      : problem_(problem), start_(start), budget_(budget), program_(make_program(problem)) {}

  LayerAnswer run() {
    const Mip& mip = program_->mip();
    MipReport report{.variant = problem_.options.cosa_variant};
    report.columns = mip.columns().size();
    report.integers = mip.integers();
    for (int k = 0; k <= kMostExclusions; ++k) {
      const MipAnswer first = start();
      report.start = first.values.empty() ? std::nullopt : std::optional(first.value);
      const MipAnswer found = solve(
          mip,
          {.seconds = budget_.seconds_left(), .stopped = [this] { return budget_.stopped(); }, .start = first.values});
      ++report.solves;
      report.nodes += found.nodes;
      report.rows = mip.rows().size();
      report.found = !found.values.empty();
      report.proven = found.proven;
      report.objective = found.value;
      report.bound = found.bound;
      if (found.values.empty() || take(program_->mapping(found.values)) || !program_->exclude(found.values)) break;
      if (budget_.end(out_.statistics.evaluated) != SearchEnd::Done) break;
    }
    out_.mip = report;
    if (!out_.found && report.proven) out_.why_not_found = why_not_found(report);
    return out_;
  }

 private:
  // The program's columns at the mapping to begin with; no values if there is none.
  MipAnswer start() const {
    const std::optional<Mip> held = start_ ? program_->held_at(*start_) : std::nullopt;
    return held ? solve(*held, {.seconds = budget_.seconds_left()}) : MipAnswer();
  }

  // Whether the mapping fits.
  bool take(const Mapping& mapping) {
    ++out_.statistics.evaluated;
    const Evaluation priced = problem_.evaluate(mapping);
    if (priced.verdict != Verdict::Fits) return false;
    out_.offer(problem_.options.objective, mapping, priced.cost);
    return true;
  }

  Diagnostics why_not_found(const MipReport& report) const {
    if (report.found)
      return {{"", 0, "",
               fmt::format("the {} programs of cosa have no answer that fits; other strategies may find one",
                           report.solves)}};
    return {{"", 0, "",
             "the program of cosa has no answer: its tiles must fit equal shares of the levels; other strategies may "
             "find a mapping"}};
  }

  const LayerProblem& problem_;
  const std::optional<Mapping>& start_;
  const SearchBudget& budget_;
  std::unique_ptr<LogTrafficProgram> program_;
  LayerAnswer out_;
};

}  // namespace

LayerAnswer cosa_search(const LayerProblem& problem, const std::optional<Mapping>& start, const SearchBudget& budget) {
  if (problem.options.cosa_variant == CosaVariant::Convex) return convex_search(problem, start, budget);
  return ProgramSearch(problem, start, budget).run();
}

std::string cosa_program_text(const LayerProblem& problem) {
  const CosaVariant variant = problem.options.cosa_variant;
  return lp_text(variant == CosaVariant::Convex ? first_convex_program(problem) : make_program(problem)->mip(),
                 fmt::format("{} on {}: strategy cosa, variant {}", problem.workload.name, problem.architecture.name,
                             name(variant)));
}

}  // namespace heliolite
