#pragma once
// What is looked up of an instance again and again: tiles, unrollings, servers, what is counted and what that costs.
#include <utility>

#include "check_proof/tiles.h"
namespace check_proof {
// [tensor]: the level that its words come from next.
using Servers = std::array<std::int8_t, kTensors>;

// A slot counts words of one tensor: those that a level is asked for, those that arrive there, and those that enter the
// network of a fan-out, once and by half hops.
enum Kind : u8 { kAsked, kArrived, kEntered, kHopped };
struct Slot {
  int level = 0, tensor = 0;
  Kind kind = kAsked;
};
using Counts = std::vector<u64>;  // [slot]

// What words cost: energy in 1/scale of a unit, or parts of a rate. `first`: what the first of each word costs less.
struct Channel {
  int level = -1;  // of the rate; -1: energy
  Rate rate{};
  Counts price, first;
};
struct Machine : Tiles {
  std::vector<std::vector<Unrolling>> unrollings;   // [level]
  std::vector<std::vector<Servers>> sets;           // [level]: servers of all tensors before it
  std::vector<std::vector<std::vector<int>>> next;  // [level][set]: those that may follow
  std::vector<Slot> slots;                          // [slot]
  std::vector<Channel> channels;                    // energy where clusters share as much as they can; the rates
  std::vector<Counts> comparisons;                  // energy where nothing is shared; of each level that shares; rates
  std::size_t energies = 0;                         // how many of these are energies
  explicit Machine(const Instance& instance) : Tiles(instance) {
    for (int i = 0; i < levels(); ++i) {
      unrollings.push_back(unrollings_of(*this, in.levels[i]));
      if (in.levels[i].has_fanout || in.levels[i].has_ingress) ways_ |= bit(i);
      for (int v = 0; v < tensors(); ++v)
        for (const Kind kind : {kAsked, kArrived, kEntered, kHopped}) slots.push_back({i, v, kind});
      add_gains(i);
    }
    add_prices();
    add_sets();
    for (int i = 0; i < levels(); ++i) units_.emplace_back(tiles);
  }
  bool is_top(int i) const { return i == levels() - 1; }
  int slot(Kind kind, int i, int v) const { return 4 * (i * tensors() + v) + kind; }
  bool goes_on(int i) const { return i + 1 < levels() && in.levels[i + 1].shares; }  // the level outside has its room
  Mask kept(int i, int set, int last) const {  // tensors whose server is one of the levels i to last
    Mask out = 0;
    for (int v = 0; v < tensors(); ++v)
      if (sets[i][set][v] >= i && sets[i][set][v] <= last) out |= bit(v);
    return out;
  }
  // Whether the tile of level i fits, where levels inside that share its room have these parts of it. Those outside
  // have larger tiles, or as large ones; and none of them holds a tensor if level i holds nothing.
  bool fits(int i, int set, const Tile& t, u128 held) const {
    int last = i;
    while (goes_on(last)) ++last;
    const Mask own = kept(i, set, i), all = kept(i, set, last);
    return (own != 0 || all == 0) && (in.levels[i].shares ? held : 0) + parts(i, all, t) <= in.levels[i].room;
  }
  // Factors of loops. A level that shares the room of the one inside has none where it holds nothing.
  Limit loops(int i, int set, int d) const {
    return in.levels[i].shares && kept(i, set, i) == 0 ? Limit{} : in.levels[i].loops[d];
  }
  // Whether words that go from inside level i + 1 to a server have anything to pass: a fan-out, or a price of words.
  bool has_way(int i, int server) const { return (ways_ & (bit(server + 1) - 1) & ~(bit(i + 1) - 1)) != 0; }
  // The most receivers that share a word on the way from level i to a server.
  u64 gain(int i, int server, int v) const {
    u64 out = 1;
    for (int j = i + 1; j <= server; ++j) out *= gain_[j][v];
    return out;
  }
  // The most that the fan-outs of level i and outside can unroll of what a tile leaves.
  u64 most_units(int i, u32 number) const {
    if (i == levels()) return 1;
    u64& known = units_[i][number];
    if (known != 0) return known;
    const Tile from = tile(number);
    u64 best = 1;
    for (const Unrolling& u : unrollings[i]) {
      if (u.receivers * in.levels[i].instances <= best) break;
      if (Tile to = from; multiply(to, u.both))
        best = std::max(best, u.receivers * most_units(i + 1, this->number(to)));
    }
    return known = best;
  }
  // First words of the output, of all receivers that fan-outs of level i and outside can have.
  u64 most_first(int i, const Tile& t) const {
    u64 most = 1;
    for (int j = i; j < levels(); ++j) most *= summing_[j];
    return in.output_words * std::min(most, left(t, ~in.tensors[in.output].indexing));
  }

