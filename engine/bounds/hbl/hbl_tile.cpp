#include "engine/bounds/hbl/hbl_tile.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <random>
#include <utility>

#include "engine/base/integers.h"
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

namespace {

bool is_zero(const LogForm& form) {
  return std::all_of(form.begin(), form.end(), [](const Rational& x) { return x == 0; });
}

}  // namespace

Rational value(const LogForm& form, const LogPoint& point) {
  Rational sum = 0;
  for (std::size_t i = 0; i < form.size(); ++i)
    if (form[i] != 0 && point[i] != 0) sum += form[i] * point[i];
  return sum;
}

LogPoint whole(const LogForm& form) {
  Rational scale = 1;
  for (const Rational& x : form) scale *= denominator(Rational(x * scale));
  LogPoint numbers;
  i64 divisor = 0;
  for (const Rational& x : form) {
    numbers.push_back(static_cast<i64>(numerator(Rational(x * scale))));
    divisor = std::gcd(divisor, numbers.back());
  }
  for (i64& x : numbers) x /= divisor;
  return numbers;
}

TileProgram::TileProgram(const AccessNest& nest) : loops_(nest.loops.size()) {
  for (const Access& access : nest.accesses)
    for (const std::vector<int>& row : footprint_rows(access, loops_)) add({row.begin(), row.end()}, 0);
  for (std::size_t l = 0; l < loops_; ++l) {
    std::vector<Rational> row(loops_);
    row[l] = 1;
    add(std::move(row), 1 + l);
  }
}

std::optional<std::vector<LogForm>> TileProgram::tile_around(const LogPoint& point) const {
  std::vector<Rational> right;
  for (const std::size_t parameter : right_) right.emplace_back(point[parameter]);
  Simplex<Rational> program(rows_, std::move(right));
  program.maximize(std::vector<Rational>(loops_, 1));
  for (std::size_t l = 0; l < loops_; ++l) {
    program.stay_optimal();
    std::vector<Rational> extent(loops_);
    extent[l] = 1;
    program.maximize(extent);
  }
  std::vector<LogForm> tile;
  for (const std::vector<Rational>& gains : program.response()) {
    tile.emplace_back(1 + loops_);
    for (std::size_t r = 0; r < gains.size(); ++r) tile.back()[right_[r]] += gains[r];
  }
  for (const LogForm& form : limits(tile))
    if (value(form, point) == 0) return std::nullopt;
  return tile;
}

std::vector<LogForm> TileProgram::limits(const std::vector<LogForm>& tile) const {
  std::vector<LogForm> forms = tile;
  for (std::size_t r = 0; r < rows_.size(); ++r) {
    forms.emplace_back(1 + loops_);
    forms.back()[right_[r]] = 1;
    for (std::size_t l = 0; l < loops_; ++l)
      for (std::size_t i = 0; i <= loops_ && rows_[r][l] != 0; ++i) forms.back()[i] -= rows_[r][l] * tile[l][i];
  }
  std::erase_if(forms, is_zero);
  return forms;
}

void TileProgram::add(std::vector<Rational> row, std::size_t parameter) {
  rows_.push_back(std::move(row));
  right_.push_back(parameter);
}

Cone log_points(const AccessNest& nest, bool taps_within_outputs) {
  Cone cone(1 + nest.loops.size());
  if (!taps_within_outputs) return cone;
  LoopBits outputs = 0;
  for (const Access& access : nest.accesses)
    if (access.is_output) outputs |= moving(access);
  for (const Access& access : nest.accesses) {
    for (const std::vector<i64>& rank : access.rows) {
      for (std::size_t p = 0; p < rank.size(); ++p) {
        for (std::size_t r = 0; r < rank.size(); ++r) {
          if (rank[p] == 0 || rank[r] == 0 || !contains(outputs, p) || contains(outputs, r)) continue;
          LogPoint taps(1 + rank.size());
          taps[1 + p] = 1;
          taps[1 + r] = -1;
          if (std::ranges::find(cone.constraints(), taps) == cone.constraints().end()) cone.cut(taps);
        }
      }
    }
  }
  return cone;
}

LogPoint inside(const std::vector<LogPoint>& rays, u64 attempt) {
  constexpr u64 kMostWeight = 97;  // keeps points far from overflow
  std::mt19937_64 random(attempt);
  LogPoint point(rays.front().size());
  for (const LogPoint& ray : rays) {
    const auto weight = static_cast<i64>(1 + random() % kMostWeight);
    for (std::size_t i = 0; i < point.size(); ++i) point[i] += weight * ray[i];
  }
  return point;
}

}  // namespace heliolite
