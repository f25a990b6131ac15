#include "engine/search/layer_search.h"

#include <algorithm>
#include <cmath>
#include <mutex>
#include <utility>

#include "engine/model/countable.h"
#include "engine/search/bayes/bayes_search.h"
#include "engine/search/certify/reduced_problem.h"
#include "engine/search/exact/exact.h"
#include "engine/search/exact/kept_tables.h"
#include "engine/search/schedule.h"
#include "engine/search/validate_question.h"

namespace heliolite {
// Made when a search first asks for it: conclusions alone need none.
struct LayerSearch::Reduced {
  std::once_flag made;
  std::optional<ReducedProblem> problem;
  std::unique_ptr<const LayerSearch> search;  // null: there is no smaller problem
};

LayerSearch::LayerSearch(std::unique_ptr<LayerProblem> problem)
    : problem_(std::move(problem)),
      levels_(*problem_),
      reduced_(std::make_shared<Reduced>()),
      kept_(std::make_shared<KeptTables>()) {
  // Sums are asked for after the layer's own optimum.
  if (problem_->options.network) problem_->kept_tables = kept_;
}

LayerAnswer LayerSearch::on_reduced(const std::function<LayerAnswer(const LayerSearch&)>& search) const {
  std::call_once(reduced_->made, [&] {
    reduced_->problem.emplace(*problem_, Factors::Perfect);
    if (!reduced_->problem->changed()) return;
    reduced_->search.reset(new LayerSearch(std::make_unique<LayerProblem>(reduced_->problem->problem())));
  });
  if (!reduced_->search) return search(*this);
  LayerAnswer out = reduced_->search->on_reduced(search);
  reduced_->problem->restore(out);
  return out;
}

Result<LayerSearch> LayerSearch::create(const Workload& workload, const Architecture& architecture,
                                        const SearchOptions& options) {
  if (Diagnostics errors = validate_question(options); !errors.empty()) return errors;
  // Factors that do not divide may round every dimension up, to twice its size at most.
  const double steps = std::ldexp(static_cast<double>(workload.macs()), static_cast<int>(workload.dimensions.size()));
  if (Diagnostics errors = uncountable_energies(workload, architecture, steps); !errors.empty()) return errors;
  auto space = resolve(workload, architecture, mapspace_options(options));
  if (!space) return space.errors();
  Architecture machine = architecture;
  machine.peer_channel = false;
  std::unique_ptr<LayerProblem> problem(
      new LayerProblem{workload, machine, options, *std::move(space), CostModel(workload, machine)});
  if (architecture.peer_channel) {
    CostModel whole(workload, architecture);
    if (peers_matter(problem->space, whole.compiled())) {
      problem->whole_model = std::move(whole);
      // What the search without words from peers has proven is not proven of all mappings.
      if (options.progress)
        problem->options.progress = [report = options.progress](SearchProgress news) {
          news.lower_bound = 0;
          report(news);
        };
    }
  }
  if (Diagnostics errors = witness_complaints(*problem); !errors.empty()) return errors;
  if (Diagnostics errors = factors_complaints(*problem); !errors.empty()) return errors;
  if (Diagnostics errors = ramps_complaints(architecture, options); !errors.empty()) return errors;
  LayerSearch out(std::move(problem));
  if (options.strategy == Strategy::Bayes)
    if (Diagnostics errors = unusable_tasks(*out.problem_, out.levels_.orders()); !errors.empty()) return errors;
  return out;
}

namespace {

// Loops of a tree become loops of the outermost level; parts of a dimension may be less than the machine asks of all of
// it.
void allow_loops_around(Mapspace& space) {
  for (LevelSpace& level : space.levels)
    for (FactorLimits* limits : {&level.temporal.factor, &level.spatial.factor})
      for (FactorLimit& limit : *limits) limit.min = 1;
  TemporalSpace& outermost = space.levels.back().temporal;
  outermost.order = {};
  outermost.allowed = space.non_unit;
  for (int d = 0; d < space.dimension_count; ++d) outermost.factor[d] = {1, space.size[d]};
}

}  // namespace

Result<LayerSearch> LayerSearch::create(const Workload& pass_workload, const Architecture& architecture,
                                        const NestPass& pass, const SearchOptions& options, bool whole_link) {
  auto space = resolve(pass_workload, architecture, mapspace_options(options));
  if (!space) return space.errors();
  Architecture machine = architecture;
  machine.peer_channel = false;
  // What homes take is room of no search; the model's pass need not say it again.
  NestPass own = pass;
  own.taken = 0;
  if (pass.taken != 0)
    if (StorageLevel& home = machine.levels[pass.level]; home.entries) {
      home.entries = *home.capacity_words() - std::min(*home.capacity_words(), pass.taken);
      home.multiple_buffering = 1;
    }
  if (whole_link) allow_loops_around(*space);
  const int top = space->level_count() - 1;
  for (int i = pass.level; pass.at_home != 0 && i < top; ++i) {
    LevelSpace& level = space->levels[i];
    level.keep = static_cast<TensorMask>(level.keep & ~pass.at_home);
    level.open = static_cast<TensorMask>(level.open & ~pass.at_home);
    level.bypass = static_cast<TensorMask>(level.bypass | pass.at_home);
  }
  return LayerSearch(std::unique_ptr<LayerProblem>(
      new LayerProblem{pass_workload, machine, options, *std::move(space), CostModel(pass_workload, machine, own)}));
}

LayerAnswer LayerSearch::search(const SearchBudget& budget) const {
  const bool exact = problem_->options.strategy == Strategy::Exact;
  if (problem_->whole_model && !exact) return run_other_by_whole_model(*this, budget);
  LayerAnswer answer = run_strategy(*this, budget);
  if (!exact && answer.end == SearchEnd::Done) answer.end = budget.end(answer.statistics.evaluated);
  return answer;
}

LayerProblem LayerSearch::problem_for_sum(double lambda) const {
  LayerProblem out = *problem_;
  out.options.objective = Objective::weighted_sum(lambda);
  out.options.progress = {};
  out.options.witness.reset();
  out.options.bayes.from.reset(), out.options.bayes.learn.reset();
  return out;
}

LayerSearch LayerSearch::for_sum(double lambda) const {
  LayerSearch out(std::make_unique<LayerProblem>(problem_for_sum(lambda)));
  out.problem_->kept_tables = kept_;
  return out;
}

MappingResult LayerSearch::search_for_sum(double lambda, const Mapping& known, const SearchBudget& budget) const {
  const LayerSearch search = for_sum(lambda);
  return search.conclude(run_from(*this, search, lambda, known, budget), search.first_bound());
}

LayerAnswer LayerSearch::list_for_sum(double lambda, double below_pj, const CostBound& most,
                                      const SearchBudget& budget) const {
  const LayerProblem problem = problem_for_sum(lambda);
  return exact_list(problem, most, key_of_number(problem.options.objective, below_pj), budget);
}

Cost LayerSearch::least_cost() const {
  const CostModel& model = problem_->whole_model ? *problem_->whole_model : problem_->model;
  return compulsory_cost(model, problem_->keep_range()).whole;
}

double LayerSearch::least_sum(double lambda) const {
  return kSumRounding * objective_number(Objective::weighted_sum(lambda), least_cost());
}

double LayerSearch::first_bound() const {
  if (!problem_->options.evaluator.command.empty()) return 0;
  return objective_number(problem_->options.objective, compulsory_cost(problem_->model, problem_->keep_range()).whole);
}

}  // namespace heliolite
