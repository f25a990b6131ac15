#pragma once
// What a mapping of an instance costs, by the rules of docs/cost_model.md as they are written: one instance of each
// level is followed, loop by loop. Shares nothing with the checker but the instance that it has read.
#include <algorithm>
#include <array>
#include <map>
#include <optional>
#include <set>
#include <vector>

#include "check_proof/instance.h"

namespace heliolite::testing {

using check_proof::i128;
using check_proof::u128;
using check_proof::u64;

struct WalkedLoop {
  int dimension = 0;
  u64 factor = 1;
};

// What one level of a mapping says; loops innermost first.
struct WalkedLevel {
  check_proof::Mask keep = 0;
  std::vector<WalkedLoop> x, y, temporal;
};
using WalkedMapping = std::vector<WalkedLevel>;

struct WalkedCost {
  i128 energy = 0;
  u64 cycles = 0;
};

// The levels that share the room of level i, with itself.
inline std::vector<int> sharing(const check_proof::Instance& in, int i) {
  const int n = static_cast<int>(in.levels.size());
  while (in.levels[i].shares) --i;
  std::vector<int> out{i};
  while (++i < n && in.levels[i].shares) out.push_back(i);
  return out;
}

class ProofWalk {
 public:
  ProofWalk(const check_proof::Instance& instance, const WalkedMapping& mapping) : in_(instance), map_(mapping) {
    Sizes tile = ones();
    for (const WalkedLevel& l : map_) {
      receiver_.push_back(tile);
      for (const auto* axis : {&l.x, &l.y})
        for (const WalkedLoop& loop : *axis) tile[loop.dimension] *= loop.factor;
      all_receivers_.push_back(tile);
      for (const WalkedLoop& loop : l.temporal) tile[loop.dimension] *= loop.factor;
      tile_.push_back(tile);
    }
  }

  // None where the tiles do not fit. What factors multiply to is not asked.
  std::optional<WalkedCost> cost() const {
    const int n = static_cast<int>(in_.levels.size());
    std::vector<u128> reads(n), writes(n), price(n);
    i128 energy = static_cast<i128>(in_.mac) * in_.macs;
    u64 steps = 1;
    for (const WalkedLevel& l : map_)
      for (const WalkedLoop& loop : l.temporal) steps *= loop.factor;
    for (int v = 0; v < static_cast<int>(in_.tensors.size()); ++v) {
      const check_proof::Tensor& t = in_.tensors[v];
      const std::vector<u64> part = parts(t, v == in_.output);
      u64 asked = steps;  // of one instance below the fan-out of level i
      for (int i = 0; i < n; ++i) {
        const check_proof::Level& level = in_.levels[i];
        const check_proof::Prices& p = level.of[v];
        const u64 accesses = asked * groups(t, i).size();
        energy += static_cast<i128>(p[check_proof::kIngress]) * accesses * instances(i);
        if (level.has_hops) {
          const u64 raw = i == 0 ? steps : crossing(t, i - 1);
          energy += static_cast<i128>(p[check_proof::kHop] / 2) * raw * half_hops(t, i) * instances(i);
        }
        const bool is_top = i == n - 1;
        if (!contains(map_[i].keep, v)) {
          asked = accesses;
          continue;
        }
        asked = is_top ? 0 : crossing(t, i);
        u64 read = accesses, filled = asked, updated = 0;
        if (v == in_.output) read -= part[i], filled -= is_top ? 0 : part[i], updated = accesses;
        const auto blocks = [&](u64 words) {
          return level.block == 1 ? words : (words * p[check_proof::kParts] + level.block - 1) / level.block;
        };
        price[i] += p[check_proof::kRead] * blocks(read) + p[check_proof::kFill] * blocks(filled) +
                    p[check_proof::kUpdate] * blocks(updated);
        price[i] += p[check_proof::kAddress] * (v == in_.output ? updated + filled : read + filled);
        reads[i] += read * p[check_proof::kParts], writes[i] += (filled + updated) * p[check_proof::kParts];
      }
    }
    u64 cycles = steps * in_.point;
    i128 leakage = 0;
    for (int i = 0; i < n; ++i) {
      const check_proof::Level& level = in_.levels[i];
      if (!fits(i)) return std::nullopt;
      energy += static_cast<i128>(price[i] * std::min(instances(i), level.clusters));
      leakage += static_cast<i128>(level.leak) * instances(i);
      for (const check_proof::Rate& r : level.rates) {
        u128 words = 0;
        for (const int j : sharing(in_, i)) words += (r.kind == 'w' ? 0 : reads[j]) + (r.kind == 'r' ? 0 : writes[j]);
        cycles = std::max(cycles, static_cast<u64>((words * r.cycles + r.parts - 1) / r.parts));
      }
    }
    return WalkedCost{energy + leakage * cycles, cycles};
  }

