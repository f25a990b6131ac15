#pragma once
// Lower bounds of all completions of a state, in integers that the checker finds by itself (docs/rules/proof.md).
#include "check_proof/cost.h"
namespace check_proof {
class Bounds {
 public:
  explicit Bounds(const Steps& steps) : m_(steps) {
    std::size_t entries = 0;
    with_.resize(m_.in.levels.size()), below_.resize((m_.in.levels.size() + 1) * m_.channels.size());
    for (int i = m_.levels() - 1; i >= 0; --i) {
      const std::size_t size = m_.sets[i].size() * m_.tiles;
      for (std::size_t c = 0; c < m_.channels.size(); ++c) {  // outside its level nothing of a rate moves
        if (c > 0 && i > m_.channels[c].level) continue;
        entries += c == 0 ? 2 * size : size;
        if (entries > (std::size_t{6} << 30) / sizeof(i128)) throw Wrong{0, "tables of more than 6 GiB", true};
        table(c, i).assign(size, kInfinite);
      }
      for (int set = 0; set < static_cast<int>(m_.sets[i].size()); ++set) fill_with(i, set);
      with_[i] = table(0, i);
      for (std::size_t c = 0; c < m_.channels.size(); ++c) fill_below(i, table(c, i));
    }
  }
  // The least that all flows cost which begin at level i or outside it. t: the tile of level i, with: of energy; below:
  // the least of those that enlarge it, by what level i may loop or unroll (lemma 7). Outside the outermost level
  // nothing is left.
  i128 with(int i, int set, u32 tile) const { return with_[i][place(set, tile)]; }
  i128 below(std::size_t c, int i, int set, u32 tile) const {
    const Table& t = below_[static_cast<std::size_t>(i) * m_.channels.size() + c];
    return t.empty() ? 0 : t[place(set, tile)];
  }
  // What a state costs at least of what has begun; the fan-outs of levels up to `from` are inside.
  i128 inside(std::size_t c, const State& s, int from) const { return counted(c, s, from) + begun(c, s, from); }
  // Words that are counted, less what the first words of the output cost less.
  i128 counted(std::size_t c, const State& s, int from) const {
    const Channel& channel = m_.channels[c];
    const u64 first = m_.most_first(from + 1, s.tile);
    i128 out = 0;
    for (std::size_t k = 0; k < m_.slots.size(); ++k) {
      out += product(channel.price[k], s.count[k]);
      if (channel.first[k] == 0) continue;
      const auto& [i, z, kind] = m_.slots[k];
      bool is_met = s.count[k] != 0 || (kind == kAsked && s.pending[z] != 0 && m_.servers(s)[z] == i);
      for (const Flow& f : s.flows) is_met |= kind == kAsked && f.tensor == z && f.server == i;
      if (is_met) out -= product(channel.first[k], i <= s.level ? first * s.summed[i] : m_.most_first(i + 1, s.tile));
    }
    return out;
  }
  // Cycles that the compute units need at least.
  u64 steps(u64 units, int from, u32 tile) const {
    return m_.in.point * static_cast<u64>(ceil_div(m_.in.macs, u128{units} * m_.most_units(from + 1, tile)));
  }
  // And the rates.
  u64 cycles(u64 steps, const State& s, int from) const {
    const u32 tile = m_.number(s.tile);
    for (std::size_t c = 1; c < m_.channels.size(); ++c) {
      const i128 parts = inside(c, s, from) + below(c, s.level + 1, s.set, tile);
      if (parts <= 0) continue;
      const int level = m_.channels[c].level;
      const Rate& rate = m_.channels[c].rate;
      const u64 instances = level <= s.level ? s.instances[level] : 1;
      const u128 most = static_cast<u128>(rate.parts) * instances * m_.most_units(std::max(from, level) + 1, tile);
      steps = std::max(steps, static_cast<u64>(ceil_div(static_cast<u128>(parts) * rate.cycles, most)));
    }
    return steps;
  }

