#pragma once
// The ranges of the mapspace that an exact search has still to search, the most promising first, and when one that is
// searched in parts is tried whole again (docs/rules/exact.md, "Parts").
#include <map>
#include <optional>
#include <utility>
#include <vector>

#include "engine/base/integers.h"
#include "engine/search/exact/key.h"
#include "engine/search/exact/search_range.h"

namespace heliolite {

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

  // The search of a range has taken as long as so many evaluations.
  void took(const OpenRange& searched, u64 evaluations);
  // The range whose parts have taken enough for it to be tried whole again; each is due once, and then when its parts
  // have taken twice as many evaluations.
  std::optional<WholeTry> due();
  const SearchRange& whole(int division) const { return divisions_[at(division)].whole; }
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
