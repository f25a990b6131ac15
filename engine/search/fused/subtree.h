#pragma once
// What the loops and homes above a place in a fusion tree leave of the links beneath it. All that a subtree may be, and
// what it costs, depends on this and on the room at the fusing level alone: subtrees with equal states are one.
#include <optional>
#include <vector>

#include "arch/architecture.h"
#include "engine/network/fused_schedule.h"
#include "engine/network/link_graph.h"
#include "engine/network/rank_classes.h"
#include "engine/network/residence.h"

namespace heliolite {

// A group of links that is to become a tree, and what each array is to it.
struct FusedInterval {
  struct Array {
    std::vector<const ArrayTouch*> inside;  // touches of the group's links
    int first = 0, last = 0;                // links of these
    bool intermediate = false;              // made, and read or added, in the group
    bool holdable = false;                  // may be held at some node
    bool touched_outside = false;
  };

  const LinkGraph* graph;
  const Architecture* architecture;
  FusionRules rules;
  int first = 0, last = 0, level = 0;
  std::vector<Array> array;  // [array of the graph]

  int top() const { return static_cast<int>(architecture->levels.size()) - 1; }
};

// Nothing: no tree of these links is legal at the level, whatever it is.
std::optional<FusedInterval> make_interval(const LinkGraph& graph, const Architecture& architecture, int level,
                                           int first, int last, const FusionRules& rules);

// Where an array is, seen from a place in the tree.
struct ArrayPlace {
  enum class At : u8 {
    Open,  // may be held here or further in
    Due,   // must be: it slides along a loop above
    Own,   // of the links' own nests
    Home,  // here or further out
  };
  At at = At::Open;
  bool slides = false;    // along a loop above
  bool last = false;      // if it is Due: must be held at this node
  u64 tiles = 1;          // that the node's own loop goes through
  u64 sliding_words = 0;  // if it is Due: words that come in over all passes
};

struct Subtree {
  int first = 0, last = 0;               // links
  std::vector<LinkPass> pass;            // [link - first]
  std::vector<std::vector<u8>> divided;  // [link - first][dimension]: by a loop above (1), by the node's own (2)
  std::vector<ArrayPlace> array;         // [array of the graph]
  u64 above = 1;                         // iterations of the loops outside the node's own
  u64 iterations = 1;                    // and of that
  int depth = 0;                         // loops above, the node's own included

  const LinkPass& of(int link) const { return pass[link - first]; }
  LinkPass& of(int link) { return pass[link - first]; }
};

// The root's state.
Subtree whole(const FusedInterval& group);
// All of the state that matters beneath the place, as a key.
std::vector<u64> key_of(const FusedInterval& group, const Subtree& s);

// [dimension of its maker]: whether no loop above the home of the intermediate may divide it, because softmax or a
// normalisation needs the ranks whole that their reader reduces.
std::vector<bool> whole_dimensions(const FusedInterval& group, int array);

// The dimension whose steps are the lines of a rank that an input slides along. None: it does not slide, or not by one.
std::optional<int> sliding_line(const Workload& link, int tensor, int rank);
// Positions along a rank of a tensor's tile of these sizes; `line`: the rank's sliding_line() if a loop divides it, of
// which the tile has the lines that are new in an iteration.
u64 tile_extent(const Workload& link, int tensor, int rank, const LinkSizes& sizes, std::optional<int> line);

// Words of an array's tile under the loops above the place.
u64 tile_under(const FusedInterval& group, const Subtree& s, int array);

// The states under a loop of this many iterations over the class, around what is beneath the place, with the words of
// the fusing level that lines shared between its iterations take: one for each choice of sliding arrays that will be
// held. Empty: there is no such loop.
struct Looped {
  Subtree state;
  u64 room = 0;
  std::vector<DividedLink> loop;
};
std::vector<Looped> under_loop(const FusedInterval& group, const Subtree& s, const RankClass& ranks, u64 iterations);

// Arrays that may be held at the node whose state this is.
std::vector<int> holdable_at(const FusedInterval& group, const Subtree& s);
// Holds an array there. Returns the words of the fusing level that it takes.
u64 hold(const FusedInterval& group, Subtree& s, int array);

// The state of the links `first` to `last` as one child of the node: intermediates that they share with other children
// have their home at the node. None: an intermediate cannot have it there.
struct Child {
  Subtree state;
  u64 live = 0;  // words of the fusing level that such intermediates take while the child runs
};
std::optional<Child> child_of(const FusedInterval& group, const Subtree& s, int first, int last);

}  // namespace heliolite
