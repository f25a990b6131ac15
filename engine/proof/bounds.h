#pragma once
// Lower bounds of what loops and fan-outs further out can cost (docs/rules/proof.md, Bounds): the ordering bound of
// flows in place, tables of the least cost of all that begins at a level or outside it, most units to come.
#include <atomic>
#include <functional>
#include <span>
#include <vector>

#include "engine/proof/question.h"

namespace heliolite::proof {

inline constexpr u128 kImpossible = ~u128{0};

// A flow in place, as its cost depends on the loops to come.
struct WaitingFlow {
  u64 filled = 0, served = 0;  // words into tiles, and from the server, for each iteration outside
  u64 apart = 0;               // tiles that are read apart
  u64 first = 0;               // first words of the output, of all tiles that it can fill
  u64 price = 0;               // scaled, of a word on a network
  Tile tile = 0;
  u8 tensor = 0;
  u8 level = kNobody, server = kNobody;
  const Digits* digits = nullptr;  // of `tile`, where they are known
};

class Bounds {
 public:
  // `tabled`: the channels that have tables, energy first.
  Bounds(const Question& question, std::vector<int> tabled);

  // Fills the tables on `threads` threads, until `over` says that it has to end. Nothing may be asked of them before.
  void fill(int threads, const std::function<bool()>& over);

  // The least cost in a channel of the flows over all orders of the loops outside `tile`; `level`: the last
  // one whose fan-out is behind.
  u128 ordering(const PricedChannel& channel, std::span<const WaitingFlow> flows, const Digits& tile, int level) const;

  // The least cost of what begins at a stage or outside it, with this tile, or with this tile or a larger one;
  // kImpossible: no mapping has it. `table`: place of the channel among the tabled ones; the first is of energy.
  u128 with(int stage, int set, Tile tile) const { return with_[place_(stage, set)][tile]; }
  u128 below(std::size_t table, int stage, int set, Tile tile) const { return below_[table][place_(stage, set)][tile]; }
  // Place of a channel among the tabled ones; -1: it has no table.
  int table_of(std::size_t channel) const { return table_of_[channel]; }

  // Most units that the fan-outs of `level` and further out can use of what a tile leaves.
  u64 most_units(int level, Tile tile) const;

  u64 bytes() const;  // of the tables

 private:
  using Table = std::vector<u128>;
  std::size_t place_(int stage, int set) const { return first_of_[stage] + static_cast<std::size_t>(set); }
  u128 begun(const PricedChannel& channel, int stage, int set, std::size_t next, const Digits& tile,
             const TensorWords& words) const;
  void fill_stage(std::size_t table, int stage, int set, int threads, const std::function<bool()>& over);
  // Tiles that differ in the first dimension alone.
  u64 row() const { return q_.tiles.dimension_count() == 0 ? 1 : q_.tiles.of(0).divisor.size(); }
  bool fill_row(const PricedChannel& channel, std::size_t table, int stage, int set, Tile first, Table& with) const;
  void spread(int d, const std::vector<u8>& fits, u64 begin, u64 end, Table& least) const;

  const Question& q_;
  std::vector<int> tabled_, table_of_;
  std::vector<std::size_t> first_of_;  // [stage]
  std::vector<Table> with_;            // of energy
  std::vector<std::vector<Table>> below_;
  mutable std::vector<std::vector<std::atomic<u64>>> most_units_;  // [level][tile], 0: not known yet
};

}  // namespace heliolite::proof
