#pragma once
// Machines of one shape that differ in what their memories hold and cost: what a co-search chooses from (Sunstone-arch:
// Ng, UBC 2022, chapters 5 and 7; docs/rules/co_search.md).
#include <span>
#include <vector>

#include "arch/architecture.h"
#include "engine/base/result.h"
#include "engine/model/compiled.h"

namespace heliolite {

class MachineFamily {
 public:
  // At least one machine. They may differ in names, capacities, energies of accesses and operations, leakage, areas and
  // bandwidths. Errors: name the first machine that differs in anything else, and in what.
  static Result<MachineFamily> create(std::vector<Architecture> machines);

  std::size_t size() const { return machines_.size(); }
  const Architecture& machine(std::size_t k) const { return machines_[k]; }
  std::span<const Architecture> machines() const { return machines_; }

  // Every memory as large, fast and cheap as that of any machine: every mapping costs at most what it costs on each of
  // them, and what fits one of them fits.
  const Architecture& envelope() const { return envelope_; }

  // Levels where machines differ, innermost first. Outside them all are alike.
  const std::vector<int>& swept() const { return swept_; }
  int last_swept() const { return swept_.empty() ? -1 : swept_.back(); }

  // Words of `level` on machine k (kUnbounded: any).
  u64 capacity(std::size_t k, int level) const { return rows_[k].capacity[static_cast<std::size_t>(level)]; }
  // Words up to which some machine holds the level's tile too that differs from k at this level only and is nowhere
  // dearer or slower; 0: none.
  u64 held_by_smaller(std::size_t k, int level) const { return rows_[k].smaller[static_cast<std::size_t>(level)]; }
  // Whether a leaks no more than b at any level.
  bool leaks_no_more(std::size_t a, std::size_t b) const;

  // The family of some of the machines, by their places in this one.
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