 private:
  using Table = std::vector<i128>;  // [set and tile]
  static i128 product(u64 price, u64 words) { return static_cast<i128>(static_cast<u128>(price) * words); }
  Table& table(std::size_t c, int i) { return below_[static_cast<std::size_t>(i) * m_.channels.size() + c]; }
  std::size_t place(int set, u32 tile) const { return static_cast<std::size_t>(set) * m_.tiles + tile; }
  u64 access_price(const Channel& channel, const Flow& f) const {
    return f.server < 0 ? 0 : channel.price[m_.slot(kAsked, f.server, f.tensor)];
  }
  // Words on their way, those that move along a rank (lemma 6), and those in place.
  i128 begun(std::size_t c, const State& s, int from) const {
    const Channel& channel = m_.channels[c];
    i128 out = 0;
    for (int v = 0; v < m_.tensors(); ++v) {
      if (s.pending[v] == 0) continue;
      // Receivers share a word only along dimensions that do not move the tensor for certain.
      const Tensor& t = m_.in.tensors[v];
      const int server = m_.servers(s)[v];
      const u64 price = channel.price[m_.slot(kAsked, server, v)];
      const u64 share = std::min(m_.gain(from, server, v), m_.left(s.tile, ~(t.indexing & ~t.sliding)));
      out += product(price, (s.pending[v] + share - 1) / share);
    }
    for (const Flow& f : s.flows) {
      const u64 access = access_price(channel, f);
      if (!f.is_moving()) continue;
      const u64 along = m_.left(s.tile, m_.in.tensors[f.tensor].along[f.rank]);
      const u64 words = ((f.words - f.full) * along + f.full) * (s.rest / along);
      out += product(channel.price[f.into], words * f.fills);
      const u64 gain = m_.gain(from, f.server, f.tensor);
      out += product(access, (words * f.serves + gain - 1) / gain);
    }
    return out + order(channel, s, from);
  }
  // The least of all orders of the loops outside the tile (lemma 5), of what flows in place bring.
  i128 order(const Channel& channel, const State& s, int from) const {
    Mask tensors = 0, loops = 0;
    for (const Flow& f : s.flows)
      if (!f.is_moving() && (channel.price[f.into] | access_price(channel, f)) != 0) tensors |= bit(f.tensor);
    for (int d = 0; d < m_.dimensions(); ++d)
      if (m_.left(s.tile, d) > 1) loops |= bit(d);
    std::array<i128, std::size_t{1} << kTensors> least;  // [set of tensors]
    least[0] = 0;
    for (Mask set = 1; set <= tensors; ++set) {
      if ((set & ~tensors) != 0) continue;
      Mask moving = 0;
      for (int v = 0; v < m_.tensors(); ++v)
        if (contains(set, v)) moving |= loops & m_.in.tensors[v].indexing;
      const u64 iterations = m_.left(s.tile, moving);
      // The loop over d moves first what it indexes, the others what is left; -1: there are no loops.
      const auto cost = [&](int d) {
        i128 out = 0;
        Mask rest = set;
        for (const Flow& f : s.flows) {
          const Tensor& t = m_.in.tensors[f.tensor];
          if (f.is_moving() || !contains(set, f.tensor) || (d >= 0 && !contains(t.indexing, d))) continue;
          rest &= ~bit(f.tensor);
          out += closed(channel, s, from, f, d >= 0 && contains(t.sliding, d) ? t.rank_of[d] : -1, iterations);
        }
        return out + least[rest];
      };
      least[set] = moving == 0 ? cost(-1) : kInfinite;
      for (int d = 0; d < m_.dimensions(); ++d)
        if (contains(moving, d)) least[set] = std::min(least[set], cost(d));
    }
    return least[tensors];
  }
  // Every iteration brings the whole tile. Where it slides, along `rank`, all of them bring what they meet along it.
  i128 closed(const Channel& channel, const State& s, int from, const Flow& f, int rank, u64 iterations) const {
    const u64 access = access_price(channel, f), fill = channel.price[f.into], first = channel.first[f.into];
    u64 fills = f.full * f.fills * iterations, asked = f.full * f.serves * iterations;
    if (rank >= 0) {
      const u64 whole = m_.box(f.tensor, rank, f.tile) * m_.left(s.tile, m_.in.tensors[f.tensor].along[rank]);
      const u128 part = m_.coverage(f.tensor, rank, f.tile, s.tile);
      fills = static_cast<u64>(part * fills / whole), asked = static_cast<u64>(part * asked / whole);
    }
    i128 out = product(fill, fills);
    if (first != 0)
      out -= std::min(out, product(first, m_.most_first(from + 1, s.tile) * s.summed[m_.slots[f.into].level]));
    if (const u64 gain = m_.gain(from, f.server, f.tensor); gain > 1) {
      u64 once = f.serves;
      for (std::size_t r = 0; r < m_.in.tensors[f.tensor].ranks.size(); ++r)
        once *= m_.coverage(f.tensor, static_cast<int>(r), f.tile, s.tile);
      asked = std::max((asked + gain - 1) / gain, once);
    }
    return out + product(access, asked);
  }
  void fill_with(int i, int set) {
    State s;
    s.count.resize(m_.slots.size());
    for (u32 tile = m_.is_top(i) ? m_.tiles - 1 : 0; tile < m_.tiles; ++tile) {
      s.tile = m_.tile(tile);
      if (!m_.fits(i, set, s.tile, 0)) continue;
      for (const int next : m_.next[i][set]) {
        if (below(0, i + 1, next, tile) >= kInfinite) continue;
        s.level = i - 1, s.set = set;
        s.flows.clear();
        m_.finish(s, next);
        for (std::size_t c = 0; c < m_.channels.size(); ++c) {
          if (table(c, i).empty()) continue;
          i128& least = table(c, i)[place(set, tile)];
          least = std::min(least, std::max<i128>(0, inside(c, s, i) + below(c, i + 1, next, tile)));
        }
      }
    }
  }
  void fill_below(int i, Table& least) {
    const Level& level = m_.in.levels[i];
    for (std::size_t k = least.size(); k-- > 0;) {  // of a set a larger tile has a larger place
      const Tile t = m_.tile(static_cast<u32>(k % m_.tiles));
      for (int d = 0; d < m_.dimensions(); ++d)
        for (std::size_t p = 0; p < m_.primes[d].size() && (level.loops[d].most > 1 || level.unroll[d].most > 1); ++p)
          if (const u8 larger = m_.times(d, t[d], m_.primes[d][p]); larger != kNone)
            least[k] = std::min(least[k], least[k + (larger - t[d]) * std::size_t{m_.stride[d]}]);
    }
  }
  const Steps& m_;
  std::vector<Table> with_, below_;  // [level], of energy; [level and channel]
};
}  // namespace check_proof
