#include "engine/search/sunstone/greedy_starts.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "engine/base/integers.h"
#include "engine/model/compiled.h"
#include "engine/model/cost_of_counts.h"
#include "engine/search/sunstone/partial_plan.h"

namespace heliolite {
namespace {

// Unrollings that are filled, for all keep choices together; one or more for each.
constexpr std::size_t kFilledUnrollings = 4;
// Where none of those fits: unrollings that may leave units idle, of at most kMostProducts products of factors.
constexpr std::size_t kIdleUnrollings = 64;
constexpr std::size_t kMostProducts = 1 << 16;

u32 spatial(const Plan& plan, int level, int d) {
  return plan.factor[loop_place_of(LoopKind::SpatialX, level)][d] *
         plan.factor[loop_place_of(LoopKind::SpatialY, level)][d];
}

}  // namespace

GreedyStarts::GreedyStarts(const Ladder& ladder, const RuleSet& rules, Fillings& fillings)
    : ladder_(ladder),
      c_(ladder.compiled()),
      space_(ladder.space()),
      rules_(rules),
      moves_(space_, Ends::Dividing),
      fillings_(fillings) {
  for (int d = 0; d < space_.dimension_count; ++d)
    for (const PrimePower& p : factorize(space_.size[d])) primes_[d].push_back(static_cast<u32>(p.prime));
  for (int i = 0; i < c_.level_count; ++i)
    for (int v = 0; v < c_.tensor_count; ++v) {
      const CompiledLevel& level = c_.level[i];
      word_[i][v] = {least_access_units(level, v, {1, 0, 0}), least_access_units(level, v, {0, 1, 0}),
                     least_access_units(level, v, {0, 0, 1})};
      const WordEnergy& e = word_[i][v];
      free_words_ &= e.read + e.fill + e.update == 0;
    }
}

std::vector<Plan> GreedyStarts::list(std::span<const KeepMasks> keeps, std::size_t most) {
  const std::size_t each = std::max<std::size_t>(1, kFilledUnrollings / std::max<std::size_t>(1, keeps.size()));
  std::vector<Filled> filled = fill_all(keeps, each, rules_);
  if (filled.empty()) filled = fill_all(keeps, kIdleUnrollings, RuleSet(rules_).set(Rule::FullUnrolling, false));
  std::stable_sort(filled.begin(), filled.end(),
                   [](const Filled& a, const Filled& b) { return a.estimate < b.estimate; });
  std::vector<Plan> out;
  for (std::size_t k = 0; k < std::min(most, filled.size()); ++k) out.push_back(filled[k].plan);
  return out;
}

std::vector<GreedyStarts::Filled> GreedyStarts::fill_all(std::span<const KeepMasks> keeps, std::size_t each,
                                                         const RuleSet& rules) {
  std::vector<Filled> filled;
  for (const KeepMasks& keep : keeps) {
    keep_ = keep;
    bool first = true;  // the first unrolling is filled every way, the others one way
    for (const Filled& unrolled : unrollings(each, rules)) {
      Filled bare = unrolled;
      if (!begin(bare.plan)) continue;
      for (int way = -2; way < c_.tensor_count; ++way) {
        if (!first && way != -1) continue;
        Filled next = bare;
        next.estimate = fill(next.plan, std::max(way, -1), way == -2);
        const auto same = [&](const Filled& f) { return f.plan == next.plan; };
        if (moves_.legal(next.plan.factor) && std::none_of(filled.begin(), filled.end(), same)) filled.push_back(next);
      }
      first = false;
    }
  }
  return filled;
}

// The next level outside that keeps the tensor: its words come from there. `level` -1: the MACs.
int GreedyStarts::server(int level, int tensor) const {
  int i = level + 1;
  while (i + 1 < c_.level_count && !contains(keep_[i], tensor)) ++i;
  return i;
}

GreedyStarts::Estimate GreedyStarts::estimate(double energy, double cycles) const {
  if (info(ladder_.objective()).energy_power == 0) return {cycles, energy};
  return {objective_units(ladder_.objective(), energy, cycles), 0};
}

// Step 1.
std::vector<GreedyStarts::Filled> GreedyStarts::unrollings(std::size_t most, const RuleSet& rules) {
  Filled root;
  root.plan.keep = keep_;
  std::vector<Filled> plans{root};
  RuleCounts uncounted;  // Sunstone's own list counts
  for (int i = 0; i < c_.level_count; ++i) {
    const SpatialSpace& fanout = space_.levels[i].spatial;
    if (!fanout.exists()) continue;
    std::vector<Filled> next;
    for (const Filled& from : plans) {
      const Extents inside = unrolled_through(space_, from.plan, i);
      Extents rest = unit_extents();
      for (int d = 0; d < space_.dimension_count; ++d) rest[d] = static_cast<u32>(space_.size[d]) / inside[d];
      std::size_t products = 1;
      for (const int d : bits(static_cast<DimensionMask>(fanout.allowed_x | fanout.allowed_y)))
        products *= fillings_.divisors()[d].of(rest[d]).size();
      if (!rules[Rule::FullUnrolling] && products > kMostProducts) continue;
      for (const Unrolling& u : fillings_.list(i, rest, rules, uncounted)) {
        Filled to = from;
        to.plan.factor[loop_place_of(LoopKind::SpatialX, i)] = u.x;
        to.plan.factor[loop_place_of(LoopKind::SpatialY, i)] = u.y;
        Extents left = rest;
        for (int d = 0; d < space_.dimension_count; ++d) left[d] /= u.factor(d);
        if (!rest_can_be_placed(space_, left, 0, i) || !fits(to.plan, i, c_.level_count - 1)) continue;
        if (!ladder_.uses_enough_units(to.plan, i)) continue;
        to.estimate = unrolled_estimate(to.plan);
        next.push_back(to);
      }
    }
    std::stable_sort(next.begin(), next.end(),
                     [](const Filled& a, const Filled& b) { return a.estimate < b.estimate; });
    if (next.size() > most) next.resize(most);
    plans = std::move(next);
  }
  return plans;
}

// As if each word went from its server to the MACs at every step.
GreedyStarts::Estimate GreedyStarts::unrolled_estimate(const Plan& plan) const {
  double energy = static_cast<double>(c_.op_units) + 1, used = 1;
  for (int i = 0; i < c_.level_count; ++i)
    for (int d = 0; d < space_.dimension_count; ++d) used *= spatial(plan, i, d);
  for (int v = 0; v < c_.tensor_count; ++v) {
    double shared = 1;  // instances that take the same word
    for (int to = -1; to + 1 < c_.level_count;) {
      const int from = server(to, v);
      bool fans_out = to < 0;
      for (int i = to + 1; i <= from; ++i) {
        fans_out |= space_.levels[i].spatial.exists();
        for (int d = 0; d < space_.dimension_count; ++d)
          if (!contains(c_.tensor[v].indexing, d)) shared *= spatial(plan, i, d);
      }
      if (fans_out) energy += energy_of({v, -1, from, 0, 1 / shared});
      to = from;
    }
  }
  return estimate(energy, 1 / used);
}

// The machine's least factors, and the rest as far out as it may be. False: there is no such plan, or it does not fit.
bool GreedyStarts::begin(Plan& plan) const {
  for (int d = 0; d < space_.dimension_count; ++d) {
    u64 rest = space_.size[d];
    for (int i = 0; i < c_.level_count; ++i) {
      const u64 least = space_.levels[i].temporal.factor[d].min, here = least * spatial(plan, i, d);
      if (rest % here != 0) return false;
      rest /= here;
      plan.temporal(i, d) = static_cast<u32>(least);
    }
    for (int i = c_.level_count; i-- > 0 && rest > 1;) {
      const u64 most = space_.levels[i].temporal.factor[d].max / plan.temporal(i, d);
      const auto factors = fillings_.divisors()[d].of(rest);
      const auto above = std::upper_bound(factors.begin(), factors.end(), most);
      if (above == factors.begin()) continue;
      plan.temporal(i, d) *= *(above - 1);
      rest /= *(above - 1);
    }
    if (rest > 1) return false;
  }
  return fits(plan, 0, c_.level_count - 1);
}

bool GreedyStarts::fits(const Plan& plan, int first, int last) const {
  for (int i = first; i <= last; ++i) {
    const CompiledLevel& level = c_.level[i];
    if (level.room == CompiledLevel::kUnbounded || keep_[i] == 0) continue;
    const Extents tile = tile_through(space_, plan, i);
    u64 used = 0;
    for (const int v : bits(keep_[i])) used += level.taken(v, box_words(c_.tensor[v], tile));
    if (used > level.room) return false;
  }
  return true;
}

// Steps 2 and 3, level by level.
GreedyStarts::Estimate GreedyStarts::fill(Plan& plan, int stationary, bool inwards) const {
  if (inwards)
    for (int i = c_.level_count - 1; i-- > 0;) grow(plan, i, stationary, {}, true);
  std::vector<Flow> flows;
  for (int v = 0; v < c_.tensor_count; ++v) flows.push_back({v, -1, server(-1, v), 1, 1, false});
  double used = 1;
  for (int i = 0; i < c_.level_count; ++i) {
    for (int d = 0; d < space_.dimension_count; ++d) {
      const u32 units = spatial(plan, i, d);
      if (units == 1) continue;
      used *= units;
      for (Flow& flow : flows) {
        flow.fills *= units;
        if (i > flow.from || contains(c_.tensor[flow.tensor].indexing, d)) flow.reads *= units;
      }
    }
    if (!inwards && i + 1 < c_.level_count) grow(plan, i, stationary, flows, false);
    choose_order(plan, i, flows);
    if (i + 1 == c_.level_count) break;
    const Extents tile = tile_through(space_, plan, i);
    for (const int v : bits(keep_[i])) {
      const auto words = static_cast<double>(box_words(c_.tensor[v], tile));
      flows.push_back({v, i, server(i, v), words, words, true});
    }
  }
  // What each level reads and writes, in parts of words.
  std::array<double, kMaxLevels> read{}, written{};
  double energy = static_cast<double>(c_.op_units) * static_cast<double>(c_.macs);
  for (const Flow& flow : flows) {
    energy += energy_of(flow);
    const bool output = c_.tensor[flow.tensor].is_output;
    const auto parts = [&](int level, double words) {
      return words * static_cast<double>(c_.level[level].taken(flow.tensor, 1));
    };
    read[flow.from] += parts(flow.from, flow.reads);
    if (output) written[flow.from] += parts(flow.from, flow.reads);
    if (flow.to < 0) continue;
    written[flow.to] += parts(flow.to, flow.fills);
    if (output) read[flow.to] += parts(flow.to, flow.fills);
  }
  double cycles = static_cast<double>(c_.cycles_of(c_.macs)) / used, units = used;
  for (int i = 0; i < c_.level_count; ++i) {
    const CompiledLevel& level = c_.level[i];
    for (int d = 0; d < space_.dimension_count; ++d) units /= spatial(plan, i, d);
    if (!level.limited) continue;
    const double r = read[i] / units, w = written[i] / units;
    cycles = std::max({cycles, r / level.read_bandwidth, w / level.write_bandwidth, (r + w) / level.shared_bandwidth});
  }
  return estimate(energy, cycles);
}

// Step 2 at one level.
void GreedyStarts::grow(Plan& plan, int level, int stationary, const std::vector<Flow>& inside, bool nearest) const {
  const TemporalSpace& here = space_.levels[level].temporal;
  const auto shift = [&](const Move& m, u8 from, u8 to) {
    plan.factor[from][m.dimension] /= m.factor;
    plan.factor[to][m.dimension] *= m.factor;
  };
  double now = words_energy(plan, level, stationary, inside);
  for (;;) {
    double least = now;
    Move best;
    for (const int d : bits(here.allowed)) {
      for (const u32 prime : primes_[d]) {
        if (!here.factor[d].allows(u64{plan.temporal(level, d)} * prime)) continue;
        const auto may_give = [&](int i) {
          const u32 factor = plan.temporal(i, d);
          return factor % prime == 0 && space_.levels[i].temporal.factor[d].allows(factor / prime);
        };
        int from = nearest ? level + 1 : c_.level_count - 1;
        while (from > level && from < c_.level_count && !may_give(from)) from += nearest ? 1 : -1;
        if (from == level || from == c_.level_count) continue;
        const Move move{static_cast<u8>(d), static_cast<u8>(loop_place_of(LoopKind::Temporal, from)),
                        static_cast<u8>(loop_place_of(LoopKind::Temporal, level)), prime};
        shift(move, move.from, move.to);
        const double energy = words_energy(plan, level, stationary, inside);
        if (energy < least && fits(plan, level, from - 1)) least = energy, best = move;
        shift(move, move.to, move.from);
      }
    }
    if (!(least < now)) return;
    shift(best, best.from, best.to);
    now = least;
  }
}

// Energy of the words on their way to the levels from `level` on, and of those to the tiles inside it that its loops
// may still keep in place. The loops of the level keep one tensor in place, those outside it `stationary`, or the best
// (-1); other tensors stay only while those loops move neither.
double GreedyStarts::words_energy(const Plan& plan, int level, int stationary, const std::vector<Flow>& inside) const {
  // What loops over time, at the level and outside it.
  struct Loops {
    std::array<double, kMaxDimensions> factor{};
    DimensionMask dimensions = 0;
    double all = 1;

    void add(int d, double f) {
      if (f == 1) return;
      factor[d] = f;
      dimensions |= dimension_bit(d);
      all *= f;
    }
    // How often they move the tile of a tensor with these dimensions while they keep another one in place.
    double moves(DimensionMask indexing, DimensionMask kept) const {
      if ((indexing & dimensions) == 0) return 1;
      double out = all;
      for (const int d : bits(static_cast<DimensionMask>(dimensions & ~(indexing | kept)))) out /= factor[d];
      return out;
    }
  };
  Loops own, outside;
  Extents tile = tile_through(space_, plan, level);
  Extents units = unit_extents();
  for (const int d : bits(space_.non_unit)) {
    own.add(d, plan.temporal(level, d));
    double f = 1;
    for (int i = level + 1; i < c_.level_count; ++i) f *= plan.temporal(i, d), units[d] *= spatial(plan, i, d);
    outside.add(d, f);
  }
  std::array<double, kMaxTensors> energy{};  // energy of moving a tensor's tiles once
  for (const Flow& flow : inside)
    if (flow.in_place && (c_.tensor[flow.tensor].indexing & own.dimensions) == 0) {
      Flow whole = flow;
      for (const int d : bits(space_.non_unit)) {
        whole.fills *= units[d];
        if (contains(c_.tensor[flow.tensor].indexing, d)) whole.reads *= units[d];
      }
      energy[flow.tensor] += energy_of(whole);
    }
  for (int i = level; i + 1 < c_.level_count; ++i) {
    if (i > level)
      for (const int d : bits(space_.non_unit)) {
        const u32 more = spatial(plan, i, d);
        tile[d] *= more;
        units[d] /= more;
      }
    for (const int v : bits(keep_[i])) {
      const DimensionMask indexing = c_.tensor[v].indexing;
      const auto words = static_cast<double>(box_words(c_.tensor[v], tile));
      Flow flow{v, i, server(i, v), words, words};
      for (const int d : bits(space_.non_unit)) {
        flow.fills *= units[d];
        if (contains(indexing, d)) flow.reads *= units[d];
      }
      energy[v] += energy_of(flow);
    }
  }
  const auto least = [&](int kept, const auto& sum) {
    if (kept >= 0) return sum(c_.tensor[kept].indexing);
    double out = std::numeric_limits<double>::infinity();
    for (int v = 0; v < c_.tensor_count; ++v) out = std::min(out, sum(c_.tensor[v].indexing));
    return out;
  };
  const double later = least(stationary, [&](DimensionMask kept) {
    double sum = 0;
    for (int v = 0; v < c_.tensor_count; ++v)
      if (energy[v] != 0) sum += energy[v] * outside.moves(c_.tensor[v].indexing, kept);
    return sum;
  });
  const double here = least(-1, [&](DimensionMask kept) {
    double sum = 0;
    for (const Flow& flow : inside) {
      const DimensionMask indexing = c_.tensor[flow.tensor].indexing;
      if (flow.in_place && (indexing & own.dimensions) != 0) sum += energy_of(flow) * own.moves(indexing, kept);
    }
    return sum;
  });
  return later + here * outside.all;
}

double GreedyStarts::energy_of(const Flow& flow) const {
  if (free_words_) return flow.reads + flow.fills;
  const WordEnergy& from = word_[flow.from][flow.tensor];
  const double out_of = flow.reads * (from.read + (c_.tensor[flow.tensor].is_output ? from.update : 0));
  if (flow.to < 0) return out_of;
  const WordEnergy& to = word_[flow.to][flow.tensor];
  return out_of + flow.fills * (to.fill + (c_.tensor[flow.tensor].is_output ? to.read : 0));
}

// Step 3. The flows then count the level's loops.
void GreedyStarts::choose_order(Plan& plan, int level, std::vector<Flow>& flows) const {
  const Extents& loops = plan.factor[loop_place_of(LoopKind::Temporal, level)];
  DimensionMask looping = 0;
  double all = 1;
  for (const int d : bits(space_.non_unit))
    if (loops[d] > 1) looping |= dimension_bit(d), all *= loops[d];
  if (looping == 0) return;
  const auto moves = [&](const Flow& flow, const LoopOrder& order) {
    const DimensionMask indexing = c_.tensor[flow.tensor].indexing;
    if (!flow.in_place) return all;
    double out = all;
    for (const u8 d : order.loops()) {
      if (!contains(looping, d)) continue;
      if (contains(indexing, d)) return out;
      out /= loops[d];
    }
    return 1.0;
  };
  const auto& orders = ladder_.orders(level);
  double least = std::numeric_limits<double>::infinity();
  for (std::size_t o = 0; o < orders.size(); ++o) {
    double energy = 0;
    for (const Flow& flow : flows)
      if (flow.in_place) energy += energy_of(flow) * moves(flow, orders[o]);
    if (energy < least) least = energy, plan.order[level] = static_cast<u16>(o);
  }
  for (Flow& flow : flows) {
    const double n = moves(flow, orders[plan.order[level]]);
    flow.fills *= n;
    flow.reads *= n;
    flow.in_place &= (c_.tensor[flow.tensor].indexing & looping) == 0;
  }
}

}  // namespace heliolite
