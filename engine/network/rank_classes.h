#pragma once
// What a loop around several links may be over: dimensions that the arrays which they share identify.
#include <map>
#include <mutex>
#include <optional>
#include <utility>
#include <vector>

#include "engine/base/integers.h"
#include "engine/network/fused_schedule.h"
#include "engine/network/link_graph.h"

namespace heliolite {

// Dimensions of each of the links first .. last, [link - first], the outermost first.
struct RankClass {
  int first = 0;
  std::vector<std::vector<int>> dimensions;

  const std::vector<int>& of(int link) const { return dimensions[link - first]; }
};

// The classes of a node above these links. Arrays that two of them touch identify dimensions, directly or by way of
// others; a dimension that none identifies is a class of its own, so that a node above one link may loop over any.
// Every link has a dimension in the class; where one has several, some list of corresponding ranks has them all, in
// whose order they are divided. Dimensions within a window are in none.
std::vector<RankClass> rank_classes(const LinkGraph& graph, int first, int last);

// The classes of a network's nodes, each of them worked out once. Several threads may ask at a time.
class KnownRankClasses {
 public:
  explicit KnownRankClasses(const LinkGraph& graph) : graph_(graph) {}  // must outlive it

  const std::vector<RankClass>& of(int first, int last);

 private:
  const LinkGraph& graph_;
  std::mutex mutex_;
  std::map<std::pair<int, int>, std::vector<RankClass>> known_;
};

// How a loop of this many iterations divides dimensions of these sizes: a factor divides the outermost of them, or is a
// multiple of it and divides on. None: some part would be incomplete.
std::optional<std::vector<DividedDimension>> divide(const LinkSizes& sizes, const std::vector<int>& dimensions,
                                                    u64 iterations);

}  // namespace heliolite
