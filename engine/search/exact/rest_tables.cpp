// The tables of RestBounds, from the outermost level inwards.
#include <algorithm>
#include <cmath>
#include <map>
#include <span>
#include <utility>

#include "engine/base/integers.h"
#include "engine/search/certify/incumbent.h"
#include "engine/search/exact/rest_bounds.h"

namespace heliolite {
namespace {

// Unrollings of a fan-out times numbers of a table up to which each unrolling is looked at.
constexpr u64 kMaxUnrolled = 2'000'000;
// Boxes of a cell that are looked at.
constexpr int kMostBoxes = 64;

}  // namespace

void RestBounds::build_spreads(const std::function<bool()>& stop) {
  for (int v = 0; v < c_.tensor_count && complete_; ++v) {
    const CompiledTensor& t = c_.tensor[v];
    Table receivers;  // at most, of one word: a dimension spreads it to as many as it has iterations left
    if (!t.sliding && !t.entangled) {
      receivers.reserve(m_.lattice.grid().cells());
      m_.lattice.grid().visit([&](u64, const LatticePoint&, const LatticePoint& left) {
        double most = 1;
        for (int d = 0; d < c_.dimension_count; ++d)
          if (!contains(t.indexing, d)) most *= left.extent[d];
        receivers.push_back(most);
      });
    }
    for (int i = 0; i < m_.levels(); ++i) {
      Table product;  // over the fan-outs outside level i so far
      for (int f = i + 1; f < m_.levels(); ++f) {
        const Table& least = m_.fanout[f].least_spread[v];
        if (!m_.fanout[f].exists || least.empty()) continue;
        if (stop) complete_ = complete_ && !stop();
        if (!complete_) return;
        if (product.empty()) product.assign(least.size(), 1);
        for (std::size_t p = 0; p < product.size(); ++p) product[p] *= least[p];
        Table& out = spread_[i][f][v] = product;
        for (std::size_t p = 0; p < receivers.size(); ++p) out[p] = std::max(out[p], 1 / receivers[p]);
      }
    }
  }
}

void RestBounds::build_after(int level, std::span<const std::size_t> channels) {
  const LatticeGrid& grid = m_.lattice.grid();
  std::vector<Table*> unrolled;
  for (const std::size_t k : channels) {
    Table& after = after_[level][k];
    if (level + 1 == m_.levels()) {
      after.assign(at(grid.cells()), kImpossible);
      after[cell(m_.lattice.full().index)] = 0;
    } else if (!after_is_below(level)) {
      after = below_[level + 1][k];
      // More sets of servers there, and so no table of cycles: it counts as 0.
      if (!after.empty()) unrolled.push_back(&after);
    }
  }
  if (unrolled.empty()) return;
  const std::vector<SpatialChoice>& choices = m_.fanout[level + 1].choices;
  if (choices.size() * unrolled.front()->size() <= kMaxUnrolled) return unroll(choices, level, unrolled);
  const SpatialSpace& fanout = m_.problem->space.levels[level + 1].spatial;
  for (Table* after : unrolled)
    grid.min_over_multiples(*after, fanout.allowed_x | fanout.allowed_y, m_.servers.count(level));
}

// In each table value[x] becomes the least value of the multiples of x that some unrolling makes of it.
void RestBounds::unroll(const std::vector<SpatialChoice>& choices, int level, std::span<Table* const> values) const {
  const LatticeGrid& grid = m_.lattice.grid();
  const std::size_t sets = m_.servers.count(level);
  if (grid.coarse()) {
    // The tiles of a cell, unrolled, are in the cell that its first one comes to or in the next on some axes. Along
    // the dimensions of the level's loops the least of the cells further out is in the table already.
    const LevelSpace& space = m_.problem->space.levels[level + 1];
    const unsigned unrolled = space.spatial.allowed_x | space.spatial.allowed_y;
    for (Table* value : values)
      grid.min_over_neighbours(*value, static_cast<DimensionMask>(unrolled & ~space.temporal.allowed), sets);
  }
  // What stands in all tables for a cell is one row, so that runs of cells are long.
  const std::size_t width = values.size() * sets;
  Table before(grid.cells() * width), after(before.size(), kImpossible);
  for (std::size_t n = 0; n < values.size(); ++n)
    for (u64 c = 0; c < grid.cells(); ++c)
      std::copy_n(values[n]->begin() + c * sets, sets, before.begin() + c * width + n * sets);
  const auto lower = [&](u64 cell, u64 by, u64 count) {
    const double* from = before.data() + by * width;
    double* to = after.data() + cell * width;
    for (std::size_t k = 0; k < count * width; ++k) to[k] = std::min(to[k], from[k]);
  };
  if (grid.coarse()) {
    const u128 full = m_.lattice.full().packed;
    grid.visit([&](u64 cell, const LatticePoint& tile, const LatticePoint&) {
      for (const SpatialChoice& choice : choices)
        if (m_.lattice.divides(choice.factor.packed, full - tile.packed))
          lower(cell, grid.cell(tile.index + choice.factor.index), 1);
    });
  } else {
    for (const SpatialChoice& choice : choices) {
      const u64 further = choice.factor.index;
      grid.visit_runs(further, [&](u64 cell, u64 count) { lower(cell, cell + further, count); });
    }
  }
  for (std::size_t n = 0; n < values.size(); ++n)
    for (u64 c = 0; c < grid.cells(); ++c)
      std::copy_n(after.begin() + c * width + n * sets, sets, values[n]->begin() + c * sets);
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
      for (const int v : bits(m_.servers.kept(level, before))) servers[v] = m_.servers.server(level, after, v);
      out.push_back({before, after, known.try_emplace(servers, known.size()).first->second});
    }
  return out;
}

