#include "engine/search/exact/fresh_words.h"

#include <algorithm>
#include <span>

#include "engine/base/integers.h"
#include "engine/model/distinct_offsets.h"
#include "engine/model/tile_box.h"

namespace heliolite {
namespace {

// The terms of one rank.
using Terms = std::span<const CompiledTerm>;

// Words along the rank, times the iterations that move along it: the least of all tiles of a box. It is a quotient of
// linear functions of the tile along each dimension alone, so the least is at a corner.
double least_along(const Compiled& c, Terms terms, const Extents& first, const Extents& last) {
  double least = 0;
  for (unsigned corner = 0; corner < 1u << terms.size(); ++corner) {
    double extent = 1, iterations = 1;
    for (std::size_t k = 0; k < terms.size(); ++k) {
      const std::size_t d = terms[k].dimension;
      const u32 size = contains(corner, k) ? first[d] : last[d];
      extent += static_cast<double>(terms[k].coefficient) * (size - 1.0);
      const u32 outside = c.size[d] / size;
      iterations *= outside;
    }
    if (corner == 0 || extent * iterations < least) least = extent * iterations;
  }
  return least;
}

// Different positions along the rank that all MACs together ask for, at least: those of some two of its terms.
double positions(const Compiled& c, Terms terms) {
  u64 most = 1;
  for (std::size_t a = 0; a < terms.size(); ++a)
    for (std::size_t b = a + 1; b < terms.size(); ++b)
      most = std::max(most, distinct_sums(terms[a].coefficient, c.size[terms[a].dimension], terms[b].coefficient,
                                          c.size[terms[b].dimension]));
  return static_cast<double>(most);
}

}  // namespace

void least_fresh_words(const LoopClasses& classes, const Compiled& c, const CompiledTensor& t,
                       const LatticePoint& first, const LatticePoint& last, const LoopSet& outside, double* row) {
  double unreused = 1, once = irrelevant_share(c, t, outside);
  double* const halo = row + 2;
  if (t.sliding) std::fill_n(halo, classes.count(), 1.0);
  const auto reuse_along = [&](unsigned dimensions, double share) {
    for (const int d : bits(dimensions))
      if (first.extent[at(d)] < c.size[at(d)]) halo[classes.of(d)] = std::min(halo[classes.of(d)], share);
    once *= share;
  };
  for (int d = 0; d < c.dimension_count; ++d)
    if (!contains(t.indexing, d)) unreused *= outside.n[at(d)];
  if (t.entangled) {
    double moving = 1;
    for (const int d : bits(t.indexing)) moving *= outside.n[at(d)];
    unreused *= static_cast<double>(box_words(t, first.extent)) * moving;
    if (t.sliding) reuse_along(t.indexing, 1 / moving);
  } else {
    for (int k = 0; k < t.plain_count; ++k) unreused *= c.size[t.plain[at(k)]];
    for (std::size_t k = 0; k < t.term_count;) {
      const std::size_t begin = k;
      while (k < t.term_count && t.term[k].rank == t.term[begin].rank) ++k;
      const Terms terms(&t.term[begin], k - begin);
      const double words = least_along(c, terms, first.extent, last.extent);
      unreused *= words;
      if (terms.size() > 1) reuse_along(t.sharing[terms[0].rank], std::min(1.0, positions(c, terms) / words));
    }
  }
  row[0] = unreused;
  row[1] = once;
}

LoopSet box_loops(const LoopClasses& classes, const Compiled& c, const LatticePoint& first, const LatticePoint& last) {
  LoopSet out(classes, c, last.extent, c.size);
  for (int d = 0; d < c.dimension_count; ++d)
    if (first.extent[at(d)] < c.size[at(d)]) out.present |= dimension_bit(static_cast<int>(classes.of(d)));
  return out;
}

}  // namespace heliolite
