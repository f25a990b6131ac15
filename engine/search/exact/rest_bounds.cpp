#include "engine/search/exact/rest_bounds.h"

#include <algorithm>
#include <map>

#include "engine/base/integers.h"
#include "engine/model/tile_box.h"

namespace heliolite {
namespace {

// Tables of cycles, and of flows, are left out of large lattices.
constexpr u64 kMaxCyclePoints = 400'000;
constexpr u64 kMaxRowValues = 4'000'000;
// Unrollings of a fan-out times numbers of a table up to which each unrolling is looked at.
constexpr u64 kMaxUnrolled = 2'000'000;

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
  for (std::size_t k = 0; k < m_.channels.size(); ++k)
    if (m_.channels[k].kind == Channel::Kind::Shared)
      least_sharing_[k] = m_.level[at(m_.channels[k].level)].least_sharing;
  build_spreads();
  fill_.resize(at(m_.levels())), serve_.resize(at(m_.levels()));
  for (std::size_t i = 0; i < fill_.size(); ++i)
    for (std::size_t k = 0; k < m_.channels.size(); ++k)
      for (std::size_t v = 0; v < at(c_.tensor_count); ++v) {
        fill_[i][k][v] = of(m_.least.level[i].fill[v], k);
        serve_[i][k][v] = of(m_.least.level[i].serve[v], k);
      }
  double reducing = 1;
  for (int i = m_.levels() - 1; i >= 0; --i) {
    reducing_outside_[at(i)] = reducing;
    reducing *= m_.fanout[at(i)].most_reducing;
  }
  with_.resize(at(m_.levels())), below_.resize(at(m_.levels())), after_.resize(at(m_.levels()));
  fresh_.resize(at(m_.levels()));
  for (int i = m_.levels() - 1; i >= 0; --i) build_level(i);
}

void RestBounds::build_spreads() {
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
      Table product;  // over the fan-outs outside level i so far
      for (int f = i + 1; f < m_.levels(); ++f) {
        const Table& least = m_.fanout[at(f)].least_spread[at(v)];
        if (!m_.fanout[at(f)].exists || least.empty()) continue;
        if (product.empty()) product.assign(least.size(), 1);
        for (std::size_t p = 0; p < product.size(); ++p) product[p] *= least[p];
        Table& out = spread_[at(i)][at(f)][at(v)] = product;
        for (std::size_t p = 0; p < receivers.size(); ++p) out[p] = std::max(out[p], 1 / receivers[p]);
      }
    }
  }
}

u64 RestBounds::bytes(const FlowCosts& m) {
  const u64 points = m.lattice.points(), levels = static_cast<u64>(m.levels());
  const auto tensors = static_cast<u64>(m.compiled->tensor_count);
  u64 numbers = points;  // the receivers
  for (std::size_t f = 0; f < m.fanout.size(); ++f) numbers += m.fanout[f].exists ? points * f * tensors : 0;
  for (int i = 0; i < m.levels(); ++i) {
    const u64 values = points * m.servers.count(i - 1);
    u64 channels = 1;  // with tables
    for (std::size_t k = 1; k < m.channels.size() && values <= kMaxCyclePoints; ++k)
      channels += m.channels[k].kind != Channel::Kind::Shared;
    numbers += values * ((2 + m.fanout[at(i)].exists) * channels + tensors);
  }
  const u64 row = tensors * (2 + static_cast<u64>(m.compiled->dimension_count));
  return sizeof(double) * (numbers + levels * std::min(points * row, kMaxRowValues));
}

double RestBounds::of(const Channels& x, std::size_t channel, const Channels& sharing) const {
  if (channel > 0) return x[channel];
  double sum = x[0];
  for (std::size_t k = 1; k < m_.channels.size() && m_.channels[k].kind == Channel::Kind::Shared; ++k)
    sum += x[k] * sharing[k];
  return sum;
}

bool RestBounds::reuses(int level, int tensor) const {
  if ((m_.problem->space.levels[at(level)].temporal.allowed & ~c_.tensor[at(tensor)].indexing) == 0) return false;
  for (int i = 0; i < level; ++i)
    if (contains(m_.starting(i, m_.keep.may[at(i)]), tensor)) return true;
  return false;
}

double RestBounds::least_below(int level, u32 servers) const {
  const Table& table = below_[at(level)][0];
  const std::size_t sets = m_.servers.count(level - 1);
  double least = kImpossible;
  for (std::size_t k = servers; k < table.size(); k += sets) least = std::min(least, table[k]);
  return least;
}

std::size_t RestBounds::row_width(int level) const {
  std::size_t out = 0;
  for (const int v : bits(m_.keep.may[at(level)])) out += 2 + (c_.tensor[at(v)].sliding ? classes_.count() : 0);
  return out;
}

