#pragma once
// Machines of one shape that differ in what their memories hold and cost: what a co-search chooses from (Sunstone-arch:
// Ng, UBC 2022, chapters 5 and 7; docs/rules/co_search.md).
#include <span>
#include <vector>

#include "arch/architecture.h"
#include "engine/base/result.h"

namespace heliolite {

// Gives a level of an envelope the better of each number of its memory: the larger room, the higher rate, the lower
// energy, price and leakage. Area and fan-out stay.
void widen(StorageLevel& all, const StorageLevel& one);

// Takes out of a level the numbers that widen() chooses, its area and the size of its words.
void forget_memory(StorageLevel& level);

// The machines, each with an index, and what they have in common.
class MachineFamily {
 public:
  // `machines` (at least one) may differ in names, capacities, energies of accesses and operations, leakage, areas and
  // bandwidths only. The error names the first machine that differs in something else, and in what.
  static Result<MachineFamily> create(std::vector<Architecture> machines);

  std::size_t size() const { return machines_.size(); }
  const Architecture& machine(std::size_t k) const { return machines_[k]; }
  std::span<const Architecture> machines() const { return machines_; }

  // A machine whose every memory is as large, fast and cheap as the best of the family. A mapping that fits one of the
  // machines fits the envelope and costs at most as much on it: its cost there is a lower bound for all machines.
  const Architecture& envelope() const { return envelope_; }
  // Whether that is so, and one traversal serves all: not of machines with further units, each a chain of its own, and
  // not where ramps count, which states of several machines are not compared by.
  bool has_envelope() const;

  // Levels at which the machines differ, innermost first.
  const std::vector<int>& swept() const { return swept_; }
  // The outermost of them; -1: the machines are alike.
  int last_swept() const { return swept_.empty() ? -1 : swept_.back(); }

  // Capacity of `level` on machine k in words; kUnbounded: it holds any tile.
  u64 capacity(std::size_t k, int level) const { return rows_[k].capacity[level]; }
  // The largest smaller capacity of `level`, in words, among the machines that differ from k at this level only and are
  // nowhere dearer or slower. A tile of at most this size does not need machine k. 0: there is no such machine.
  u64 held_by_smaller(std::size_t k, int level) const { return rows_[k].smaller[level]; }
  // Whether machine a leaks no more than machine b at every level, and no price of kLevelPrices is higher.
  bool leaks_no_more(std::size_t a, std::size_t b) const;

  // The family of some of the machines, given by their indices in this one.
  MachineFamily subset(std::span<const u32> machines) const;

 private:
  struct Row {
    std::array<u64, kMaxLevels> capacity{}, smaller{};
  };

  explicit MachineFamily(std::vector<Architecture> machines);
  void find_smaller();

  std::vector<Architecture> machines_;
  Architecture envelope_;
  std::vector<int> swept_;
  std::vector<Row> rows_;
};

}  // namespace heliolite
