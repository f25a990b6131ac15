#include "engine/model/compiled.h"

#include <algorithm>
#include <bit>
#include <cassert>
#include <charconv>
#include <utility>

#include "engine/model/keep.h"
#include "engine/model/links.h"

namespace heliolite {
namespace {

// Energy units of a price, in at most 63 bits: larger prices are refused (mapping_check.h).
u64 units(double pj) { return static_cast<u64>(Energy::from_picojoules(std::min(pj, 2 * kMaxAccessPicojoules)).units); }

CompiledTensor compile(const Tensor& tensor, const Workload& workload) {
  CompiledTensor out;
  out.is_output = tensor.is_output();
  out.rank_count = static_cast<u8>(tensor.ranks.size());
  std::array<CompiledTerm, kMaxRanks * kMaxTerms> all{};
  int all_count = 0;
  for (std::size_t r = 0; r < tensor.ranks.size(); ++r) {
    // Dimensions of size 1 never move a tile: without them more ranks are plain.
    std::array<CompiledTerm, kMaxTerms> looping{};
    int count = 0;
    for (const Term& t : tensor.ranks[r].terms)
      if (workload.dimensions[t.dimension].size > 1)
        looping[count++] = {static_cast<u8>(r), static_cast<u8>(t.dimension), false, static_cast<u32>(t.coefficient)};
    const bool plain = count == 1 && looping[0].coefficient == 1;
    if (plain) out.plain[out.plain_count++] = looping[0].dimension;
    if (count > 1) {
      out.sliding = true;
      for (int k = 0; k < count; ++k) out.sharing[r] |= static_cast<DimensionMask>(1u << looping[k].dimension);
      out.sharing_any |= out.sharing[r];
    }
    if (count == 1) out.alone |= dimension_bit(looping[0].dimension);
    for (int k = 0; k < count; ++k) {
      if (!plain) out.term[out.term_count++] = looping[k];
      if (contains(out.indexing, looping[k].dimension)) out.entangled = true;
      out.indexing |= static_cast<DimensionMask>(1u << looping[k].dimension);
      all[all_count++] = looping[k];
    }
    if (count > 0 && !plain) out.term[out.term_count - 1].ends_rank = true;
  }
  int n = 0;
  for (int d = 0; d < kMaxDimensions; ++d) {
    out.first_of[d] = static_cast<u8>(n);
    for (int k = 0; k < all_count; ++k)
      if (all[k].dimension == d) out.by_dimension[n++] = all[k];
  }
  out.first_of[kMaxDimensions] = static_cast<u8>(n);
  return out;
}

// The shortest decimal that reads back as the bandwidth, as a fraction in lowest terms; where either number needs more
// than 60 bits the last convergent of its continued fraction that does not, which is off by less than 1 in 2^59.
PartsPerCycle fraction_of(double parts_per_cycle) {
  if (!(parts_per_cycle < std::numeric_limits<double>::infinity())) return {};
  std::array<char, 64> text{};
  const auto end = std::to_chars(text.data(), text.data() + text.size(), parts_per_cycle, std::chars_format::fixed).ptr;
  u128 numerator = 0, denominator = 1;
  bool behind_point = false;
  for (const char* c = text.data(); c != end; ++c) {
    if (*c == '.') {
      behind_point = true;
      continue;
    }
    numerator = numerator * 10 + static_cast<unsigned>(*c - '0');
    if (behind_point) denominator *= 10;
  }
  u128 p = 1, q = 0, last_p = 0, last_q = 1;
  while (denominator != 0) {
    const u128 quotient = numerator / denominator, rest = numerator % denominator;
    const u128 next_p = quotient * p + last_p, next_q = quotient * q + last_q;
    if (next_p >> 60 != 0 || next_q >> 60 != 0) break;
    last_p = std::exchange(p, next_p), last_q = std::exchange(q, next_q);
    numerator = std::exchange(denominator, rest);
  }
  return {static_cast<u64>(p), static_cast<u64>(q)};
}

CompiledLevel compile(const StorageLevel& level, const ValueBits& bits) {
  CompiledLevel out;
  out.parts = value_parts(bits, level);
  const auto parts_of_word = static_cast<double>(out.parts.of_word);
  if (const std::optional<u64> words = level.capacity_words()) out.room = *words * out.parts.of_word;
  out.fanout_x = level.fanout_x;
  out.fanout_y = level.fanout_y;
  out.clusters = level.instances / level.cluster_size;
  for (std::size_t v = 0; v < kMaxTensors; ++v)
    out.units[v] = value_prices<u64>(level, static_cast<double>(out.parts.of[v]) / parts_of_word, units);
  out.leak_units = units(picojoules_per_cycle(level));
  // A price near the unit may be nothing for a word of the level, and something for a larger one of a tensor.
  const auto some = [&](u64 ValueUnits::*price) {
    return std::ranges::any_of(out.units, [&](const ValueUnits& of_value) { return of_value.*price != 0; });
  };
  out.generates_addresses = some(&ValueUnits::address);
  out.hops_cost = some(&ValueUnits::hop);
  out.routers_cost = some(&ValueUnits::router);
  out.network_costs = out.hops_cost || out.routers_cost || some(&ValueUnits::ingress);
  out.block_words = level.block_words;
  out.block_parts = level.block_words * out.parts.of_word;
  out.block_shift = std::has_single_bit(out.block_parts) ? std::countr_zero(out.block_parts) : -1;
  constexpr double unlimited = std::numeric_limits<double>::infinity();
  out.read_bandwidth = level.bandwidth.read.value_or(unlimited) * parts_of_word;
  out.write_bandwidth = level.bandwidth.write.value_or(unlimited) * parts_of_word;
  out.shared_bandwidth = level.bandwidth.shared.value_or(unlimited) * parts_of_word;
  out.read_rate = fraction_of(out.read_bandwidth);
  out.write_rate = fraction_of(out.write_bandwidth);
  out.shared_rate = fraction_of(out.shared_bandwidth);
  out.limited = level.bandwidth.read || level.bandwidth.write || level.bandwidth.shared;
  out.reduces = level.reduces();
  out.is_interconnect = level.is_interconnect;
  return out;
}

}  // namespace

Compiled::Compiled(const Workload& workload, const Architecture& architecture, const NestPass& nest_pass)
    : dimension_count(static_cast<int>(workload.dimensions.size())),
      tensor_count(static_cast<int>(workload.tensors.size())),
      level_count(static_cast<int>(architecture.levels.size())),
      op_units(units(architecture.compute.op_pj * static_cast<double>(workload.operations))),
      macs(workload.macs()),
      point_cycles(workload.operations * architecture.compute.cycles_per_op),
      all_leak(architecture.all_leaks),
      ramps(architecture.ramps),
      pass(nest_pass),
      plain(nest_pass.is_plain()) {
  assert(dimension_count <= kMaxDimensions && tensor_count <= kMaxTensors && level_count <= kMaxLevels);
  size.fill(1);
  for (int d = 0; d < dimension_count; ++d) size[d] = static_cast<u32>(workload.dimensions[d].size);
  for (int v = 0; v < tensor_count; ++v) {
    tensor[v] = compile(workload.tensors[v], workload);
    tensor[v].words = box_words(tensor[v], size);
  }
  const ValueBits bits = value_bits(workload);
  for (int i = 0; i < level_count; ++i) {
    level[i] = compile(architecture.levels[i], bits);
    level[i].reads_drains = architecture.drain_reads;
    level[i].timeloop_cycles = architecture.timeloop_cycles;
    level[i].entering_costs_alone = level[i].network_costs && !level[i].hops_cost && !level[i].routers_cost &&
                                    level[i].reduces && macs < kExactInDoubles;
    for (int v = 0; v < tensor_count; ++v) level[i].whole += level[i].taken(v, tensor[v].words);
    if (architecture.peer_channel) level[i].peers = tensors_of_peers(*this, architecture.levels[i], i, workload);
    peers = static_cast<TensorMask>(peers | level[i].peers);
    for (int v = 0; v < tensor_count; ++v)
      if (i + 1 == level_count || keep_choice(architecture.levels[i].keep, workload, v) == KeepChoice::Keep)
        passing[i] |= static_cast<TensorMask>(1u << v);
  }
  CompiledLevel& outermost = level[level_count - 1];
  outermost.leak_units += units(architecture.beside_pj_per_cycle);
  if (all_leak) {
    u64 sum = 0;
    for (int i = 0; i < level_count; ++i) {
      always_leaks[i] = std::exchange(level[i].leak_units, 0) * architecture.levels[i].instances;
      sum += always_leaks[i];
    }
    outermost.leak_units = sum;
  }
  if (pass.taken == 0) return;
  CompiledLevel& home = level[pass.level];
  const u64 taken_parts = pass.taken * home.parts.of_word;
  if (home.room != CompiledLevel::kUnbounded) home.room -= std::min(home.room, taken_parts);
}

DimensionMask standalone_dimensions(const Compiled& c, TensorMask tensors) {
  DimensionMask out = 0;
  for (int d = 0; d < c.dimension_count; ++d) {
    bool alone = c.size[d] > 1;
    for (int v = 0; v < c.tensor_count && alone; ++v) {
      const CompiledTensor& t = c.tensor[v];
      if (!contains(tensors, v) || !contains(t.indexing, d)) continue;
      const CompiledTerm* const term = &t.by_dimension[t.first_of[d]];
      alone = t.first_of[d + 1] == t.first_of[d] + 1 && term->coefficient == 1 && t.sharing[term->rank] == 0;
    }
    if (alone) out |= dimension_bit(d);
  }
  return out;
}

bool has_plain_ranks(const CompiledTensor& t) {
  if (t.sliding || t.entangled) return false;
  for (const int d : bits(t.indexing)) {
    const int k = t.first_of[d];
    if (t.first_of[d + 1] != k + 1 || t.by_dimension[k].coefficient != 1) return false;
  }
  return true;
}

}  // namespace heliolite
