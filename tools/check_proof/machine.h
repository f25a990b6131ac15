#pragma once
// What is looked up of an instance again and again: unrollings, servers, prices by channel, what fan-outs share.
#include <atomic>
#include <memory>

#include "check_proof/unrollings.h"

namespace check_proof {

using Servers = std::array<i8, kTensors>;  // [tensor]: the level that its words come from next

// Where words arrive: the tiles of level i (i), the network below it by words (n + i) and by half hops (2n + i), or the
// compute units (-1), where they cost nothing.
using Place = i8;

// What one word costs: asked for at a level, arriving at a place, and what the first of each word costs less.
struct WordPrice {
  i128 access = 0, fill = 0, first_access = 0, first_fill = 0;
};

// Channel 0 is energy; the others are the rates of all levels, in parts.
struct Channel {
  int level = -1;
  Rate rate;
};

class Machine {
 public:
  explicit Machine(const Instance& instance);

  const Instance& instance() const { return instance_; }
  const Tiles& tiles() const { return tiles_; }
  const Level& level(int i) const { return instance_.levels[i]; }
  const Tensor& tensor(int v) const { return instance_.tensors[v]; }
  int dimensions() const { return instance_.dimension_count(); }
  int tensors() const { return instance_.tensor_count(); }
  int levels() const { return instance_.level_count(); }
  int output() const { return instance_.output; }

  const std::vector<Unrolling>& unrollings(int i) const { return unrollings_[i]; }
  // Servers of all tensors before level i, and those that may follow a set of them.
  const std::vector<Servers>& sets(int i) const { return sets_[i]; }
  const std::vector<u16>& next(int i, int set) const { return next_[i][set]; }
  int set_of(int i, const Servers& servers) const;  // -1: there is none
  Mask kept(int i, int set) const;                  // tensors whose server is level i

  const std::vector<Channel>& channels() const { return channels_; }
  // Prices of bounds; energy where clusters share as much as they can.
  const WordPrice& price(std::size_t channel, int place, int v) const {
    return price_[(channel * places() + static_cast<std::size_t>(place)) * kTensors + v];
  }
  // Energy, of each access apart.
  const WordPrice& full_price(int place, int v) const { return full_[static_cast<std::size_t>(place) * kTensors + v]; }
  std::size_t places() const { return 3 * instance_.levels.size(); }
  Mask shared() const { return shared_; }  // levels with fewer clusters than instances

  // Whether words that go from inside level i + 1 to a server have anything to pass: a fan-out, or a price of words.
  bool has_way(int i, int server) const { return (ways_ & (bit(server + 1) - 1) & ~(bit(i + 1) - 1)) != 0; }
  // The most receivers that share a word on the way from level i to a server.
  u64 gain(int i, int server, int v) const;
  // The most instances of a level known so far, or of the compute units, that may come for each of them; and of these
  // at most so many, in which no index of the output differs.
  u64 most_units(int i, u32 tile) const;
  u64 most_first(int i, const Extents& left) const;

 private:
  void add_prices();
  void add_sets();

  const Instance& instance_;
  Tiles tiles_;
  std::vector<std::vector<Unrolling>> unrollings_;
  std::vector<std::vector<Servers>> sets_;
  std::vector<std::vector<std::vector<u16>>> next_;
  std::vector<Channel> channels_;
  std::vector<WordPrice> price_, full_;
  std::array<std::array<u64, kTensors>, kLevels> gain_{};
  std::array<u64, kLevels> summing_{};  // [level]: most receivers with the same words of the output
  std::array<u64, kLevels> outside_{};  // [level]: units of its fan-out and all outside it
  Mask shared_ = 0, ways_ = 0;
  std::unique_ptr<std::atomic<u64>[]> units_;  // [level][tile]: 0 while it is not known
};

}  // namespace check_proof
