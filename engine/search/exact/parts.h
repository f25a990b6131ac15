#pragma once
// What of the mapspace the exact search looks at: its parts, one after the other, each with tables of its own: the
// fewer keep choices and unrollings a part has, the higher are its bounds.
#include <functional>
#include <map>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include "engine/search/certify/incumbent.h"
#include "engine/search/core/layer_problem.h"
#include "engine/search/exact/fanout.h"

namespace heliolite {

// Some keep choices, and some unrollings of each fan-out.
struct SearchRange {
  KeepRange keep;
  // [level]: of the choices of the fan-out below it, indices in rising order. Empty: all choices of all fan-outs.
  std::vector<std::vector<u32>> unrollings{};
  int peer_fanout = -1;  // only mappings with words from peers below this level; -1: all
};

// For each fan-out whose unrollings let receivers take words from peers: the mappings in which some do. Others are in
// none.
std::vector<SearchRange> peer_ranges(std::span<const FanoutChoices> all, const KeepRange& keep);

// In how many places of the machine a tensor may be kept or not.
int open_places(const LayerProblem& problem);

// Every way to give each open level one of its open tensors, the outermost of them all: machines with a buffer for each
// tensor are like that. Some level must be open. Empty if they are many.
std::vector<KeepMasks> one_tensor_each(const LayerProblem& problem);

// The two parts of a range of which the first keeps a tensor at a level and the second does not; none if the range has
// one keep choice.
std::vector<SearchRange> split_keeps(const SearchRange& range);

// The part of the range without unrollings that use too few instances: `useless(instances)` speaks of all mappings that
// use at most that many, of all fan-outs together.
SearchRange without_idle_unrollings(std::span<const FanoutChoices> all, const SearchRange& range,
                                    const std::function<bool(double instances)>& useless);

// The two parts of a range whose unrollings differ most in what a word costs on its way: where some fan-out spreads a
// tensor's words over few receivers, and where over many. No part if some fan-out has no unrolling; none if all
// unrollings spread the words alike. An unrolling and the one that it is when dimensions change places (rule symmetry)
// are in the same part.
std::optional<std::vector<SearchRange>> split_unrollings(const Compiled& compiled, std::span<const FanoutChoices> all,
                                                         const SearchRange& range);

// The ranges of the mapspace that an exact search has still to search, the most promising first, and when one that is
// searched in parts is tried whole again (docs/rules/exact.md, "Parts").

// A range to be searched.
struct OpenRange {
  ObjectiveKey bound;  // no mapping of the range is below
  SearchRange range;
  int division = -1;  // of which it is a part; -1: of none
};

// A pass over all of a range whose parts are open.
struct WholeTry {
  int division;
  u64 evaluations;  // that it may take
};

class OpenRanges {
 public:
  void add(OpenRange open) { open_.emplace(open.bound, std::move(open)); }

  // The parts of `whole`, the bounds of which are its own until they are looked at. Parts of a part belong to its
  // division. `after`: evaluations that the parts take before the whole is tried again.
  void divide(const OpenRange& whole, std::vector<SearchRange> parts, const ObjectiveKey& bound, u64 after);

  bool empty() const { return open_.empty(); }
  // The least bound; infinity: nothing is open.
  ObjectiveKey least() const { return open_.empty() ? ObjectiveKey() : open_.begin()->first; }
  // Takes the range with the least bound out; there must be one.
  OpenRange take();
  void clear();

  // The search of a range has taken as long as pricing `evaluations` mappings.
  void took(const OpenRange& searched, u64 evaluations);
  // The range whose parts have taken enough for it to be tried whole again; each is due once, and then when its parts
  // have taken twice as many evaluations.
  std::optional<WholeTry> due();
  const SearchRange& whole(int division) const { return divisions_[division].whole; }
  // No mapping of the range is below `bound`; infinity: nothing is left to be found in it.
  void raise(int division, const ObjectiveKey& bound);

 private:
  // A range that is searched in parts.
  struct Division {
    SearchRange whole;
    u64 evaluations = 0;  // of its parts
    u64 next_try;
  };

  std::multimap<ObjectiveKey, OpenRange> open_;  // by bound
  std::vector<Division> divisions_;
};

}  // namespace heliolite
