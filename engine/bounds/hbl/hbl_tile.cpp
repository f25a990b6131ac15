#include "engine/bounds/hbl/hbl_tile.h"

#include <algorithm>
#include <cmath>

#include "engine/bounds/lp.h"

namespace heliolite {
namespace {

// Enough for windows in every rank (2^kMaxRanks); of more choices the first ones are looked at.
constexpr std::size_t kMostChoices = 256;

Simplex<double> tile_program(const AccessNest& nest, double capacity) {
  std::vector<std::vector<double>> rows;
  std::vector<double> right;
  for (const Access& access : nest.accesses) {
    for (const std::vector<int>& row : footprint_rows(access, nest.loops.size())) {
      rows.emplace_back(row.begin(), row.end());
      right.push_back(1 - std::log(access.word_size) / std::log(capacity));
    }
  }
  for (std::size_t l = 0; l < nest.loops.size(); ++l) {
    rows.emplace_back(nest.loops.size());
    rows.back()[l] = 1;
    right.push_back(std::log(nest.loops[l].size) / std::log(capacity));
  }
  return {std::move(rows), std::move(right)};
}

RealTile tile_of(const std::vector<double>& lambda, double capacity) {
  RealTile tile;
  for (const double x : lambda) {
    tile.log_volume += x * std::log(capacity);
    tile.extent.push_back(std::pow(capacity, x));
  }
  return tile;
}

bool same(const RealTile& a, const RealTile& b) {
  return std::equal(a.extent.begin(), a.extent.end(), b.extent.begin(),
                    [](double x, double y) { return std::abs(x - y) <= 1e-6 * x; });
}

}  // namespace

std::vector<std::vector<int>> footprint_rows(const Access& access, std::size_t loops) {
  std::vector<std::vector<int>> all(1, std::vector<int>(loops));
  for (const std::vector<i64>& rank : access.rows) {
    std::vector<std::vector<int>> next;
    for (const std::vector<int>& choice : all) {
      for (std::size_t l = 0; l < loops && next.size() < kMostChoices; ++l) {
        if (rank[l] == 0) continue;
        next.push_back(choice);
        ++next.back()[l];
      }
    }
    all = std::move(next);
  }
  return all;
}

RealTile largest_tile(const AccessNest& nest, double capacity) {
  Simplex<double> program = tile_program(nest, capacity);
  program.maximize(std::vector<double>(nest.loops.size(), 1));
  return tile_of(program.solution(), capacity);
}

std::vector<RealTile> largest_tiles(const AccessNest& nest, double capacity) {
  Simplex<double> program = tile_program(nest, capacity);
  program.maximize(std::vector<double>(nest.loops.size(), 1));
  program.stay_optimal();
  std::vector<RealTile> tiles;
  const auto add = [&] {
    const RealTile tile = tile_of(program.solution(), capacity);
    if (std::none_of(tiles.begin(), tiles.end(), [&](const RealTile& known) { return same(known, tile); }))
      tiles.push_back(tile);
  };
  add();
  for (std::size_t l = 0; l < nest.loops.size(); ++l) {
    for (const double sign : {1.0, -1.0}) {
      std::vector<double> objective(nest.loops.size());
      objective[l] = sign;
      program.maximize(objective);
      add();
    }
  }
  return tiles;
}

}  // namespace heliolite