 private:
  using Sizes = std::array<u64, check_proof::kDimensions>;
  static bool contains(check_proof::Mask mask, int k) { return check_proof::contains(mask, k); }
  static Sizes ones() {
    Sizes out;
    out.fill(1);
    return out;
  }

  u64 instances(int i) const {  // rule 13
    u64 out = 1;
    for (std::size_t j = static_cast<std::size_t>(i) + 1; j < map_.size(); ++j)
      for (const auto* axis : {&map_[j].x, &map_[j].y})
        for (const WalkedLoop& loop : *axis) out *= loop.factor;
    return out;
  }
  std::vector<u64> box(const check_proof::Tensor& t, const Sizes& tile) const {  // rule 4
    std::vector<u64> out;
    for (const auto& rank : t.ranks) {
      out.push_back(1);
      for (const int d : rank) out.back() += t.coefficient[d] * (tile[d] - 1);
    }
    return out;
  }
  u64 words(const check_proof::Tensor& t, const Sizes& tile) const {
    u64 out = 1;
    for (const u64 extent : box(t, tile)) out *= extent;
    return out;
  }
  bool fits(int i) const {  // rule 5
    u64 parts = 0;
    for (const int j : sharing(in_, i))
      for (int v = 0; v < static_cast<int>(in_.tensors.size()); ++v)
        if (contains(map_[j].keep, v))
          parts += words(in_.tensors[v], tile_[j]) * in_.levels[j].of[v][check_proof::kParts];
    return parts <= in_.levels[i].room;
  }
  // Rule 14; nothing of other tensors.
  std::vector<u64> parts(const check_proof::Tensor& t, bool is_output) const {
    std::vector<u64> out(map_.size(), 0);
    if (!is_output) return out;
    out.back() = words(t, tile_.back());
    for (std::size_t i = map_.size() - 1; i > 0; --i)
      out[i - 1] = out[i] * words(t, receiver_[i]) / words(t, all_receivers_[i]);
    return out;
  }

