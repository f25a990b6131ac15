// Rule own-loops (docs/rules/exact.md): what a level costs at least in every order of its own loops, of one tile and of
// all tiles that enlarge one.
#include <algorithm>

#include "engine/base/integers.h"
#include "engine/search/exact/partial_bounds.h"

namespace heliolite {

// A tile of the level: its own loops and those outside.
struct PartialBounds::Candidate {
  const LatticePoint& tile;
  LoopSet own, outside;
  RestBounds::FreshRow buffer;
  const double* fresh;  // RestBounds::fresh() of the tile

  Candidate(const PartialBounds& bounds, const Inside& inside, const PartialMapping& s, const LatticePoint& its_tile)
      : tile(its_tile),
        own(bounds.tables_.classes(), bounds.c_, s.tile.extent, tile.extent),
        outside(bounds.tables_.classes(), bounds.c_, tile.extent, bounds.c_.size),
        fresh(bounds.tables_.fresh(inside.place.level, tile, outside, buffer)) {}
};

// What is settled, and the flows in place that the candidate's own loops close; the others go to `waiting`.
double PartialBounds::closing(const Inside& inside, std::size_t k, const Candidate& c, BoundFlows& waiting) const {
  double iterations = 1;
  for (std::size_t l = 0; l < tables_.classes().count(); ++l) iterations *= c.own.of_class[l];
  BoundFlows closing;
  for (std::size_t f = 0; f < inside.open_count; ++f) {
    const double all = inside.without_reuse[f][k];
    if (all <= 0) continue;
    const BoundFlow flow{inside.relevant[f], all, inside.halo_shares(f), inside.full_reuse[f][k]};
    if (inside.relevant[f] & c.own.present) closing.append(flow);
    else waiting.append({flow.relevant, all / iterations, flow.halo, flow.full_reuse});
  }
  return inside.settled[k] + closing.least(c.own.of_class, c.own.present, inside.first & c.own.present);
}

// All of it, if the flows out of the candidate go to the servers of `after`.
double PartialBounds::ordered(const Inside& inside, std::size_t k, const Candidate& c, u32 after, double closed,
                              const BoundFlows& others) const {
  const int level = inside.place.level;
  BoundFlows waiting = others;
  tables_.append_fresh(level, inside.servers, after, k, c.tile.index, c.fresh, waiting);
  return closed + waiting.least(c.outside.of_class, c.outside.present) + tables_.after(level, after, k, c.tile.index) -
         tables_.refund(level, inside.servers, k);
}

void PartialBounds::ordered_energy(const PartialMapping& s, const Inside& inside, const LatticePoint& tile,
                                   double enough, std::span<const u32> sets, std::vector<u32>& after) const {
  after.clear();
  const int level = inside.place.level;
  const LoopSet own(tables_.classes(), c_, s.tile.extent, tile.extent);
  // Often the flows that close here decide.
  BoundFlows closes;
  double sum = inside.settled[0] + tables_.with(level, inside.servers, 0, tile.index), full_reuse = 0;
  for (std::size_t f = 0; f < inside.open_count; ++f) {
    if (inside.relevant[f] & own.present)
      closes.append({inside.relevant[f], inside.without_reuse[f][0], inside.halo_shares(f), inside.full_reuse[f][0]});
    else full_reuse += inside.full_reuse[f][0];
  }
  if (inside.first != 0 && own.present != 0 && (inside.first & own.present) == 0) return;
  sum += full_reuse + closes.least(own.of_class, own.present, inside.first & own.present);
  if (sum >= enough) return;
  const Candidate candidate(*this, inside, s, tile);
  BoundFlows waiting;
  const double closed = closing(inside, 0, candidate, waiting);
  const double refund = tables_.refund(level, inside.servers, 0);
  for (const u32 next : sets) {
    if (closed + full_reuse + tables_.after(level, next, 0, tile.index) - refund >= enough) continue;
    if (ordered(inside, 0, candidate, next, closed, waiting) < enough) after.push_back(next);
  }
}

CostBound PartialBounds::at_candidate_ordered(const PartialMapping& s, const Inside& inside, const LatticePoint& tile,
                                              u32 after) const {
  const Candidate candidate(*this, inside, s, tile);
  Channels sums;
  for (std::size_t k = 0; k < inside.known; ++k) {
    if (!contains(inside.active, k)) continue;
    BoundFlows waiting;
    const double closed = closing(inside, k, candidate, waiting);
    sums[k] = ordered(inside, k, candidate, after, closed, waiting);
  }
  return price(s, inside, sums);
}

// Flows of one tensor that the innermost of the level's loops leaves in place.
struct PartialBounds::Reuse {
  unsigned flows;        // mask of Inside's flows
  int tensor;            // theirs
  double closed;         // energy of everything inside but these flows
  double without_reuse;  // of these, if nothing were reused beyond halos
  double full_reuse;     // of these at least
};

double PartialBounds::tiles_energy(const Inside& inside, const LatticePoint& tile, double at_most,
                                   double enough) const {
  const int level = inside.place.level;
  // Step 1. No loop at this level.
  double least = std::min(at_most, inside.sum[0] + tables_.with(level, inside.servers, 0, tile.index));
  if (least < enough) return least;
  // Step 2. By the innermost of its loops.
  DimensionMask loops = 0;  // classes
  const LatticePoint& full = m_.lattice.full();
  for (const int d : bits(m_.problem->space.levels[level].temporal.allowed))
    if (tile.extent[d] < full.extent[d]) loops |= dimension_bit(static_cast<int>(tables_.classes().of(d)));
  if (inside.first != 0) loops &= inside.first;
  std::vector<Reuse> reuses;
  for (const int loop : bits(loops)) {
    add_reuse(inside, loop, tile, reuses, least);
    if (least < enough) return least;
  }
  // Step 3. By how much the tile is enlarged along loops that leave a tensor in place.
  for (const Reuse& reuse : reuses) {
    enlarge(inside, reuse, tile, 1, 0, enough, least);
    if (least < enough) break;
  }
  return least;
}

// A loop of class `loop` is the innermost: what it moves is not reused. What it leaves in place joins `out` if that is
// one tensor, otherwise it counts as reused by everything, in `least`.
void PartialBounds::add_reuse(const Inside& inside, int loop, const LatticePoint& tile, std::vector<Reuse>& out,
                              double& least) const {
  const int level = inside.place.level;
  Reuse reuse{0, -1, inside.settled[0], 0, 0};
  bool one_tensor = true;
  for (std::size_t f = 0; f < inside.open_count; ++f) {
    const double all = inside.without_reuse[f][0];
    if (all <= 0) continue;
    const double* const halo = inside.halo_shares(f);
    if (contains(inside.relevant[f], loop)) {
      reuse.closed += std::max(halo == nullptr ? all : all * halo[loop], inside.full_reuse[f][0]);
      continue;
    }
    double share = 1;
    for (const int c : bits(halo == nullptr ? 0u : inside.relevant[f] & inside.outside.present))
      share = std::min(share, halo[c]);
    one_tensor &= reuse.tensor < 0 || reuse.tensor == inside.tensor[f];
    reuse.tensor = inside.tensor[f];
    reuse.flows |= 1u << f;
    reuse.without_reuse += all * share;
    reuse.full_reuse += inside.full_reuse[f][0];
  }
  if (reuse.tensor < 0 || !one_tensor || !tables_.reuses(level, reuse.tensor)) {
    least = std::min(least, reuse.closed + reuse.full_reuse + tables_.below(level, inside.servers, 0, tile.index));
    return;
  }
  for (Reuse& other : out)
    if (other.flows == reuse.flows) {
      other.closed = std::min(other.closed, reuse.closed);
      return;
    }
  out.push_back(reuse);
}

// All tiles that enlarge `tile` along dimensions which do not index the tensor, by `gain` so far, and from there along
// those that do: then its flows close.
void PartialBounds::enlarge(const Inside& inside, const Reuse& reuse, const LatticePoint& tile, double gain,
                            std::size_t first_axis, double enough, double& least) const {
  const int level = inside.place.level;
  if (gain > 1) {
    const double closes = std::max(reuse.without_reuse / gain, reuse.full_reuse) +
                          tables_.reused(level, inside.servers, reuse.tensor, tile.index);
    const double waits = reuse.full_reuse + tables_.with(level, inside.servers, 0, tile.index);
    least = std::min(least, reuse.closed + std::min(closes, waits));
    if (least < enough) return;
  }
  const auto axes = m_.lattice.axes();
  const unsigned along = m_.problem->space.levels[level].temporal.allowed & ~c_.tensor[reuse.tensor].indexing;
  for (std::size_t a = first_axis; a < axes.size() && least >= enough; ++a) {
    if (!contains(along, axes[a].dimension)) continue;
    LatticePoint next = tile;
    next.packed += axes[a].step;
    if (!m_.lattice.divides(next.packed, m_.lattice.full().packed)) continue;
    next.index += axes[a].stride;
    if (reuse.closed + reuse.full_reuse + tables_.below(level, inside.servers, 0, next.index) >= least) continue;
    enlarge(inside, reuse, next, gain * axes[a].prime, a, enough, least);
  }
}

}  // namespace heliolite
