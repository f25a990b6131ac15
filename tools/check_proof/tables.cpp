// The tables of what begins at a level or outside it: lemma 7 of docs/rules/proof.md.
#include <algorithm>
#include <thread>

#include "check_proof/bounds.h"

namespace check_proof {
namespace {

constexpr u128 kMostBytes = u128{6} << 30;

}  // namespace

Tables::Tables(const Machine& machine, const std::vector<bool>& used, int threads)
    : m_(machine), channels_(machine.channels().size()), tiles_(machine.tiles().count()) {
  u128 bytes = 0;
  std::vector<std::vector<bool>> has(static_cast<std::size_t>(m_.levels()));
  for (int i = 0; i < m_.levels(); ++i)
    for (std::size_t c = 0; c < channels_; ++c) {
      // Outside its level nothing of a rate moves.
      const bool wanted = c == 0 || (used[c] && i <= m_.channels()[c].level);
      has[i].push_back(wanted);
      if (wanted) bytes += static_cast<u128>(32) * m_.sets(i).size() * tiles_;
    }
  if (bytes > kMostBytes) throw Wrong{0, "tables of more than 6 GiB", true};
  with_.resize(std::size_t(m_.levels()) * channels_);
  below_.resize(with_.size());
  for (int i = m_.levels() - 1; i >= 0; --i) {
    for (std::size_t c = 0; c < channels_; ++c) {
      if (!has[i][c]) continue;
      with_[std::size_t(i) * channels_ + c].assign(m_.sets(i).size() * tiles_, kInfinite);
      below_[std::size_t(i) * channels_ + c].assign(m_.sets(i).size() * tiles_, kInfinite);
    }
    for (int set = 0; set < static_cast<int>(m_.sets(i).size()); ++set) {
      std::vector<std::thread> workers;
      for (int k = 0; k < threads; ++k) {
        const u32 begin = static_cast<u32>(tiles_ * static_cast<std::size_t>(k) / static_cast<std::size_t>(threads));
        const u32 end = static_cast<u32>(tiles_ * static_cast<std::size_t>(k + 1) / static_cast<std::size_t>(threads));
        workers.emplace_back([this, i, set, begin, end] { fill_with(i, set, begin, end); });
      }
      for (std::thread& w : workers) w.join();
      fill_below(i, set);
    }
  }
}

void Tables::fill_with(int i, int set, u32 begin, u32 end) {
  const Tiles& tiles = m_.tiles();
  const Mask kept = m_.kept(i, set);
  std::vector<i128> cost, best;
  std::vector<Waiting> flows;
  for (u32 tile = begin; tile < end; ++tile) {
    const Digits at = tiles.digits(tile);
    const Extents extent = tiles.extents(at), left = tiles.left(extent);
    if (!tiles.fits(i, kept, extent)) continue;
    best.assign(channels_, kInfinite);
    if (i == m_.levels() - 1) {
      if (tile + 1 == tiles.count()) best.assign(channels_, 0);
    } else {
      OrderBound order(m_, at, i);
      for (const u16 next : m_.next(i, set)) {
        if (below(0, i + 1, tile, next) >= kInfinite) continue;
        cost.assign(channels_, 0);
        flows.clear();
        const Servers& servers = m_.sets(i + 1)[next];
        for (int v = 0; v < m_.tensors(); ++v) {
          if (!contains(kept, v)) continue;
          const u64 words = tiles.words(v, extent);
          flows.push_back({i, servers[v], v, words, words, words, at, m_.most_first(i + 1, left)});
        }
        order.add(flows, 0, channels_, cost);
        for (std::size_t c = 0; c < channels_; ++c) {
          cost[c] += below(c, i + 1, tile, next);
          // The first read of each word is none, also at servers to come.
          for (const Waiting& f : flows)
            if (const i128 first = m_.price(c, f.server, f.tensor).first_access; first != 0)
              cost[c] -= first * m_.most_first(f.server + 1, left);
          best[c] = std::min(best[c], cost[c]);
        }
      }
    }
    for (std::size_t c = 0; c < channels_; ++c)
      if (std::vector<i128>& t = with_[std::size_t(i) * channels_ + c]; !t.empty())
        t[std::size_t(set) * tiles_ + tile] = std::max<i128>(0, best[c]);
  }
}

void Tables::fill_below(int i, int set) {
  const Tiles& tiles = m_.tiles();
  const Level& level = m_.level(i);
  const Mask kept = m_.kept(i, set);
  // A multiple of a tile has a larger number.
  for (u32 tile = static_cast<u32>(tiles_); tile-- > 0;) {
    const Digits at = tiles.digits(tile);
    const bool fits = tiles.fits(i, kept, tiles.extents(at));
    for (std::size_t c = 0; c < channels_; ++c) {
      const std::size_t k = std::size_t(i) * channels_ + c;
      if (with_[k].empty()) continue;
      i128 best = with_[k][std::size_t(set) * tiles_ + tile];
      for (int d = 0; fits && d < m_.dimensions(); ++d) {
        if (level.loops[d].most == 1 && (!level.has_fanout || level.unroll[d].most == 1)) continue;
        for (const Divisors::Step& step : tiles.of(d).step[at[d]])
          best = std::min(best, below(c, i, tile + (step.digit - at[d]) * tiles.stride(d), set));
      }
      below_[k][std::size_t(set) * tiles_ + tile] = best;
    }
  }
}

}  // namespace check_proof
