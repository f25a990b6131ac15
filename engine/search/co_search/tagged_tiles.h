#pragma once
// One layer on all machines of a family by the thesis' co-search (Ng, UBC 2022, algorithm 9): one traversal of the
// tiles of the innermost level with loops, each tagged with the smallest memories that hold it; then, where asked, the
// search of the thesis from the tiles of one machine.
#include <memory>
#include <optional>
#include <vector>

#include "engine/search/co_search/layer_on_family.h"
#include "engine/search/layer_search.h"
#include "engine/search/sunstone/thesis_search.h"

namespace heliolite {

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
  std::vector<std::vector<u64>> capacities_;  // of each of them, ascending
  LayerOnFamily machines_;
  std::vector<std::vector<Tile>> tiles_;  // [keep choice]: by ascending price
  std::unique_ptr<Ladder> ladder_;
  std::vector<Bin> bins_;
  RuleCounts rules_;
};

}  // namespace heliolite
