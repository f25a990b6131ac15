#pragma once
// The passes over one range of the mapspace, until nothing below the incumbent is left in it, or a budget ends them.
#include <functional>

#include "engine/search/exact/layered_pass.h"

namespace heliolite {

// Why there can be no further pass after so many evaluations; Done: there can. The tasks of a pass share its
// evaluations: of few that are left some would have none.
SearchEnd spent(const SearchBudget& budget, u64 evaluated);

// `run` searches the range.
class RangePasses {
 public:
  // States that the first pass keeps of each set of servers. It looks for a better incumbent.
  static constexpr std::size_t kNarrow = 16;

  // `search` gives the passes, `proven` is what nothing in the range is below; `watch` and `look` as LayeredPass::run
  // has them. All must outlive the search.
  RangePasses(LayeredPass& search, const SearchBudget& budget, u64 before_parts, Incumbent& incumbent,
              ObjectiveKey& proven, const LayeredPass::Proven& watch, const LayeredPass::Look& look)
      : search_(search),
        budget_(budget),
        before_parts_(before_parts),
        incumbent_(incumbent),
        proven_(proven),
        watch_(watch),
        look_(look) {}

  // `in_parts` arranges for the parts of the range to be searched instead, and is asked when a pass prices more than
  // `before_parts` mappings; false: there are none. Returns why the range could not be searched to the end; Done: it
  // was, or its parts will be.
  SearchEnd run(const std::function<bool()>& in_parts);

 private:
  u64 evaluated() const { return search_.statistics().evaluated; }
  PassEnd pass(std::size_t width, const SearchBudget& budget);
  SearchEnd wide();
  void rise(u64 most);

  LayeredPass& search_;
  const SearchBudget& budget_;
  const u64 before_parts_;
  Incumbent& incumbent_;
  ObjectiveKey& proven_;
  const LayeredPass::Proven& watch_;
  const LayeredPass::Look& look_;
};

}  // namespace heliolite
