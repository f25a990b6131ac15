#include "engine/bounds/fusion/fusion_keep.h"

#include <algorithm>

#include "engine/base/integers.h"

namespace heliolite {

std::vector<KeptSet> kept_sets(std::span<const KeepItem> items, u64 forced) {
  std::vector<KeptSet> sets{KeptSet{}};
  for (std::size_t e = 0; e < items.size(); ++e) {
    const KeepItem& item = items[e];
    const auto with = [&](KeptSet set) {
      set.mask |= u64{1} << e;
      set.room += item.room;
      set.saved += item.saved;
      return set;
    };
    if (contains(forced, e)) {
      for (KeptSet& set : sets) set = with(set);
      continue;
    }
    if (item.saved == 0) continue;
    const std::size_t count = sets.size();
    for (std::size_t k = 0; k < count; ++k) sets.push_back(with(sets[k]));
    std::ranges::stable_sort(sets, [](const KeptSet& a, const KeptSet& b) {
      return a.room != b.room ? a.room < b.room : a.saved > b.saved;
    });
    u64 best = 0;
    bool first = true;
    std::erase_if(sets, [&](const KeptSet& set) {
      const bool better = first || set.saved > best;
      if (better) best = set.saved;
      first = false;
      return !better;
    });
  }
  return sets;
}

}  // namespace heliolite
