#include "engine/search/baseline/relaxed_model.h"

#include <limits>

#include "engine/base/integers.h"

namespace heliolite {
namespace {

constexpr double kIsOne = 1 + 1e-6;  // a loop of fewer iterations moves nothing

}  // namespace

RelaxedModel::RelaxedModel(const LayerProblem& problem, const KeepMasks& keep)
    : problem_(problem), compiled_(problem.model.compiled()), keep_(keep) {
  const Mapspace& space = problem.space;
  rest_.fill(-1);
  for (const int d : bits(space.non_unit)) {
    std::vector<int> places;
    for (int p = 0; p < 2 * space.level_count(); ++p) {
      const LevelSpace& level = space.levels[place_level(p)];
      const bool may = is_spatial_place(p) ? contains(level.spatial.allowed_x | level.spatial.allowed_y, d)
                                           : contains(level.temporal.allowed, d);
      if (may) places.push_back(p);
    }
    if (places.empty()) continue;
    rest_[d] = places.back();
    places.pop_back();
    for (const int p : places) variable_.push_back({static_cast<u8>(d), static_cast<u8>(p)});
  }
}

double RelaxedModel::loss(std::span<const double> logs, const Stationary& stationary, std::span<double> gradient) {
  tape_.clear();
  read(logs);
  energy_ = tape_.number(static_cast<double>(compiled_.macs) * static_cast<double>(compiled_.op_units) + 1);
  excess_ = tape_.number(0);
  const auto macs = static_cast<double>(compiled_.cycles_of(compiled_.macs));
  cycles_ = tape_.divide(tape_.number(macs), times_all(0, compiled_.level_count, problem_.space.non_unit));
  check_limits();
  moved_.fill({tape_.number(0), tape_.number(0)});
  for (int v = 0; v < compiled_.tensor_count; ++v) move(v, stationary);
  for (int i = 0; i < compiled_.level_count; ++i) {
    const CompiledLevel& level = compiled_.level[i];
    wait_for(i, moved_[i].read, level.read_bandwidth);
    wait_for(i, moved_[i].written, level.write_bandwidth);
    wait_for(i, tape_.add(moved_[i].read, moved_[i].written), level.shared_bandwidth);
  }
  const Objective objective = problem_.options.objective;
  const Number log = objective.is_sum() ? tape_.log(tape_.add(energy_, tape_.scale(cycles_, objective.lambda())))
                                        : tape_.add(tape_.scale(tape_.log(energy_), info(objective).energy_power),
                                                    tape_.scale(tape_.log(cycles_), info(objective).cycles_power));
  // As in DOSA the weight of what is too large is the loss itself.
  const Number all = tape_.add(log, tape_.scale(excess_, std::abs(tape_.value(log))));
  const std::vector<double>& by = tape_.derivatives(all);
  for (std::size_t k = 0; k < variable_.size(); ++k)
    gradient[k] = by[log_[variable_[k].place][variable_[k].dimension].at];
  return tape_.value(all);
}

void RelaxedModel::read(std::span<const double> logs) {
  one_ = tape_.number(1);
  const Number zero = tape_.number(0);
  for (auto& place : log_) place.fill(zero);
  for (auto& place : factor_) place.fill(one_);
  for (std::size_t k = 0; k < variable_.size(); ++k)
    log_[variable_[k].place][variable_[k].dimension] = tape_.number(logs[k]);
  for (const int d : bits(problem_.space.non_unit)) {
    if (rest_[d] < 0) continue;
    Number left = tape_.number(std::log(static_cast<double>(compiled_.size[d])));
    for (const Variable& x : variable_)
      if (x.dimension == d) left = tape_.subtract(left, log_[x.place][d]);
    log_[rest_[d]][d] = left;
  }
  std::array<Number, kMaxDimensions> extent;
  extent.fill(one_);
  for (int i = 0; i < compiled_.level_count; ++i) {
    for (const int p : {place_of(i, true), place_of(i, false)})
      for (const int d : bits(problem_.space.non_unit)) {
        if (log_[p][d].at == zero.at) continue;
        factor_[p][d] = tape_.exp(log_[p][d]);
        extent[d] = product(extent[d], factor_[p][d]);
      }
    extent_[i] = extent;
  }
}

// The product of the fan-outs' factors of these dimensions, from the fan-out below level `from` to that below `to` - 1.
RelaxedModel::Number RelaxedModel::times_all(int from, int to, DimensionMask dimensions) {
  Number out = one_;
  for (int i = from; i < to; ++i)
    for (const int d : bits(dimensions)) out = product(out, factor_[place_of(i, true)][d]);
  return out;
}

// Words of the level's tile.
RelaxedModel::Number RelaxedModel::words(int v, int level) {
  const CompiledTensor& t = compiled_.tensor[v];
  const auto& extent = extent_[level];
  Number out = one_;
  for (int k = 0; k < t.plain_count; ++k) out = product(out, extent[t.plain[k]]);
  for (int k = 0; k < t.term_count;) {
    const u8 rank = t.term[k].rank;
    Number length = one_;
    for (; k < t.term_count && t.term[k].rank == rank; ++k) {
      const CompiledTerm& term = t.term[k];
      length = tape_.add(length, tape_.scale(tape_.shift(extent[term.dimension], -1), term.coefficient));
    }
    out = product(out, length);
  }
  return out;
}

// Words that come into one tile of level `inner`; -1: into one unit, to which every operand is fetched.
RelaxedModel::Number RelaxedModel::fills(int v, int inner, const Stationary& stationary) {
  const DimensionMask moves = compiled_.tensor[v].indexing;
  Number out = inner < 0 ? one_ : words(v, inner);
  bool moved = inner < 0;
  for (int i = inner + 1; i < compiled_.level_count; ++i) {
    // Innermost the loops that leave the level's stationary tensor where it is, then the others, each as declared.
    const DimensionMask inside =
        static_cast<DimensionMask>(~compiled_.tensor[stationary[i]].indexing & problem_.space.non_unit);
    const DimensionMask outside = static_cast<DimensionMask>(~inside & problem_.space.non_unit);
    for (const DimensionMask part : {inside, outside})
      for (const int d : bits(part)) {
        const Number loop = factor_[place_of(i, false)][d];
        const bool moves_on = contains(moves, d);
        if (moves_on || moved) out = product(out, loop);
        moved |= moves_on && tape_.value(loop) > kIsOne;
      }
  }
  return out;
}

void RelaxedModel::read_words(int level, int v, Number words) {
  const CompiledLevel& l = compiled_.level[level];
  moved_[level].read = tape_.add(moved_[level].read, in_parts(l, v, words));
  energy_ = tape_.add(energy_, tape_.scale(words, least_access_units(l, v, {1, 0, 0})));
}

// `kind`: one fill, or one update.
void RelaxedModel::write_words(int level, int v, Number words, const Accesses<double>& kind) {
  const CompiledLevel& l = compiled_.level[level];
  moved_[level].written = tape_.add(moved_[level].written, in_parts(l, v, words));
  energy_ = tape_.add(energy_, tape_.scale(words, least_access_units(l, v, kind)));
}

RelaxedModel::Number RelaxedModel::in_parts(const CompiledLevel& level, int v, Number words) {
  return level.parts.sized ? tape_.scale(words, static_cast<double>(level.taken(v, 1))) : words;
}

void RelaxedModel::wait_for(int level, Number words, double bandwidth) {
  if (!(bandwidth < std::numeric_limits<double>::infinity())) return;
  const Number instances = times_all(level + 1, compiled_.level_count, problem_.space.non_unit);
  cycles_ = tape_.max(cycles_, tape_.scale(tape_.divide(words, instances), 1 / bandwidth));
}

// All that one tensor makes move.
void RelaxedModel::move(int v, const Stationary& stationary) {
  const CompiledTensor& tensor = compiled_.tensor[v];
  const DimensionMask all = problem_.space.non_unit;
  int inner = -1;
  for (int i = 0; i < compiled_.level_count; ++i) {
    if (!contains(keep_[i], v)) continue;
    const Number servers = times_all(i + 1, compiled_.level_count, all), each = fills(v, inner, stationary);
    const Number here = product(product(each, times_all(inner + 1, i + 1, tensor.indexing)), servers);
    const Number there = product(product(each, times_all(inner + 1, i + 1, all)), servers);
    if (tensor.is_output) {
      write_words(i, v, here, {0, 0, 1});
      const Number again = tape_.max(tape_.shift(here, -static_cast<double>(tensor.words)), tape_.number(0));
      read_words(i, v, again);
      if (inner >= 0) write_words(inner, v, again, {0, 1, 0});
    } else {
      read_words(i, v, here);
      if (inner >= 0) write_words(inner, v, there, {0, 1, 0});
    }
    inner = i;
  }
}

// Adds the square of `log`, by which a limit is exceeded, to the excess.
void RelaxedModel::too_large(Number log) {
  if (tape_.value(log) > 0) excess_ = tape_.add(excess_, product(log, log));
}

void RelaxedModel::check_limits() {
  for (int i = 0; i < compiled_.level_count; ++i) {
    const LevelSpace& level = problem_.space.levels[i];
    Number spatial = tape_.number(0);
    for (const int d : bits(problem_.space.non_unit)) {
      const Number x = log_[place_of(i, true)][d], t = log_[place_of(i, false)][d];
      spatial = tape_.add(spatial, x);
      for (const auto& [log, limit] : {std::pair(x, level.spatial.factor[d]), {t, level.temporal.factor[d]}}) {
        too_large(tape_.shift(log, -std::log(static_cast<double>(limit.max))));
        too_large(tape_.shift(tape_.scale(log, -1), std::log(static_cast<double>(limit.min))));
      }
    }
    const double units = static_cast<double>(level.spatial.fanout_x) * static_cast<double>(level.spatial.fanout_y);
    too_large(tape_.shift(spatial, -std::log(units)));
    const CompiledLevel& machine = compiled_.level[i];
    if (machine.room == CompiledLevel::kUnbounded || keep_[i] == 0) continue;
    Number used = tape_.number(0);
    for (const int v : bits(keep_[i])) used = tape_.add(used, in_parts(machine, v, words(v, i)));
    too_large(tape_.shift(tape_.log(used), -std::log(static_cast<double>(machine.room))));
  }
}

}  // namespace heliolite