  // Rules 6 and 7: the words that cross into the tile of level i, over all temporal loops outside.
  u64 crossing(const check_proof::Tensor& t, int i) const {
    struct Outer {
      std::vector<i128> move;  // of one step, by rank
      u64 factor;
    };
    std::vector<Outer> loops;
    for (std::size_t j = static_cast<std::size_t>(i) + 1; j < map_.size(); ++j) {
      Sizes step = all_receivers_[j];
      for (const WalkedLoop& loop : map_[j].temporal) {
        Outer o{std::vector<i128>(t.ranks.size(), 0), loop.factor};
        for (std::size_t r = 0; r < t.ranks.size(); ++r)
          for (const int d : t.ranks[r])
            if (d == loop.dimension) o.move[r] = static_cast<i128>(t.coefficient[d]) * step[d];
        loops.push_back(o);
        step[loop.dimension] *= loop.factor;
      }
    }
    const auto moves = [](const Outer& o) { return std::ranges::any_of(o.move, [](i128 m) { return m != 0; }); };
    const auto first = std::ranges::find_if(loops, moves);
    const std::vector<u64> extents = box(t, tile_[i]);
    u64 tile = 1, overlap = 1;
    for (const u64 e : extents) tile *= e;
    if (first == loops.end()) return tile;
    for (std::size_t r = 0; r < extents.size(); ++r)
      overlap *= first->move[r] < static_cast<i128>(extents[r]) ? extents[r] - static_cast<u64>(first->move[r]) : 0;
    // A loop repeats what is inside it; its steps find some of the tile that each repetition begins with.
    u64 out = tile;
    for (auto j = first; j != loops.end(); ++j) out = once_more(out, *j, net_of(first, j), tile, overlap, first->move);
    return out;
  }
  template <class Iterator>
  static std::vector<i128> net_of(Iterator first, Iterator j) {
    std::vector<i128> net = j->move;
    for (auto k = first; k != j; ++k)
      for (std::size_t r = 0; r < net.size(); ++r) net[r] -= k->move[r];
    return net;
  }
  template <class Loop>
  static u64 once_more(u64 inside, const Loop& loop, const std::vector<i128>& net, u64 tile, u64 overlap,
                       const std::vector<i128>& stride) {
    const bool stays = std::ranges::all_of(net, [](i128 m) { return m == 0; });
    const u64 brought = stays ? 0 : net == stride ? tile - overlap : tile;
    return inside + (loop.factor - 1) * (inside - tile + brought);
  }

  struct Place {
    u64 column, row;
    auto operator<=>(const Place&) const = default;
  };
  // Rules 10 and 11: the receivers of a fan-out by the origin of what they want.
  std::map<std::vector<u64>, std::set<Place>> groups(const check_proof::Tensor& t, int i) const {
    std::vector<WalkedLoop> loops = map_[i].x;
    loops.insert(loops.end(), map_[i].y.begin(), map_[i].y.end());
    u64 count = 1;
    for (const WalkedLoop& l : loops) count *= l.factor;
    std::map<std::vector<u64>, std::set<Place>> out;
    for (u64 id = 0; id < count; ++id) {
      std::vector<u64> origin(t.ranks.size(), 0);
      Sizes step = receiver_[i];
      u64 rest = id;
      for (const WalkedLoop& l : loops) {
        for (std::size_t r = 0; r < t.ranks.size(); ++r)
          for (const int d : t.ranks[r])
            if (d == l.dimension) origin[r] += t.coefficient[d] * step[d] * (rest % l.factor);
        step[l.dimension] *= l.factor;
        rest /= l.factor;
      }
      out[origin].insert({id % in_.levels[i].fanout_x, id / in_.levels[i].fanout_x});
    }
    return out;
  }
  u64 half_hops(const check_proof::Tensor& t, int i) const {
    if (map_[i].x.empty() && map_[i].y.empty()) return 0;
    const i128 centre = static_cast<i128>(in_.levels[i].fanout_y) - 1;
    i128 out = 0;
    for (const auto& [origin, group] : groups(t, i)) {
      std::map<u64, std::pair<i128, i128>> columns;  // the farthest above and below the middle row
      for (const Place& p : group) {
        auto& [up, down] = columns[p.column];
        up = std::max(up, 2 * static_cast<i128>(p.row) - centre),
        down = std::max(down, centre - 2 * static_cast<i128>(p.row));
      }
      out += 2 * static_cast<i128>(columns.rbegin()->first);
      for (const auto& [column, ways] : columns) out += ways.first + ways.second;
    }
    return static_cast<u64>(out);
  }

  const check_proof::Instance& in_;
  const WalkedMapping& map_;
  std::vector<Sizes> receiver_, all_receivers_, tile_;  // [level]: of one receiver, of all, of its own
};

}  // namespace heliolite::testing
