#pragma once
// The flows out of the tiles of one level, tile by tile, for the tables of the rest bounds: what each set of them costs
// at least, in all channels at once.
#include <span>
#include <utility>
#include <vector>

#include "engine/search/exact/flow_costs.h"
#include "engine/search/exact/ordering_bound.h"

namespace heliolite {

class RestBounds;

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
