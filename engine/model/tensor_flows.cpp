#include "engine/model/tensor_flows.h"

#include <span>

#include "engine/model/collapse.h"
#include "engine/model/cost_of_counts.h"
#include "engine/model/multicast.h"
#include "engine/model/perfect.h"
#include "engine/model/ramps.h"
#include "engine/model/temporal_traffic.h"

namespace heliolite {
TensorFlows::TensorFlows(const Compiled& c, const Nest& nest, const KeepMasks& keep, TileBoxes& boxes)
    : c_(c), nest_(nest), keep_(keep), boxes_(boxes) {
  for (int i = 0; i < c.level_count; ++i) whole_ |= c.level[i].network_costs && !c.level[i].entering_costs_alone;
  whole_ |= c.peers != 0 || !c.plain;
  if (whole_) return;
  for (int v = 0; v < c.tensor_count; ++v) {
    const CompiledTensor& t = c.tensor[v];
    moving_[v] = nest.moving(t);
    if (t.is_output) partitions(c, t, nest, part_);
    price(v);
  }
}

// From the compute units out: words per receiver become words of the sender (rules 10, 16), and what a level that keeps
// the tensor takes in is what the next one out has to serve.
void TensorFlows::price(int v) {
  const CompiledTensor& t = c_.tensor[v];
  u64 in = nest_.steps;  // words per receiver below the level
  for (int i = 0; i < c_.level_count; ++i) {
    in *= distinct_[i][v] = distinct_offsets(t, nest_, i, c_.level[i]);
    enter(v, i, in);
    if (c_.level[i].is_interconnect) serve(v, i, in, 0);
    if (!contains(keep_[i], v)) continue;
    nest_.measure(t, nest_.through[i], boxes_[i][v]);
    const u64 out = crossing(v, i);
    serve(v, i, in, out);
    in = out;
  }
}

// `words` words enter the network below the level now.
void TensorFlows::enter(int v, int i, u64 words) {
  const CompiledLevel& level = c_.level[i];
  u64& before = entered_[i][v];
  if (!level.entering_costs_alone || words == before) return;
  const auto units = [&](u64 n) { return ingress_energy(level, v, static_cast<double>(n), nest_.instances[i]).units; };
  units_ -= units(before);
  units_ += units(words);
  before = words;
}

u64 TensorFlows::crossing(int v, int i) const {
  if (i + 1 == c_.level_count) return 0;
  return temporal_traffic(c_.tensor[v], moving_[v], nest_, nest_.through[i], boxes_[i][v]);
}

// Rules 18 to 20, 23 and 44.
void TensorFlows::serve(int v, int i, u64 accesses, u64 crossing) {
  const CompiledLevel& level = c_.level[i];
  const bool is_output = c_.tensor[v].is_output;
  const Accesses<u64> words = kept_words(level, is_output, accesses, crossing, is_output ? part_[i] : 0);
  const u64 used = nest_.instances[i];
  const u128 units = units_of_one(level, v, words, is_output, {used, used}).sum();
  const u64 reads = level.taken(v, words.reads), writes = level.taken(v, words.fills + words.updates);
  stop_[i][v] = {accesses, crossing, reads, writes, units};
  units_ += units;
  reads_[i] += reads;
  writes_[i] += writes;
}

void TensorFlows::withdraw(int v, int i) {
  const Stop& stop = stop_[i][v];
  units_ -= stop.units;
  reads_[i] -= stop.reads;
  writes_[i] -= stop.writes;
}

// The innermost level whose tile a new order at `level` may move otherwise; `level` itself if it is none.
int TensorFlows::first_reached(int v, int level) const {
  if (level == 0) return 0;
  const bool sliding = c_.tensor[v].sliding;
  const LoopMask between = moving_[v] & nest_.temporal & nest_.through[level - 1];
  int first = level;
  for (int i = level - 1; i >= 0; --i) {
    if (!contains(keep_[i], v)) continue;
    // Loops between that move a tensor without halos leave to those of `level` how often, which no order changes.
    if (!sliding && (between & ~nest_.through[i]) != 0) break;
    first = i;
  }
  return first;
}

void TensorFlows::reorder(int level) {
  if (whole_) return;
  for (int v = 0; v < c_.tensor_count; ++v) reorder(v, level);
}

// Levels outside `level` see the same loops as before; the first of them that keeps the tensor serves other words.
void TensorFlows::reorder(int v, int level) {
  moving_[v] = nest_.moving(c_.tensor[v]);
  int i = first_reached(v, level);
  if (i == level) return;
  u64 in = stop_[i][v].accesses;
  for (;; ++i) {
    enter(v, i, in);
    if (!contains(keep_[i], v)) {
      if (c_.level[i].is_interconnect && in != stop_[i][v].accesses) {
        withdraw(v, i);
        serve(v, i, in, 0);
      }
      in *= distinct_[i + 1][v];
      continue;
    }
    const Stop before = stop_[i][v];
    const u64 out = i < level ? crossing(v, i) : before.crossing;
    if (in != before.accesses || out != before.crossing) {
      withdraw(v, i);
      serve(v, i, in, out);
    }
    if (i >= level) return;
    in = out * distinct_[i + 1][v];
  }
}

Cost TensorFlows::total() const {
  if (whole_) return evaluate_perfect(c_, nest_, keep_).cost;
  CostSum sum(c_, c_.macs, nest_.steps);
  sum.pay(units_);
  sum.ramp(ramps_of(c_, nest_, keep_));
  for (int i = 0; i < c_.level_count; ++i) {
    const CompiledLevel& level = c_.level[i];
    sum.leak(level, nest_.instances[i]);
    if (!clearly_fast_enough(level, reads_[i], writes_[i], c_.cycles_of(nest_.steps))) sum.wait(cycles(i));
  }
  return sum.total();
}

u64 TensorFlows::cycles(int i) const {
  const CompiledLevel& level = c_.level[i];
  std::array<u64, kMaxTensors> reads, writes;  // parts of the tensors that the level counts
  std::size_t count = 0;
  for (const int v : bits(c_.counted(i, keep_[i]))) {
    reads[count] = stop_[i][v].reads;
    writes[count++] = stop_[i][v].writes;
  }
  return level_cycles(level, std::span(reads).first(count), std::span(writes).first(count), c_.cycles_of(nest_.steps));
}

}  // namespace heliolite
