#pragma once
// How full the levels are under the mappings that a sweep found, and what limits their speed. Its database holds the
// mappings; the machines and the layers are made again from the sweep's text.
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "engine/base/result.h"
#include "engine/model/roofline.h"
#include "engine/sweep/design_points.h"
#include "engine/sweep/records.h"
#include "engine/sweep/sweep_spec.h"
#include "workloads/workload.h"

namespace heliolite {

// One instance of a level; words are the level's.
struct LevelRoom {
  // What the tile of a tensor takes, rounded up.
  struct Kept {
    std::string tensor;
    u64 words = 0;
    Role role = Role::Input;

    bool operator==(const Kept&) const = default;
  };
  std::string level;
  u64 used_words = 0;
  u64 capacity_words = 0;  // usable; 0: unbounded
  std::vector<Kept> kept;

  bool operator==(const LevelRoom&) const = default;
};

// What is made again of a point's layers; nothing of a layer without a mapping.
struct PointRooms {
  std::vector<std::vector<LevelRoom>> rooms;       // [layer]: outermost level first
  std::vector<std::optional<Roofline>> rooflines;  // [layer]: of one run
};

// Makes the machines of one sweep again.
class RoomReader {
 public:
  // Files that the sweep's text names are looked for beside the database, then in the current folder.
  RoomReader(const SweepRecord& sweep, const std::string& database);

  // Errors: the sweep's files cannot be read, or they do not give the energies that were written down, and so are not
  // those of the sweep.
  Result<PointRooms> rooms(std::span<const LayerRecord> layers) const;

  // MACs of all runs of each layer of the sweep, times its workload's weight; empty if the sweep's files cannot be
  // read.
  std::vector<double> operations() const;

 private:
  Diagnostics add_rooms(const LayerRecord& layer, const Architecture& machine, PointRooms& out) const;

  std::unique_ptr<const SweepSpec> spec_;  // none: why_
  std::optional<DesignPoints> points_;
  Diagnostics why_;
};

}  // namespace heliolite
