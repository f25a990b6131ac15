#include "engine/bounds/segment/iolb_touched.h"

#include <algorithm>
#include <numeric>

#include "engine/base/integers.h"
#include "engine/bounds/hbl/hbl_subspace.h"
#include "engine/model/distinct_offsets.h"

namespace heliolite {
namespace {

double distinct_values(const AccessNest& nest, const std::vector<i64>& row) {
  double most = 1;
  for (std::size_t l = 0; l < row.size(); ++l) {
    if (row[l] == 0) continue;
    most = std::max(most, nest.loops[l].size);
    for (std::size_t k = 0; k < l; ++k) {
      if (row[k] == 0) continue;
      most = std::max(
          most, static_cast<double>(distinct_sums(static_cast<u64>(row[l]), static_cast<u64>(nest.loops[l].size),
                                                  static_cast<u64>(row[k]), static_cast<u64>(nest.loops[k].size))));
    }
  }
  return most;
}

// Elements reached by loops whose columns are independent, the others standing still.
double independent_values(const AccessNest& nest, const Access& access) {
  std::vector<std::size_t> order(nest.loops.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return nest.loops[a].size > nest.loops[b].size; });
  RationalMatrix columns;
  double values = 1;
  for (const std::size_t l : order) {
    std::vector<Rational> column;
    for (const std::vector<i64>& row : access.rows) column.emplace_back(row[l]);
    columns.push_back(std::move(column));
    if (Subspace::span(static_cast<int>(access.rows.size()), columns).dimension() == static_cast<int>(columns.size())) {
      values *= nest.loops[l].size;
    } else {
      columns.pop_back();
    }
  }
  return values;
}

}  // namespace

u64 touched_words(const AccessNest& nest, const Access& access) {
  bool entangled = false;
  LoopBits seen = 0;
  double values = 1;
  for (const std::vector<i64>& row : access.rows) {
    for (std::size_t l = 0; l < row.size(); ++l) {
      if (row[l] == 0) continue;
      entangled = entangled || contains(seen, l);
      seen |= LoopBits{1} << l;
    }
    values *= distinct_values(nest, row);
  }
  if (entangled) values = independent_values(nest, access);
  return static_cast<u64>(values * access.word_size);
}

}  // namespace heliolite
