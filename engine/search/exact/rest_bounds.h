#pragma once
// Rest bounds: tables over the lattice of tiles with the least cost of the levels still to be placed, by the tile that
// they start from (docs/rules/exact.md). Tables of a coarse grid have the least of the tiles of each cell, or less.
// And the flows out of the tiles of one level, of which the tables are made.
#include <functional>
#include <memory>
#include <mutex>
#include <span>
#include <utility>
#include <vector>

#include "engine/base/integers.h"
#include "engine/search/exact/flow_costs.h"
#include "engine/search/exact/ordering_bound.h"
#include "engine/space/lattice.h"

namespace heliolite {

// What the flows out of the tiles of a box fetch at least over all iterations outside them (docs/rules/exact.md).

// The loops outside the tiles of a box: as many iterations as the last one leaves, over every class that the first one
// leaves a loop of.
LoopSet box_loops(const LoopClasses& classes, const Compiled& c, const LatticePoint& first, const LatticePoint& last);

// The tables of a range of keep choices. Where the keep choice is not decided yet, a number is the least of all that
// can follow. `servers`: a set of servers (ServerSets).
class RestBounds {
 public:
  // Gives up, soon, when stop() says so: then complete() is false, and nothing else may be asked.
  explicit RestBounds(const FlowCosts& model, const std::function<bool()>& stop = {});
  bool complete() const { return complete_; }

  // Upper bound of the bytes that the tables of a model take.
  static u64 bytes(const FlowCosts& model);

  const LoopClasses& classes() const { return classes_; }
  // Channel `channel` of x; for channel 0 all energy channels together, at the least that sharing clusters leave.
  double of(const Channels& x, std::size_t channel) const { return of(x, channel, least_sharing_); }
  // Channel `channel` of x at the shares `sharing` [channel] that clusters leave.
  double of(const Channels& x, std::size_t channel, const Channels& sharing) const {
    if (channel > 0) return x[channel];
    double sum = x[0];
    for (std::size_t k = 1; k < m_.channels.size() && m_.channels[k].kind == Channel::Kind::Shared; ++k)
      sum += x[k] * sharing[k];
    return sum;
  }
  // [channel of a level whose clusters share accesses]: the least share that is left in any mapping.
  const Channels& least_sharing() const { return least_sharing_; }

  // The least cost of all flows that start at `level` or outside it, if `tile` is the tile of the level and the stage
  // before it has these servers; kImpossible: it cannot be. Of channel `channel`; a channel without a table gives 0.
  double with(int level, u32 servers, std::size_t channel, u64 tile) const {
    return rest_at(with_, level, servers, channel, tile);
  }
  // The least with() over the tiles of the level that enlarge `tile`, the one below the level's temporal loops;
  // kImpossible: there is none.
  double below(int level, u32 servers, std::size_t channel, u64 tile) const {
    return rest_at(below_, level, servers, channel, tile);
  }
  // The least cost of all flows that start outside `level`, if `tile` is the tile of the level and the stage after it
  // has these servers.
  double after(int level, u32 servers, std::size_t channel, u64 tile) const {
    const double* const all = after(level, channel, tile);
    return all == nullptr ? 0 : all[servers];
  }
  // What after() is for each set of servers, as a row; none: 0 of each.
  const double* after(int level, std::size_t channel, u64 tile) const {
    const Table& table = (after_is_below(level) ? below_[level + 1] : after_[level])[channel];
    return table.empty() ? nullptr : table.data() + cell(tile) * m_.servers.count(level);
  }
  // The least energy of with() over the tiles of the level that enlarge `tile` along dimensions which index the tensor.
  // Only for tensors that reuses(level, tensor) names.
  double reused(int level, u32 servers, int tensor, u64 tile) const {
    return reused_[level][tensor][cell(tile) * m_.servers.count(level - 1) + servers];
  }
  // Whether a tile of the tensor may wait in place inside the level's loops.
  bool reuses(int level, int tensor) const;
  // The least energy of below() over all tiles.
  double least_below(int level, u32 servers) const;

