#pragma once
// One layer on all machines of a family, by the Sunstone strategy (Sunstone-arch): one walk finds the unrollings; then
// every machine gets a bin with the tiles that suit its memories, and the bin a cost. Bins are completed when asked.
#include <memory>
#include <vector>

#include "engine/search/co_search/layer_on_family.h"
#include "engine/search/layer_search.h"
#include "engine/search/sunstone/fillings.h"
#include "engine/search/sunstone/partial_plan.h"

namespace heliolite {

// The bins of one layer.
class MemoryBins {
 public:
  // The options' budget is for all machines together. Errors: constraints that name what the workload does not have.
  static Result<MemoryBins> create(const Workload& workload, const MachineFamily& family, const SearchOptions& options);

  // The cost of the machine's cheapest tiles, with everything outside them at its compulsory cost, in units of
  // LayerOnFamily::number(); infinity: no tiles fit.
  double cost(std::size_t machine) const { return bins_[machine].cost; }
  // Whether a machine with a smaller memory, nowhere dearer, would hold all tiles of the bin (rule smallest-memory).
  bool needless(std::size_t machine) const { return bins_[machine].needless; }

  // The value of the best mapping that the machine's tiles lead to, in the same unit; infinity: there is none.
  double complete(std::size_t machine);

  // The compulsory cost of the machine, a lower bound of all mappings on it, in the same unit.
  double compulsory(std::size_t machine) const;

  // The work done so far.
  SearchStatistics statistics() const;

 private:
  struct Bin {
    double cost = 0;                 // as cost()
    bool needless = true;            // as needless()
    std::vector<PartialPlan> plans;  // best first
  };

  MemoryBins(LayerSearch search, const MachineFamily& family);
  void fill(const MachineFamily& family);

  LayerSearch search_;
  LayerOnFamily machines_;
  std::unique_ptr<Ladder> ladder_;
  std::unique_ptr<Fillings> fillings_;
  std::vector<Bin> bins_;
  RuleCounts rules_;
};

}  // namespace heliolite
