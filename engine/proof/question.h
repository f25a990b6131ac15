#pragma once
// An instance prepared for a pass: tiles, shapes, unrollings, which servers may follow which, prices of words by
// channel. All of it is fixed before the pass and shared by its threads.
#include <array>
#include <optional>
#include <string>
#include <vector>

#include "engine/base/integers.h"
#include "engine/proof/instance.h"
#include "engine/proof/tiles.h"

namespace heliolite::proof {

inline constexpr int kMaxPairs = 40;  // of a level and a tensor that it may hold
inline constexpr u8 kNobody = 0xff;
inline constexpr u64 kMaxTableTiles = 16'000'000;

// [tensor]: the level that serves it.
using Servers = std::array<u8, kMaxTensors>;

// [tensor]: words of a tile.
using TensorWords = std::array<u64, kMaxTensors>;

// Servers that are possible at a stage, and those that may follow them there.
struct ServerSet {
  Servers server{};
  TensorMask kept = 0;     // tensors whose server is the stage's level
  TensorMask in_room = 0;  // and those of levels outside that share its room
  std::vector<int> next;   // indices into the next stage's sets
};

// Prices of a word: an access and a fill of it, and what the first ones of an output are refunded.
struct WordPrices {
  u64 access = 0, fill = 0, first_access = 0, first_fill = 0;
};

// Energy, or what one of the rates counts.
struct PricedChannel {
  int level = -1;  // of a rate
  char kind = 'e';
  u64 numerator = 1, denominator = 1;
  std::array<std::array<WordPrices, kMaxTensors>, kMaxLevels> price{};  // [level][tensor]
};

// Factors on the two axes of a fan-out. Where hops have no price only the factors of both axes together matter, and one
// unrolling stands for all that have the same.
struct ProofUnrolling {
  Digits digit{};   // [dimension]: of the factor, both axes together
  Digits x{}, y{};  // of those on each axis, where hops have a price
  u64 receivers = 1;
};

// The unrollings of the fan-out below the level; just one, without any factor, where there is none.
std::vector<ProofUnrolling> unrollings_of(const Instance& instance, const ProofTiles& tiles, int level);

// Receivers that want different words of a tensor; `tile`: of one receiver (docs/cost_model.md, rule 10).
u64 receiver_groups(const ProofTensor& t, const ProofTiles& tiles, const Digits& unrolled, const Digits& tile);

// Twice the hops to all groups of receivers of a tensor, added up (rule 11).
u64 half_hops(const InstanceLevel& level, const ProofTensor& t, const ProofTiles& tiles, const ProofUnrolling& u,
              const Digits& tile);

// The prepared instance.
struct Question {
  Instance instance;
  ProofTiles tiles;
  std::vector<ProofTensor> shapes;
  std::vector<std::vector<ProofUnrolling>> unrollings;  // [level]
  std::vector<std::vector<ServerSet>> sets;             // [stage]; those of stage 0 are the roots
  std::vector<PricedChannel> channels;                  // energy, at the least share of clusters; then the rates
  std::array<std::array<WordPrices, kMaxTensors>, kMaxLevels> full{};  // energy, each instance for itself
  u64 scale = 1;                                                       // energies are counted in 1 / scale of a unit
  std::array<u64, kMaxLevels> instances{};                             // [level]: in the whole machine
  std::vector<std::array<u64, kMaxTensors>> gain;              // [level][tensor]: most receivers that share a word
  std::vector<u64> first_gain;                                 // [level]: most receivers that sum up different parts
  std::array<std::array<u8, kMaxTensors>, kMaxLevels> pair{};  // [level][tensor]: place of its counts, or kNobody
  std::vector<std::pair<u8, u8>> pairs;                        // [place]: level, tensor
  int output = 0;
  u64 output_words = 1;
  TensorMask with_ingress(int level) const { return ingress_[level]; }
  bool has_hops(int level) const { return hops_[level]; }

  // An error says what is too large.
  static Result<Question> create(Instance instance);

  int levels() const { return instance.level_count(); }
  int tensors() const { return instance.tensor_count(); }
  bool is_top(int level) const { return level + 1 == levels(); }
  // Whether the level outside shares the room of this one.
  bool goes_on(int level) const { return level + 1 < levels() && instance.levels[at(level) + 1].shares; }
  // Whether the level holds nothing and has no loops: the levels inside that share its room hold all there is.
  bool is_idle(int level, TensorMask kept) const { return instance.levels[level].shares && kept == 0; }
  // Parts of the level's words that these tensors' tiles take.
  u128 parts(int level, TensorMask tensors, const Digits& tile) const;
  // Whether a tile fits where levels inside hold these parts of the same room. Tiles of levels outside that share it
  // are larger, or as large; and none of them holds a tensor if this one holds nothing. `words`: of the tensors that
  // are in the room.
  bool fits(int level, int set, const Digits& tile, u128 held) const;
  bool fits(int level, int set, const TensorWords& words, u128 held) const;
  // Whether words on their way to `server` have something to pass outside `level`: a fan-out, or a price.
  bool has_way(int level, int server, int tensor) const { return contains(between_[level + 1][server].ways, tensor); }
  // Most receivers that share a word of the tensor at the fan-outs outside `level`, up to the server's.
  u64 gain_between(int level, int server, int tensor) const { return between_[level + 1][server].gain[tensor]; }
  // Different positions that a tile meets along a rank over all iterations outside another one.
  u64 coverage(int tensor, int rank, const Digits& tile, const Digits& outside) const;
  // First words of the output, of all receivers that fan-outs of `level` and outside can have.
  u64 most_first(int level, const Digits& tile) const;

 private:
  Question(Instance of, ProofTiles space) : instance(std::move(of)), tiles(std::move(space)) {}
  void count_pairs();
  void list_servers();
  void set_prices();
  void set_gains();
  void set_between();
  std::optional<std::string> set_coverages();
  std::optional<std::string> too_large() const;

  // What words of tensors pass between two levels.
  struct Between {
    std::array<u64, kMaxTensors> gain;
    TensorMask ways;
  };
  std::vector<std::vector<Between>> between_;  // [level + 1][server]
  std::vector<u64> most_summed_;               // [level]: receivers of its fan-out, and of those outside, that sum up
  std::array<TensorMask, kMaxLevels> ingress_{};
  std::array<bool, kMaxLevels> hops_{};
  std::array<std::array<std::vector<u64>, kMaxRanks>, kMaxTensors> coverage_{};  // of ranks that slide
};

}  // namespace heliolite::proof
