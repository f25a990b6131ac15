#include "arch/timeloop_fanouts.h"

#include <fmt/format.h>

#include <utility>

#include "arch/limits.h"
#include "arch/timeloop_form.h"

namespace heliolite {
namespace {

// Timeloop's name for the level of a fan-out.
std::string inter_name(const std::string& owner) { return fmt::format("inter_{}_spatial", owner); }

}  // namespace

void TimeloopFanouts::add(TimeloopFanout fanout) {
  if (storage_.empty() && fanouts_.empty())
    errors_.push_back(fanout.place.error(
        fmt::format("{} fans out above the first storage: nothing distributes the data", fanout.name)));
  else fanouts_.push_back(std::move(fanout));
}

void TimeloopFanouts::place() {
  for (TimeloopFanout& fanout : fanouts_) {
    if (storage_.empty()) break;
    pass_gate(inter_name(fanout.name), fanout.power_gating);
    if (!can_carry(storage_.back().level, fanout)) bridge(fanout);
    StorageLevel& level = storage_.back().level;
    level.network = fanout.network;
    level.constraints.spatial = std::move(fanout.constraints);
    level.fanout_name = fanout.name;
    if (mesh_x_ * mesh_y_ > kMaxInstances / (fanout.x * fanout.y)) {
      errors_.push_back(fanout.place.error(fmt::format("more than {} instances", kMaxInstances)));
      break;
    }
    mesh_x_ *= fanout.x;
    mesh_y_ *= fanout.y;
  }
  fanouts_.clear();
}

void TimeloopFanouts::pass_gate(const std::string& place, bool power_gating) {
  if (gate_next_) gate_ = place;
  gate_next_ = power_gating;
}

// Timeloop puts every fan-out on a level of its own; its words then also cross the network from the storage to that
// level, and there both ways if the storage does not reduce (rule 26).
bool TimeloopFanouts::can_carry(const StorageLevel& level, const TimeloopFanout& fanout) {
  return level.fanout_name.empty() && level.network.router_pj == 0 && level.network.ingress_pj == 0 &&
         (level.reduces() || !has_energy(fanout.network));
}

void TimeloopFanouts::bridge(const TimeloopFanout& fanout) {
  TimeloopStorage between;
  between.place = fanout.place;
  between.free_of_charge = true;
  between.level.name = inter_name(fanout.name);
  between.level.instances = mesh_x_ * mesh_y_;
  between.level.mesh_x = mesh_x_;
  between.level.keep.bypass = {"all"};
  between.level.loops_allowed = false;
  storage_.push_back(std::move(between));
}

}  // namespace heliolite
