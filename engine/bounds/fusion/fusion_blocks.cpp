// The blocks in which the rows of a segment go through it.
#include "engine/bounds/fusion/fusion.h"

#include <algorithm>
#include <numeric>

#include "engine/base/integers.h"
#include "engine/bounds/curve/orojenesis_choices.h"

namespace heliolite {
namespace {

// Rows of each link's output: those of a sliding link are given, its neighbours' follow; without one, the fewest.
std::optional<std::vector<u64>> rows_of(std::span<const ChainLink> links) {
  const auto slides = std::ranges::find_if(links, &ChainLink::slides);
  std::vector<u64> rows(links.size());
  if (slides == links.end()) {
    std::ranges::fill(rows, std::ranges::min_element(links, {}, &ChainLink::rows)->rows);
  } else {
    const auto at = static_cast<std::size_t>(slides - links.begin());
    rows[at] = slides->rows;
    for (std::size_t e = at; e > 0; --e) rows[e - 1] = rows[e] * links[e].stride;
    for (std::size_t e = at + 1; e < links.size(); ++e) {
      if (rows[e - 1] % links[e].stride != 0) return std::nullopt;
      rows[e] = rows[e - 1] / links[e].stride;
    }
  }
  for (std::size_t e = 0; e < links.size(); ++e) {
    const bool fits = links[e].slides ? links[e].rows == rows[e] : links[e].rows % rows[e] == 0;
    if (!fits || rows[e] % rows.back() != 0) return std::nullopt;
  }
  return rows;
}

}  // namespace

std::optional<FusedRows> common_rows(std::span<const ChainLink> links) {
  const auto rows = rows_of(links);
  if (!rows) return std::nullopt;
  FusedRows out;
  out.rows = out.group = out.picture = rows->back();
  out.grain = 0;
  u64 made = 0;  // words in a row of the link before
  for (std::size_t e = 0; e < links.size(); ++e) {
    const ChainLink& link = links[e];
    const u64 inside = link.slides ? 1 : link.rows / (*rows)[e];  // its rows in a common one
    const u64 groups = std::max<u64>(1, link.groups / inside);
    if (link.groups % inside != 0 && inside % link.groups != 0) return std::nullopt;
    if (out.rows % groups != 0 || out.rows % link.pictures != 0) return std::nullopt;
    FusedLink& f = out.links.emplace_back();
    f.scale = (*rows)[e] / out.rows;
    f.stride = link.stride;
    f.overlap = link.overlap;
    f.input_rows = link.slides ? link.input_rows : (*rows)[e];
    const u64 read = e == 0 ? link.input_words / f.input_rows : made;
    made = link.output_words / (*rows)[e];
    f.input_row = read * link.input_size;
    f.output_row = made * link.output_size;
    // Rows that share weights give one column each: the weights of a column are used once.
    const u64 apart = std::min(inside, link.groups);
    f.input_columns = std::min(read, link.input_columns * apart);
    f.output_columns = std::min(made, link.output_columns * apart);
    f.group_rows = out.rows / groups;
    f.weights = link.weight_words * link.weight_size;
    f.group_weights = f.weights / groups;
    f.weight_size = link.weight_size;
    f.before = link.before;
    out.grain = std::gcd(std::gcd(out.grain, link.input_size), std::gcd(link.weight_size, link.output_size));
    out.group = std::gcd(out.group, f.group_rows);
    out.picture = std::gcd(out.picture, out.rows / link.pictures);
  }
  return out;
}

u64 RowBlocks::in(u64 all_rows) const { return all_rows / span * ceil_div(span, rows); }

u64 RowBlocks::rounds(const FusedLink& f) const { return f.group_rows <= rows ? 1 : in(f.group_rows); }

std::vector<RowBlocks> row_blocks(const FusedRows& segment, bool perfect) {
  // Units are groups and pictures: a block is part of one or made of whole ones.
  std::vector<u64> units{std::gcd(segment.group, segment.picture), segment.picture, segment.rows};
  for (const FusedLink& f : segment.links) units.push_back(f.group_rows);
  std::ranges::sort(units);
  units.erase(std::unique(units.begin(), units.end()), units.end());
  const auto nests = [&](u64 size) {
    return std::ranges::all_of(units, [&](u64 unit) { return unit % size == 0 || size % unit == 0; });
  };
  std::vector<RowBlocks> all;
  u64 whole = 1;  // blocks of the next span are made of these
  bool between = false;
  for (const u64 unit : units) {
    if (!nests(unit)) {
      between = true;  // units that do not nest: up to the next one that does, blocks of its size alone
      continue;
    }
    const u64 pieces = unit / whole;
    const auto sizes = tile_sizes(pieces, perfect || pieces > kMaxBlockSpan ? TileSizes::Divisors : TileSizes::Least);
    for (const u64 size : sizes) {
      const bool known = size == 1 && whole > 1;  // the whole span before
      if (between ? size == pieces : !known) all.push_back({size * whole, unit});
    }
    whole = unit;
    between = false;
  }
  return all;
}

}  // namespace heliolite