void RestBounds::compute_fresh(int level, const LatticePoint& tile, const LoopSet& outside, double* row) const {
  double iterations = 1;
  for (int d = 0; d < c_.dimension_count; ++d) iterations *= outside.n[at(d)];
  for (const int tensor : bits(m_.keep.may[at(level)])) {
    const CompiledTensor& t = c_.tensor[at(tensor)];
    double once = irrelevant_share(c_, t, outside);
    if (t.sliding) once *= halo_shares(classes_, t, box_extent(t, tile.extent), tile.extent, outside, row + 2);
    row[0] = static_cast<double>(box_words(t, tile.extent)) * iterations;
    row[1] = once;
    row += 2 + (t.sliding ? classes_.count() : 0);
  }
}

const double* RestBounds::fresh(int level, const LatticePoint& tile, const LoopSet& outside, FreshRow& row) const {
  const Table& table = fresh_[at(level)];
  if (!table.empty()) return table.data() + tile.index * row_width(level);
  if (level + 1 < m_.levels()) compute_fresh(level, tile, outside, row.data());
  return row.data();
}

void RestBounds::append_fresh(int level, u32 before, u32 after, std::size_t channel, u32 tile, const double* row,
                              BoundFlows& flows) const {
  if (level + 1 == m_.levels()) return;  // nothing leaves the outermost level
  const TensorMask kept = m_.servers.kept(level, before);
  const u32 left = m_.lattice.full().index - tile;
  for (const int v : bits(m_.keep.may[at(level)])) {
    const bool slides = c_.tensor[at(v)].sliding;
    if (contains(kept, v)) {
      const double fill = fill_[at(level)][channel][at(v)];
      const int server = m_.servers.server(level, after, v);
      const double serve = serve_[at(server)][channel][at(v)];
      const double unreused = row[0] * (fill + serve * spread(level, server, v, left));
      const double once = row[0] * (fill + serve) * row[1];
      if (unreused > 0) flows.append({classes_.indexing(at(v)), unreused, slides ? row + 2 : nullptr, once});
    }
    row += 2 + (slides ? classes_.count() : 0);
  }
}

double RestBounds::refund(int level, u32 before, std::size_t channel) const {
  if (!contains(m_.servers.kept(level, before) & ~m_.keep.must[at(level)], m_.output)) return 0;
  return static_cast<double>(c_.tensor[at(m_.output)].words) * of(m_.least.level[at(level)].refund, channel) *
         reducing_outside_[at(level)];
}

void RestBounds::build_after(int level, std::size_t channel) {
  Table& after = after_[at(level)][channel];
  if (level + 1 == m_.levels()) {
    after.assign(at(m_.lattice.points()), kImpossible);
    after[m_.lattice.full().index] = 0;
  } else if (!after_is_below(level)) {
    after = below_[at(level) + 1][channel];
    if (after.empty()) return;  // more sets of servers there, and so no table of cycles: it counts as 0
    const std::vector<SpatialChoice>& choices = m_.fanout[at(level) + 1].choices;
    if (choices.size() * after.size() <= kMaxUnrolled) return unroll(choices, level, after);
    const SpatialSpace& fanout = m_.problem->space.levels[at(level) + 1].spatial;
    m_.lattice.min_over_multiples(after, fanout.allowed_x | fanout.allowed_y, m_.servers.count(level));
  }
}

// value[x] becomes the least value of the multiples of x that some unrolling makes of it.
void RestBounds::unroll(const std::vector<SpatialChoice>& choices, int level, Table& value) const {
  const std::size_t sets = m_.servers.count(level);
  const Table unrolled = std::move(value);
  value.assign(unrolled.size(), kImpossible);
  const u128 full = m_.lattice.full().packed;
  m_.lattice.visit([&](const LatticePoint& tile) {
    for (const SpatialChoice& choice : choices) {
      if (!m_.lattice.divides(choice.factor.packed, full - tile.packed)) continue;
      const double* from = unrolled.data() + (tile.index + choice.factor.index) * sets;
      double* to = value.data() + tile.index * sets;
      for (std::size_t k = 0; k < sets; ++k) to[k] = std::min(to[k], from[k]);
    }
  });
}

// From a set of servers before a level to one after it. Steps of the same `flows` begin the same flows.
struct RestBounds::Step {
  u32 before, after;
  std::size_t flows;
};

std::vector<RestBounds::Step> RestBounds::steps_over(int level) const {
  std::vector<Step> out;
  std::map<std::vector<int>, std::size_t> known;  // [tensor kept]: its server
  for (u32 before = 0; before < m_.servers.count(level - 1); ++before)
    for (const u32 after : m_.servers.next(level, before)) {
      std::vector<int> servers(at(c_.tensor_count), -1);
      for (const int v : bits(m_.servers.kept(level, before))) servers[at(v)] = m_.servers.server(level, after, v);
      out.push_back({before, after, known.try_emplace(servers, known.size()).first->second});
    }
  return out;
}

