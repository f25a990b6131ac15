#include "engine/search/cosa/cosa_search.h"

#include <fmt/format.h>

#include <memory>

#include "engine/base/integers.h"
#include "engine/search/cosa/log_traffic.h"
#include "engine/search/cosa/mip_solver.h"

namespace heliolite {
namespace {

constexpr int kMostExclusions = 64;  // answers that did not fit, before the search gives up

// What levels keep: what they must; of what is open only a level that need not keep anything takes all.
KeepMasks keep_of(const Mapspace& space) {
  KeepMasks out{};
  for (std::size_t i = 0; i < space.levels.size(); ++i)
    out[i] = space.levels[i].keep != 0 ? space.levels[i].keep : space.levels[i].open;
  return out;
}

std::unique_ptr<MappingProgram> make_program(const LayerProblem& problem) {
  const SearchOptions& options = problem.options;
  return std::make_unique<LogTrafficProgram>(problem, keep_of(problem.space), options.cosa_variant,
                                             options.cosa_weights);
}

class Search {
 public:
  Search(const LayerProblem& problem, const SearchBudget& budget)
      : problem_(problem), budget_(budget), program_(make_program(problem)) {}

  LayerAnswer run() {
    const Mip& mip = program_->mip();
    MipReport report{.variant = problem_.options.cosa_variant};
    report.columns = mip.columns().size();
    report.integers = mip.integers();
    for (int k = 0; k <= kMostExclusions; ++k) {
      const MipAnswer found =
          solve(mip, {.seconds = budget_.seconds_left(), .stopped = [this] { return budget_.stopped(); }});
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
  // Whether the mapping fits.
  bool take(const Mapping& mapping) {
    ++out_.statistics.evaluated;
    const Evaluation priced = problem_.model.evaluate(mapping);
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
  const SearchBudget& budget_;
  std::unique_ptr<MappingProgram> program_;
  LayerAnswer out_;
};

}  // namespace

LayerAnswer cosa_search(const LayerProblem& problem, const SearchBudget& budget) {
  return Search(problem, budget).run();
}

std::string cosa_program_text(const LayerProblem& problem) {
  return lp_text(make_program(problem)->mip(),
                 fmt::format("{} on {}: strategy cosa, variant {}", problem.workload.name, problem.architecture.name,
                             name(problem.options.cosa_variant)));
}

}  // namespace heliolite
