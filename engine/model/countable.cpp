// Whether the numbers of the cost model have room for what a workload can cost on a machine: energies have 128 bits,
// cycles 64.
#include "engine/model/mapping_check.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "engine/base/types.h"
#include "engine/model/cost_of_counts.h"
#include "engine/model/keep.h"
#include "workloads/word_bits.h"

namespace heliolite {
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

}  // namespace heliolite
