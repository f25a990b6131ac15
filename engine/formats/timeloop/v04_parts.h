#pragma once
// Parts of Timeloop v0.4 files: the keys that all nodes have, branches, and fan-outs between storages.
#include <span>
#include <string>
#include <vector>

#include "arch/architecture.h"
#include "engine/base/result.h"
#include "engine/base/yaml_node.h"
#include "engine/formats/timeloop/attributes.h"
#include "engine/formats/timeloop/component.h"

namespace heliolite {

// The keys that all nodes of a Timeloop v0.4 file have in common: a name, attributes, a fan-out, constraints.

// A fan-out: copies, side by side, of all nodes that follow.
struct TimeloopFanout {
  std::string name;  // of the container or component that has them
  u64 x = 1;
  u64 y = 1;
  NetworkEnergy network;
  SpatialConstraints constraints;
  bool power_gating = false;  // the owner's has_power_gating
  YamlNode place;
};

// A node's own keys, whatever its tag.
struct TimeloopLeaf {
  std::string name;
  TimeloopAttributes own;  // without what containers hand down
  TimeloopFanout fanout;   // 1 x 1 when it has none
  LoopConstraints temporal;
  KeepRule keep;
  bool loops_constrained = false;  // to more than factors of 1
  bool valid = false;              // the node is a map
};

// Reads these keys of a node; the caller goes on with the node's other keys and finishes the reader. `fallback`: the
// name for a node that need not have one.
TimeloopLeaf read_leaf(MapReader& reader, const std::string& fallback, const TimeloopAttributes& inherited,
                       const TimeloopAttributes& variables, Diagnostics& errors);

// The branches of a !Parallel in Timeloop v0.4 files: a chain in which each branch's tensors pass by the others.

// The storages of one branch, by their places in the machine, and the tensors that it keeps.
struct TimeloopBranch {
  std::size_t first = 0;
  std::size_t last = 0;  // behind the branch
  std::vector<std::string> kept;
};

// Adds each branch's tensors to what the storages of the others bypass. Complains, at `parallel`, about a tensor that
// two branches keep.
void pass_by_branches(const std::vector<TimeloopBranch>& branches, std::span<TimeloopStorage> storage,
                      const YamlNode& parallel, Diagnostics& errors);

// The fan-outs of a Timeloop v0.4 file between its storages: which storage's own each of them becomes, and which needs
// a level to start from.

class TimeloopFanouts {
 public:
  // `storage`: those read so far, outermost first; it and the errors must outlive this.
  TimeloopFanouts(std::vector<TimeloopStorage>& storage, Diagnostics& errors) : storage_(storage), errors_(errors) {}

  // One more since the last storage. Complains if there is no storage outside it.
  void add(TimeloopFanout fanout);
  // Places those since the last storage: the first is that storage's own where this changes no number, each other one
  // needs a level in between to start from.
  void place();

  // The first place after one with has_power_gating, fan-outs included, switches itself and all that follows: so
  // Timeloop's front end reads it.
  void pass_gate(const std::string& place, bool power_gating);
  // The place that switches what follows; empty: each one itself.
  const std::string& gate() const { return gate_; }

  // Inside all fan-outs placed so far: instances, and those in a row.
  u64 instances() const { return mesh_x_ * mesh_y_; }
  u64 mesh_x() const { return mesh_x_; }

 private:
  static bool can_carry(const StorageLevel& level, const TimeloopFanout& fanout);
  void bridge(const TimeloopFanout& fanout);

  std::vector<TimeloopStorage>& storage_;
  Diagnostics& errors_;
  std::vector<TimeloopFanout> fanouts_;  // since the last storage
  std::string gate_;
  bool gate_next_ = false;  // the next place switches what follows
  u64 mesh_x_ = 1, mesh_y_ = 1;
};

}  // namespace heliolite