// The with() of every tile, from the after().
class RestBounds::Building {
 public:
  Building(RestBounds& tables, int level, const std::vector<std::size_t>& channels)
      : t_(tables), m_(tables.m_), level_(level), channels_(channels), steps_(tables.steps_over(level)) {
    for (const Step& step : steps_) flows_ = std::max(flows_, step.flows + 1);
    sets_ = m_.servers.count(level - 1);
    const std::size_t width = t_.row_width(level);
    if (level + 1 < m_.levels() && m_.lattice.points() * width <= kMaxRowValues)
      t_.fresh_[at(level)].resize(m_.lattice.points() * width);
    for (const std::size_t k : channels) t_.with_[at(level)][k].assign(m_.lattice.points() * sets_, kImpossible);
  }

  void add(const LatticePoint& tile) {
    room_.assign(flows_, Room::Unknown);
    bool any = false;
    for (const Step& step : steps_) {
      if (t_.after(level_, step.after, 0, tile.index) >= kImpossible) continue;
      Room& room = room_[step.flows];
      if (room == Room::Unknown)
        room = m_.fits(level_, m_.servers.kept(level_, step.before), tile.extent) ? Room::Enough : Room::Little;
      any |= room == Room::Enough;
    }
    if (!any) return;
    const LoopSet outside(t_.classes_, t_.c_, tile.extent, t_.c_.size);
    double* row = row_.data();
    if (Table& rows = t_.fresh_[at(level_)]; !rows.empty()) row = rows.data() + tile.index * t_.row_width(level_);
    if (level_ + 1 < m_.levels()) t_.compute_fresh(level_, tile, outside, row);
    for (const std::size_t k : channels_) add(tile, outside, row, k);
  }

 private:
  enum class Room : u8 { Unknown, Enough, Little };

  void add(const LatticePoint& tile, const LoopSet& outside, const double* row, std::size_t k) {
    constexpr double kUnknown = -1;
    least_.assign(flows_, kUnknown);
    double* const with = t_.with_[at(level_)][k].data() + tile.index * sets_;
    for (const Step& step : steps_) {
      if (room_[step.flows] != Room::Enough) continue;
      const double after = t_.after(level_, step.after, k, tile.index);
      if (after >= kImpossible) continue;
      double& least = least_[step.flows];
      if (least == kUnknown) {
        BoundFlows flows;
        t_.append_fresh(level_, step.before, step.after, k, tile.index, row, flows);
        least = flows.least(outside.of_class, outside.present);
      }
      with[step.before] = std::min(with[step.before], after + least - t_.refund(level_, step.before, k));
    }
  }

  RestBounds& t_;
  const FlowCosts& m_;
  int level_;
  const std::vector<std::size_t>& channels_;
  std::vector<Step> steps_;
  std::size_t flows_ = 0, sets_;
  FreshRow row_;
  std::vector<Room> room_;     // [flows of a step], of the tile
  std::vector<double> least_;  // the same, in a channel
};

void RestBounds::build_level(int level) {
  const Lattice& lattice = m_.lattice;
  const auto levels = at(m_.levels());
  const std::size_t sets = m_.servers.count(level - 1);
  with_[at(level)].resize(m_.channels.size()), below_[at(level)].resize(m_.channels.size());
  after_[at(level)].resize(m_.channels.size());
  std::vector<std::size_t> channels;
  for (std::size_t k = 0; k < m_.channels.size(); ++k)
    if (m_.channels[k].kind != Channel::Kind::Shared && (k == 0 || lattice.points() * sets <= kMaxCyclePoints))
      channels.push_back(k);
  // Step 1. What starts outside.
  for (const std::size_t k : channels) build_after(level, k);
  // Step 2. And at this level, for every tile that is possible.
  Building building(*this, level, channels);
  lattice.visit([&](const LatticePoint& tile) { building.add(tile); });
  // Step 3. The least of what this level's loops can reach.
  const DimensionMask allowed = m_.problem->space.levels[at(level)].temporal.allowed;
  for (const std::size_t k : channels) {
    Table& below = below_[at(level)][k];
    below = with_[at(level)][k];
    lattice.min_over_multiples(below, allowed, sets);
  }
  for (int v = 0; v < c_.tensor_count; ++v) {
    if (at(level) + 1 == levels || !reuses(level, v)) continue;
    Table& table = reused_[at(level)][at(v)];
    table = with_[at(level)][0];
    lattice.min_over_multiples(table, allowed & c_.tensor[at(v)].indexing, sets);
  }
}

}  // namespace heliolite
