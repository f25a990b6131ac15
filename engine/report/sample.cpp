#include "engine/report/sample.h"

#include <algorithm>

namespace heliolite {

void PointSample::add(const PointRecord& point) {
  ++seen_;
  if (kept_.size() < most_) {
    kept_.push_back(point);
    return;
  }
  const u64 place = random_() % seen_;
  if (place < most_) kept_[place] = point;
}

std::vector<PointRecord> PointSample::points() const {
  std::vector<PointRecord> out = kept_;
  std::ranges::sort(out, {}, &PointRecord::id);
  return out;
}

}  // namespace heliolite
