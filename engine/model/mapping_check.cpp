#include "engine/model/mapping_check.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <tuple>
#include <vector>

#include "engine/base/integers.h"
#include "engine/base/text.h"
#include "engine/base/types.h"
#include "engine/model/cost_of_counts.h"
#include "engine/model/keep.h"
#include "engine/model/true_counts/cost.h"
#include "workloads/word_bits.h"

namespace heliolite {
namespace {

// Iterations when residuals are ignored, of one dimension's loops and of all loops: counts stay within 64 bits. Far
// above what a mapping needs that reaches its bounds in earnest.
constexpr double kMostOfADimension = 1LL << 36;
constexpr double kMostIterations = 4e18;

Diagnostic complaint(std::string field, std::string message) { return {"", 0, std::move(field), std::move(message)}; }

const char* kind_name(LoopKind kind) {
  return kind == LoopKind::SpatialX ? "spatial x" : kind == LoopKind::SpatialY ? "spatial y" : "temporal";
}

// Iterations of the loops of a dimension together: n = end * (n - 1) + residual, outermost first. Stops growing
// above every legal size.
u64 iterations(const Mapping& m, int dimension) {
  u64 n = 1;
  for (int k = m.loop_count - 1; k >= 0 && n <= kMaxDimensionSize; --k)
    if (m.loop[k].dimension == dimension) n = m.loop[k].end * (n - 1) + m.loop[k].residual;
  return n;
}

// Residuals with which factors that count to more than the size give it: the last iteration of each loop is a digit of
// size - 1. Empty where some have residuals, or where they count to less.
std::string residual_hint(const Mapping& m, int dimension, const Workload& w, const Architecture& a) {
  const Dimension& d = w.dimensions[dimension];
  u64 rest = d.size - 1;
  std::vector<std::string> factors;
  for (const Loop& loop : m.loops()) {
    if (loop.dimension != dimension) continue;
    if (!loop.is_perfect()) return "";
    const u64 last = rest % loop.end + 1;
    rest /= loop.end;
    if (last == loop.end) continue;
    const std::string& level = a.levels[loop.level].name;
    // Nothing is left for the loops outside it.
    if (rest == 0) factors.push_back(fmt::format("'{}={}' at {}", d.name, last, level));
    else factors.push_back(fmt::format("'{}={},{}' at {} ({} in the last tile)", d.name, loop.end, last, level, last));
  }
  if (rest != 0 || factors.empty()) return "";
  return fmt::format("; {} would give {}", join(factors), d.size);
}

void check_loops(const Mapping& m, const Workload& w, const Architecture& a, Diagnostics& out) {
  for (int k = 0; k < m.loop_count; ++k) {
    const Loop& loop = m.loop[k];
    if (loop.level >= a.levels.size() || loop.dimension >= w.dimensions.size()) {
      out.push_back(complaint(fmt::format("loop {}", k), "level or dimension out of range"));
      continue;
    }
    const std::string where =
        fmt::format("{} {} {}", a.levels[loop.level].name, kind_name(loop.kind), w.dimensions[loop.dimension].name);
    if (loop.end < 2 || loop.residual < 1 || loop.residual > loop.end)
      out.push_back(complaint(where, fmt::format("factor {} with residual {}, must be a factor of at least 2 and a "
                                                 "residual from 1 to the factor",
                                                 loop.end, loop.residual)));
    if (k > 0 && std::tuple(loop.level, loop.kind) < std::tuple(m.loop[k - 1].level, m.loop[k - 1].kind))
      out.push_back(complaint(where, "loop is not in nest order (by level, then x, y, temporal)"));
    if (loop.kind == LoopKind::Temporal && !a.levels[loop.level].loops_allowed)
      out.push_back(complaint(where, fmt::format("{} is part of a split level and takes no temporal loops; put them at "
                                                 "the group's innermost buffer",
                                                 a.levels[loop.level].name)));
    if (loop.is_spatial() && !loop.is_perfect()) {
      bool outer = false;
      for (int j = k + 1; j < m.loop_count; ++j) outer |= m.loop[j].dimension == loop.dimension;
      if (!outer)
        out.push_back(complaint(where, fmt::format("spatial factor {} with residual {} needs a loop over {} outside it",
                                                   loop.end, loop.residual, w.dimensions[loop.dimension].name)));
    }
  }
}

// Where the tiles of uneven mappings stand.
void check_stores(const Mapping& m, const Workload& w, const Architecture& a, Diagnostics& out) {
  if (m.is_even()) return;
  if (!m.is_perfect())
    out.push_back(complaint("",
                            "uneven tiles (tensors of a level with tiles at different places of the nest) need "
                            "factors that divide the sizes"));
  for (std::size_t i = 0; i < a.levels.size(); ++i) {
    const auto is_own = [&](const Loop& l) { return l.level == i && l.kind == LoopKind::Temporal; };
    const auto loops = std::count_if(m.loops().begin(), m.loops().end(), is_own);
    bool outermost = m.keep[i] == 0;  // some tile of the level ends at its outermost loop
    for (std::size_t v = 0; v < kMaxTensors; ++v) {
      const u8 outside = m.outside[i][v];
      outermost |= contains(m.keep[i], v) && outside == 0;
      if (outside == 0) continue;
      const std::string tile = fmt::format("tile of {}", v < w.tensors.size() ? w.tensors[v].name : "?");
      if (!contains(m.keep[i], v))
        out.push_back(complaint(a.levels[i].name, tile + " has a place, but the level does not keep it"));
      else if (outside > loops)
        out.push_back(complaint(a.levels[i].name,
                                fmt::format("{} is inside {} loops of the level, which has {}", tile, outside, loops)));
      else if (i + 1 == a.levels.size())
        out.push_back(complaint(a.levels[i].name, tile + " must be the whole tensor at the outermost level"));
    }
    if (!outermost)
      out.push_back(complaint(a.levels[i].name,
                              "no tile has the level's outermost loop inside: that loop belongs to "
                              "the next level out"));
  }
}

std::string tensor_names(const Workload& w, TensorMask mask) {
  std::string out;
  for (std::size_t v = 0; v < w.tensors.size(); ++v)
    if (contains(mask, v)) out += (out.empty() ? "" : ", ") + w.tensors[v].name;
  return out;
}

std::string capacity_message(const LevelBreakdown& level, const Workload& w, const StorageLevel& storage) {
  std::string tiles;
  for (std::size_t v = 0; v < w.tensors.size(); ++v)
    if (level.tensor[v].kept)
      tiles += fmt::format("{}{} {}{}", tiles.empty() ? "" : ", ", w.tensors[v].name, level.tensor[v].tile_words,
                           size_text(w.tensors[v]));
  std::string holds = fmt::format("holds {} words", level.capacity_words);
  if (level.parts.sized) holds += fmt::format(" of {} bits", storage.word_bits);
  if (storage.multiple_buffering > 1)
    holds += fmt::format(" ({} / {} buffers)", *storage.entries, storage.multiple_buffering);
  return fmt::format("tile does not fit: {} {}, needs {} ({})", level.name, holds, level.used_words, tiles);
}

Diagnostics fanout_complaints(const Mapping& mapping, const Architecture& architecture) {
  Diagnostics out;
  for (std::size_t i = 0; i < architecture.levels.size(); ++i) {
    const StorageLevel& level = architecture.levels[i];
    u64 x = 1, y = 1;
    for (const Loop& loop : mapping.loops())
      if (loop.level == i && loop.is_spatial()) {
        u64& axis = loop.kind == LoopKind::SpatialX ? x : y;
        axis = std::min(axis * loop.end, kMaxDimensionSize);  // far above any fan-out
      }
    const auto over = [&](const char* axis, u64 used, u64 allowed) {
      if (used > allowed)
        out.push_back(complaint(
            level.name, fmt::format("spatial factors along {} need {}, the fan-out has {}", axis, used, allowed)));
    };
    over("x", x, level.fanout_x);
    over("y", y, level.fanout_y);
  }
  return out;
}

// The factors of a dimension as text: "P: 7 (GLB) x 8 (DRAM) = 56".
std::string factor_product(const Mapping& mapping, int dimension, const Workload& workload,
                           const Architecture& architecture) {
  std::string out;
  for (const Loop& loop : mapping.loops()) {
    if (loop.dimension != dimension) continue;
    const std::string level = loop.level < architecture.levels.size() ? architecture.levels[loop.level].name : "?";
    const std::string factor =
        loop.is_perfect() ? fmt::format("{}", loop.end) : fmt::format("{},{}", loop.end, loop.residual);
    out += fmt::format("{}{} ({}{})", out.empty() ? "" : " x ", factor, level,
                       loop.kind == LoopKind::Temporal   ? ""
                       : loop.kind == LoopKind::SpatialX ? " x"
                                                         : " y");
  }
  const std::string& name = workload.dimensions[dimension].name;
  if (out.empty()) return name + ": no loop";
  return fmt::format("{}: {} = {}", name, out, iterations(mapping, dimension));
}

}  // namespace

Diagnostics well_formed(const Mapping& mapping, const Workload& workload, const Architecture& architecture) {
  Diagnostics out;
  if (mapping.level_count != architecture.levels.size()) {
    out.push_back(complaint("", fmt::format("mapping has {} levels, {} has {}", mapping.level_count, architecture.name,
                                            architecture.levels.size())));
    return out;
  }
  check_loops(mapping, workload, architecture, out);
  check_stores(mapping, workload, architecture, out);
  double all_ends = 1;
  for (std::size_t d = 0; d < workload.dimensions.size(); ++d) {
    double ends = 1;
    for (const Loop& loop : mapping.loops())
      if (loop.dimension == d) ends *= loop.end;
    all_ends *= ends;
    if (ends > kMostOfADimension) {
      out.push_back(complaint("", fmt::format("the factors of {} multiply to {:.2g}, at most {:.2g} is accepted",
                                              workload.dimensions[d].name, ends, kMostOfADimension)));
      continue;
    }
    const u64 n = iterations(mapping, static_cast<int>(d));
    if (n != workload.dimensions[d].size)
      out.push_back(complaint("", fmt::format("the factors of {} must multiply to its size {}, they give {} ({}){}",
                                              workload.dimensions[d].name, workload.dimensions[d].size, n,
                                              factor_product(mapping, static_cast<int>(d), workload, architecture),
                                              residual_hint(mapping, static_cast<int>(d), workload, architecture))));
  }
  if (out.empty() && all_ends > kMostIterations)
    out.push_back(complaint("", fmt::format("all factors together multiply to {:.2g}, at most {:.2g} is accepted",
                                            all_ends, kMostIterations)));
  const auto all = static_cast<TensorMask>((1u << workload.tensors.size()) - 1);
  const TensorMask missing = all & static_cast<TensorMask>(~mapping.keep[mapping.level_count - 1u]);
  if (missing != 0)
    out.push_back(complaint(
        architecture.levels.back().name,
        fmt::format("the outermost level must keep every tensor, it bypasses {}", tensor_names(workload, missing))));
  return out;
}

Diagnostics fits(const Mapping& mapping, const Workload& workload, const Architecture& architecture) {
  Diagnostics out = fanout_complaints(mapping, architecture);
  if (!out.empty()) return out;  // explain() looks at every receiver: there may be any number of them
  double steps = 1;
  for (const Loop& loop : mapping.loops()) steps *= loop.end;
  out = uncountable_energies(workload, architecture, steps);
  if (!out.empty()) return out;
  const Breakdown breakdown = CostModel(workload, architecture).explain(mapping);
  for (std::size_t i = 0; i < architecture.levels.size(); ++i) {
    const StorageLevel& level = architecture.levels[i];
    if (breakdown.level[i].capacity_words != 0 && breakdown.level[i].used_words > breakdown.level[i].capacity_words)
      out.push_back(complaint(level.name, capacity_message(breakdown.level[i], workload, level)));
  }
  if (out.empty()) out = uncountable_cycles(breakdown, architecture);
  return out;
}

Diagnostics check(const Mapping& mapping, const Workload& workload, const Architecture& architecture) {
  Diagnostics out = well_formed(mapping, workload, architecture);
  return out.empty() ? fits(mapping, workload, architecture) : out;
}

// Whether the numbers of the cost model have room for what a workload can cost on a machine: energies have 128 bits,
// cycles 64.

namespace {

// pJ. Half of what 128 bits hold: the other half is for what roundings add.
const double kMostPicojoules = std::ldexp(1.0, 127) / Energy::kUnitsPerPicojoule;
const double kMostCycles = std::ldexp(1.0, 64);
constexpr double kMostParts = 4e18;  // of words: those of several tensors fit 64 bits
constexpr int kKinds = 3;            // kinds of accesses: a word may be read, filled and updated at a step

// Words of a tensor that cross between two levels at a step, at most: strides make holes in the boxes that move.
double most_words(const Workload& workload, const Tensor& tensor) {
  double words = 1;
  for (const Rank& rank : tensor.ranks) {
    double holes = 0;
    for (const Term& term : rank.terms)
      if (workload.dimensions[term.dimension].size > 1) holes += static_cast<double>(term.coefficient);
    words *= std::max(1.0, holes);
  }
  return words;
}

class PairCheck {
 public:
  PairCheck(const Workload& workload, const Architecture& architecture, double steps)
      : w_(workload), a_(architecture), steps_(steps) {}