  // Least product of distinct receivers per instance over the fan-outs outside `level` that a word of the tensor has to
  // pass on the way to its server. `left`: lattice index of what is left outside.
  double spread(int level, int server, int tensor, u64 left) const {
    const int last = m_.last_fanout(level, server);
    if (last < 0) return 1;
    const Table& table = spread_[level][last][tensor];
    return table.empty() ? 1 : table[cell(left)];
  }

  // In one channel, all energy channels together: what a word of the tensor costs at least that fills the level's tile,
  // and that the level serves.
  double fill_price(int level, std::size_t channel, int tensor) const { return fill_[at(level)][channel][at(tensor)]; }
  double serve_price(int level, std::size_t channel, int tensor) const {
    return serve_[at(level)][channel][at(tensor)];
  }

  // What a level adds to the cost by keeping some tensors: the flows out of its tile, for each tensor the words that
  // all iterations outside fetch, the share of them that is fetched in every order, and of sliding tensors the halo
  // shares by class.
  using FreshRow = std::array<double, kMaxTensors*(2 + kMaxDimensions)>;
  // The row of a tile: from the table, or computed into `row` where there is none.
  const double* fresh(int level, const LatticePoint& tile, const LoopSet& outside, FreshRow& row) const;
  // Adds the flows of a row, in one channel, to `flows`: of the tensors that the stage before the level makes it keep,
  // with the servers of a stage after it.
  void append_fresh(int level, u32 before, u32 after, std::size_t channel, u64 tile, const double* row,
                    BoundFlows& flows) const;
  // What the level refunds if it keeps the output and need not: the refunds of levels that must are known to all.
  double refund(int level, u32 before, std::size_t channel) const;

 private:
  // Limits of the tables: see their uses.
  static constexpr u64 kMaxCycleValues = 400'000, kMaxRowValues = 4'000'000;

  using Table = std::vector<double>;     // [cell * sets of servers + set]
  using Channeled = std::vector<Table>;  // [channel]; cycles may be empty
  struct Step;
  class Building;

  u64 cell(u64 point) const { return m_.lattice.grid().cell(point); }
  double rest_at(const std::vector<Channeled>& tables, int level, u32 servers, std::size_t channel, u64 point) const {
    const Table& table = tables[level][channel];
    return table.empty() ? 0 : table[cell(point) * m_.servers.count(level - 1) + servers];
  }
  // Whether nothing can happen between the tile of a level and the temporal loops of the next: then after() and the
  // next level's below() are the same.
  bool after_is_below(int level) const { return level + 1 < m_.levels() && !m_.fanout[level + 1].exists; }
  void build_spreads(const std::function<bool()>& stop);
  std::vector<Step> steps_over(int level) const;
  void build_level(int level, const std::function<bool()>& stop);
  void build_after(int level, std::span<const std::size_t> channels);
  void unroll(const std::vector<SpatialChoice>& choices, int level, std::span<Table* const> values) const;
  void compute_fresh(int level, const LatticePoint& tile, const LoopSet& outside, double* row) const;
  void compute_least_fresh(int level, const LatticePoint& first, const LatticePoint& last, const LoopSet& outside,
                           double* row) const;
  // Numbers of a row, and of a tensor's part of it.
  std::size_t row_width(int level) const;
  std::size_t part_width(int tensor) const { return 2 + (c_.tensor[tensor].sliding ? classes_.count() : 0); }
  // The flow of a row's part, from this server, in one channel. `left`: as of spread().
  BoundFlow fresh_flow(int level, int tensor, int server, std::size_t channel, u64 left, const double* part) const;

