// What a tiling moves across the outer boundary of each cache, in closed form.
#include "engine/bounds/tiling/iotile_problem.h"

#include <algorithm>
#include <cmath>

namespace heliolite {

TileExtents TileExtents::cut(double tile, Trips trips) const {
  TileExtents out;
  cut(tile, trips, out);
  return out;
}

void TileExtents::cut(double tile, Trips trips, TileExtents& out) const {
  out.entries_[0] = {tile, 0};
  out.count_ = 1;
  for (const Entry& e : *this) {
    if (e.extent <= tile) {
      out.add(e);
    } else if (trips == Trips::Average) {
      out.add({tile, e.count * e.extent / tile});
    } else {
      const double full = std::floor(e.extent / tile), rest = e.extent - full * tile;
      out.add({tile, e.count * full});
      if (rest > 0) out.add({rest, e.count});
    }
  }
}

double TileExtents::boxes() const {
  double sum = 0;
  for (const Entry& e : *this) sum += e.count;
  return sum;
}

void TileExtents::add(Entry entry) {
  for (std::size_t i = 0; i < count_; ++i) {
    if (entries_[i].extent != entry.extent) continue;
    entries_[i].count += entry.count;
    return;
  }
  entries_[count_++] = entry;
}

TileGrid whole_grid(const TilingProblem& problem) {
  TileGrid grid;
  for (int d = 0; d < problem.dimensions; ++d) grid[d] = TileExtents::whole(problem.size[d]);
  return grid;
}

TileGrid cut_grid(const TilingProblem& problem, const TileGrid& outer, const Extents& tile) {
  TileGrid grid;
  for (int d = 0; d < problem.dimensions; ++d) outer[d].cut(tile[d], problem.trips, grid[d]);
  return grid;
}

DimensionMask looping(const TilingProblem& problem, const TileGrid& outer, const Extents& tile) {
  DimensionMask loops = 0;
  for (int d = 0; d < problem.dimensions; ++d)
    if (outer[d].largest() > tile[d]) loops |= dimension_bit(d);
  return loops;
}

LevelTraffic::LevelTraffic(const TilingProblem& problem, const TileGrid& outer, const Extents& tile)
    : problem_(problem), outer_(outer), tile_(tile), inner_(cut_grid(problem, outer, tile)) {
  for (int d = 0; d < problem.dimensions; ++d) {
    outer_boxes_[d] = outer_[d].boxes();
    inner_boxes_[d] = inner_[d].boxes();
  }
  for (std::size_t v = 0; v < problem.tensors.size(); ++v) {
    const TiledTensor& tensor = problem.tensors[v];
    box_sum_[v] = tensor.entangled ? box_words(tensor, tile) : tensor.word_size;
    if (tensor.entangled) {
      for (int d = 0; d < problem.dimensions; ++d)
        if (contains(tensor.indexing, d)) box_sum_[v] *= inner_boxes_[d];
    } else {
      for (const TiledTensor::TiledRank& rank : tensor.ranks) box_sum_[v] *= rank_sum(rank, {});
    }
  }
}

double LevelTraffic::words(const TileOrder& order) const {
  double sum = 0;
  for (std::size_t v = 0; v < problem_.tensors.size(); ++v) {
    const TiledTensor& tensor = problem_.tensors[v];
    const double visits = fetched(tensor, box_sum_[v], order.reuse[v]);
    if (!tensor.is_output) {
      sum += visits;
      continue;
    }
    // Every visit but an output's first one loads its partial sum; every visit stores.
    sum += visits - (problem_.rule.outputs_are_read ? 0 : tensor.words);
    if (problem_.rule.stores) sum += visits;
  }
  return sum;
}

double LevelTraffic::fetched(const TiledTensor& tensor, double at_rest, const TileReuse& reuse) const {
  double words = at_rest;
  if (reuse.slides >= 0 || reuse.held != 0) {
    words = tensor.word_size;
    for (const TiledTensor::TiledRank& rank : tensor.ranks) words *= rank_sum(rank, reuse);
  }
  for (int d = 0; d < problem_.dimensions; ++d)
    if (!contains(tensor.indexing, d)) words *= contains(reuse.kept, d) ? outer_boxes_[d] : inner_boxes_[d];
  return words;
}

double LevelTraffic::footprint(const TileOrder& order) const {
  double sum = 0;
  for (std::size_t v = 0; v < problem_.tensors.size(); ++v) {
    Extents box = tile_;
    for (int d = 0; d < problem_.dimensions; ++d)
      if (contains(order.reuse[v].held, d)) box[d] = static_cast<u32>(outer_[d].largest());
    sum += box_words(problem_.tensors[v], box);
  }
  return sum;
}

// Whether the box holds the interval of the rank, rather than the elements of each window apart.
bool LevelTraffic::as_interval(const TiledTensor::TiledRank& rank, const TileReuse& reuse) const {
  double interval = 1, pairs = 1;
  for (int i = 0; i < rank.count; ++i) {
    const double extent = along(rank.dimension[i], reuse).largest();
    interval += rank.coefficient[i] * (extent - 1);
    pairs *= extent;
  }
  return interval <= pairs;
}

// rank_sum() for a lifted rank. For each choice of remainders a box has quotients + quotients - 1 sums, if
// it has quotients of both terms; one run along a dimension that slides or is held is one box. Boxes without quotients
// of the last remainders are counted as if they had some, but never more boxes than there are values.
double LevelTraffic::lifted_sum(const TiledTensor::TiledRank& rank, const TileReuse& reuse) const {
  std::array<double, 2> boxes{1, 1}, values{1, 1};
  for (std::size_t i = 0; i < rank.count; ++i) {
    const int d = rank.dimension[i];
    const bool one_run = d == reuse.slides || contains(reuse.held, d);
    values[i] = rank.remainders[i].values;
    boxes[i] = std::min(rank.remainders[i].count * (one_run ? outer_boxes_ : inner_boxes_)[d], values[i]);
  }
  return values[0] * boxes[1] + values[1] * boxes[0] - boxes[0] * boxes[1];
}

// Sum of the rank's extents over all boxes of its dimensions. Along the sliding dimension a sweep through a box of the
// outer cache loads only what the box before did not hold.
double LevelTraffic::rank_sum(const TiledTensor::TiledRank& rank, const TileReuse& reuse) const {
  if (rank.lifted) return lifted_sum(rank, reuse);
  const bool interval = as_interval(rank, reuse);
  double step = 0;  // of the sliding dimension, when it is one of the rank's
  for (int i = 0; i < rank.count; ++i)
    if (rank.dimension[i] == reuse.slides) step = rank.coefficient[i];
  // `extent` and `pairs` of the boxes of all dimensions but the sliding one.
  const auto swept = [&](double extent, double pairs) {
    double sum = 0;
    for (const auto& [size, count] : outer_[reuse.slides]) {
      double words = size * pairs;
      if (interval && extent >= step) {
        words = std::min(words, extent + step * (size - 1));
      } else if (interval) {
        double apart = 0;
        for (const auto& [part, parts] : TileExtents::whole(size).cut(tile_[reuse.slides], problem_.trips))
          apart += parts * (extent + step * (part - 1));
        words = std::min(words, apart);
      }
      sum += count * words;
    }
    return sum;
  };
  const auto sum = [&](auto&& self, int i, double extent, double pairs) -> double {
    if (i == rank.count) return step > 0 ? swept(extent, pairs) : interval ? std::min(extent, pairs) : pairs;
    const int d = rank.dimension[i];
    if (d == reuse.slides) return self(self, i + 1, extent, pairs);
    double words = 0;
    for (const auto& [part, count] : along(d, reuse))
      words += count * self(self, i + 1, extent + rank.coefficient[i] * (part - 1), pairs * part);
    return words;
  };
  return sum(sum, 0, 1, 1);
}

void price(const TilingProblem& problem, CacheTiling& tiling) {
  TileGrid outer = whole_grid(problem);
  for (std::size_t l = tiling.size(); l-- > 0;) {
    TiledLevel& level = tiling[l];
    const LevelTraffic traffic(problem, outer, level.tile);
    level.words = traffic.words(level.order);
    level.footprint = traffic.footprint(level.order);
    outer = traffic.grid();
  }
}

}  // namespace heliolite