  Diagnostics run() {
    for (const StorageLevel& level : a_.levels) {
      const ValueParts parts = value_parts(value_bits(w_), level);
      parts_of_words(level, parts);
      double words = 0;  // words of the level that move at a step
      for (std::size_t v = 0; v < w_.tensors.size(); ++v) {
        const double size = parts.of[v] / static_cast<double>(parts.of_word);
        const double moved = most_words(w_, w_.tensors[v]);
        words += kKinds * moved * size;
        prices(level, w_.tensors[v], size, moved);
      }
      for (const std::optional<double>& rate : {level.bandwidth.read, level.bandwidth.write, level.bandwidth.shared})
        if (rate) cycles_ = a_.ramps ? cycles_ + words / *rate : std::max(cycles_, words / *rate);
    }
    const auto operations = static_cast<double>(w_.operations);
    picojoules_ += a_.compute.op_pj * operations * steps_;
    const double at_point = operations * static_cast<double>(a_.compute.cycles_per_op);
    if (at_point * steps_ > kMostCycles)
      errors_.push_back({"", 0, "operations",
                         fmt::format("a mapping of {} may take {:.2g} cycles on {}, at most {:.2g} can be counted",
                                     w_.name, at_point * steps_, a_.compute.name, kMostCycles)});
    const double at_step = a_.ramps ? cycles_ + at_point : std::max(cycles_, at_point);
    const double cycles = std::min(at_step * steps_, kMostCycles);
    double of_all = 0;  // pJ that all instances leak in a cycle
    for (const StorageLevel& level : a_.levels)
      of_all += picojoules_per_cycle(level) * static_cast<double>(level.instances);
    picojoules_ += (a_.beside_pj_per_cycle + of_all) * cycles;
    if (const double always = a_.beside_pj_per_cycle + (a_.all_leaks ? of_all : 0); always > kMaxAccessPicojoules)
      errors_.push_back({"", 0, "leakage",
                         fmt::format("what leaks on {} in every cycle is {:.3g} pJ, at most {:.3g} can be counted",
                                     a_.name, always, kMaxAccessPicojoules)});
    if (errors_.empty() && picojoules_ > kMostPicojoules)
      errors_.push_back({"", 0, "energy",
                         fmt::format("the prices of {} are too high for {}: a mapping of its {:.3g} "
                                     "multiply-accumulates may cost {:.2g} pJ, at most {:.2g} can be counted",
                                     a_.name, w_.name, static_cast<double>(w_.macs()), picojoules_, kMostPicojoules)});
    return std::move(errors_);
  }