  const FlowCosts& m_;
  const Compiled& c_;
  LoopClasses classes_;
  Channels least_sharing_{};
  std::vector<Channeled> with_, below_, after_;  // [level]
  // [level][last fan-out][tensor]
  std::array<std::array<std::array<Table, kMaxTensors>, kMaxLevels>, kMaxLevels> spread_;
  // [level][channel][tensor]: of() the least prices of words that fill the level, and that it serves.
  std::vector<std::array<std::array<double, kMaxTensors>, kMaxChannels>> fill_, serve_;
  std::array<double, kMaxLevels> reducing_outside_{};  // [i]: most instances outside level i that share a word
  std::array<std::array<Table, kMaxTensors>, kMaxLevels> reused_;
  std::vector<Table> fresh_;  // [level]: a row for each tile; may be empty
  bool complete_ = true;
};

// Tables of rest bounds that searches of one mapspace leave to each other. They are of words and prices of words, not
// of an objective: the search for the least energy + lambda x cycles has the tables of that for energy x cycles.

// For any number of searches at a time.
class KeptTables {
 public:
  // The tables of a range, whose fan-outs the model refers to: those that are kept of an equal one, or new ones, which
  // are kept; null: there is no room to keep them. They refer to nothing of the problem, nor of the model. `stop`: as
  // RestBounds(); tables that were given up are not kept.
  std::shared_ptr<const RestBounds> of(const LayerProblem& problem, const FlowCosts& model,
                                       std::shared_ptr<const std::vector<FanoutChoices>> fanouts,
                                       const std::function<bool()>& stop);

 private:
  struct Entry;

  std::mutex mutex_;
  std::vector<std::shared_ptr<const Entry>> entries_;
  u64 bytes_ = 0;
};

// The flows out of the tiles of one level, tile by tile, for the tables of the rest bounds: what each set of them costs
// at least, in all channels at once.

class BegunFlows {
 public:
  // A tensor, and the level that serves it.
  using FromServer = std::pair<int, int>;
  using Row = ChannelBounds::Row;  // [place in the list of channels]

  // `channels`: of those of the model, the ones that count.
  BegunFlows(const RestBounds& tables, const FlowCosts& model, int level, std::span<const std::size_t> channels);

  // The sets of flows whose costs will be asked for, in rising order of tensors; this is the one of the next number.
  void add_set(const std::vector<FromServer>& flows);
  // After the last one.
  void find_wholes();

  // Goes to a tile. `row`: its fresh words (RestBounds::fresh()), with those of a tensor at `part` [tensor]; it must
  // outlive the questions.
  void go_to(const LatticePoint& tile, const LoopSet& outside, const double* row, std::span<const std::size_t> part);
  // What no order of the loops outside the tile makes the flows of a set cost less than: their ordering bound.
  const Row& least(std::size_t set);

 private:
  // A flow: what a word of it costs where it fills the level, and in each level that serves it or that it passes.
  struct Priced {
    int tensor = 0;
    struct Server {
      int level;
      Row price;
    };
    std::vector<Server> servers;
    Row fill{}, together{};  // `together`: with all servers
    ChannelBounds::Flow flow{};
    u64 tile = 0;  // of which `flow` is; counted from 1
  };
  struct Set {
    std::vector<std::size_t> flows;  // of priced_
    std::size_t whole = 0;           // the set with whose bounds its own are computed, and which flows of that it has
    unsigned part = 0;
    bool joined = false;  // its flows are, or are too many: its bounds are computed channel by channel
    ChannelBounds bounds{};
    u64 tile = 0;  // of which `bounds` are
    Row alone{};   // of one that is joined
  };

  std::size_t priced(FromServer flow);
  Row prices(int tensor, bool fills, int level) const;
  bool joins(const Set& set) const;
  const ChannelBounds::Flow& flow_at_tile(Priced& priced) const;
  const Row& least_of_joined(Set& set);

  const RestBounds& tables_;
  const FlowCosts& m_;
  int level_;
  std::span<const std::size_t> channels_;
  std::vector<Priced> priced_;
  std::vector<Set> sets_;
  u64 tile_ = 0;  // how many there were
  u64 left_ = 0;  // lattice index of what is left outside the present one
  const LoopSet* outside_ = nullptr;
  const double* row_ = nullptr;
  std::span<const std::size_t> part_;
};

}  // namespace heliolite