 private:
  void add_gains(int i) {
    gain_[i].fill(1), summing_[i] = 1;
    for (const Unrolling& u : unrollings[i]) {
      summing_[i] = std::max(summing_[i], u.summed);
      for (int v = 0; v < tensors(); ++v) {
        u64 apart = 1;  // receivers that differ in one factor of a rank want different words
        for (const auto& rank : in.tensors[v].ranks) {
          u64 most = 1;
          for (const int d : rank) most = std::max(most, extent(u.both, d));
          apart *= most;
        }
        gain_[i][v] = std::max(gain_[i][v], static_cast<u64>(ceil_div(u.receivers, apart)));
      }
    }
  }
  // Sets the price of a word's parts that are read, filled and updated, and of its address.
  void set_price(Channel& c, int i, int v, u64 read, u64 fill, u64 update, u64 address) const {
    const int asked = slot(kAsked, i, v), arrived = slot(kArrived, i, v);
    const bool is_output = v == in.output;
    c.price[asked] = read + address + (is_output ? update : 0);
    c.price[arrived] = fill + address;
    c.first[asked] = is_output ? read : 0;
    c.first[arrived] = is_output && !is_top(i) ? fill + address : 0;
  }
  void add_prices() {
    const Counts none(slots.size(), 0);
    Channel apart{-1, {}, none, none};  // energy of each access apart
    for (int i = 0; i < levels(); ++i)
      for (int v = 0; v < tensors(); ++v) {
        const Prices& p = in.levels[i].of[v];
        const u64 block = in.levels[i].block, word = block == 1 ? in.scale : p[kParts] * (in.scale / block);
        set_price(apart, i, v, p[kRead] * word, p[kFill] * word, p[kUpdate] * word, p[kAddress] * in.scale);
        apart.price[slot(kEntered, i, v)] = p[kIngress] * in.scale;
        apart.price[slot(kHopped, i, v)] = p[kHop] / 2 * in.scale;
      }
    channels.push_back(apart);
    comparisons.push_back(apart.price);
    for (int i = 0; i < levels(); ++i) {
      const u64 clusters = in.levels[i].clusters, instances = in.levels[i].instances;
      if (clusters == instances) continue;
      comparisons.push_back(none);
      for (std::size_t k = 0; k < slots.size(); ++k) {
        if (slots[k].level != i || slots[k].kind > kArrived) continue;
        comparisons.back()[k] = std::exchange(comparisons[0][k], 0);
        u64 &price = channels[0].price[k], &first = channels[0].first[k];
        price = static_cast<u64>(static_cast<u128>(price) * clusters / instances);
        first = static_cast<u64>(ceil_div(static_cast<u128>(first) * clusters, instances));
      }
    }
    energies = comparisons.size();
    for (int i = 0; i < levels(); ++i)
      for (const Rate& rate : in.levels[i].rates) {
        if (goes_on(i)) continue;
        Channel& c = channels.emplace_back(Channel{i, rate, none, none});
        for (int j = i; j == i || in.levels[j + 1].shares; --j)  // and of the levels inside that share it
          for (int v = 0; v < tensors(); ++v) {
            const u64 parts = in.levels[j].of[v][kParts], written = rate.kind == 'r' ? 0 : parts;
            set_price(c, j, v, rate.kind == 'w' ? 0 : parts, written, written, 0);
          }
        comparisons.push_back(c.price);
      }
  }
  // What may follow servers behind level i: of its tensors those up to the first level that must hold them. Levels that
  // share a room hold one tensor each at most, and a tensor once.
  std::vector<Servers> followers(const Servers& from, int i) const {
    std::vector<Servers> out = {from};
    int first = i + 1;
    while (i >= 0 && first < levels() && in.levels[first].shares) ++first;
    for (int v = 0; v < tensors(); ++v) {
      if (i >= 0 && from[v] != i) continue;
      std::vector<Servers> longer;
      for (Servers s : out)
        for (int j = first; j < levels(); ++j) {
          s[v] = static_cast<std::int8_t>(j);
          const bool is_taken = (in.levels[j].shares || goes_on(j)) && std::ranges::count(s, s[v]) > 1;
          if (contains(in.levels[j].keep | in.levels[j].open, v) && !is_taken) longer.push_back(s);
          if (contains(in.levels[j].keep, v) && !goes_on(j)) break;
        }
      out = std::move(longer);
      if (out.size() > 4096) throw Wrong{0, "too many choices of what levels hold", true};
    }
    return out;
  }
  void add_sets() {
    sets.resize(in.levels.size()), next.resize(in.levels.size());
    sets[0] = followers({-1, -1, -1, -1, -1, -1, -1, -1}, -1);
    for (int i = 0; !is_top(i); ++i)
      for (const Servers& from : sets[i]) {
        next[i].emplace_back();
        for (const Servers& to : followers(from, i)) {
          const int known = place_of(to, sets[i + 1]);
          next[i].back().push_back(known < 0 ? static_cast<int>(sets[i + 1].size()) : known);
          if (known < 0) sets[i + 1].push_back(to);
          if (sets[i + 1].size() > 4096) throw Wrong{0, "too many choices of what levels hold", true};
        }
      }
    next.back().assign(sets.back().size(), {0});
  }
  std::array<std::array<u64, kTensors>, kLevels> gain_{};
  std::array<u64, kLevels> summing_{};           // [level]: most receivers with the same words of the output
  Mask ways_ = 0;                                // levels at whose fan-outs words change, or cost something
  mutable std::vector<std::vector<u64>> units_;  // [level][tile]; 0: not known yet
};
}  // namespace check_proof
