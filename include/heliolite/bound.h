#pragma once
// What nothing can beat: the least words that move between a memory of some size and what is outside it, tiled or not,
// and how far a mapping is from that.
//
//   heliolite::Workload gemm = *heliolite::parse_einsum("o[i,j] += a[i,k]*b[k,j]; i=512,j=512,k=512");
//   auto bounds = heliolite::lower_bounds(gemm, 8192);                    // words of memory
//   for (const heliolite::LowerBound& bound : bounds->bounds)
//     std::printf("%s: %llu %s\n", bound.kind.c_str(), (unsigned long long)bound.least, bounds->unit.c_str());
#include <heliolite/mapping.h>  // IWYU pragma: export
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace heliolite::api {

// One bound by one argument (docs/bounds.md).
struct LowerBound {
  std::string kind;         // "compulsory", "hbl", "conv" or "iolb"
  std::uint64_t least = 0;  // no execution moves less
  std::string why;          // the argument with its numbers
};

struct LowerBounds {
  std::string unit;                // of capacity and bounds: "words", or "bytes" or "bits" where tensors state sizes
  std::vector<LowerBound> bounds;  // all that apply

  std::uint64_t least() const;  // the largest of them
};

// What every execution of the Einsum moves into and out of a memory of this capacity, operands of the compute units
// included. Errors: the capacity is not above 0; some tensors state the size of their words and others do not.
Result<LowerBounds> lower_bounds(const Workload& workload, double capacity);

// What every execution of a network moves, however its layers are interleaved or fused. Errors as of lower_bounds().
struct NetworkBound {
  std::string unit;
  std::uint64_t least = 0;
  std::vector<std::uint64_t> layers;  // the part of each, all its repetitions together
};
Result<NetworkBound> network_bound(const Network& network, double capacity);

// What a mapping moves across the boundary outside a level, all instances together.
struct BoundaryTraffic {
  std::string level;                      // everything at it and further in lies inside
  std::string unit;                       // of all numbers here
  std::optional<std::uint64_t> capacity;  // that may lie inside; none: unbounded
  std::uint64_t least = 0;                // every mapping moves as much, whatever of the capacity it uses
  std::uint64_t held = 0;                 // by this mapping inside
  std::uint64_t moved = 0;                // by this mapping across
  std::uint64_t least_for_held = 0;       // mappings that hold no more inside move as much

  double ratio() const { return static_cast<double>(moved) / static_cast<double>(least); }  // at least 1
};

// The boundaries of all levels but the outermost, innermost first. Errors: the mapping has factors that do not divide,
// or the least takes more than some tenths of a second to find.
Result<std::vector<BoundaryTraffic>> movement(const Mapping& mapping);

}  // namespace heliolite::api