 private:
  // Where words have parts of bits, all that a level counts is in smaller parts yet, of which there may be too many.
  void parts_of_words(const StorageLevel& level, const ValueParts& parts) {
    const auto is_part = [](const Tensor& t) { return t.word_bits && !t.word_bits->is_whole(); };
    if (level.word_bits.is_whole() && std::ranges::none_of(w_.tensors, is_part)) return;
    double most = static_cast<double>(level.entries.value_or(1)) * parts.of_word;
    for (std::size_t v = 0; v < w_.tensors.size(); ++v)
      most = std::max(most, most_words(w_, w_.tensors[v]) * steps_ * parts.of[v]);
    if (most > kMostParts)
      errors_.push_back({"", 0, level.name,
                         fmt::format("words of {} bits ({} of {}) are counted in {} parts each: {:.2g} parts, at most "
                                     "{:.2g} can be counted",
                                     level.word_bits, word_bits_text(w_), w_.name, parts.of_word, most, kMostParts)});
  }

  // What a word of the tensor costs at the level and on the network below it, which is `size` of the level's words.
  void prices(const StorageLevel& level, const Tensor& tensor, double size, double moved) {
    const auto price_of_words = [&](double words) {
      return value_prices<double>(level, words, [](double pj) { return pj; });
    };
    const ValuePrices<double> price = price_of_words(size);
    const double most = price.most();
    if (most > kMaxAccessPicojoules)
      errors_.push_back({"", 0, level.name,
                         fmt::format("a word of {} is {:.4g} of its words and costs {:.3g} pJ, at most {:.3g} is "
                                     "accepted",
                                     tensor.name, size, most, kMaxAccessPicojoules)});
    const double x = static_cast<double>(level.fanout_x), hops = x + x * static_cast<double>(level.fanout_y);
    const double of_word = price_of_accesses(price_of_words(std::max(size, 1.0)), Accesses<double>{1, 1, 1}) +
                           kKinds * price.address + 2 * (price.ingress + hops * price.hop + (1 + hops) * price.router);
    picojoules_ += of_word * moved * steps_;
  }