// The with() of every cell, from the after().
class RestBounds::Building {
 public:
  Building(RestBounds& tables, int level, const std::vector<std::size_t>& channels)
      : t_(tables),
        m_(tables.m_),
        grid_(m_.lattice.grid()),
        level_(level),
        channels_(channels),
        steps_(tables.steps_over(level)),
        sets_(m_.servers.count(level - 1)),
        flows_(tables, m_, level, channels) {
    std::ranges::stable_sort(steps_, {}, &Step::flows);
    for (auto first = steps_.begin(); first != steps_.end();) {
      const auto last =
          std::ranges::find_if(first, steps_.end(), [&](const Step& s) { return s.flows != first->flows; });
      add_flows({first, last});
      first = last;
    }
    flows_.find_wholes();
    std::size_t part = 0;
    for (const int v : bits(m_.keep.may[level])) part_[v] = std::exchange(part, part + t_.part_width(v));
    refund_.resize(m_.channels.size());
    for (const std::size_t k : channels)
      for (u32 before = 0; before < sets_; ++before) refund_[k].push_back(tables.refund(level, before, k));
    const std::size_t width = t_.row_width(level);
    if (level + 1 < m_.levels() && !grid_.coarse() && grid_.cells() * width <= kMaxRowValues)
      t_.fresh_[level].resize(grid_.cells() * width);
    for (const std::size_t k : channels) t_.with_[level][k].assign(grid_.cells() * sets_, kImpossible);
  }

  void add(u64 cell, const LatticePoint& first, const LatticePoint& last) {
    possible_.clear();
    room_.assign(kept_.size(), Room::Unknown);
    const double* const after = t_.after(level_, 0, first.index);
    for (const SameFlows& same : with_flows_)
      if (std::ranges::any_of(same.steps, [&](const Step& s) { return after[s.after] < kImpossible; }) &&
          has_room(same.kept, first))
        possible_.push_back(&same);
    if (possible_.empty()) return;
    if (grid_.coarse()) {
      for (const SameFlows* const same : possible_)
        for (const std::size_t k : channels_)
          add(cell, k, first.index, *same, least_of_box(same->steps[0], k, first, last));
      return;
    }
    const LoopSet outside(t_.classes_, t_.c_, first.extent, t_.c_.size);
    double* row = row_.data();
    if (Table& rows = t_.fresh_[level_]; !rows.empty()) row = rows.data() + cell * t_.row_width(level_);
    if (level_ + 1 < m_.levels()) t_.compute_fresh(level_, first, outside, row);
    flows_.go_to(first, outside, row, part_);
    for (const SameFlows* const same : possible_) {
      const BegunFlows::Row& least = flows_.least(at(same - with_flows_.data()));
      for (std::size_t n = 0; n < channels_.size(); ++n) add(cell, channels_[n], first.index, *same, least[n]);
    }
  }

 private:
  // Steps that begin the same flows.
  struct SameFlows {
    std::span<const Step> steps;
    std::size_t kept = 0;  // of kept_: what the steps keep
  };
  enum class Room : u8 { Unknown, Enough, Little };

  void add_flows(std::span<const Step> steps) {
    const TensorMask kept = m_.servers.kept(level_, steps[0].before);
    const std::size_t known = at(std::ranges::find(kept_, kept) - kept_.begin());
    if (known == kept_.size()) kept_.push_back(kept);
    with_flows_.push_back({steps, known});
    std::vector<BegunFlows::FromServer> flows;
    if (level_ + 1 < m_.levels())
      for (const int v : bits(kept)) flows.emplace_back(v, m_.servers.server(level_, steps[0].after, v));
    flows_.add_set(flows);
  }

  // For the cell's first tile: asked once for all that keep the same.
  bool has_room(std::size_t kept, const LatticePoint& first) {
    Room& room = room_[kept];
    if (room == Room::Unknown) room = m_.fits(level_, kept_[kept], first.extent) ? Room::Enough : Room::Little;
    return room == Room::Enough;
  }

  bool has_room(const Step& step, const LatticePoint& tile) const {
    return m_.fits(level_, m_.servers.kept(level_, step.before), tile.extent);
  }

  // `least`: what the flows cost at least.
  void add(u64 cell, std::size_t k, u64 tile, const SameFlows& same, double least) {
    double* const with = t_.with_[level_][k].data() + cell * sets_;
    const double* const after = t_.after(level_, k, tile);
    const double* const refund = refund_[k].data();
    for (const Step& step : same.steps) {
      const double rest = after == nullptr ? 0 : after[step.after];
      if (rest < kImpossible) with[step.before] = std::min(with[step.before], rest + least - refund[step.before]);
    }
  }

