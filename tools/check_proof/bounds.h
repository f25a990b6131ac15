#pragma once
// Lower bounds of all completions of a state, in integers that the checker finds by itself (docs/rules/proof.md).
#include "check_proof/claim.h"

namespace check_proof {

// A flow that is in place, as bounds see it.
struct Waiting {
  int place, server, tensor;
  u64 full;
  u128 fills, serves;  // words that arrive, and that the server is asked for, in one iteration
  Digits tile;
  u64 first;  // words of the output that are the first at its place
};

// The least of all orders of the loops outside a tile.
class OrderBound {
 public:
  // `at`: the tile that the loops are outside of. `from`: the last level whose fan-out is inside.
  OrderBound(const Machine& machine, const Digits& at, int from);
  // What all flows bring at least, by channel, from channel `begin` to `end`, is added to `out`.
  void add(const std::vector<Waiting>& flows, std::size_t begin, std::size_t end, std::vector<i128>& out);

 private:
  void close(const Waiting& f, int rank, u64 iterations, std::size_t begin, std::size_t end, i128* out) const;

  const Machine& m_;
  Digits at_;
  Extents left_;
  u64 rest_ = 1;
  int from_;
  std::vector<i128> best_, cost_;  // [set of tensors][channel]
};

// The least that flows cost, by channel, which begin at a level or outside it.
class Tables {
 public:
  // `used`: channels with tables; of the others the least is taken to be 0. Refused where they would be too large.
  Tables(const Machine& machine, const std::vector<bool>& used, int threads);

  // t: the tile of level i; below: the least of those that enlarge it, by what level i may loop or unroll.
  i128 with(std::size_t channel, int i, u32 tile, int set) const { return read(with_, channel, i, tile, set); }
  i128 below(std::size_t channel, int i, u32 tile, int set) const { return read(below_, channel, i, tile, set); }

 private:
  using Table = std::vector<std::vector<i128>>;  // [level and channel][set and tile]
  i128 read(const Table& table, std::size_t channel, int i, u32 tile, int set) const {
    const std::vector<i128>& t = table[static_cast<std::size_t>(i) * channels_ + channel];
    return t.empty() ? 0 : t[static_cast<std::size_t>(set) * tiles_ + tile];
  }
  void fill_with(int i, int set, u32 begin, u32 end);
  void fill_below(int i, int set);

  const Machine& m_;
  std::size_t channels_, tiles_;
  Table with_, below_;
};

// What a state has for certain, for the tables to be added to.
struct Inside {
  std::vector<i128> channel;
  u64 steps = 0;  // cycles that the compute units need at least
};

class Bounds {
 public:
  Bounds(const Machine& machine, const Tables& tables, const Claim& claim)
      : m_(machine), tables_(tables), claim_(claim) {}

  // The fan-outs of levels up to `from` are inside; channel 0 alone, or the others.
  void energy(const State& s, int from, Inside& out) const;
  void rates(const State& s, int from, Inside& out) const;
  // Whether a state and what `with` or `below` tells of a tile and level are closed. `inside` gets its rates when they
  // are asked for first.
  template <class Table>
  bool closed(const State& s, int from, Inside& inside, Table&& table) const {
    const i128 outside = table(std::size_t{0});
    if (outside >= kInfinite) return true;
    if (closed_at(s, inside.channel[0] + outside, inside.steps)) return true;
    if (m_.channels().size() == 1) return false;
    if (inside.channel.size() == 1) rates(s, from, inside);
    u64 cycles = inside.steps;
    for (std::size_t c = 1; c < m_.channels().size(); ++c)
      cycles = std::max(cycles, cycles_of(s, from, c, inside.channel[c] + table(c)));
    return cycles > inside.steps && closed_at(s, inside.channel[0] + outside, cycles);
  }
  // The energy of what is counted alone, less refunds: without flows that have begun.
  i128 counted(const State& s) const;
  bool closed_at(const State& s, i128 energy, u64 cycles) const { return claim_.closed(cost(s, energy, cycles)); }
  const Tables& tables() const { return tables_; }

 private:
  void add_inside(const State& s, int from, std::size_t begin, std::size_t end, std::vector<i128>& out,
                  bool only_counted = false) const;
  Cost cost(const State& s, i128 energy, u64 cycles) const;
  u64 cycles_of(const State& s, int from, std::size_t channel, i128 parts) const;

  const Machine& m_;
  const Tables& tables_;
  const Claim& claim_;
};

}  // namespace check_proof
