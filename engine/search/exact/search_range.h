#pragma once
// Parts of the mapspace that the exact search searches one after the other, each with tables of its own: the fewer
// keep choices and unrollings a part has, the higher are its bounds.
#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "engine/search/core/compulsory.h"
#include "engine/search/exact/fanout.h"

namespace heliolite {

// Some keep choices, and some unrollings of each fan-out.
struct SearchRange {
  KeepRange keep;
  // [level]: of the choices of the fan-out below it, indices in rising order. Empty: all choices of all fan-outs.
  std::vector<std::vector<u32>> unrollings{};
  int linked_fanout = -1;  // only mappings of which words cross by links below this level; -1: all
};

// With link transfers, for each fan-out whose unrollings let words cross by links: the mappings in which some do
// (docs/rules/link_transfers.md). Others are in none.
std::vector<SearchRange> linked_ranges(std::span<const FanoutChoices> all, const KeepRange& keep);

// In how many places of the machine a tensor may be kept or not.
int open_places(const LayerProblem& problem);

// Every way to give each open level one of its open tensors, the outermost of them all: machines with a buffer for each
// tensor are like that. Some level must be open. Empty if they are many.
std::vector<KeepMasks> one_tensor_each(const LayerProblem& problem);

// The two parts of a range of which the first keeps a tensor at a level and the second does not; none if the range has
// one keep choice.
std::vector<SearchRange> split_keeps(const SearchRange& range);

// The part of the range without unrollings that use too few instances: `useless(instances)` speaks of all mappings that
// use at most so many, of all fan-outs together.
SearchRange without_idle_unrollings(std::span<const FanoutChoices> all, const SearchRange& range,
                                    const std::function<bool(double instances)>& useless);

// The two parts of a range whose unrollings differ most in what a word costs on its way: where some fan-out spreads a
// tensor's words over few receivers, and where over many. No part if some fan-out has no unrolling; none if all
// unrollings spread the words alike. An unrolling and the one that it is when dimensions change places (rule symmetry)
// are in the same part.
std::optional<std::vector<SearchRange>> split_unrollings(const Compiled& compiled, std::span<const FanoutChoices> all,
                                                         const SearchRange& range);

}  // namespace heliolite
