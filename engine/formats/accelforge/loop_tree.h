#pragma once
// The LoopTrees of AccelForge's mappings: what is kept where and which loops run, from the outside in, down to an
// Einsum or to branches that run one after another.
#include <map>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "arch/architecture.h"
#include "engine/base/result.h"
#include "engine/base/types.h"
#include "engine/base/yaml_node.h"
#include "workloads/workload.h"

namespace heliolite::accelforge {

// A storage node or a loop.
struct LoopEvent {
  YamlNode node;
  std::string component;             // of a storage node: the memory
  int level = -1;                    // of a storage node: of the machine; none: of another unit's levels, or not known
  std::vector<std::string> tensors;  // of a storage node
  std::string variable, axis;        // of a loop; the axis of a spatial one
  std::string fanout;                // of a spatial loop: the node that it goes over; "": not said
  u64 tile = 0;
  bool spatial = false;

  bool is_storage() const { return !component.empty(); }
};

// Events from the outside in, then an Einsum or branches that run one after another.
struct LoopTree {
  YamlNode node;
  std::vector<LoopEvent> events;
  std::string einsum;               // "" of branches
  std::optional<YamlNode> compute;  // the unit that runs it, where the file names one
  std::vector<LoopTree> branches;
};

// The tree of a document. With a machine its memories must be the tree's; without one levels are not known. Errors:
// nodes that have no counterpart here, lists that do not end at an Einsum.
Result<LoopTree> read_tree(const YamlNode& root, const Architecture* machine);

// Einsums that the tree computes.
std::size_t count_einsums(const LoopTree& tree);

// Whether the Einsum is in the tree. `path`: the events on the way to it; `shared`: how many of them stand above
// branches; `leaf`: its part of the tree.
bool find_path(const LoopTree& tree, const std::string& einsum, std::vector<const LoopEvent*>& path,
               std::size_t& shared, const LoopTree*& leaf);

// Sizes of a layer's dimensions that are left for the loops inside.
using LeftSizes = std::map<std::string, u64>;
LeftSizes sizes_of(const Workload& workload);

// Writes the way through a tree to an Einsum as the levels of a mapping in our format.
class PathWriter {
 public:
  explicit PathWriter(Diagnostics& errors) : errors_(errors) {}

  // The levels of a mapping on a chain of levels, from the path of events to the leaf, an Einsum. `first`: the level
  // whose loops come first, with `kept`, tensors that are there already.
  std::string levels(const Architecture& chain, const Workload& workload, LeftSizes left,
                     const std::vector<const LoopEvent*>& path, int first, std::vector<std::string> kept,
                     const LoopTree& leaf);

  // The factor of a loop, which takes it from what is left; 0 with a complaint.
  u64 divide(const LoopEvent& event, LeftSizes& left, const Workload& workload);

 private:
  // A level, or a part of one: what it keeps, and the loops inside.
  struct Part {
    int level = 0;
    std::vector<std::string> keep;
    std::vector<std::pair<std::string, u64>> loops;                        // outermost first
    std::map<std::string, std::vector<std::pair<std::string, u64>>> axes;  // [name of the axis]
  };

  void store(const LoopEvent& event, const Workload& workload, int outermost);
  int next_level(std::span<const LoopEvent* const> path, const Workload& workload) const;
  void go_to_fanout(const LoopEvent& event, int next, u64 factor);
  void add_loop(const LoopEvent& event, u64 factor);
  std::string spatial(const Part& part);
  std::string text(int outermost);

  const Architecture* chain_ = nullptr;
  Diagnostics& errors_;
  std::vector<Part> parts_;
};

}  // namespace heliolite::accelforge
