#pragma once
// The machines of a sweep's grid, made from parts: what a level is, or the compute units, or the machine's own fields,
// depends on the parameters that set fields of it only. So a grid of a million machines has some hundred parts, and the
// machine that has the best of every part of a set of machines, its *envelope*, is made from those that occur in the
// set (docs/rules/machines.md).
#include <optional>
#include <span>
#include <vector>

#include "engine/sweep/design_points.h"

namespace heliolite {

class MachineGrid {
 public:
  // Why the grid is not made from parts, or has too many of them.
  static Result<MachineGrid> create(const SweepSpec& spec, const DesignPoints& points);

  // The machine of a point, as DesignPoints::machine(); none if it may be no machine.
  std::optional<Architecture> machine(u64 point) const;
  // The area of the point's machine; 0 if it may be none.
  double area_um2(u64 point) const;
  // Points with equal shapes may be searched together: an envelope exists. 0: the point may be no machine.
  u64 shape(u64 point) const;
  // A machine that has, of each part, the most room, the largest bandwidths and fan-outs, and the least energies,
  // leakage and areas of any of these points, which have one shape: every mapping of one of them is one of its, at no
  // more energy and cycles there.
  Architecture envelope(std::span<const u64> points) const;

  // [parameter]: index of the point's value.
  std::size_t choice(u64 point, std::size_t parameter) const { return point / stride_[parameter] % size_[parameter]; }

 private:
  // A level, innermost first; then the compute units; then the machine's own fields.
  struct Part {
    std::vector<std::size_t> parameters;              // that set something of it
    std::vector<std::optional<Architecture>> values;  // [combination of their values]: one level, or none
    std::vector<u64> shapes;                          // [combination]
  };

  MachineGrid(const SweepSpec& spec, const DesignPoints& points);
  Diagnostics fill(const DesignPoints& points);
  bool fill_part(std::size_t part, u64 base, const DesignPoints& points);
  void find_shapes();
  std::size_t combination(const Part& part, u64 point) const;
  Architecture assembled(std::span<const std::size_t> combinations) const;

  const SweepSpec& spec_;
  std::size_t levels_ = 0;
  std::vector<u64> stride_, size_;  // [parameter]
  std::vector<Part> parts_;
  bool alone_ = false;  // every machine has a shape of its own
};

}  // namespace heliolite
