#include "engine/search/exact/rest_bounds.h"

#include <algorithm>

#include "engine/base/integers.h"
#include "engine/model/tile_box.h"

namespace heliolite {
namespace {

// Tables of cycles, and of flows, are left out of large lattices.
constexpr u64 kMaxCyclePoints = 400'000;
constexpr u64 kMaxRowValues = 4'000'000;

}  // namespace

void BoundFlows::append(const BoundFlow& other) {
  for (std::size_t k = 0; k < count && other.halo == nullptr; ++k)
    if (flow[k].relevant == other.relevant && flow[k].halo == nullptr) {
      flow[k].unreused += other.unreused;
      flow[k].once += other.once;
      return;
    }
  if (count < flow.size()) flow[count++] = other;
}

double BoundFlows::least(const ClassLoops& n, DimensionMask present) const {
  return count == 0 ? 0 : ordering_bound({flow.data(), std::min<std::size_t>(count, kMaxBoundFlows)}, n, present);
}

RestBounds::RestBounds(const FlowCosts& model) : m_(model), c_(*model.compiled), classes_(c_) {
  for (int v = 0; v < c_.tensor_count; ++v) {
    const CompiledTensor& t = c_.tensor[at(v)];
    Table receivers;  // at most, of one word: a dimension spreads it to as many as it has iterations left
    if (!t.sliding && !t.entangled) {
      receivers.reserve(m_.lattice.points());
      m_.lattice.visit([&](const LatticePoint& left) {
        double most = 1;
        for (int d = 0; d < c_.dimension_count; ++d)
          if (!contains(t.indexing, d)) most *= left.extent[at(d)];
        receivers.push_back(most);
      });
    }
    for (int i = 0; i < m_.levels(); ++i) {
      // From the level's tile the last flow is the one out of it or out of a level inside.
      spread_after_[at(i)][at(v)] = spread(v, i + 1, i, receivers);
      spread_below_[at(i)][at(v)] = spread(v, i + 1, i - 1, receivers);
    }
  }
  with_.resize(at(m_.levels())), below_.resize(at(m_.levels())), after_.resize(at(m_.levels()));
  fresh_.resize(at(m_.levels()));
  for (int i = m_.levels() - 1; i >= 0; --i) build_level(i);
}

u64 RestBounds::bytes(const FlowCosts& m) {
  const u64 points = m.lattice.points(), levels = static_cast<u64>(m.levels());
  const auto tensors = static_cast<u64>(m.compiled->tensor_count);
  u64 channels = 1;  // with tables
  for (std::size_t k = 1; k < m.channels.size() && points <= kMaxCyclePoints; ++k)
    channels += m.channels[k].kind != Channel::Kind::Shared;
  u64 spreads = 1;  // and the receivers
  for (const FanoutChoices& fanout : m.fanout) spreads += fanout.exists ? 2 * levels * tensors : 0;
  spreads = std::min(spreads, 1 + 2 * levels * tensors);
  const u64 row = tensors * (2 + static_cast<u64>(m.compiled->dimension_count));
  spreads += levels * tensors;  // and what reuse leaves
  return sizeof(double) * (points * (3 * levels * channels + spreads) + levels * std::min(points * row, kMaxRowValues));
}

double RestBounds::of(const Channels& x, std::size_t channel) const {
  if (channel > 0) return x[channel];
  double sum = x[0];
  for (std::size_t k = 1; k < m_.channels.size() && m_.channels[k].kind == Channel::Kind::Shared; ++k)
    sum += x[k] * m_.level[at(m_.channels[k].level)].least_sharing;
  return sum;
}

bool RestBounds::reuses(int level, int tensor) const {
  if ((m_.problem->space.levels[at(level)].temporal.allowed & ~c_.tensor[at(tensor)].indexing) == 0) return false;
  for (int i = 0; i < level; ++i)
    if (contains(m_.level[at(i)].starts, tensor)) return true;
  return false;
}

double RestBounds::least_below(int level) const {
  const Table& table = below_[at(level)][0];
  return *std::min_element(table.begin(), table.end());
}

RestBounds::Table RestBounds::spread(int tensor, int first_fanout, int start, const Table& receivers) const {
  while (start >= 0 && !contains(m_.level[at(start)].keep, tensor)) --start;
  const int last = m_.least.flow(start, tensor).last_fanout;
  Table out;
  for (int f = first_fanout; f <= last; ++f) {
    const Table& least = m_.fanout[at(f)].least_spread[at(tensor)];
    if (least.empty()) continue;
    if (out.empty()) out.assign(least.size(), 1);
    for (std::size_t p = 0; p < out.size(); ++p) out[p] *= least[p];
  }
  if (!receivers.empty())
    for (std::size_t p = 0; p < out.size(); ++p) out[p] = std::max(out[p], 1 / receivers[p]);
  return out;
}

std::size_t RestBounds::row_width(int level) const {
  std::size_t out = 0;
  for (const int v : bits(m_.level[at(level)].keep)) out += 2 + (c_.tensor[at(v)].sliding ? classes_.count() : 0);
  return out;
}

void RestBounds::fresh(int level, const LatticePoint& tile, const LoopSet& outside, std::size_t channel,
                       double* row) const {
  double iterations = 1;
  for (int d = 0; d < c_.dimension_count; ++d) iterations *= outside.n[at(d)];
  for (const int tensor : bits(m_.level[at(level)].keep)) {
    const std::size_t v = at(tensor);
    const CompiledTensor& t = c_.tensor[v];
    const FlowPrice& price = m_.least.level[at(level)].flow[v];
    const double fill = of(price.fill, channel), serve = of(price.serve, channel);
    const double words = static_cast<double>(box_words(t, tile.extent)) * iterations;
    double once = irrelevant_share(c_, t, outside);
    if (t.sliding) once *= halo_shares(classes_, t, box_extent(t, tile.extent), tile.extent, outside, row + 2);
    row[0] = words * (fill + serve * spread_after(level, static_cast<int>(v), m_.lattice.full().index - tile.index));
    row[1] = words * (fill + serve) * once;
    row += 2 + (t.sliding ? classes_.count() : 0);
  }
}

const double* RestBounds::fresh_energy(int level, const LatticePoint& tile, const LoopSet& outside,
                                       FreshRow& row) const {
  const Table& table = fresh_[at(level)];
  if (!table.empty()) return table.data() + tile.index * row_width(level);
  fresh(level, tile, outside, 0, row.data());
  return row.data();
}

void RestBounds::append_fresh(int level, const double* row, BoundFlows& flows) const {
  if (level + 1 == m_.levels()) return;  // nothing leaves the outermost level
  for (const int tensor : bits(m_.level[at(level)].keep)) {
    const std::size_t v = at(tensor);
    const bool slides = c_.tensor[v].sliding;
    if (row[0] > 0) flows.append({classes_.indexing(v), row[0], slides ? row + 2 : nullptr, row[1]});
    row += 2 + (slides ? classes_.count() : 0);
  }
}

void RestBounds::build_level(int level) {
  const Lattice& lattice = m_.lattice;
  const int top = m_.levels() - 1;
  const auto points = at(lattice.points());
  auto &with = with_[at(level)], &below = below_[at(level)], &after = after_[at(level)];
  with.resize(m_.channels.size()), below.resize(m_.channels.size()), after.resize(m_.channels.size());
  std::vector<std::size_t> channels;
  for (std::size_t k = 0; k < m_.channels.size(); ++k)
    if (m_.channels[k].kind != Channel::Kind::Shared && (k == 0 || points <= kMaxCyclePoints)) channels.push_back(k);

  // Step 1. What starts outside.
  for (std::size_t k : channels) {
    if (level == top) {
      after[k].assign(points, kImpossible);
      after[k][lattice.full().index] = 0;
    } else {
      after[k] = below_[at(level) + 1][k];
      const SpatialSpace& fanout = m_.problem->space.levels[at(level) + 1].spatial;
      if (m_.fanout[at(level) + 1].exists) lattice.min_over_multiples(after[k], fanout.allowed_x | fanout.allowed_y);
    }
    with[k] = after[k];
  }
  // Step 2. And at this level, for every tile that is possible.
  const std::size_t width = row_width(level);
  Table& rows = fresh_[at(level)];
  if (level < top && points * width <= kMaxRowValues) rows.resize(points * width);
  lattice.visit([&](const LatticePoint& tile) {
    if (with[0][tile.index] >= kImpossible || !m_.fits(level, tile.extent)) {
      for (std::size_t k : channels) with[k][tile.index] = kImpossible;
      return;
    }
    if (level == top) return;
    const LoopSet outside(classes_, c_, tile.extent, c_.size);
    FreshRow buffer;
    for (std::size_t k : channels) {
      double* const row = k == 0 && !rows.empty() ? rows.data() + tile.index * width : buffer.data();
      fresh(level, tile, outside, k, row);
      BoundFlows flows;
      append_fresh(level, row, flows);
      with[k][tile.index] += flows.least(outside.of_class, outside.present);
    }
  });
  const DimensionMask allowed = m_.problem->space.levels[at(level)].temporal.allowed;
  // Step 3. The least of what this level's loops can reach.
  for (std::size_t k : channels) {
    below[k] = with[k];
    lattice.min_over_multiples(below[k], allowed);
  }
  for (int v = 0; v < c_.tensor_count; ++v) {
    if (level == top || !reuses(level, v)) continue;
    Table& table = reused_[at(level)][at(v)];
    table = with[0];
    lattice.min_over_multiples(table, allowed & c_.tensor[at(v)].indexing);
  }
}

}  // namespace heliolite
