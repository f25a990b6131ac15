#pragma once
// What the page of a sweep shows, read from its database.
#include <cstddef>
#include <vector>

#include "engine/base/result.h"
#include "engine/sweep/front.h"
#include "engine/sweep/records.h"
#include "engine/sweep/store.h"

namespace heliolite {

// A browser draws some thousand points at once, and keeps the page small.
struct ReportLimits {
  std::size_t best = 20;       // in the table of best points
  std::size_t points = 5'000;  // done ones that are drawn; those of the front and the best always are
  std::size_t cut = 2'000;     // cut ones that can be drawn at their bounds
  std::size_t details = 100;   // with their layers: the best first, then the front
};

struct PointLayers {
  u64 point = 0;
  std::vector<LayerRecord> layers;
};

struct ReportData {
  SweepRecord sweep;
  SweepSummary summary;
  std::vector<PointRecord> others;  // a sample of the done points that are neither among the best nor on the front
  std::vector<PointRecord> cut;     // a sample of the points cut
  std::vector<PointLayers> details;

  // Done points of the page, each once: the best, those of the front, the others.
  std::vector<PointRecord> drawn() const;
};

// Walks over the points twice; memory grows with the front and the limits, not with the number of points.
Result<ReportData> read_report(const Store& store, const ReportLimits& limits = {});

}  // namespace heliolite
