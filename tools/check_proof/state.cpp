#include "check_proof/state.h"

#include <algorithm>

namespace check_proof {

void Steps::close(State& s, const Flow& f, u64 rest, int from) const {
  const int n = m_.levels();
  if (f.place >= n) {
    s.network += m_.full_price(f.place, f.tensor).fill * static_cast<i128>(static_cast<u128>(f.words) * f.fills * rest);
  } else if (f.place >= 0) {
    s.count[f.place][f.tensor].fills += f.words * f.fills * rest;
  }
  if (f.server < 0) return;
  const u64 words = f.words * f.serves * rest;
  if (m_.has_way(from, f.server)) s.pending[f.tensor] += words;
  else s.count[f.server][f.tensor].accesses += words;
}

State Steps::root(int set) const {
  State s;
  s.tile.fill(1), s.unrolled.fill(1);
  s.rest = m_.instance().macs;
  s.set = static_cast<u16>(set);
  for (int v = 0; v < m_.tensors(); ++v) {
    Flow units;
    units.tensor = static_cast<i8>(v);
    units.server = servers(s)[v];
    close(s, units, s.rest, -1);
  }
  return s;
}

void Steps::unroll(State& s, const Unrolling& u) const {
  const int i = s.level + 1, n = m_.levels();
  const Level& level = m_.level(i);
  if (!level.has_fanout && !level.has_ingress) return;
  const Extents receiver = s.tile;
  std::array<u64, kTensors> groups{};
  for (int v = 0; v < m_.tensors(); ++v) groups[v] = receiver_groups(m_.tensor(v), u, receiver);
  for (std::size_t v = 0; v < s.pending.size(); ++v) {
    if (s.pending[v] == 0) continue;
    s.pending[v] = static_cast<u64>(static_cast<u128>(s.pending[v]) * groups[v] / u.receivers);
    s.network += m_.full_price(n + i, static_cast<int>(v)).fill * static_cast<i128>(s.pending[v]);
    const int server = servers(s)[v];
    if (m_.has_way(i, server)) continue;
    s.count[server][v].accesses += s.pending[v];
    s.pending[v] = 0;
  }
  s.rest /= u.receivers;
  const std::size_t begun = s.flows.size();
  for (std::size_t k = 0; k < begun; ++k) {
    Flow& f = s.flows[k];
    f.fills *= u.receivers;
    f.serves *= f.server >= i ? groups[f.tensor] : u.receivers;
    if (f.server < i || m_.full_price(n + i, f.tensor).fill == 0) continue;
    Flow words = f;
    words.place = static_cast<Place>(n + i), words.server = -1;
    words.fills = words.serves, words.serves = 1;
    s.flows.push_back(words);
  }
  for (int v = 0; v < m_.tensors(); ++v) {
    if (m_.full_price(2 * n + i, v).fill == 0) continue;
    Flow hops;
    hops.fills = half_hops(level, m_.tensor(v), m_.tiles(), u, receiver);
    hops.full = hops.words = m_.tiles().words(v, receiver);
    hops.tile = s.at, hops.tensor = static_cast<i8>(v), hops.place = static_cast<Place>(2 * n + i);
    if (hops.fills != 0) s.flows.push_back(hops);
  }
  u64 summed = 1;
  for (int d = 0; d < m_.dimensions(); ++d) {
    if (!contains(m_.tensor(m_.output()).indexing, d)) summed *= u.factor[d];
    s.tile[d] *= u.factor[d];
    s.at[d] = static_cast<u8>(m_.tiles().of(d).digit(s.tile[d]));
  }
  for (std::size_t j = 0; j < static_cast<std::size_t>(i); ++j) s.instances[j] *= u.receivers, s.summed[j] *= summed;
  s.units *= u.receivers;
}

// What a loop makes of a flow; false where the flow stays in place, or has closed: then its tensor is negative.
bool Steps::moves(State& s, Flow& f, int d, u64 factor) const {
  const Tensor& t = m_.tensor(f.tensor);
  const bool is_indexing = contains(t.indexing, d);
  const int rank = is_indexing ? t.rank_of[d] : -1;
  const u64 move = is_indexing ? t.coefficient[d] * s.tile[d] : 0;
  if (!f.is_moving()) {
    if (!is_indexing) return false;
    if (t.ranks[rank].size() == 1) return true;
    const u64 box = m_.tiles().box(f.tensor, rank, m_.tiles().extents(f.tile));
    f.fresh = move < box ? f.full / box * move : f.full;
    f.words = f.full + (factor - 1) * f.fresh;
    f.rank = static_cast<i8>(rank), f.first = f.inner = move;
    return false;
  }
  if (!is_indexing) {
    f.words *= factor;
    return false;
  }
  if (rank != f.rank) return true;
  const u64 saved = move == f.inner ? f.full : move == f.inner + f.first ? f.full - f.fresh : 0;
  f.words = factor * f.words - (factor - 1) * saved;
  f.inner += move;
  return false;
}

void Steps::loop(State& s, int d, u64 factor) const {
  const int i = s.level + 1;
  const u64 rest = s.rest / factor;
  Extents after = s.tile;
  after[d] *= factor;
  const auto is_left = [&](const Flow& f) {
    for (const Term& t : m_.tensor(f.tensor).ranks[f.rank]) {
      if (after[t.dimension] != m_.instance().size[t.dimension]) return true;
    }
    return false;
  };
  std::size_t kept = 0;
  for (std::size_t q = 0; q < s.flows.size(); ++q) {
    Flow& f = s.flows[q];
    if (moves(s, f, d, factor)) {
      close(s, f, s.rest, i);
    } else if (f.is_moving() && !is_left(f)) {
      close(s, f, rest, i);
    } else {
      if (kept != q) s.flows[kept] = f;
      ++kept;
    }
  }
  s.flows.resize(kept);
  s.rest = rest;
  s.tile = after;
  s.at[d] = static_cast<u8>(m_.tiles().of(d).digit(after[d]));
}

void Steps::start(State& s, Mask kept, int next_set) const {
  ++s.level;
  s.instances[s.level] = s.summed[s.level] = 1;
  s.set = static_cast<u16>(next_set);
  s.kept = kept;
  for (int v = 0; v < m_.tensors(); ++v) {
    if (!contains(kept, v)) continue;
    Flow f;
    f.full = f.words = m_.tiles().words(v, s.tile);
    f.tile = s.at, f.tensor = static_cast<i8>(v), f.place = s.level;
    f.server = servers(s)[v];
    s.flows.push_back(f);
  }
}

void Steps::finish(State& s) const {
  for (const Flow& f : s.flows) close(s, f, s.rest, s.level + 1);
  s.flows.clear();
  ++s.level;
  s.instances[s.level] = s.summed[s.level] = 1;
}

std::string Steps::extend(State& s, const Step& step) const {
  const int i = s.level + 1;
  const Level& level = m_.level(i);
  const Unrolling& u = m_.unrollings(i)[step.unrolling];
  for (std::size_t d = 0; d < m_.instance().size.size(); ++d)
    if (m_.instance().size[d] / s.tile[d] % u.factor[d] != 0) return "an unrolling that divides what is left expected";
  const Mask kept = m_.kept(i, s.set);
  unroll(s, u);
  s.unrolled = s.tile;
  Extents factor;
  factor.fill(1);
  s.looped = 0, s.outermost = -1;
  std::size_t place = 0;
  std::vector<int> prefix;
  for (const Loop& l : step.loops) factor[l.dimension] = l.factor;
  for (const int d : level.order)
    if (factor[d] > 1) prefix.push_back(d);
  for (const Loop& l : step.loops) {
    if (contains(s.looped, l.dimension)) return "one loop over a dimension expected";
    if (l.factor < 2 || m_.instance().size[l.dimension] / s.tile[l.dimension] % l.factor != 0)
      return "a factor above 1 that divides what is left expected";
    if (place < prefix.size() && prefix[place] != l.dimension) return "loops in the order of the instance expected";
    ++place;
    loop(s, l.dimension, l.factor);
    s.looped |= bit(l.dimension), s.outermost = static_cast<i8>(l.dimension);
  }
  for (std::size_t d = 0; d < m_.instance().size.size(); ++d)
    if (!level.loops[d].allows(factor[d])) return "factors that the instance allows expected";
  if (!m_.tiles().fits(i, kept, s.tile)) return "a tile that fits expected";
  if (i + 1 < m_.levels()) {
    start(s, kept, step.set);
    return "";
  }
  for (std::size_t d = 0; d < m_.instance().size.size(); ++d)
    if (s.tile[d] != m_.instance().size[d]) return "factors that multiply to the sizes expected";
  finish(s);
  return "";
}

}  // namespace check_proof
