// What a search over all tile sizes relies on: candidate factors, and optima found by pricing every legal mapping.
#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>

#include "engine/formats/load_architecture.h"
#include "engine/formats/load_network.h"
#include "engine/model/cost_model.h"
#include "engine/model/true_counts/cost.h"
#include "engine/model/true_counts/nest.h"
#include "tests/support/random_problem.h"

namespace heliolite::true_bounds_test {
namespace {

using testing::random_problem;
using testing::RandomOptions;
using testing::RandomProblem;

RandomOptions any_tiles() {
  RandomOptions options;
  options.imperfect = true;
  options.plain_output = true;
  options.sliding = false;
  options.max_size = 16;
  return options;
}

Breakdown counted(const RandomProblem& p, const Mapping& m) {
  const Compiled c(p.workload, p.architecture);
  return true_breakdown(p.architecture, c, TrueNest(c, m), m.keep);
}

// The mapping with another factor at one loop; the loops outside keep theirs.
Mapping with_end(const Mapping& m, int loop, u32 end) {
  Mapping out = m;
  out.loop_count = 0;
  for (int k = 0; k < m.loop_count; ++k) {
    const Loop& l = m.loop[k];
    out.add(l.kind, l.level, l.dimension, k == loop ? end : l.end);
  }
  return out;
}

bool nowhere_larger(const Breakdown& a, const Breakdown& b) {
  bool out = a.cycles <= b.cycles && a.compute.cycles <= b.compute.cycles;
  for (std::size_t i = 0; i < a.level.size(); ++i) {
    out &= a.level[i].cycles <= b.level[i].cycles;
    for (std::size_t v = 0; v < a.level[i].tensor.size(); ++v) {
      const TensorTraffic &x = a.level[i].tensor[v], &y = b.level[i].tensor[v];
      out &= x.tile_words <= y.tile_words && x.all.reads <= y.all.reads && x.all.fills <= y.all.fills &&
             x.all.updates <= y.all.updates;
    }
  }
  return out;
}

TEST(TrueBounds, ACandidateIsAsGoodAsAnyFactor) {
  u64 replaced = 0;
  for (u64 seed = 0; replaced < 1'500 && !HasFailure(); ++seed) {
    SCOPED_TRACE(seed);
    const RandomProblem p = random_problem(seed, any_tiles());
    const Compiled c(p.workload, p.architecture);
    const TrueNest nest(c, p.mapping);
    const Mapping m = without_idle_loops(nest, p.mapping);
    for (int l = 0; l < nest.loop_count; ++l) {
      const TruePlace& place = nest.place[l];
      if (contains(nest.spatial, l)) continue;
      const LoopMask beside = nest.of[place.dimension] & nest.spatial;
      const u32 size = c.size[place.dimension];
      const PlacedLoop loop{(size - 1) / place.inside + 1, size % place.inside == 0, (beside & loops_before(l)) != 0,
                            (beside & ~loops_before(l)) != 0};
      const std::vector<u32> ends = candidate_ends(loop);
      if (std::ranges::find(ends, place.end) != ends.end()) continue;
      const auto groups = [&](u32 end) { return (loop.tiles - 1) / end + 1; };
      const u32 best = *std::ranges::find_if(ends, [&](u32 end) { return groups(end) == groups(place.end); });
      EXPECT_LT(best, place.end);
      EXPECT_TRUE(nowhere_larger(counted(p, with_end(m, l, best)), counted(p, m))) << "loop " << l;
      ++replaced;
    }
  }
}

TEST(TrueBounds, CandidatesAreFewAndCoverEveryNumberOfGroups) {
  EXPECT_EQ(candidate_ends({13}), (std::vector<u32>{1, 2, 3, 4, 5, 6, 7, 12, 13}));
  EXPECT_EQ(candidate_ends({7, false, true, false}), (std::vector<u32>{1, 2, 3, 4, 5, 6, 7}));
  EXPECT_EQ(candidate_ends({6, true, true, true}), (std::vector<u32>{1, 2, 3, 4, 5, 6}));
  EXPECT_LT(candidate_ends({100'000}).size(), 700u);
}

// All mappings with every tile size: of each dimension a factor at every loop, at levels above the innermost all
// orders.
class EveryMapping {
 public:
  EveryMapping(const Workload& workload, const Architecture& architecture)
      : model_(workload, architecture), c_(model_.compiled()) {
    for (int i = 0; i < c_.level_count; ++i) {
      if (c_.level[i].fanout_x > 1) slot_.push_back({i, LoopKind::SpatialX});
      if (c_.level[i].fanout_y > 1) slot_.push_back({i, LoopKind::SpatialY});
      slot_.push_back({i, LoopKind::Temporal});
    }
    end_.assign(slot_.size(), std::vector<u32>(at(c_.dimension_count), 1));
    factors(0, 0, c_.size[0]);
  }

  u64 legal = 0;
  double energy = 1e300, edp = 1e300;
  u64 cycles = ~u64{0};

 private:
  struct Slot {
    int level;
    LoopKind kind;
  };

  void factors(int d, std::size_t s, u32 left) {
    if (d == c_.dimension_count) return orders(0);
    if (s + 1 == slot_.size()) {
      end_[s][d] = left;
      return factors(d + 1, 0, d + 1 < c_.dimension_count ? c_.size[d + 1] : 0);
    }
    for (u32 end = 1; end <= left; ++end) {
      end_[s][d] = end;
      if (room(s)) factors(d, s + 1, (left - 1) / end + 1);
    }
    end_[s][d] = 1;
  }

  bool room(std::size_t s) const {
    u64 used = 1;
    for (const u32 end : end_[s]) used *= end;
    const CompiledLevel& level = c_.level[slot_[s].level];
    return slot_[s].kind == LoopKind::Temporal ||
           used <= (slot_[s].kind == LoopKind::SpatialX ? level.fanout_x : level.fanout_y);
  }

  void orders(std::size_t s) {
    if (s == slot_.size()) return price();
    std::vector<int>& order = order_[s];
    order.clear();
    for (int d = 0; d < c_.dimension_count; ++d)
      if (end_[s][d] > 1) order.push_back(d);
    if (slot_[s].kind != LoopKind::Temporal || slot_[s].level == 0) return orders(s + 1);
    do orders(s + 1);
    while (std::ranges::next_permutation(order).found);
  }

  void price() {
    Mapping m;
    m.level_count = static_cast<u8>(c_.level_count);
    m.keep.fill(static_cast<TensorMask>((1u << c_.tensor_count) - 1));
    std::array<u32, kMaxDimensions> left = c_.size;
    for (std::size_t s = 0; s < slot_.size(); ++s)
      for (const int d : order_[s]) {
        const u32 end = end_[s][d];
        m.add(slot_[s].kind, slot_[s].level, d, end, (left[d] - 1) % end + 1);
        left[d] = (left[d] - 1) / end + 1;
      }
    const Evaluation e = model_.evaluate(m, Counts::True);
    if (e.verdict != Verdict::Fits) return;
    ++legal;
    const double pj = e.cost.energy.picojoules();
    energy = std::min(energy, pj);
    cycles = std::min(cycles, e.cost.cycles);
    edp = std::min(edp, pj * static_cast<double>(e.cost.cycles));
  }

  CostModel model_;
  const Compiled& c_;
  std::vector<Slot> slot_;
  std::vector<std::vector<u32>> end_;              // [slot][dimension]
  std::map<std::size_t, std::vector<int>> order_;  // [slot]: dimensions, innermost first
};

TEST(TrueBounds, RecordedOptimaOverAllTileSizesAreThoseOfEveryMapping) {
  const std::string folder = HELIOLITE_TEST_DATA "/data/true_counts/";
  std::ifstream file(folder + "optima.jsonl");
  std::map<std::string, std::unique_ptr<EveryMapping>> searched;
  int records = 0;
  for (std::string line; std::getline(file, line); ++records) {
    const auto record = nlohmann::json::parse(line);
    const std::string arch = record["arch"], problem = record["problem"], objective = record["objective"];
    SCOPED_TRACE(record["id"].get<std::string>());
    auto& all = searched[arch + " " + problem];
    if (all == nullptr) {
      auto machine = load_architecture(folder + "arch/" + arch + ".yaml");
      ASSERT_TRUE(machine.ok());
      machine->peer_channel = false;  // the recorded search has none
      all = std::make_unique<EveryMapping>(load_network(folder + "problem/" + problem + ".yaml")->layers[0].workload,
                                           *machine);
    }
    EXPECT_EQ(all->legal, record["any"]["legal_mappings"].get<u64>());
    const double best = objective == "energy" ? all->energy
                        : objective == "edp"  ? all->edp
                                              : static_cast<double>(all->cycles);
    EXPECT_NEAR(best / record["any"]["optimum"].get<double>(), 1, 1e-9);
  }
  EXPECT_GT(records, 10);
}

}  // namespace
}  // namespace heliolite::true_bounds_test
