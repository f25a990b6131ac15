// CoSA: one mixed-integer program whose answer is the mapping (Huang et al., ISCA 2021; Dinh, UC Berkeley
// EECS-2023-293, section 6.1).
#include "engine/search/cosa/mapping_program.h"

#include <fmt/format.h>
#include <algorithm>
#include <bit>
#include <cmath>

#include "engine/base/integers.h"

namespace heliolite {
namespace {

u64 size_of(std::span<const PrimePower> primes) {
  u64 out = 1;
  for (const PrimePower& p : primes)
    for (int n = 0; n < p.exponent; ++n) out *= p.prime;
  return out;
}

// Among the dimensions that share a rank all but the largest are windows that slide along it.
DimensionMask windows(const Compiled& c) {
  DimensionMask out = 0;
  for (int v = 0; v < c.tensor_count; ++v)
    for (const DimensionMask sharing : c.tensor[v].sharing) {
      if (sharing == 0) continue;
      int largest = *bits(sharing).begin();
      for (const int d : bits(sharing))
        if (c.size[d] > c.size[largest]) largest = d;
      out |= static_cast<DimensionMask>(sharing & ~dimension_bit(largest));
    }
  return out;
}

int buffer_of(const Mapspace& space) {
  for (int i = space.level_count() - 2; i >= 0; --i)
    if (space.levels[i].temporal.allowed != 0) return i;
  return -1;
}

}  // namespace

std::optional<LinearForm> add_rank_table(const FactorColumns& factors, int i, std::span<const CompiledTerm> terms,
                                         double most, const std::string& name, Mip& mip) {
  std::vector<std::vector<u64>> cells{{}};  // the tile of each term's dimension
  for (const CompiledTerm& term : terms) {
    std::vector<std::vector<u64>> more;
    for (const u64 tile : divisors(size_of(factors.primes(term.dimension))))
      for (std::vector<u64> cell : cells) {
        cell.push_back(tile);
        more.push_back(std::move(cell));
      }
    cells = std::move(more);
    if (cells.size() > kMostRankCells) return std::nullopt;
  }
  LinearForm one, extent;
  std::vector<std::vector<LinearForm>> exponents;  // [term][prime]: those of the cell taken less those of the factors
  for (const CompiledTerm& term : terms) {
    exponents.emplace_back();
    for (std::size_t k = 0; k < factors.primes(term.dimension).size(); ++k)
      exponents.back().push_back(LinearForm().add(factors.exponent_inside(i, term.dimension, k), -1));
  }
  for (const std::vector<u64>& cell : cells) {
    double words = 1;
    for (std::size_t k = 0; k < terms.size(); ++k)
      words += static_cast<double>(terms[k].coefficient) * static_cast<double>(cell[k] - 1);
    if (words > most) continue;
    const int column = mip.add_binary(fmt::format("tile_{}_{}", name, fmt::join(cell, "_")));
    one.add(column, 1);
    extent.add(column, std::log2(words));
    for (std::size_t k = 0; k < terms.size(); ++k)
      for (std::size_t p = 0; p < exponents[k].size(); ++p)
        exponents[k][p].add(column, exponent_of(cell[k], factors.primes(terms[k].dimension)[p].prime));
  }
  mip.add_equal("one_tile_" + name, one, 1);
  for (std::size_t k = 0; k < terms.size(); ++k)
    for (std::size_t p = 0; p < exponents[k].size(); ++p)
      mip.add_equal(fmt::format("tile_{}_{}_{}", name, k, factors.primes(terms[k].dimension)[p].prime), exponents[k][p],
                    0);
  return extent;
}

LogTrafficProgram::LogTrafficProgram(const LayerProblem& problem, const KeepMasks& keep, CosaVariant variant,
                                     const CosaWeights& weights, CosaHalo halo)
    : MappingProgram(problem, keep), buffer_(buffer_of(problem.space)), window_(windows(problem.model.compiled())) {
  const int outermost = space().level_count() - 1;
  for (int i = 0; i <= outermost; ++i) {
    size_.emplace_back(at(compiled().tensor_count));
    if (!is_limited(i) && i >= buffer_) continue;
    for (const int v : bits(keep_[i])) size_.back()[v] = tile_size(i, v, halo);
  }
  add_capacities();
  if (buffer_ >= 0) slots_.push_back(add_slots(buffer_));
  if (variant == CosaVariant::Ordered) slots_.push_back(add_slots(outermost));
  for (int v = 0; v < compiled().tensor_count; ++v) mip_.add_cost(traffic(v, variant), weights.traffic);
  for (int i = 0; i <= outermost; ++i) {
    for (const int d : bits(space().non_unit)) mip_.add_cost(factors_.temporal(i, d), weights.cycles);
    for (const int v : bits(keep_[i]))
      if (i < buffer_) mip_.add_cost(size_[i][v], weights.room);
  }
}

// Words of tensor v that level i may hold: its tensors have equal shares of the room.
double LogTrafficProgram::share(int i, int v) const {
  const CompiledLevel& level = compiled().level[i];
  return static_cast<double>(level.room) / std::popcount(keep_[i]) / static_cast<double>(level.taken(v, 1));
}

// log2 of the words of the tile of v at level i. Ranks of one dimension are products; others have tables.
LinearForm LogTrafficProgram::tile_size(int i, int v, CosaHalo halo) {
  if (halo == CosaHalo::Doubled) return doubled_size(i, v);
  const CompiledTensor& tensor = compiled().tensor[v];
  LinearForm out;
  for (int k = 0; k < tensor.plain_count; ++k)
    for (int j = 0; j <= i; ++j) out.add(factors_.both(j, tensor.plain[k]));
  const double most = is_limited(i) ? std::floor(share(i, v)) : kUnlimited;
  for (int k = 0; k < tensor.term_count;) {
    const int first = k, rank = tensor.term[k].rank;
    while (k < tensor.term_count && tensor.term[k].rank == rank) ++k;
    const auto extent =
        add_rank_table(factors_, i, std::span(tensor.term).subspan(at(first), at(k - first)), most,
                       fmt::format("{}_{}_{}", level_name(i), problem_.workload.tensors[v].name, rank), mip_);
    if (!extent) return doubled_size(i, v);
    out.add(*extent);
  }
  return out;
}

// A window as published: along its rank a window adds at most its extent, and no more than a doubling for each prime.
// Where that is too small the answer does not fit and is excluded.
LinearForm LogTrafficProgram::doubled_size(int i, int v) const {
  LinearForm out;
  for (int j = 0; j <= i; ++j)
    for (const int d : bits(compiled().tensor[v].indexing)) {
      const bool slides = compiled().tensor[v].sliding && contains(window_, d);
      out.add(slides ? factors_.doublings(j, d) : factors_.both(j, d));
    }
  return out;
}

void LogTrafficProgram::add_capacities() {
  constexpr double kRounding = 1e-9;
  for (int i = 0; i < space().level_count(); ++i) {
    capacity_row_.emplace_back(at(compiled().tensor_count), -1);
    if (!is_limited(i)) continue;
    for (const int v : bits(keep_[i]))
      capacity_row_.back()[v] =
          mip_.add_at_most(fmt::format("room_{}_{}", level_name(i), problem_.workload.tensors[v].name), size_[i][v],
                           std::log2(share(i, v)) + kRounding);
  }
}

LogTrafficProgram::Slots LogTrafficProgram::add_slots(int level) {
  Slots out;
  out.level = level;
  out.loops = factors_.loops(level);
  const std::size_t count = out.loops.size(), ordered = factors_.ordered_loops(level);
  std::vector<LinearForm> in_slot(count);
  out.length.resize(count);
  for (std::size_t k = 0; k < count; ++k) {
    const int d = out.loops[k];
    const std::string loop = fmt::format("{}_{}", level_name(level), space().dimension_names[d]);
    LinearForm one, length;
    out.takes.emplace_back();
    out.part.emplace_back();
    for (std::size_t z = 0; z < count; ++z) {
      const std::string at_slot = fmt::format("{}_{}", loop, z);
      const int takes = mip_.add_binary("slot_" + at_slot);
      const int part = mip_.add_column("length_" + at_slot, 0, factors_.log2_size(d), false);
      if (k < ordered) mip_.column(takes).lower = z == k ? 1 : 0, mip_.column(takes).upper = z == k ? 1 : 0;
      mip_.add_at_most("only_in_" + at_slot, LinearForm().add(part, 1).add(takes, -factors_.log2_size(d)), 0);
      out.takes.back().push_back(takes);
      out.part.back().push_back(part);
      out.length[z].add(part, 1);
      in_slot[z].add(takes, 1);
      one.add(takes, 1);
      length.add(part, 1);
    }
    mip_.add_equal("has_a_slot_" + loop, one, 1);
    mip_.add_equal("length_" + loop, length.add(factors_.temporal(level, d), -1), 0);
  }
  for (std::size_t z = 0; z < count; ++z)
    mip_.add_equal(fmt::format("slot_{}_{}", level_name(level), z), in_slot[z], 1);
  return out;
}

// log2 of how often the level's loops make the words of v move: all slots from the innermost that moves it outwards.
// `before`: a column that is 1 where loops inside have moved it already, or -1; `last`: gets the column of the last.
LinearForm LogTrafficProgram::add_refetches(const Slots& slots, int v, int* last, int before) {
  LinearForm out;
  double longest = 0;
  for (const u8 d : slots.loops) longest = std::max(longest, factors_.log2_size(d));
  for (std::size_t z = 0; z < slots.loops.size(); ++z) {
    const std::string where = fmt::format("{}_{}_{}", level_name(slots.level), problem_.workload.tensors[v].name, z);
    const int moved = mip_.add_binary("moved_" + where);
    if (before >= 0) mip_.add_at_least("still_" + where, LinearForm().add(moved, 1).add(before, -1), 0);
    LinearForm moves_here = LinearForm().add(moved, 1);
    for (std::size_t k = 0; k < slots.loops.size(); ++k)
      if (moves(slots.loops[k], v)) moves_here.add(slots.part[k][z], -1 / factors_.log2_size(slots.loops[k]));
    mip_.add_at_least("moves_" + where, moves_here, 0);
    const int again = mip_.add_column("again_" + where, 0, kUnlimited, false);
    mip_.add_at_least("again_" + where, LinearForm().add(again, 1).add(slots.length[z], -1).add(moved, -longest),
                      -longest);
    out.add(again, 1);
    before = moved;
  }
  if (last != nullptr) *last = before;
  return out;
}

LinearForm LogTrafficProgram::traffic(int v, CosaVariant variant) {
  constexpr double kInside = 0.99, kInnermost = 0.8, kStep = 0.04, kOutsideWeights = 1.01;  // of CoSA's code
  LinearForm out;
  const DimensionMask indexing = compiled().tensor[v].indexing;
  const int outermost = space().level_count() - 1;
  bool kept = false;
  for (int i = std::max(buffer_, 0); i < outermost; ++i) {
    kept = kept || keeps(i, v);
    if (buffer_ >= 0)
      for (const int d : bits(indexing)) out.add(factors_.spatial(i, d), kInside);
  }
  for (int j = 0; j < buffer_; ++j)
    for (const int d : bits(indexing)) out.add(factors_.both(j, d), kInside * (kInnermost + kStep * j));
  int moved = -1;
  if (buffer_ >= 0) out.add(add_refetches(slots_.front(), v, &moved, -1));
  if (variant == CosaVariant::Ordered) return out.add(add_refetches(slots_.back(), v, nullptr, kept ? -1 : moved));
  const double factor = problem_.workload.tensors[v].role == Role::Weight ? kOutsideWeights : 1;
  for (const int d : bits(space().non_unit)) out.add(factors_.temporal(outermost, d), factor);
  return out;
}

std::vector<u8> LogTrafficProgram::order(int i, std::span<const double> values) const {
  const auto slots = std::ranges::find(slots_, i, &Slots::level);
  if (slots == slots_.end()) return factors_.loops(i);
  std::vector<u8> out(slots->loops.size());
  for (std::size_t k = 0; k < slots->loops.size(); ++k)
    for (std::size_t z = 0; z < out.size(); ++z)
      if (values[slots->takes[k][z]] > 0.5) out[z] = slots->loops[k];
  return out;
}

std::optional<Mip> LogTrafficProgram::held_at(const Mapping& mapping) const {
  PlaceFactors factors{};
  std::vector<std::vector<u8>> loops(at(space().level_count()));  // [level]: innermost first
  for (const Loop& l : mapping.loops()) {
    PlaceFactor& factor = factors[place_of(l.level, l.is_spatial())][l.dimension];
    (l.kind == LoopKind::SpatialY ? factor.y : factor.x) *= l.end;
    if (!l.is_spatial()) loops[l.level].push_back(l.dimension);
  }
  std::vector<double> values(mip_.columns().size(), std::nan(""));
  if (!std::equal(keep_.begin(), keep_.begin() + space().level_count(), mapping.keep.begin())) return std::nullopt;
  if (!factors_.set(factors, values)) return std::nullopt;
  for (const Slots& slots : slots_) set_slots(slots, loops[slots.level], values);
  Mip out = mip_;
  for (std::size_t k = 0; k < values.size(); ++k) {
    MipColumn& c = out.column(static_cast<int>(k));
    if (std::isnan(values[k])) continue;
    if (values[k] < c.lower || values[k] > c.upper) return std::nullopt;
    c.lower = c.upper = values[k];
  }
  return out;
}

// `loops`: those of more than one iteration, innermost first. The others take the slots that are left; those that the
// machine orders have theirs.
void LogTrafficProgram::set_slots(const Slots& slots, const std::vector<u8>& loops, std::span<double> values) const {
  const std::size_t ordered = factors_.ordered_loops(slots.level);
  std::vector<u8> sequence(slots.loops.begin(), slots.loops.begin() + ordered);
  const auto take = [&](u8 d) {
    if (std::ranges::find(sequence, d) == sequence.end()) sequence.push_back(d);
  };
  std::ranges::for_each(loops, take);
  std::ranges::for_each(slots.loops, take);
  for (std::size_t k = 0; k < slots.loops.size(); ++k)
    for (std::size_t z = 0; z < slots.loops.size(); ++z)
      values[slots.takes[k][z]] = z < sequence.size() && sequence[z] == slots.loops[k] ? 1 : 0;
}

// A tile that is larger than its share says by how much its row was wrong.
bool LogTrafficProgram::exclude(std::span<const double> values) {
  constexpr double kLeast = 1e-4;  // more than the solver's tolerance, less than the logarithms of two sizes differ
  const PlaceFactors factors = factors_.factors(values);
  bool any = false;
  for (int i = 0; i < space().level_count(); ++i)
    for (const int v : bits(keep_[i])) {
      const int row = capacity_row_[i][v];
      if (row < 0) continue;
      const double words = static_cast<double>(box_words(compiled().tensor[v], tile(factors, i)));
      if (words <= share(i, v)) continue;
      const double excess = std::log2(words / share(i, v));
      double& limit = mip_.row(row).upper;
      limit = std::min(limit, size_[i][v].value_at(values)) - std::max(excess, kLeast);
      any = true;
    }
  return any;
}

}  // namespace heliolite