  // The least cost over all tiles of a box that begins there.
  double least(const Step& step, std::size_t k, const LatticePoint& tile, const LoopSet& outside,
               const double* row) const {
    BoundFlows flows;
    t_.append_fresh(level_, step.before, step.after, k, tile.index, row, flows);
    return flows.least(outside.of_class, outside.present);
  }

  double least_of_box(const Step& step, std::size_t k, const LatticePoint& first, const LatticePoint& last) {
    double out = kImpossible;
    boxes_left_ = kMostBoxes;
    look_into(step, k, first, last, out);
    return out;
  }

  // Lowers `known` to the least cost of the flows out of those tiles of a box that have room, or below. A box whose
  // last tile has no room is halved, the half with the larger tiles first, for they fetch less.
  void look_into(const Step& step, std::size_t k, const LatticePoint& first, const LatticePoint& last, double& known) {
    if (!has_room(step, first)) return;
    double bound = 0;
    if (level_ + 1 < m_.levels()) {
      const LoopSet outside = box_loops(t_.classes_, t_.c_, first, last);
      if (first.index == last.index) t_.compute_fresh(level_, first, outside, row_.data());
      else t_.compute_least_fresh(level_, first, last, outside, row_.data());
      bound = least(step, k, first, outside, row_.data());
    }
    if (bound >= known) return;
    if (first.index == last.index || --boxes_left_ <= 0 || has_room(step, last)) {
      known = bound;
      return;
    }
    const auto [axis, exponents] = longest_side(last.index - first.index);
    const u32 lower = (exponents + 1) / 2;
    LatticePoint middle = first, below = last;
    middle.move(*axis, 0, lower);
    below.move(*axis, exponents + 1 - lower, 0);
    look_into(step, k, middle, last, known);
    look_into(step, k, first, below, known);
  }

  struct Side {
    const LatticeAxis* axis;
    u32 exponents;  // from the first to the last
  };
  // The longest side of a box whose last tile has an index `distance` above the first.
  Side longest_side(u64 distance) const {
    Side out{nullptr, 0};
    double longest = 0;
    for (const LatticeAxis& axis : m_.lattice.axes()) {
      const auto exponents = static_cast<u32>(distance / axis.stride % (axis.exponent + 1u));
      const double length = exponents * std::log(axis.prime);
      if (length > longest) longest = length, out = {&axis, exponents};
    }
    return out;
  }

  RestBounds& t_;
  const FlowCosts& m_;
  const LatticeGrid& grid_;
  int level_;
  const std::vector<std::size_t>& channels_;
  std::vector<Step> steps_;
  std::size_t sets_;
  BegunFlows flows_;
  std::vector<SameFlows> with_flows_;        // in the order of the sets of flows_
  std::vector<TensorMask> kept_;             // each set of tensors that some step keeps
  std::vector<Room> room_;                   // [kept_]: for the first tile of a cell
  std::vector<std::vector<double>> refund_;  // [channel][set of servers before]
  FreshRow row_;
  std::vector<const SameFlows*> possible_;       // of with_flows_, for the cell
  std::array<std::size_t, kMaxTensors> part_{};  // [tensor]: where its part of a row begins
  int boxes_left_ = 0;
};

void RestBounds::build_level(int level, const std::function<bool()>& stop) {
  const LatticeGrid& grid = m_.lattice.grid();
  const auto levels = at(m_.levels());
  const std::size_t sets = m_.servers.count(level - 1);
  with_[level].resize(m_.channels.size()), below_[level].resize(m_.channels.size());
  after_[level].resize(m_.channels.size());
  std::vector<std::size_t> channels;
  for (std::size_t k = 0; k < m_.channels.size(); ++k)
    if (m_.channels[k].kind != Channel::Kind::Shared && (k == 0 || grid.cells() * sets <= kMaxCycleValues))
      channels.push_back(k);
  // Step 1. What starts outside.
  build_after(level, channels);
  // Step 2. And at this level, for every tile that is possible.
  Building building(*this, level, channels);
  grid.visit([&](u64 cell, const LatticePoint& first, const LatticePoint& last) {
    constexpr u64 kCellsBetweenQuestions = 256;
    if (stop && cell % kCellsBetweenQuestions == 0) complete_ = complete_ && !stop();
    if (complete_) building.add(cell, first, last);
  });
  // Step 3. The least of what this level's loops can reach.
  const DimensionMask allowed = m_.problem->space.levels[level].temporal.allowed;
  for (const std::size_t k : channels) {
    Table& below = below_[level][k];
    below = with_[level][k];
    grid.min_over_multiples(below, allowed, sets);
  }
  for (int v = 0; v < c_.tensor_count; ++v) {
    if (at(level) + 1 == levels || !reuses(level, v)) continue;
    Table& table = reused_[level][v];
    table = with_[level][0];
    grid.min_over_multiples(table, allowed & c_.tensor[v].indexing, sets);
  }
}

}  // namespace heliolite
