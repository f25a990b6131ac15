// The cost model itself as a mixed-integer program, relaxed where it is not convex in the logarithms of the factors:
// its answers are mappings, and its bound is one of all mappings.
#include "engine/base/mapped.h"
#include "engine/search/cosa/mapping_program.h"

#include <fmt/format.h>
#include <algorithm>
#include <bit>
#include <cmath>
#include <numbers>

#include "engine/base/integers.h"
#include "engine/model/cost_of_counts.h"
#include "engine/search/core/compulsory.h"

namespace heliolite {

// The chord of 2^less from low to high.
LinearForm PowerSum::chord(const Power& power) {
  const double slope = (std::exp2(power.high) - std::exp2(power.low)) / (power.high - power.low);
  return LinearForm(std::exp2(power.low) - slope * power.low).add(power.less, slope);
}

void PowerSum::add_to(Mip& mip, double limit, std::span<const std::vector<double>> earlier_answers) const {
  // Half a step from two tangents one apart a power is 6 % above them, from two half apart 1.5 %.
  constexpr std::array<double, 9> kPoints{0, -0.5, -1, -1.5, -2, -3, -4, -6, -9};
  constexpr double kLowest = -14, kHighest = 1;  // tangents elsewhere say little and are hard on the solver
  LinearForm sum;
  for (std::size_t k = 0; k < powers_.size(); ++k) {
    const Power& power = powers_[k];
    const int column = mip.add_column(fmt::format("{}_{}", name_, k), 0, kUnlimited, false);
    sum.add(column, 1);
    if (power.is_difference && power.low >= power.high) continue;
    int row = 0;
    const auto add_tangent = [&](double point) {
      const double slope = std::numbers::ln2 * std::exp2(point);
      LinearForm above = LinearForm().add(column, 1).add(power.exponent, -slope);
      if (power.is_difference) above.add(chord(power));
      mip.add_at_least(fmt::format("{}_{}_{}", name_, k, row++), above, std::exp2(point) - slope * point);
    };
    for (const double point : kPoints) add_tangent(point);
    for (const std::vector<double>& values : earlier_answers)
      if (const double point = power.exponent.value_at(values); point >= kLowest && point <= kHighest)
        add_tangent(point);
  }
  mip.add_at_most(name_, sum, limit);
}

namespace {

constexpr double kUnitsPerPj = 4294967296.0;

double pj(u64 units) { return static_cast<double>(units) / kUnitsPerPj; }

}  // namespace

bool EnergyProgram::is_a_relaxation(const Compiled& c) {
  return std::all_of(c.tensor.begin(), c.tensor.begin() + c.tensor_count,
                     [](const CompiledTensor& t) { return t.term_count == 0 && !t.entangled; });
}

EnergyProgram::EnergyProgram(const LayerProblem& problem, const KeepMasks& keep, const EnergyLimits& limits)
    : MappingProgram(problem, keep),
      outermost_(problem.space.level_count() - 1),
      orders_(problem.space, factors_, mip_),
      traffic_(at(outermost_ + 1), std::vector<Traffic>(at(problem.model.compiled().tensor_count))) {
  const ObjectiveInfo& powers = info(problem.options.objective);
  KeepRange range;
  std::ranges::copy(keep, range.must.begin());
  range.may = range.must;
  const Cost least = compulsory_cost(problem.model, range).whole;
  const double least_energy = std::log2(least.energy.picojoules()), least_cycles = std::log2(least.cycles);
  const auto most = [&](int power, double others) {
    return power == 0 ? kUnlimited : (limits.log2_limit - others) / power;
  };
  add_rooms(limits);
  for (int v = 0; v < compiled().tensor_count; ++v) add_traffic(v);
  LinearForm value;
  if (powers.energy_power > 0) {
    log_energy_ = mip_.add_column("log_energy", least_energy, kUnlimited, false);
    value.add(log_energy_, powers.energy_power);
  }
  log_cycles_ = mip_.add_column("log_cycles", least_cycles, kUnlimited, false);
  value.add(log_cycles_, powers.cycles_power);
  mip_.add_at_most("limit", value, limits.log2_limit);
  mip_.add_cost(value, 1);
  // What the limit leaves: the ranges of the chords.
  const double most_cycles = most(powers.cycles_power, powers.energy_power * least_energy);
  mip_.column(log_cycles_).upper = most_cycles;
  LinearForm temporal;
  for (int i = 0; i <= outermost_; ++i)
    for (const int d : bits(space().non_unit)) temporal.add(factors_.temporal(i, d));
  mip_.add_at_least("cycles", LinearForm().add(log_cycles_, 1).add(temporal, -1),
                    std::log2(static_cast<double>(compiled().point_cycles)));
  for (int i = 0; i <= outermost_; ++i) add_bandwidths(i, limits);
  if (powers.energy_power == 0) return;
  mip_.column(log_energy_).upper = most(powers.energy_power, powers.cycles_power * least_cycles);
  PowerSum energy("energy");
  if (compiled().op_units > 0)
    energy.add(
        LinearForm(std::log2(pj(compiled().op_units) * static_cast<double>(compiled().macs))).add(log_energy_, -1));
  for (int i = 0; i <= outermost_; ++i) add_energy(i, energy);
  energy.add_to(mip_, 1, limits.earlier_answers);
}

// log2 of the instances of level i that the machine has.
double EnergyProgram::log2_instances(int i) const {
  double out = 0;
  for (int j = i + 1; j <= outermost_; ++j)
    out += std::log2(static_cast<double>(compiled().level[j].fanout_x) *
                     static_cast<double>(compiled().level[j].fanout_y));
  return out;
}

// log2 of the spatial factors of these dimensions outside level i.
LinearForm EnergyProgram::spatial_outside(int i, DimensionMask dimensions) const {
  LinearForm out;
  for (int j = i + 1; j <= outermost_; ++j)
    for (const int d : bits(dimensions)) out.add(factors_.spatial(j, d));
  return out;
}

void EnergyProgram::add_rooms(const EnergyLimits& limits) {
  for (int i = 0; i <= outermost_; ++i) {
    if (!is_limited(i)) continue;
    const double shrink = limits.shrink.empty() ? 0 : limits.shrink[i];
    const double room = std::log2(static_cast<double>(compiled().level[i].room)) + shrink;
    PowerSum sum("room_" + level_name(i));
    for (const int v : bits(keep_[i])) {
      LinearForm size(std::log2(static_cast<double>(compiled().level[i].taken(v, 1))));
      for (int j = 0; j <= i; ++j)
        for (const int d : bits(compiled().tensor[v].indexing)) size.add(factors_.both(j, d));
      mip_.add_at_most(fmt::format("room_{}_{}", level_name(i), problem_.workload.tensors[v].name), size, room);
      sum.add(size.add_constant(-room));
    }
    if (std::popcount(keep_[i]) > 1) sum.add_to(mip_, 1, limits.earlier_answers);
  }
}

// The closed form of docs/cost_model.md from the inside out.
void EnergyProgram::add_traffic(int v) {
  const CompiledTensor& tensor = compiled().tensor[v];
  const double words = std::log2(static_cast<double>(tensor.words));
  LinearForm steps, within;  // temporal loops of all levels; spatial ones that move the tensor, inside the next level
  for (int i = 0; i <= outermost_; ++i)
    for (const int d : bits(space().non_unit)) steps.add(factors_.temporal(i, d));
  LinearForm repeats;
  bool first = true;
  for (int i = 0; i <= outermost_; ++i) {
    for (const int d : bits(tensor.indexing)) within.add(factors_.spatial(i, d));
    if (!keeps(i, v)) continue;
    Traffic& t = traffic_[i][v];
    t.part = LinearForm(words).add(spatial_outside(i, tensor.indexing), -1);
    t.asked = first ? LinearForm(steps).add(within) : LinearForm(t.part).add(repeats);
    first = false;
    if (i == outermost_) continue;
    repeats = orders_.repeats(i, tensor.indexing, problem_.workload.tensors[v].name);
    t.taken = LinearForm(t.part).add(repeats);
  }
}

// Adds what the accesses of tensor v at level i cost, `read`, `fill` and `update` for each word of one instance, times
// 2^scale, which is at least 2^least_scale and at most 2^most_scale.
void EnergyProgram::add_accesses(PowerSum& sum, int i, int v, double read, double fill, double update,
                                 const LinearForm& scale, double least_scale, double most_scale) const {
  const Traffic& t = traffic_[i][v];
  const bool output = compiled().tensor[v].is_output, takes = i < outermost_;
  const double words = std::log2(static_cast<double>(compiled().tensor[v].words));
  const auto add = [&](const LinearForm& count, double price) {
    if (price > 0) sum.add(LinearForm(std::log2(price)).add(count).add(scale));
  };
  // The part is all words, or what is left of them where instances share them.
  const auto add_difference = [&](const LinearForm& count, double price) {
    if (price <= 0) return;
    const LinearForm unit = LinearForm(std::log2(price)).add(scale);
    sum.add_difference(LinearForm(unit).add(count), LinearForm(unit).add(t.part),
                       std::log2(price) + words - log2_instances(i) + least_scale,
                       std::log2(price) + words + most_scale);
  };
  if (!output) {
    add(t.asked, read);
    if (takes) add(t.taken, fill);
    return;
  }
  add(t.asked, update);
  add_difference(t.asked, read);
  if (takes) add_difference(t.taken, fill);
}

// Rules 18 to 20, 23 and 25, blocks not rounded up and networks left out.
void EnergyProgram::add_energy(int i, PowerSum& sum) const {
  const CompiledLevel& level = compiled().level[i];
  const double instances = log2_instances(i);
  const LinearForm used = spatial_outside(i, space().non_unit);
  // Clusters in use: the lesser of instances in use and of clusters, which lies above a line through both ends.
  const double clusters = std::log2(static_cast<double>(level.clusters));
  const double slope = instances > clusters ? clusters / instances : 1;
  const LinearForm scale = LinearForm().add(used, slope).add(log_energy_, -1);
  const MipColumn& energy = mip_.columns()[log_energy_];
  for (const int v : bits(keep_[i])) {
    const bool output = compiled().tensor[v].is_output;
    const auto price = [&](const Accesses<double>& of_a_word) {
      return Energy{1}.picojoules() * least_units(level, v, of_a_word, output);
    };
    add_accesses(sum, i, v, price({1, 0, 0}), price({0, 1, 0}), price({0, 0, 1}), scale, -energy.upper,
                 slope * instances - energy.lower);
  }
  if (level.leak_units > 0)
    sum.add(LinearForm(std::log2(pj(level.leak_units))).add(used).add(log_cycles_, 1).add(log_energy_, -1));
}

// Rule 28.
void EnergyProgram::add_bandwidths(int i, const EnergyLimits& limits) {
  const CompiledLevel& level = compiled().level[i];
  const MipColumn cycles = mip_.column(log_cycles_);
  const LinearForm scale = LinearForm().add(log_cycles_, -1);
  const auto add = [&](const char* name, double parts_per_cycle, bool reads, bool writes) {
    if (!std::isfinite(parts_per_cycle)) return;
    PowerSum sum(fmt::format("{}_{}", name, level_name(i)));
    for (const int v : bits(keep_[i])) {
      const double price = static_cast<double>(level.taken(v, 1)) / parts_per_cycle;
      add_accesses(sum, i, v, reads ? price : 0, writes ? price : 0, writes ? price : 0, scale,
                   std::isfinite(cycles.upper) ? -cycles.upper : kUnlimited, -cycles.lower);
    }
    if (!sum.empty()) sum.add_to(mip_, 1, limits.earlier_answers);
  };
  add("reads", level.read_bandwidth, true, false);
  add("writes", level.write_bandwidth, false, true);
  add("words", level.shared_bandwidth, true, true);
}

// The order of each level's temporal loops as columns, and how often it makes a tensor move (docs/cost_model.md, the
// closed form): the loops from the innermost that moves the tensor outwards. Loops that move it are counted by their
// factors; what the orders decide is which of the others are.

LoopOrders::LoopOrders(const Mapspace& space, const FactorColumns& factors, Mip& mip)
    : space_(space), factors_(factors), mip_(mip) {
  levels_.emplace_back();
  for (int i = 1; i < space.level_count(); ++i) levels_.push_back(add_level(i));
}

LoopOrders::Level LoopOrders::add_level(int i) {
  Level out;
  out.loops = factors_.loops(i);
  const std::size_t count = out.loops.size(), ordered = factors_.ordered_loops(i);
  out.inside.assign(count, std::vector<LinearForm>(count));
  for (std::size_t a = 0; a < count; ++a) {
    const std::string loop = fmt::format("{}_{}", space_.level_names[i], space_.dimension_names[out.loops[a]]);
    out.active.push_back(mip_.add_binary("active_" + loop));
    mip_.add_at_most("active_" + loop,
                     factors_.temporal(i, out.loops[a]).add(out.active[a], -factors_.log2_size(out.loops[a])), 0);
    for (std::size_t b = a + 1; b < count; ++b) {
      if (a < ordered) {
        out.inside[a][b] = LinearForm(1);
        continue;
      }
      const int column = mip_.add_binary(fmt::format("inside_{}_{}", loop, space_.dimension_names[out.loops[b]]));
      out.inside[a][b] = LinearForm().add(column, 1);
      out.inside[b][a] = LinearForm(1).add(column, -1);
    }
  }
  add_transitivity(i, out);
  return out;
}

// a inside b and b inside c: a inside c.
void LoopOrders::add_transitivity(int i, const Level& level) {
  const std::size_t count = level.loops.size();
  for (std::size_t a = factors_.ordered_loops(i); a < count; ++a)
    for (std::size_t b = a + 1; b < count; ++b)
      for (std::size_t c = b + 1; c < count; ++c) {
        const LinearForm cycle = LinearForm(level.inside[a][b]).add(level.inside[b][c]).add(level.inside[c][a]);
        mip_.add_row(fmt::format("order_{}_{}_{}_{}", space_.level_names[i], a, b, c), cycle, 1, 2);
      }
}

// A column from 0 to 1 that is at least each form.
int LoopOrders::at_least_all(const std::string& name, const std::vector<LinearForm>& forms) {
  const int column = mip_.add_column(name, 0, 1, false);
  for (std::size_t k = 0; k < forms.size(); ++k)
    mip_.add_at_least(fmt::format("{}_{}", name, k), LinearForm().add(column, 1).add(forms[k], -1), 0);
  return column;
}

LinearForm LoopOrders::repeats(int i, DimensionMask moves, const std::string& name) {
  LinearForm out;
  std::vector<LinearForm> moved;  // each is 1 where a loop further inside moves the tensor
  for (int j = i + 1; j < space_.level_count(); ++j) {
    const Level& level = levels_[j];
    std::vector<LinearForm> active;
    for (std::size_t k = 0; k < level.loops.size(); ++k)
      if (contains(moves, level.loops[k])) active.push_back(LinearForm().add(level.active[k], 1));
    for (std::size_t k = 0; k < level.loops.size(); ++k) {
      const u8 d = level.loops[k];
      if (contains(moves, d)) continue;
      std::vector<LinearForm> reasons = moved;
      for (std::size_t r = 0; r < level.loops.size(); ++r)
        if (contains(moves, level.loops[r]))
          reasons.push_back(LinearForm(-1).add(level.active[r], 1).add(level.inside[r][k]));
      if (reasons.empty()) continue;
      const std::string where =
          fmt::format("{}_{}_{}_{}", name, space_.level_names[i], space_.level_names[j], space_.dimension_names[d]);
      const int repeated = at_least_all("repeated_" + where, reasons);
      const int again = mip_.add_column("again_" + where, 0, kUnlimited, false);
      const double most = factors_.log2_size(d);
      mip_.add_at_least("again_" + where,
                        LinearForm().add(again, 1).add(factors_.temporal(j, d), -1).add(repeated, -most), -most);
      out.add(again, 1);
    }
    if (active.empty()) continue;
    active.insert(active.end(), moved.begin(), moved.end());
    const std::string where = fmt::format("moved_{}_{}_{}", name, space_.level_names[i], space_.level_names[j]);
    moved = {LinearForm().add(at_least_all(where, active), 1)};
  }
  return out;
}

// A loop stands outside all that are inside it.
std::vector<u8> LoopOrders::order(int i, std::span<const double> values) const {
  if (i == 0) return factors_.loops(0);
  const Level& level = levels_[i];
  std::vector<std::pair<int, u8>> loops;
  for (std::size_t b = 0; b < level.loops.size(); ++b) {
    int inner = 0;
    for (std::size_t a = 0; a < level.loops.size(); ++a) inner += level.inside[a][b].value_at(values) > 0.5 ? 1 : 0;
    loops.emplace_back(inner, level.loops[b]);
  }
  std::ranges::stable_sort(loops, {}, &std::pair<int, u8>::first);
  return mapped(loops, [](const auto& loop) { return loop.second; });
}

}  // namespace heliolite
