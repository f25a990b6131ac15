#pragma once
// How to divide a chip between a buffer and compute units when the least accesses for every buffer are known (Huang,
// Tsai, Emer, Parashar, "Mind the Gap", ISCA 2024, section on provisioning), and the roofline that follows from a
// curve.
#include <span>
#include <vector>

#include "engine/base/types.h"

namespace heliolite {

// A point where a curve falls; between steps it is flat.
struct CurveStep {
  u64 buffer = 0;    // words
  u64 accesses = 0;  // words
};

// MACs per word accessed: the operational intensity with a MAC as one operation.
inline double intensity(u64 macs, u64 accesses) { return static_cast<double>(macs) / static_cast<double>(accesses); }

// MACs per second of a machine with this peak (MACs per second) and bandwidth (words per second): the performance mesa.
inline double attainable(double peak, double bandwidth, double intensity) {
  const double fed = bandwidth * intensity;
  return fed < peak ? fed : peak;
}

// The chip to be divided.
struct Chip {
  double area_um2 = 0;          // for buffer and compute units together
  double mac_um2 = 0;           // area of one unit
  double word_um2 = 0;          // area of a word of buffer
  double hertz = 0;             // MACs per second of one unit
  double words_per_second = 0;  // from and to the backing store
};

// A way to divide the chip.
struct Provision {
  u64 buffer = 0;              // words
  double share = 0;            // of the area that the buffer takes, 0 to 1
  double units = 0;            // compute units in the rest of the area; fractions count
  double macs_per_second = 0;  // attainable by them
};

// One provision for each step of the curve whose buffer fits the chip: where the curve is flat the smallest buffer is
// best. `macs`: of the workload.
std::vector<Provision> provisions(const Chip& chip, u64 macs, std::span<const CurveStep> curve);

// What can be attained over the share of the buffer, as a line: with a buffer between two steps the accesses are as
// many as with the smaller one, and units are lost. Points by ascending share, up to the last step that fits.
struct ProvisionPoint {
  double share = 0;
  double macs_per_second = 0;
};
std::vector<ProvisionPoint> provision_line(const Chip& chip, u64 macs, std::span<const CurveStep> curve);

// The fastest of all, of equally fast ones that with the smallest buffer; a default Provision if `all` is empty.
Provision best_provision(std::span<const Provision> all);

}  // namespace heliolite
