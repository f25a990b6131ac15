#include "engine/search/study/bench_suite.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <memory>
#include <utility>

#include "engine/model/running_units.h"
#include "engine/search/core/budget.h"
#include "engine/search/map.h"
#include "engine/search/scheduling/fused_network.h"
#include "engine/space/mapspace.h"

namespace heliolite {
namespace {

bool stopped(const std::atomic<bool>* stop) { return stop != nullptr && stop->load(); }

// Collects the improvements that a search tells.
class TraceRecorder {
 public:
  void begin() {
    trace_.clear();
    counted_ = 0;
    clock_ = {};
  }
  void note(const SearchProgress& news) { note(news.value, news.evaluated); }
  // The search's answer, which it may have told before.
  std::vector<TracePoint> end(double value, u64 evaluated) {
    note(value, evaluated);
    return std::move(trace_);
  }

 private:
  // A search of several steps begins to count again with each: what is recorded never falls. Where a search does not
  // tell how many mappings it has priced, the next number that it tells is taken, which is not below.
  void note(double value, u64 evaluated) {
    if (value > 0 && (trace_.empty() || value < trace_.back().value)) trace_.push_back({0, clock_.seconds(), value});
    if (evaluated == 0) return;
    counted_ = std::max(counted_, evaluated);
    for (auto point = trace_.rbegin(); point != trace_.rend() && point->evaluated == 0; ++point)
      point->evaluated = counted_;
  }

  std::vector<TracePoint> trace_;
  u64 counted_ = 0;
  Stopwatch clock_;
};

class SuiteRunner {
 public:
  SuiteRunner(const BenchSuite& suite, const std::atomic<bool>* stop, const BenchProgress& progress)
      : suite_(suite), stop_(stop), progress_(progress) {}

  Result<BenchResult> run() {
    out_.planned = suite_.machines.size() * suite_.layers.size() * suite_.strategies.size();
    check_constraints();
    for (const BenchMachine& machine : suite_.machines)
      for (const BenchLayer& layer : suite_.layers) {
        for (const BenchStrategy& strategy : suite_.strategies) {
          if (stopped(stop_)) break;
          if (!errors_.empty()) return std::move(errors_);
          std::optional<BenchRow> row = search(machine, layer, strategy);
          if (!row) break;
          out_.rows.push_back(*std::move(row));
          ++out_.done;
          if (progress_) progress_(out_.done, out_.planned, machine.name + " " + layer.name);
        }
        add_external(machine, layer);
      }
    if (!errors_.empty()) return std::move(errors_);
    out_.interrupted = stopped(stop_);
    out_.left_out = suite_.external.size() - used_;
    rate();
    return std::move(out_);
  }

 private:
  void check_constraints() {
    for (const BenchMachine& machine : suite_.machines)
      for (const BenchLayer& layer : suite_.layers) {
        const auto all = [&](bool SearchOptions::*lifted) {
          return std::ranges::all_of(suite_.strategies, [&](const BenchStrategy& s) { return s.options.*lifted; });
        };
        const MapspaceOptions lifted{.free = all(&SearchOptions::free), .open = all(&SearchOptions::open)};
        for (const Layer& of_it : layer.network.layers)
          if (const Diagnostics errors = unmappable(of_it.workload, machine.architecture, lifted); !errors.empty())
            complain(machine, layer, errors);
      }
  }

  // Why no compute unit of the machine has a mapspace for the layer; empty if one does.
  static Diagnostics unmappable(const Workload& workload, const Architecture& machine, const MapspaceOptions& lifted) {
    const Result<std::vector<std::size_t>> units = units_that_run(workload, machine);
    if (!units) return units.errors();
    Diagnostics errors;
    for (const std::size_t unit : *units) {
      const auto space = resolve(workload, machine.chain(unit), lifted);
      if (space) return {};
      if (errors.empty()) errors = space.errors();
    }
    return errors;
  }

