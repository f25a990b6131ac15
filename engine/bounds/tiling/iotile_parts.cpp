// Tilings for one cache whose tiles need not be alike: the iterations fall into parts, cut along one dimension after
// the other and executed one after the other, and each part has tiles and loop orders of its own.
#include "engine/bounds/tiling/iotile_search.h"

#include <algorithm>
#include <utility>

#include "engine/base/integers.h"

namespace heliolite {
namespace {

// How often a part is cut again. Third cuts save less than a percent.
constexpr int kMostCuts = 3;

// A cut that saves less, relatively, is not worth a second nest.
constexpr double kWorthwhile = 1e-3;

// A part and the rest, each with a tiling.
struct Cut {
  TilingPart first, rest;

  double words() const { return first.level.words + rest.level.words; }
};

// The extents along d after which a problem with this tile may be cut: whole tiles of the present extent, or of the
// largest that the other extents leave room for; one of them, or as many as there are but for one or none.
std::vector<u32> cuts(const TilingProblem& problem, double capacity, const Extents& tile, int d) {
  const CacheLevel cache{capacity, 1};
  const TileRoom room(problem, std::span(&cache, 1));
  const u32 size = problem.size[d];
  Extents widest = tile;
  u32 low = tile[d], high = size;
  while (low < high) {
    widest[d] = low + (high - low + 1) / 2;
    if (room.fits({widest}, 0)) low = widest[d];
    else high = widest[d] - 1;
  }
  std::vector<u32> found;
  for (const u32 extent : {low, tile[d]}) {
    const u32 whole = (size - 1) / extent;
    for (const u32 tiles : {whole, whole - std::min(whole, 1U), std::min(whole, 1U)})
      if (tiles > 0) found.push_back(tiles * extent);
  }
  std::sort(found.begin(), found.end());
  found.erase(std::unique(found.begin(), found.end()), found.end());
  return found;
}

Extents clipped(Extents tile, const TilingProblem& problem) {
  for (int d = 0; d < problem.dimensions; ++d) tile[d] = std::min(tile[d], problem.size[d]);
  return tile;
}

// The best cut of a part by short searches from its tile.
std::optional<Cut> best_cut(const TilingPart& part, double capacity) {
  std::optional<Cut> best;
  const auto tiled = [&](std::optional<TilingProblem> problem) -> TilingPart {
    TiledLevel level = tile_from(*problem, capacity, clipped(part.level.tile, *problem));
    return {*std::move(problem), std::move(level), part.origin};
  };
  for (int d = 0; d < part.problem.dimensions; ++d) {
    const u32 size = part.problem.size[d];
    if (part.level.tile[d] == size || !part_of(part.problem, d, size, false)) continue;
    for (const u32 extent : cuts(part.problem, capacity, part.level.tile, d)) {
      Cut cut{tiled(part_of(part.problem, d, extent, false)), tiled(part_of(part.problem, d, size - extent, true))};
      cut.rest.origin[d] += extent;
      if (!best || cut.words() < best->words()) best = std::move(cut);
    }
  }
  return best;
}

// The parts of a problem with a tiling, cut as long as that saves enough.
void divide(TilingPart part, double capacity, int most_cuts, std::vector<TilingPart>& parts) {
  if (most_cuts > 0) {
    std::optional<Cut> cut = best_cut(part, capacity);
    if (cut && cut->words() < part.level.words * (1 - kWorthwhile)) {
      parts.push_back(std::move(cut->first));
      return divide(std::move(cut->rest), capacity, most_cuts - 1, parts);
    }
  }
  parts.push_back(std::move(part));
}

}  // namespace

double PartTiling::words() const {
  double sum = 0;
  for (const TilingPart& part : parts) sum += part.level.words;
  return sum;
}

double PartTiling::footprint() const {
  double most = 0;
  for (const TilingPart& part : parts) most = std::max(most, part.level.footprint);
  return most;
}

std::optional<TilingProblem> part_of(const TilingProblem& problem, int d, u32 extent, bool later) {
  TilingProblem part = problem;
  const u32 size = std::exchange(part.size[d], extent);
  for (TiledTensor& tensor : part.tensors) {
    for (TiledTensor::TiledRank& rank : tensor.ranks) {
      for (std::size_t i = 0; rank.lifted && i < rank.count; ++i) {
        TiledTensor::Remainders& remainders = rank.remainders[i];
        if (remainders.dimension == d || (rank.dimension[i] == d && remainders.dimension >= 0)) return std::nullopt;
        if (rank.dimension[i] == d) remainders.values = extent;
      }
    }
    if (!tensor.is_output) continue;
    if (!contains(tensor.indexing, d)) part.rule.outputs_are_read = part.rule.outputs_are_read || later;
    else if (contains(tensor.sliding, d) || tensor.entangled) return std::nullopt;
    else tensor.words *= static_cast<double>(extent) / size;
  }
  return part;
}

std::optional<PartTiling> best_parts(const TilingProblem& problem, double capacity) {
  const std::optional<TiledLevel> tile = best_tile(problem, capacity);
  if (!tile) return std::nullopt;
  PartTiling tiling;
  divide({problem, *tile, {}}, capacity, kMostCuts, tiling.parts);
  return tiling;
}

std::optional<PartTiling> best_parts(const Workload& workload, double capacity, TrafficRule rule,
                                     std::span<const double> word_sizes) {
  std::optional<PartTiling> best = best_parts(tiling_problem(workload, rule, word_sizes), capacity);
  if (const auto lifted = lifted_tiling_problem(workload, rule, word_sizes)) {
    std::optional<PartTiling> other = best_parts(*lifted, capacity);
    if (other && (!best || other->words() < best->words())) best = std::move(other);
  }
  return best;
}

}  // namespace heliolite
