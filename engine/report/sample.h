#pragma once
// A random sample of points out of a stream of unknown length.
#include <random>
#include <vector>

#include "engine/base/types.h"
#include "engine/sweep/records.h"

namespace heliolite {

// Keeps at most `most` points; every point added has the same chance (reservoir sampling). The same points in the same
// order give the same sample, with every standard library.
class PointSample {
 public:
  explicit PointSample(std::size_t most) : most_(most) {}

  void add(const PointRecord& point);
  std::vector<PointRecord> points() const;  // by id

 private:
  std::size_t most_;
  u64 seen_ = 0;
  std::mt19937_64 random_;
  std::vector<PointRecord> kept_;
};

}  // namespace heliolite
