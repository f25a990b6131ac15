#pragma once
// What is written of machines that the search for the best one leaves out: a row each, or in large grids a row for each
// set of machines, which stands at the first of them and lists the values of its parameters. A run that goes on takes
// them from there.
#include <functional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "engine/sweep/best_machine.h"
#include "engine/sweep/machine_grid.h"
#include "engine/sweep/machine_value.h"
#include "engine/sweep/records.h"

namespace heliolite {

// Smaller grids have a row for each machine.
inline constexpr u64 kRowForEach = 20'000;

class SetRows {
 public:
  SetRows(const SweepSpec& spec, const DesignPoints& points, const MachineGrid& parts);

  bool row_for_each() const { return points_.planned() <= kRowForEach; }
  // A row of an earlier run.
  void found(const PointRecord& row);
  // Whether an earlier run has left the machine out, or mapped it; and whether it is a machine that may be the best.
  bool decided(u64 point) const;
  bool is_machine(u64 point) const { return !no_machines_.contains(point); }
  // The rows of machines that are left out together, but for `best`, which is decided at the end, and those that have a
  // row.
  std::vector<PointRecord> of_excluded(const std::vector<u64>& points, Excluded why, const MachineValue& least,
                                       std::optional<u64> best) const;

  // Whether a row with this reason stands for a set of machines; and that reason in a grid whose parameters take more
  // values: `places`: [parameter][value], where it is there; `id`: of a point there.
  static bool is_of_set(std::string_view reason);
  // How many machines a row with this reason stands for.
  static u64 machines_of(std::string_view reason);
  static std::string in_larger_grid(const std::string& reason, const std::vector<std::vector<std::size_t>>& places,
                                    const std::function<u64(u64)>& id);

 private:
  struct Box {
    u64 shape = 0, best = 0;                // of all its machines; the one that is not decided
    std::vector<std::vector<bool>> values;  // [parameter][value]
  };

  PointRecord row_of(u64 point, Excluded why, const MachineValue& least) const;
  std::string box_text(const std::vector<u64>& points, std::optional<u64> best) const;
  std::optional<Box> read_box(const std::string& reason) const;

  const SweepSpec& spec_;
  const DesignPoints& points_;
  const MachineGrid& parts_;
  std::set<u64> decided_, no_machines_;
  std::vector<Box> boxes_;
};

}  // namespace heliolite
