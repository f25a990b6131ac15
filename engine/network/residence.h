#pragma once
// Where the arrays of a group stay at its fusing level: the node that is an array's home, the words that stay there and
// while which links, and what comes from and goes to the outside for it.
#include <optional>
#include <string>
#include <vector>

#include "arch/architecture.h"
#include "engine/network/fused_schedule.h"
#include "engine/network/link_graph.h"
#include "engine/network/tree_index.h"

namespace heliolite {

// What a user wants of softmax and normalisation.
struct FusionRules {
  bool incremental_softmax = false;  // a softmaxed rank may be cut: rows are rescaled as they come
};

// One array of a group. Without a home the links fetch, or store, it by themselves in each pass.
struct Residence {
  // Lines that neighbouring iterations of a node's loop share: they stay while the node runs.
  struct Overlap {
    int node = 0;
    int first = 0, last = 0;  // links beneath it
    u64 words = 0;
  };

  int node = -1;            // its home; -1: none
  int first = 0, last = 0;  // links while which the tile is there
  u64 tile = 0;             // words
  std::optional<Overlap> overlap{};
  // Words over the whole group that come from outside the level; that leave it; that come back as sums.
  u64 fetched = 0, stored = 0, returned = 0;

  bool has_home() const { return node >= 0; }
  // Words that stay at the level while the link runs.
  u64 words_while(int link) const {
    u64 sum = has_home() && first <= link && link <= last ? tile : 0;
    if (overlap && overlap->first <= link && link <= overlap->last) sum += overlap->words;
    return sum;
  }
};

// The residence of an array in a group whose tree has a legal shape (group_plan.h), or why it has none: sentences that
// say what to change are added to `problems`.
Residence find_residence(int array, const LinkGroup& group, const TreeIndex& tree, const LinkGraph& graph,
                         const Architecture& architecture, const FusionRules& rules,
                         std::vector<std::string>& problems);

}  // namespace heliolite
