#include "engine/model/cost_of_counts.h"

#include <utility>

namespace heliolite {

[[gnu::noinline]] u64 LevelLoad::cycles(const CompiledLevel& level, const InstanceCount& n, u64 steps) const {
  std::array<u64, kMaxTensors> reads, writes;
  for (std::size_t k = 0; k < count_; ++k) {
    reads[k] = level.taken(ask_[k].tensor, demanded_words(level, ask_[k].reads, n));
    writes[k] = level.taken(ask_[k].tensor, demanded_words(level, ask_[k].fills + ask_[k].updates, n));
  }
  return level_cycles(level, std::span(reads).first(count_), std::span(writes).first(count_), steps);
}

[[gnu::noinline]] void CostSum::add_by_tensor(const CompiledLevel& level, const LevelLoad& load,
                                              const InstanceCount& n) {
  for (const LevelLoad::Ask& a : load.asks()) energy_ += units_of_one(level, a.tensor, a.words(), a.is_output, n).sum();
  wait(load.cycles(level, n, steps_));
  leak(level, std::max<u64>(1, n.used));
}

BreakdownSum::BreakdownSum(const Architecture& architecture, const Compiled& c, u64 computes, u64 utilized, u64 steps)
    : c_(c) {
  const Compute& units = architecture.compute;
  out_.cycles = c.cycles_of(steps);
  out_.compute = {units.name, computes, utilized, units.instances, Energy{c.op_units} * computes, out_.cycles};
  out_.level.resize(at(c.level_count));
  for (int i = 0; i < c.level_count; ++i) {
    level(i).name = architecture.levels[i].name;
    level(i).capacity_words = c.level[i].capacity_words();
    level(i).parts = c.level[i].parts;
    level(i).tensor.resize(at(c.tensor_count));
    level(i).network.resize(at(c.tensor_count));
  }
}

void BreakdownSum::keep(int i, int v, TensorTraffic counts, const AccessUnits& units) {
  counts.energy = {units.accesses};
  counts.address_generation_energy = {units.addresses};
  level(i).tensor[v] = counts;
}

void BreakdownSum::ramp(const Ramps& ramps) {
  if (c_.ramps) out_.ramps = ramps;
  out_.cycles = std::max(out_.cycles, out_.cycles_of_units());
}

void BreakdownSum::wait(int i, u64 cycles, u64 used) {
  level(i).cycles = cycles;
  out_.cycles = std::max(out_.cycles, cycles);
  used_[i] = std::max<u64>(1, used);
  u64 parts = 0;
  for (int v = 0; v < c_.tensor_count; ++v) parts += c_.level[i].taken(v, level(i).tensor[v].tile_words);
  level(i).used_words = ceil_div(parts, u64{c_.level[i].parts.of_word});
}

Breakdown BreakdownSum::total() {
  out_.energy = out_.compute.energy;
  for (int i = 0; i < c_.level_count; ++i) {
    level(i).leakage = {c_.leakage(i, used_[i]) * out_.cycles};
    out_.energy += level(i).energy();
  }
  out_.utilization = static_cast<double>(c_.cycles_of(out_.compute.computes)) /
                     static_cast<double>(out_.compute.instances) / static_cast<double>(out_.cycles);
  return std::move(out_);
}

}  // namespace heliolite