  const Workload& w_;
  const Architecture& a_;
  double steps_;
  double cycles_ = 1;  // at a step, of the slowest level, or with ramps of all
  double picojoules_ = 0;
  Diagnostics errors_;
};

}  // namespace

Diagnostics uncountable_energies(const Workload& workload, const Architecture& architecture, double steps) {
  return PairCheck(workload, architecture, steps).run();
}

Diagnostics uncountable_cycles(const Breakdown& breakdown, const Architecture& architecture) {
  Diagnostics out;
  for (std::size_t i = 0; i < breakdown.level.size(); ++i) {
    const LevelBreakdown& level = breakdown.level[i];
    if (level.cycles != kTooManyCycles) continue;
    double reads = 0, writes = 0;
    for (std::size_t v = 0; v < level.tensor.size(); ++v) {
      reads += level.level_words(v, static_cast<double>(level.tensor[v].reads));
      writes += level.level_words(v, static_cast<double>(level.tensor[v].fills + level.tensor[v].updates));
    }
    constexpr double kUnlimited = std::numeric_limits<double>::infinity();
    const Bandwidth& rate = architecture.levels[i].bandwidth;
    const double cycles = std::max({reads / rate.read.value_or(kUnlimited), writes / rate.write.value_or(kUnlimited),
                                    (reads + writes) / rate.shared.value_or(kUnlimited)});
    out.push_back({"", 0, level.name,
                   fmt::format("needs {:.3g} cycles for its words at these bandwidths, at most {:.3g} can be counted",
                               cycles, kMostCycles)});
  }
  if (out.empty() && breakdown.cycles == kTooManyCycles)
    out.push_back({"", 0, "latency",
                   fmt::format("the ramps of {} take more cycles than can be counted, at most {:.3g}",
                               architecture.name, kMostCycles)});
  return out;
}

Result<Counts> counts_named(const std::string& name, const CostModel& model, const Mapping& mapping) {
  const auto refused = [&](const std::string& must) {
    return Diagnostic{"", 0, "counts", fmt::format("counts = {}, must be {}", name, must)};
  };
  const auto word = [](Counts counts) { return heliolite::name(counts); };
  if (name == word(Counts::Timeloop)) return Counts::Timeloop;
  if (name != word(Counts::True)) return refused(fmt::format("{} or {}", word(Counts::Timeloop), word(Counts::True)));
  if (!mapping.is_perfect() && !has_true_counts(model.compiled()))
    return refused(fmt::format("{} for {} where factors do not divide: {}", word(Counts::Timeloop),
                               model.workload().name, kNoTrueCounts));
  return Counts::True;
}

Result<Cost> cost_or_reasons(const CostModel& model, const Mapping& mapping, Counts counts) {
  const Evaluation found = model.evaluate(mapping, counts);
  if (found.verdict == Verdict::Fits) return found.cost;
  Diagnostics errors = check(mapping, model.workload(), model.architecture());
  if (errors.empty()) errors = uncountable_cycles(model.explain(mapping, Counts::True), model.architecture());
  return errors;
}

}  // namespace heliolite
