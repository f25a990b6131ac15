#include "engine/model/true_counts/tally.h"

#include <algorithm>
#include <span>

#include "engine/model/cost_of_counts.h"

namespace heliolite {

TrueTally::ByTensor TrueTally::of_unit(int i, const UnitDigits& unit) const {
  ByTensor out;
  for (const int v : bits(counted(i))) out[at(v)] = instance_accesses(c_, v, nest_, keep_, i, unit);
  return out;
}

TrueTally::ByTensor TrueTally::accesses(int i) const {
  const CompiledLevel& level = c_.level[at(i)];
  ByTensor out;
  if (level.block_words == 1) return total_[at(i)];
  if (nest_.used[at(i)] == 1) {
    for (const int v : bits(counted(i))) out[at(v)] = in_accesses(level, v, total_[at(i)][at(v)]);
    return out;
  }
  each_class(i, [&](const ByTensor& words, u64 number) {
    for (const int v : bits(counted(i))) {
      const Accesses<u64> one = in_accesses(level, v, words[at(v)]);
      out[at(v)] += {one.reads * number, one.fills * number, one.updates * number};
    }
  });
  return out;
}

// Of the slowest instance (rule 41); without sliding ranks none is slower than the first.
u64 TrueTally::cycles(int i) const {
  const CompiledLevel& level = c_.level[at(i)];
  if (!level.limited || serves(i, total_[at(i)])) return nest_.steps;
  if (nest_.used[at(i)] == 1) return cycles_of(i, total_[at(i)]);
  const UnitDigits first = first_instance(nest_, i);
  ByTensor words;
  bool slides = false;
  for (const int v : bits(counted(i))) {
    slides |= c_.tensor[at(v)].sliding;
    words[at(v)] = c_.tensor[at(v)].sliding ? most_accesses(c_, v, nest_, keep_, i, first)
                                            : instance_accesses(c_, v, nest_, keep_, i, first);
  }
  if (!slides) return cycles_of(i, words);
  if (serves(i, words)) return nest_.steps;
  u64 most = nest_.steps;
  each_class(i, [&](const ByTensor& words, u64) { most = std::max(most, cycles_of(i, words)); });
  return most;
}

u64 TrueTally::cycles_of(int i, const ByTensor& words) const {
  std::array<u64, kMaxTensors> reads{}, writes{};
  for (const int v : bits(counted(i))) {
    reads[at(v)] = c_.level[at(i)].taken(v, words[at(v)].reads);
    writes[at(v)] = c_.level[at(i)].taken(v, words[at(v)].fills + words[at(v)].updates);
  }
  const auto count = at(c_.tensor_count);
  return level_cycles(c_.level[at(i)], std::span(reads).first(count), std::span(writes).first(count), nest_.steps);
}

// Whether one instance could serve all these words in time, with room for how doubles are rounded.
bool TrueTally::serves(int i, const ByTensor& by_tensor) const {
  const CompiledLevel& level = c_.level[at(i)];
  double reads = 0, writes = 0;
  for (const int v : bits(counted(i))) {
    const Accesses<u64>& words = by_tensor[at(v)];
    reads += static_cast<double>(level.taken(v, words.reads));
    writes += static_cast<double>(level.taken(v, words.fills + words.updates));
  }
  const double safe = static_cast<double>(nest_.steps) * (1 - 1e-9);
  return reads <= level.read_bandwidth * safe && writes <= level.write_bandwidth * safe &&
         reads + writes <= level.shared_bandwidth * safe;
}

}  // namespace heliolite
