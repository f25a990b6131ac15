#include "engine/search/cosa/cosa_search.h"

#include <fmt/format.h>
#include <algorithm>
#include <cmath>
#include <memory>

#include "engine/search/core/compulsory.h"
#include "engine/search/cosa/mapping_program.h"

namespace heliolite {
namespace {

constexpr double kClose = 0.0144;     // log2 of 1.01: the search ends when value and bound are that close
constexpr double kSolverGap = 0.003;  // log2: what one program may leave open
// log2: more than the solver's tolerances, times the largest factors of the rows, can take from a bound.
constexpr double kSafety = 0.001;
constexpr double kFirstLimit = 8, kMostLimit = 64;  // log2 above what every mapping costs
constexpr int kMostRounds = 24;
constexpr u64 kMostKeeps = 16;

double log2_compulsory(const LayerProblem& problem) {
  return std::log2(
      objective_number(problem.options.objective, compulsory_cost(problem.model, problem.keep_range()).whole));
}

class ConvexSearch {
 public:
  ConvexSearch(const LayerProblem& problem, const SearchBudget& budget)
      : problem_(problem), budget_(budget), first_limit_(log2_compulsory(problem) + kFirstLimit) {}

  LayerAnswer run(const std::optional<Mapping>& start) {
    if (start) {
      EnergyLimits unused;
      take(*start, unused);
      if (out_.found) report_.start = log2_best();
    }
    std::vector<KeepMasks> keeps = problem_.keep_choices(kMostKeeps);
    bool certified = EnergyProgram::is_a_relaxation(problem_.model.compiled()) && !keeps.empty();
    if (keeps.empty()) keeps = {usual_keep(problem_.space)};
    report_.variant = CosaVariant::Convex;
    report_.proven = true;
    double bound = kUnlimited;
    for (std::size_t k = 0; k < keeps.size(); ++k) bound = std::min(bound, search(keeps[k], keeps.size() - k));
    report_.found = out_.found;
    report_.bound = bound;
    if (out_.found) report_.objective = log2_best();
    out_.mip = report_;
    certified = certified && std::isfinite(bound) && out_.found;
    if (certified) out_.lower_bound = std::exp2(std::min(bound, log2_best()) - kSafety);
    if (!out_.found && report_.proven)
      out_.why_not_found = {
          {"", 0, "", "the programs of cosa have no answer that fits; other strategies may find one"}};
    return out_;
  }

 private:
  // log2 of a bound of all mappings that keep these tensors; -infinity if there is none yet. `left`: choices to come.
  double search(const KeepMasks& keep, std::size_t left) {
    EnergyLimits limits;
    limits.shrink.assign(problem_.space.levels.size(), 0);
    const SearchBudget part = budget_.part_of_time(1 / static_cast<double>(left));
    double bound = -kUnlimited, first_limit = first_limit_;
    Mapping last{};
    for (int round = 0; round < kMostRounds; ++round) {
      constexpr double kSlack = 1e-5;  // the best known stays an answer
      limits.log2_limit = out_.found ? log2_best() + kSlack : first_limit;
      const EnergyProgram program(problem_, keep, limits);
      const MipAnswer found = solved(program.mip(), part);
      if (found.infeasible) {
        if (out_.found) return limits.log2_limit - kSlack;
        first_limit += kFirstLimit;
        if (first_limit > first_limit_ + kMostLimit) return kUnlimited;
        continue;
      }
      report_.proven = report_.proven && found.proven;
      if (found.values.empty()) return out_.found ? std::max(bound, found.bound) : -kUnlimited;
      const Mapping mapping = program.mapping(found.values);
      const bool better = take(mapping, limits);
      if (out_.found && log2_best() <= limits.log2_limit) bound = std::max(bound, found.bound);
      const bool again = mapping == last && !better;
      last = mapping;
      limits.earlier_answers.push_back(found.values);
      if (again || !found.proven || (out_.found && bound >= log2_best() - kClose)) break;
      if (part.end(out_.statistics.evaluated) != SearchEnd::Done) break;
    }
    return bound;
  }

  MipAnswer solved(const Mip& mip, const SearchBudget& part) {
    const MipAnswer found = solve(
        mip, {.seconds = part.seconds_left(), .gap = kSolverGap, .stopped = [this] { return budget_.stopped(); }});
    ++report_.solves;
    report_.nodes += found.nodes;
    report_.columns = mip.columns().size();
    report_.integers = mip.integers();
    report_.rows = mip.rows().size();
    return found;
  }

  // Prices the mapping; whether it is the best so far. One that does not fit makes its level smaller, which only tiles
  // that are no products can need: where a bound is claimed, the tangents at the answer leave it out.
  bool take(const Mapping& mapping, EnergyLimits& limits) {
    ++out_.statistics.evaluated;
    const Evaluation priced = problem_.evaluate(mapping);
    if (priced.verdict == Verdict::Fits) return out_.offer(problem_.options.objective, mapping, priced.cost);
    if (!EnergyProgram::is_a_relaxation(problem_.model.compiled())) limits.shrink[priced.level] -= 0.25;
    return false;
  }

  double log2_best() const { return std::log2(objective_number(problem_.options.objective, out_.cost)); }

  const LayerProblem& problem_;
  const SearchBudget& budget_;
  double first_limit_;
  LayerAnswer out_;
  MipReport report_;
};

}  // namespace

LayerAnswer convex_search(const LayerProblem& problem, const std::optional<Mapping>& start,
                          const SearchBudget& budget) {
  return ConvexSearch(problem, budget).run(start);
}

Mip first_convex_program(const LayerProblem& problem) {
  EnergyLimits limits;
  limits.log2_limit = log2_compulsory(problem) + kFirstLimit;
  return EnergyProgram(problem, usual_keep(problem.space), limits).mip();
}

namespace {

constexpr int kMostExclusions = 64;  // answers that did not fit, before the search gives up

std::unique_ptr<LogTrafficProgram> make_program(const LayerProblem& problem) {
  const SearchOptions& options = problem.options;
  return std::make_unique<LogTrafficProgram>(problem, usual_keep(problem.space), options.cosa.variant,
                                             options.cosa.weights, options.cosa.halo);
}

class ProgramSearch {
 public:
  ProgramSearch(const LayerProblem& problem, const std::optional<Mapping>& start, const SearchBudget& budget)
      : problem_(problem), start_(start), budget_(budget), program_(make_program(problem)) {}

  LayerAnswer run() {
    const Mip& mip = program_->mip();
    MipReport report{.variant = problem_.options.cosa.variant};
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
  if (problem.options.cosa.variant == CosaVariant::Convex) return convex_search(problem, start, budget);
  return ProgramSearch(problem, start, budget).run();
}

std::string cosa_program_text(const LayerProblem& problem) {
  const CosaVariant variant = problem.options.cosa.variant;
  return lp_text(variant == CosaVariant::Convex ? first_convex_program(problem) : make_program(problem)->mip(),
                 fmt::format("{} on {}: strategy cosa, variant {}", problem.workload.name, problem.architecture.name,
                             name(variant)));
}

}  // namespace heliolite
