#include "engine/search/co_search/memory_bins.h"

#include <algorithm>

#include "engine/model/compiled.h"
#include "engine/search/sunstone/sunstone.h"

namespace heliolite {
namespace {

constexpr std::size_t kPlansOfABin = 4;  // unrollings

// Whether a machine with a smaller memory, nowhere dearer, holds all tiles that the plan decides: those inside the
// outermost fan-out.
bool held_by_smaller(const MachineFamily& family, std::size_t machine, const Compiled& c, const Mapspace& space,
                     const Plan& plan) {
  int outermost_fanout = space.level_count() - 1;
  while (outermost_fanout > 0 && !space.levels[outermost_fanout].spatial.exists()) --outermost_fanout;
  for (int i : family.swept()) {
    const u64 smaller = family.held_by_smaller(machine, i);
    if (i >= outermost_fanout) break;
    if (smaller == 0) continue;
    const Extents tile = tile_through(space, plan, i);
    if (level_words(c, i, plan.keep[i], tile) <= smaller) return true;
  }
  return false;
}

}  // namespace

Result<MemoryBins> MemoryBins::create(const Workload& workload, const MachineFamily& family,
                                      const SearchOptions& options) {
  auto search = LayerSearch::create(workload, family.envelope(), options);
  if (!search) return search.errors();
  return MemoryBins(*std::move(search), family);
}

MemoryBins::MemoryBins(LayerSearch search, const MachineFamily& family)
    : search_(std::move(search)),
      machines_(search_.problem().workload, family, search_.problem().options.objective),
      ladder_(search_.levels().make_ladder(SearchBudget(search_.problem().options))),
      fillings_(std::make_unique<Fillings>(search_.problem().space, search_.problem().workload)),
      bins_(family.size()) {
  fill(family);
}

void MemoryBins::fill(const MachineFamily& family) {
  const LayerProblem& problem = search_.problem();
  for (const KeepMasks& keep : search_.levels().keep_choices()) {
    // Step 1. What the envelope finds promising; its memories have room for all tiles of all machines.
    ladder_->use(problem.model);
    ladder_->set_keep(keep);
    Sunstone search(*ladder_, problem.options.rules, *fillings_);
    std::vector<PartialPlan> plans = search.begin();
    if (plans.size() > kPlansOfABin) plans.resize(kPlansOfABin);
    // Step 2. Tiles for each machine's own memories.
    for (std::size_t m = 0; m < bins_.size() && !ladder_->stopped(); ++m) {
      ladder_->use(machines_.model(m));
      for (PartialPlan plan : plans) {
        if (!search.begin_again(plan)) continue;
        bins_[m].needless &= held_by_smaller(family, m, ladder_->compiled(), problem.space, plan.plan);
        bins_[m].plans.push_back(plan);
      }
    }
    rules_ += search.rules();
  }
  for (std::size_t m = 0; m < bins_.size(); ++m) {
    Bin& bin = bins_[m];
    std::sort(bin.plans.begin(), bin.plans.end(),
              [](const PartialPlan& a, const PartialPlan& b) { return a.before(b); });
    if (bin.plans.size() > kPlansOfABin) bin.plans.resize(kPlansOfABin);
    bin.cost = bin.plans.empty() ? kNever : machines_.number(m, bin.plans.front().score.cost);
  }
}

double MemoryBins::complete(std::size_t machine) {
  const LayerProblem& problem = search_.problem();
  ladder_->use(machines_.model(machine));
  Sunstone search(*ladder_, problem.options.rules, *fillings_);
  for (const PartialPlan& plan : bins_[machine].plans) {
    ladder_->set_keep(plan.plan.keep);
    search.complete({plan});
  }
  rules_ += search.rules();
  if (search.best().empty()) return kNever;
  return machines_.number(machine, search.best().front().score.cost);
}

double MemoryBins::compulsory(std::size_t machine) const {
  return machines_.compulsory(machine, search_.problem().keep_range());
}

SearchStatistics MemoryBins::statistics() const { return {ladder_->evaluated(), ladder_->tiles(), rules_, {}}; }

}  // namespace heliolite
