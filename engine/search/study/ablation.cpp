#include "engine/search/study/ablation.h"

#include <fmt/format.h>

#include <array>

#include "engine/base/integers.h"
#include "engine/search/core/budget.h"
#include "engine/search/layer_search.h"
#include "engine/search/map.h"
#include "engine/space/mapspace_size.h"

namespace heliolite {
namespace {

// All splits, times the loop orders of every level but the innermost with loops, whose order matters to nothing.
BigCount points(const LevelProblem& levels, const MapspaceSize& size, AblationStep step) {
  BigCount out = size.tilings;
  for (const BigCount& n : size.keeps) out *= n;
  bool innermost = true;
  for (std::size_t i = 0; i < levels.orders().size(); ++i) {
    if (levels.problem().space.levels[i].temporal.allowed == 0) continue;
    if (!innermost) out *= step == AblationStep::None ? size.orders[i] : BigCount(levels.orders()[i].size());
    innermost = false;
  }
  return out;
}

RuleSet rules_of(AblationStep step) {
  RuleSet out;
  out.set(Rule::FullUnrolling, step >= AblationStep::Spatial).set(Rule::IndexingFirst, step >= AblationStep::Spatial);
  return out.set(Rule::MaximalTiles, step >= AblationStep::Tiles);
}

class AblationRunner {
 public:
  AblationRunner(const AblationSuite& suite, const std::atomic<bool>* stop, const BenchProgress& progress)
      : suite_(suite), stop_(stop), progress_(progress) {}

  Result<AblationResult> run() {
    check();
    if (!errors_.empty()) return std::move(errors_);
    planned_ = suite_.machines.size() * suite_.layers.size() * kAblationSearches;
    for (const BenchMachine& machine : suite_.machines)
      for (const BenchLayer& layer : suite_.layers) {
        AblationLayer out{machine.name, layer.name, {}, {}};
        for (std::size_t step = 0; step < kAblationSteps; ++step) {
          out.rows.push_back(row(machine, layer, static_cast<AblationStep>(step)));
          if (!counted(machine, layer)) return std::move(out_);
        }
        out.optimum = optimum(machine, layer, out.rows);
        if (!counted(machine, layer)) return std::move(out_);
        out_.layers.push_back(std::move(out));
      }
    return std::move(out_);
  }

 private:
  // One search more is done; false when it was cut short.
  bool counted(const BenchMachine& machine, const BenchLayer& layer) {
    out_.interrupted = stop_ != nullptr && stop_->load();
    if (!out_.interrupted && progress_) progress_(++done_, planned_, machine.name + " " + layer.name);
    return !out_.interrupted;
  }

  void check() {
    for (const BenchMachine& machine : suite_.machines)
      for (const BenchLayer& layer : suite_.layers) {
        const auto space = resolve(layer.workload(), machine.architecture);
        const auto add = [&](const Diagnostics& why) {
          for (Diagnostic d : why) {
            d.message = layer.name + " on " + machine.name + ": " + d.message;
            errors_.push_back(std::move(d));
          }
        };
        if (!space) add(space.errors());
      }
  }

  SearchOptions options() const {
    SearchOptions out;
    out.objective = suite_.objective;
    out.budget_seconds = suite_.budget_seconds;
    out.stop = stop_;
    return out;
  }

  AblationOptimum optimum(const BenchMachine& machine, const BenchLayer& layer,
                          const std::vector<AblationRow>& rows) const {
    SearchOptions exact = options();
    exact.strategy = Strategy::Exact;
    AblationOptimum out;
    const auto found = map_workload(layer.workload(), machine.architecture, exact);
    if (!found) return out;  // not after check()
    out.proven = found->status == Status::Optimal;
    if (found->status != Status::Infeasible) out.value = found->value;
    out.lower_bound = found->lower_bound;
    out.evaluated = found->statistics.evaluated;
    out.seconds = found->seconds;
    for (const AblationRow& r : rows)
      if (!out.proven && r.value && (out.value == 0 || *r.value < out.value)) out.value = *r.value;
    return out;
  }

  AblationRow row(const BenchMachine& machine, const BenchLayer& layer, AblationStep step) const {
    SearchOptions thesis = options();
    thesis.strategy = Strategy::Thesis;
    thesis.rules = rules_of(step);
    const LayerSearch search = *LayerSearch::create(layer.workload(), machine.architecture, thesis);
    const Stopwatch clock;
    AblationRow out;
    out.step = step;
    out.counted = step <= AblationStep::Orders;
    if (out.counted) {
      const MapspaceSize size = mapspace_size(search.problem().space);
      const BigCount count = points(search.levels(), size, step);
      out.at_most = !size.tilings_exact;
      out.points = static_cast<double>(count);
      out.points_exact = count.str();
    } else {
      const LayerAnswer answer = search.search(SearchBudget(search.problem().options));
      out.points = static_cast<double>(answer.statistics.evaluated);
      out.points_exact = fmt::format("{}", answer.statistics.evaluated);
      out.finished = answer.end == SearchEnd::Done;
      if (answer.found)
        out.value = objective_number(suite_.objective, answer.cost, machine.architecture, layer.workload());
    }
    out.seconds = clock.seconds();
    return out;
  }

  const AblationSuite& suite_;
  const std::atomic<bool>* stop_;
  const BenchProgress& progress_;
  AblationResult out_;
  Diagnostics errors_;
  u64 done_ = 0, planned_ = 0;  // searches
};

}  // namespace

std::optional<double> ratio(const AblationLayer& layer, const AblationRow& row) {
  if (!row.value || layer.optimum.value <= 0) return std::nullopt;
  return *row.value / layer.optimum.value;
}

Result<AblationResult> run_ablation(const AblationSuite& suite, const std::atomic<bool>* stop,
                                    const BenchProgress& progress) {
  return AblationRunner(suite, stop, progress).run();
}

}  // namespace heliolite
