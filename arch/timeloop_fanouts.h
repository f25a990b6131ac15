#pragma once
// The fan-outs of a Timeloop v0.4 file between its storages: which storage's own each of them becomes, and which needs
// a level to start from.
#include <string>
#include <vector>

#include "arch/timeloop_component.h"
#include "arch/timeloop_leaf.h"
#include "engine/base/result.h"

namespace heliolite {

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
