#pragma once
// The keys that all nodes of a Timeloop v0.4 file have in common: a name, attributes, a fan-out, constraints.
#include <string>

#include "arch/architecture.h"
#include "arch/timeloop_attributes.h"
#include "engine/base/result.h"
#include "engine/base/yaml_node.h"

namespace heliolite {

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

}  // namespace heliolite
