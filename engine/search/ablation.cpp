#include "engine/search/ablation.h"

#include <array>
#include <chrono>

#include "engine/search/ablation_search.h"
#include "engine/space/mapspace_size.h"

namespace heliolite {
namespace {

constexpr std::array<std::string_view, kAblationSteps> kNames{"none", "+orders", "+alpha-beta", "+spatial", "+T1"};

// All splits, times the loop orders of every level but the innermost with loops, whose order matters to nothing.
BigCount points(const LayerProblem& problem, const AblationLevels& levels, const MapspaceSize& size,
                AblationStep step) {
  const auto kept = ablation_orders(problem);
  BigCount out = size.tilings;
  for (const BigCount& n : size.keeps) out *= n;
  for (std::size_t k = 1; k < levels.level.size(); ++k) {
    const auto level = static_cast<std::size_t>(levels.level[k]);
    out *= step == AblationStep::None ? size.orders[level] : BigCount(kept[level].size());
  }
  return out;
}

class AblationRunner {
 public:
  AblationRunner(const AblationSuite& suite, const std::atomic<bool>* stop, const BenchProgress& progress)
      : suite_(suite), stop_(stop), progress_(progress) {}

  Result<AblationResult> run() {
    check();
    if (!errors_.empty()) return std::move(errors_);
    const u64 planned = suite_.machines.size() * suite_.layers.size() * kAblationSteps;
    u64 done = 0;
    for (const BenchMachine& machine : suite_.machines)
      for (const BenchLayer& layer : suite_.layers) {
        AblationLayer out{machine.name, layer.name, {}};
        for (std::size_t step = 0; step < kAblationSteps; ++step) {
          out.rows.push_back(row(machine, layer, static_cast<AblationStep>(step)));
          if (stop_ != nullptr && stop_->load()) {
            out_.interrupted = true;
            return std::move(out_);
          }
          if (progress_) progress_(++done, planned, machine.name + " " + layer.name);
        }
        out_.layers.push_back(std::move(out));
      }
    return std::move(out_);
  }

 private:
  void check() {
    for (const BenchMachine& machine : suite_.machines)
      for (const BenchLayer& layer : suite_.layers) {
        const auto space = resolve(layer.workload, machine.architecture);
        const auto add = [&](const Diagnostics& why) {
          for (Diagnostic d : why) {
            d.message = layer.name + " on " + machine.name + ": " + d.message;
            errors_.push_back(std::move(d));
          }
        };
        if (!space) {
          add(space.errors());
        } else if (const auto levels = ablation_levels(*space, machine.name); !levels) {
          add(levels.errors());
        }
      }
  }

  AblationRow row(const BenchMachine& machine, const BenchLayer& layer, AblationStep step) const {
    SearchOptions options;
    options.objective = suite_.objective;
    options.budget_seconds = suite_.budget_seconds;
    options.stop = stop_;
    const LayerProblem problem{layer.workload, machine.architecture, options,
                               *resolve(layer.workload, machine.architecture),
                               CostModel(layer.workload, machine.architecture)};
    const AblationLevels levels = *ablation_levels(problem.space, machine.name);
    const auto begin = std::chrono::steady_clock::now();
    AblationRow out;
    out.step = step;
    out.counted = step <= AblationStep::Orders;
    if (out.counted) {
      const MapspaceSize size = mapspace_size(problem.space);
      const BigCount count = points(problem, levels, size, step);
      out.at_most = !size.tilings_exact;
      out.points = static_cast<double>(count);
      out.points_exact = count.str();
    } else {
      ablation_search(problem, levels, out);
    }
    out.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
    return out;
  }

  const AblationSuite& suite_;
  const std::atomic<bool>* stop_;
  const BenchProgress& progress_;
  AblationResult out_;
  Diagnostics errors_;
};

}  // namespace

std::string_view name(AblationStep step) { return kNames[static_cast<std::size_t>(step)]; }

Result<AblationResult> run_ablation(const AblationSuite& suite, const std::atomic<bool>* stop,
                                    const BenchProgress& progress) {
  return AblationRunner(suite, stop, progress).run();
}

}  // namespace heliolite
