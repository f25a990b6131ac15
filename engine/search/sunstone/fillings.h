#pragma once
// Unrollings of one fan-out for the level-by-level search: one for each product of factors by dimension. How a product
// is shared between X and Y changes only the hops of multicasts, which refinement looks after; for_each_unrolling()
// (engine/space) walks every share.
#include <array>
#include <map>
#include <tuple>
#include <vector>

#include "engine/search/core/rules.h"
#include "engine/space/divisors.h"
#include "engine/space/unrolling.h"

namespace heliolite {

// Besides what rules S1a-c leave out, unrollings are dropped that use less than 1 / kLeastShare of the instances that
// the best uses.
inline constexpr u64 kLeastShare = 2;

// [dimension]: the divisors of its size.
std::vector<DivisorTable> divisor_tables(const Mapspace& space);

// Lists the unrollings of any fan-out of one mapspace, which must outlive it. Searches ask again and again: what was
// listed is remembered.
class Fillings {
 public:
  Fillings(const Mapspace& space, const Workload& workload);
  Fillings(const Fillings&) = delete;
  Fillings& operator=(const Fillings&) = delete;

  // The unrollings of the fan-out below `level` that divide `rest` (what is left of each dimension), in a fixed order.
  // The rules full-unrolling and indexing-first are applied if `rules` has them, and counted in `counts`. Empty only if
  // the machine's limits allow no unrolling.
  const std::vector<Unrolling>& list(int level, const Extents& rest, const RuleSet& rules, RuleCounts& counts);
  // [dimension]: the divisors of its size.
  const std::vector<DivisorTable>& divisors() const { return tables_; }

 private:
  Gate gate() const { return {rules_, *counts_}; }
  static constexpr std::size_t kMaxShares = 64;  // ways to share one product between the axes that are followed

  // One way to share the factors chosen so far: the product along X, the state before it, the last factor along X.
  struct Share {
    u32 x = 1;
    u16 before = 0;
    u32 factor = 1;
  };
  struct Shares {
    std::array<Share, kMaxShares> way;
    u16 count = 0;
  };

  struct List {
    std::vector<Unrolling> unrollings;
    RuleCounts counts;
  };

  void make(int level, const Extents& rest, const RuleSet& rules, List& out);
  void walk(int k, u64 used);
  void leaf(u64 used);
  bool extend(int k, u32 factor, u64 used_with);
  bool can_grow(u64 used);
  bool can_share(const Extents& product, u64 used);
  bool prevails(u64 used) const;

  const Mapspace& space_;
  const std::vector<DivisorTable> tables_;
  std::array<DimensionMask, kMaxTensors> indexing_{};

  std::map<std::tuple<int, Extents, bool, bool>, List> known_;  // by level, rest and rules

  // The arguments and the state of the list being made.
  const SpatialSpace* fanout_ = nullptr;
  const Extents* rest_ = nullptr;
  RuleSet rules_;
  RuleCounts* counts_ = nullptr;
  std::vector<Unrolling>* out_ = nullptr;
  std::vector<u64> used_;                       // [index in out_]: units in use
  std::array<u8, kMaxDimensions> dimension_{};  // dimensions that may be unrolled
  std::array<u64, kMaxDimensions + 1> left_{};  // product of the rests of dimensions k..
  int count_ = 0;
  u64 room_ = 1, most_used_ = 1, least_ = 1;
  Extents product_ = unit_extents();
  std::array<Shares, kMaxDimensions + 1> shares_;
};

}  // namespace heliolite
