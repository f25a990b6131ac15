#pragma once
// One layer on all machines of a family: bins of tiles for every machine's memories (Sunstone-arch), and tiles tagged
// with the smallest memories that hold them (the thesis' co-search).
#include <memory>
#include <vector>

#include "engine/search/co_search/co_searches.h"
#include "engine/search/layer_search.h"
#include "engine/search/sunstone/fillings.h"
#include "engine/search/sunstone/partial_plan.h"
#include "engine/search/sunstone/thesis_search.h"

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

// The tagged tiles of one layer, in bins by machine.
class TaggedTiles {
 public:
  // The traversal, and the bins. The options' budget is for all machines together. With `own` a machine's bin has only
  // the tiles that no smaller machine, nowhere dearer, holds (rule smallest-memory); otherwise all that fit it, which
  // several layers together need. The family must outlive the object. Errors: constraints that name what the workload
  // does not have.
  static Result<TaggedTiles> create(const Workload& workload, const MachineFamily& family, const SearchOptions& options,
                                    bool own);

  // Whether every tile that fits the machine is held by a smaller one.
  bool needless(std::size_t machine) const { return bins_[machine].needless; }
  // The price of the cheapest tile in the machine's bin, with everything outside it at its compulsory cost, in units of
  // LayerOnFamily::number(); infinity: the bin is empty.
  double cost(std::size_t machine) const { return bins_[machine].cost; }
  // The compulsory cost of the machine, a lower bound of all mappings on it, in the same unit.
  double compulsory(std::size_t machine) const;

  // The best mapping that the bin leads to; not found: there is none.
  LayerAnswer complete(std::size_t machine);

  SearchStatistics statistics() const { return {ladder_->evaluated(), ladder_->tiles(), rules_, {}}; }

 private:
  struct Bin {
    double cost = kNever;
    bool needless = true;
  };
  // A tile of the traversal, priced on the envelope: no machine is cheaper.
  struct Tile {
    ThesisSearch::Choice choice;
    std::vector<u64> words;  // [tagged level]: that it takes there
  };

  TaggedTiles(LayerSearch search, const MachineFamily& family, bool own);
  void traverse(std::size_t keep);
  int tag(const Extents& tile, const KeepMasks& keep) const;
  u64 words(int level, const Extents& tile, const KeepMasks& keep) const;
  bool needs(std::size_t machine, const Tile& tile) const;
  bool in_bin(std::size_t machine, const Tile& tile) const;
  void fill(std::size_t machine);

  LayerSearch search_;
  const MachineFamily* family_;
  bool own_;
  std::vector<int> tagged_;                   // levels of the family that hold the tagged tiles
  std::vector<std::vector<u64>> capacities_;  // capacities of each of them, ascending
  LayerOnFamily machines_;
  std::vector<std::vector<Tile>> tiles_;  // [keep choice]: by ascending price
  std::unique_ptr<Ladder> ladder_;
  std::vector<Bin> bins_;
  RuleCounts rules_;
};

}  // namespace heliolite