  // Empty when cut short.
  std::optional<BenchRow> search(const BenchMachine& machine, const BenchLayer& layer, const BenchStrategy& strategy) {
    SearchOptions options = options_of(suite_, strategy);
    options.stop = stop_;
    if (strategy.trained) {
      auto learned = train(layer, strategy, options);
      if (!learned) return complain(machine, layer, learned.errors());
      options.bayes.from = *learned;
    }
    if (stopped(stop_)) return std::nullopt;
    TraceRecorder trace;
    // The values of an evaluator are not those of the other rows.
    if (options.evaluator.command.empty()) options.progress = [&](const SearchProgress& news) { trace.note(news); };
    std::vector<double> seconds;
    BenchRow row;
    for (int k = 0; k < suite_.repeat; ++k) {
      trace.begin();
      const Stopwatch clock;
      Result<BenchRow> found =
          suite_.network ? of_network(machine, layer, strategy, options) : of_layer(machine, layer, strategy, options);
      seconds.push_back(clock.seconds());
      if (!found) return complain(machine, layer, found.errors());
      if (stopped(stop_)) return std::nullopt;
      row = *std::move(found);
    }
    row.strategy = strategy.label, row.machine = machine.name, row.layer = layer.name;
    row.seconds = median(seconds);
    if (row.value && !suite_.network) row.trace = trace.end(*row.value, *row.evaluated);
    return row;
  }

  using Learned = std::shared_ptr<const std::vector<LearnedTask>>;

  // What a trained strategy knows of the layer before it is measured.
  Result<Learned> train(const BenchLayer& layer, const BenchStrategy& strategy, SearchOptions options) {
    const auto [at, fresh] = learned_.try_emplace({layer.name, strategy.label});
    if (!fresh) return at->second;
    options.budget_evaluations = suite_.training.evaluations;
    options.bayes.learn = std::make_shared<LearnedTasks>();
    for (const BenchMachine& machine : suite_.training.machines)
      if (auto result = map_network(layer.network, machine.architecture, options); !result) return result.errors();
    return at->second = std::make_shared<const std::vector<LearnedTask>>(options.bayes.learn->take());
  }

  // Without names and times.
  Result<BenchRow> of_layer(const BenchMachine& machine, const BenchLayer& layer, const BenchStrategy& strategy,
                            const SearchOptions& options) const {
    Result<MappingResult> result = answer(machine, layer, strategy, options);
    if (!result) return result.errors();
    BenchRow row;
    row.evaluated = result->statistics.evaluated;
    row.status = result->status;
    row.evaluator = result->evaluator;
    row.why_infeasible = std::move(result->why_infeasible);
    if (result->status == Status::Infeasible) return row;
    row.value = objective_number(suite_.objective, result->cost, machine.architecture, layer.workload());
    if (result->lower_bound > 0) {
      row.lower_bound = result->lower_bound;
      row.gap = result->gap;
    }
    if (!suite_.proofs.empty()) row.answer = *std::move(result);
    return row;
  }

  static Result<MappingResult> answer(const BenchMachine& machine, const BenchLayer& layer,
                                      const BenchStrategy& strategy, const SearchOptions& options) {
    const Architecture& architecture = machine.architecture;
    if (strategy.mapper) {
      const Result<const Architecture*> chain = chain_that_runs(layer.workload(), architecture);
      if (!chain) return chain.errors();
      return rated(strategy.mapper(layer.workload(), **chain, options), layer.workload(), **chain, options);
    }
    auto result = map_network(layer.network, architecture, options);
    if (!result) return result.errors();
    return std::move(result->layers.front().result);
  }

  // The row of a whole network, its layers fused or not.
  Result<BenchRow> of_network(const BenchMachine& machine, const BenchLayer& layer, const BenchStrategy& strategy,
                              const SearchOptions& options) const {
    BenchRow row;
    const auto take = [&](const auto& best) {
      row.status = best.status;
      row.value = best.value;
      row.lower_bound = best.lower_bound;
      row.gap = best.gap;
    };
    if (strategy.fuse) {
      const Result<FusedNetwork> found = fuse_network(layer.network, machine.architecture, options);
      if (!found) return found.errors();
      take(found->best);
      row.evaluated = found->best.evaluated;
      row.unfused = found->best.unfused_value;
      return row;
    }
    Result<NetworkResult> found = map_network(layer.network, machine.architecture, options);
    if (!found) return found.errors();
    row.evaluated = 0;
    for (const LayerResult& mapped : found->layers) {
      *row.evaluated += mapped.result.statistics.evaluated;
      for (const Diagnostic& why : mapped.result.why_infeasible) row.why_infeasible.push_back(why);
    }
    if (found->optimum) take(*found->optimum);
    else row.status = Status::Infeasible;
    if (!suite_.proofs.empty()) row.network = *std::move(found);
    return row;
  }

  std::optional<BenchRow> complain(const BenchMachine& machine, const BenchLayer& layer, const Diagnostics& why) {
    for (Diagnostic d : why) {
      d.message = layer.name + " on " + machine.name + ": " + d.message;
      errors_.push_back(std::move(d));
    }
    return std::nullopt;
  }

