#include "check_proof/bounds.h"

#include <algorithm>

namespace check_proof {

// Words that are counted, those on their way, those that move along a rank, and those in place.
void Bounds::add_inside(const State& s, int from, std::size_t begin, std::size_t end, std::vector<i128>& out,
                        bool only_counted) const {
  const int z = m_.output(), n = m_.levels();
  const u32 tile = m_.tiles().number(s.at);
  const Extents left = m_.tiles().left(s.tile);
  const u64 first = m_.most_first(from + 1, left);
  const Servers& servers = m_.sets(s.level + 1)[s.set];
  Mask served = 0;
  for (int i = 0; i < n; ++i)
    for (int v = 0; v < m_.tensors(); ++v) {
      const Count& count = s.count[i][v];
      if (count.accesses == 0 && count.fills == 0) continue;
      if (v == z && count.accesses != 0) served |= bit(i);
      for (std::size_t c = begin; c < end; ++c) {
        const WordPrice& p = m_.price(c, i, v);
        i128 cost = p.access * count.accesses + p.fill * count.fills;
        if (c == 0 && v != z && i <= from && contains(m_.shared(), i)) {
          const WordPrice& full = m_.full_price(i, v);
          const u64 clusters = m_.level(i).clusters;
          const u64 known = i <= s.level ? s.instances[i] : 1;
          const u64 most = std::max(clusters, known * m_.most_units(from + 1, tile));
          cost = std::max(cost, fraction(full.access * count.accesses + full.fill * count.fills, clusters, most));
        }
        if (v == z && count.fills != 0) cost -= p.first_fill * first * s.summed[i];
        out[c] += cost;
      }
    }
  for (int v = 0; v < m_.tensors(); ++v) {
    const u64 words = s.pending[v];
    if (words == 0) continue;
    const int server = servers[v];
    if (v == z) served |= bit(server);
    if (only_counted) continue;
    // Receivers share a word only along dimensions that do not move the tensor for certain.
    const Tensor& t = m_.tensor(v);
    u64 share = 1;
    for (int d = 0; d < m_.dimensions(); ++d)
      if (!contains(t.indexing & ~t.sliding, d)) share *= left[d];
    const u128 least = ceil_div(words, std::min(m_.gain(from, server, v), share));
    for (std::size_t c = begin; c < end; ++c) out[c] += m_.price(c, server, v).access * static_cast<i128>(least);
  }
  std::vector<Waiting> waiting;
  for (const Flow& f : s.flows) {
    if (f.tensor == z && f.server >= 0) served |= bit(f.server);
    if (only_counted) continue;
    if (!f.is_moving()) {
      const u64 most_first = f.tensor == z && f.place < n ? first * s.summed[f.place] : 0;
      waiting.push_back({f.place, f.server, f.tensor, f.full, static_cast<u128>(f.words) * f.fills,
                         static_cast<u128>(f.words) * f.serves, f.tile, most_first});
      continue;
    }
    u64 along = 1;
    for (const Term& t : m_.tensor(f.tensor).ranks[f.rank]) along *= left[t.dimension];
    const u128 words = (static_cast<u128>(f.words - f.full) * along + f.full) * (s.rest / along);
    for (std::size_t c = begin; c < end; ++c) {
      out[c] += m_.price(c, f.place, f.tensor).fill * static_cast<i128>(words * f.fills);
      if (f.server < 0) continue;
      const u128 least = ceil_div(words * f.serves, m_.gain(from, f.server, f.tensor));
      out[c] += m_.price(c, f.server, f.tensor).access * static_cast<i128>(least);
    }
  }
  OrderBound(m_, s.at, from).add(waiting, begin, end, out);
  for (int i = 0; i < n; ++i) {
    if (!contains(served, i)) continue;
    const u64 of_level = i <= s.level ? first * s.summed[i] : m_.most_first(i + 1, left);
    for (std::size_t c = begin; c < end; ++c) out[c] -= m_.price(c, i, z).first_access * of_level;
  }
}

void Bounds::energy(const State& s, int from, Inside& out) const {
  const u64 most = m_.most_units(from + 1, m_.tiles().number(s.at));
  out.steps = static_cast<u64>(ceil_div(m_.instance().macs, static_cast<u128>(s.units) * most));
  out.channel.assign(1, static_cast<i128>(m_.instance().mac) * m_.instance().macs * m_.instance().scale + s.network);
  add_inside(s, from, 0, 1, out.channel);
}

i128 Bounds::counted(const State& s) const {
  std::vector<i128> out(1, static_cast<i128>(m_.instance().mac) * m_.instance().macs * m_.instance().scale + s.network);
  add_inside(s, s.level, 0, 1, out, true);
  return out[0];
}

void Bounds::rates(const State& s, int from, Inside& out) const {
  out.channel.resize(m_.channels().size(), 0);
  add_inside(s, from, 1, m_.channels().size(), out.channel);
}

u64 Bounds::cycles_of(const State& s, int from, std::size_t channel, i128 parts) const {
  if (parts <= 0) return 0;
  const Channel& c = m_.channels()[channel];
  const u64 known = c.level <= s.level ? s.instances[c.level] : 1;
  const u64 most = known * m_.most_units(std::max(from, c.level) + 1, m_.tiles().number(s.at));
  return static_cast<u64>(ceil_div(static_cast<u128>(parts) * c.rate.cycles, static_cast<u128>(c.rate.parts) * most));
}

Cost Bounds::cost(const State& s, i128 energy, u64 cycles) const {
  i128 leakage = 0;
  for (int j = 0; j < m_.levels(); ++j) {
    const u64 leak = m_.level(j).leak;
    if (leak == 0) continue;
    const bool is_inside = j <= s.level;
    const u64 n = is_inside ? s.instances[j] : 1;
    u128 time = static_cast<u128>(n) * cycles;
    // All the level's instances work as long as the compute units, of which they have so many each.
    if (is_inside) time = std::max(time, ceil_div(static_cast<u128>(m_.instance().macs) * n, s.units));
    leakage += static_cast<i128>(leak * time);
  }
  const i128 whole = energy <= 0 ? 0 : static_cast<i128>(ceil_div(static_cast<u128>(energy), m_.instance().scale));
  return {whole + leakage, cycles};
}

}  // namespace check_proof
