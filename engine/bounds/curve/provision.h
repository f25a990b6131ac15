#pragma once
// How to divide a chip between a buffer and compute units when the least accesses for every buffer are known (Huang,
// Tsai, Emer, Parashar, "Mind the Gap", ISCA 2024, section on provisioning), and the roofline that follows from a
// curve.
#include <span>
#include <vector>

#include "engine/base/types.h"

namespace heliolite {

// Accesses fall from one step to the next; between steps the curve is flat.
struct CurveStep {
  u64 buffer = 0;    // words
  u64 accesses = 0;  // words
};

// MACs a word: the operational intensity with a MAC as one operation.
inline double intensity(u64 macs, u64 accesses) { return static_cast<double>(macs) / static_cast<double>(accesses); }

// MACs a second of a machine with this peak and bandwidth (words a second): the performance mesa.
inline double attainable(double peak, double bandwidth, double intensity) {
  const double fed = bandwidth * intensity;
  return fed < peak ? fed : peak;
}

struct Chip {
  double area_um2 = 0;          // for buffer and compute units
  double mac_um2 = 0;           // of one unit
  double word_um2 = 0;          // of a word of buffer
  double hertz = 0;             // MACs a second of one unit
  double words_per_second = 0;  // from and to the backing store
};

struct Provision {
  u64 buffer = 0;    // words
  double share = 0;  // of the area that the buffer takes
  double units = 0;
  double macs_per_second = 0;
};

// One for each step whose buffer fits the chip: within a flat part of the curve the smallest buffer is best.
std::vector<Provision> provisions(const Chip& chip, u64 macs, std::span<const CurveStep> curve);

// The fastest, of equally fast ones the one with the smallest buffer; a default one if `all` is empty.
Provision best_provision(std::span<const Provision> all);

}  // namespace heliolite