  void add_external(const BenchMachine& machine, const BenchLayer& layer) {
    std::map<std::string, std::size_t> row_of;  // by mapper
    for (const ExternalResult& e : suite_.external) {
      if (e.machine != machine.name || e.layer != layer.name) continue;
      ++used_;
      const auto [at, fresh] = row_of.try_emplace(e.mapper, out_.rows.size());
      if (fresh) out_.rows.emplace_back();
      else ++out_.repeated;
      BenchRow& row = out_.rows[at->second];
      if (!fresh && *row.value <= e.value) continue;
      row = {.strategy = e.mapper, .machine = e.machine, .layer = e.layer, .external = true};
      row.seconds = e.seconds;
      row.evaluated = e.evaluated;
      row.value = e.value;
    }
  }

  void rate() {
    std::map<std::pair<std::string, std::string>, double> best;
    for (const BenchRow& row : out_.rows) {
      if (!row.value) continue;
      const auto [at, fresh] = best.try_emplace({row.machine, row.layer}, *row.value);
      if (!fresh) at->second = std::min(at->second, *row.value);
    }
    for (BenchRow& row : out_.rows)
      if (row.value) row.ratio_to_best = *row.value / best.at({row.machine, row.layer});
  }

  const BenchSuite& suite_;
  const std::atomic<bool>* stop_;
  const BenchProgress& progress_;
  BenchResult out_;
  Diagnostics errors_;
  std::map<std::pair<std::string, std::string>, Learned> learned_;  // [layer, strategy]
  u64 used_ = 0;                                                    // external results
};

BenchSummary summary_of(const std::vector<const BenchRow*>& rows, const std::string& machine) {
  BenchSummary out{.strategy = rows.front()->strategy, .machine = machine};
  double logarithms = 0;
  std::vector<double> seconds;
  for (const BenchRow* row : rows) {
    ++out.rows;
    if (row->seconds) seconds.push_back(*row->seconds);
    out.proven += row->status == Status::Optimal ? 1 : 0;
    if (!row->ratio_to_best) continue;
    ++out.mapped;
    out.best += *row->ratio_to_best <= 1 + kSameValue ? 1 : 0;
    logarithms += std::log(*row->ratio_to_best);
    if (out.worst_ratio && *row->ratio_to_best <= *out.worst_ratio) continue;
    out.worst_ratio = row->ratio_to_best;
    out.worst = row->machine + " " + row->layer;
  }
  if (out.mapped > 0) out.mean_ratio = std::exp(logarithms / static_cast<double>(out.mapped));
  if (seconds.empty()) return out;
  out.max_seconds = *std::max_element(seconds.begin(), seconds.end());
  out.median_seconds = median(std::move(seconds));
  return out;
}

}  // namespace

SearchOptions options_of(const BenchSuite& suite, const BenchStrategy& strategy) {
  SearchOptions out = strategy.options;
  out.objective = suite.objective;
  out.network = suite.network;
  out.threads = suite.threads;
  return out;
}

double median(std::vector<double> values) {
  const auto middle = values.begin() + (values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  if (values.size() % 2 == 1) return *middle;
  return (*std::max_element(values.begin(), middle) + *middle) / 2;
}

Result<BenchResult> run_bench(const BenchSuite& suite, const std::atomic<bool>* stop, const BenchProgress& progress) {
  return SuiteRunner(suite, stop, progress).run();
}

std::vector<BenchSummary> summarize(const std::vector<BenchRow>& rows) {
  std::vector<std::string> strategies, machines;
  const auto note = [](std::vector<std::string>& names, const std::string& name) {
    if (std::find(names.begin(), names.end(), name) == names.end()) names.push_back(name);
  };
  std::map<std::pair<std::string, std::string>, std::vector<const BenchRow*>> groups;
  for (const BenchRow& row : rows) {
    note(strategies, row.strategy);
    note(machines, row.machine);
    groups[{row.strategy, row.machine}].push_back(&row);
    groups[{row.strategy, ""}].push_back(&row);
  }
  if (machines.size() > 1) machines.emplace_back();
  std::vector<BenchSummary> out;
  for (const std::string& strategy : strategies)
    for (const std::string& machine : machines)
      if (const auto at = groups.find({strategy, machine}); at != groups.end())
        out.push_back(summary_of(at->second, machine));
  return out;
}

}  // namespace heliolite
