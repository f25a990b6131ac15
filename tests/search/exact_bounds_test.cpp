// No bound of the exact search is ever above the cost of a mapping that it speaks of: along random legal mappings and
// the best ones, at every step of the way (engine/search/exact/witness.h).
#include "engine/search/exact/partial_bounds.h"
#include "engine/search/map.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <bit>

#include "arch/load.h"
#include "engine/search/exact/fanout.h"
#include "engine/search/exact/witness.h"
#include "engine/space/mapspace.h"
#include "engine/space/nest_writer.h"
#include "engine/space/splits.h"
#include "tests/support/exact_problem.h"
#include "workloads/load.h"

namespace heliolite {
namespace {

using testing::kObjectives;
using testing::layer_problem;
using testing::Rng;
using testing::SearchProblem;

// Random legal mappings of a mapspace: every split of every dimension is equally likely.
class RandomMappings {
 public:
  explicit RandomMappings(const LayerProblem& problem, u64 seed)
      : problem_(problem), splits_(problem.space, false), writer_(problem.space), rng_(seed) {}

  // Absent if `tries` samples in a row are not legal.
  std::optional<Mapping> next(int tries) {
    for (; tries > 0; --tries) {
      PlaceFactors tiling{};
      bool possible = true;
      for (int d = 0; d < problem_.space.dimension_count; ++d) possible &= split(d, tiling);
      if (!possible || !writer_.fits_fanouts(tiling)) continue;
      Mapping m;
      LevelOrders orders;
      for (std::size_t i = 0; i < problem_.space.levels.size(); ++i) {
        const std::size_t fixed = writer_.present(tiling, static_cast<int>(i), orders);
        std::shuffle(orders.loop[i].begin() + static_cast<std::ptrdiff_t>(fixed),
                     orders.loop[i].begin() + orders.count[i], rng_);
        const LevelSpace& space = problem_.space.levels[i];
        m.keep[i] = static_cast<TensorMask>(space.keep | (space.open & rng_()));
      }
      writer_.write(m, tiling, orders);
      if (problem_.model.evaluate(m).verdict == Verdict::Fits) return m;
    }
    return std::nullopt;
  }

 private:
  bool split(int d, PlaceFactors& tiling) {
    auto left = static_cast<u32>(problem_.space.size[static_cast<std::size_t>(d)]);
    for (int p = 0; p < splits_.place_count(); ++p) {
      const u128 all = splits_.ways(d, p, left);
      if (all == 0) return false;
      u128 k = rng_() % static_cast<u64>(all);
      splits_.for_each_run(d, p, left, [&](const FactorRun& run) {
        const u128 each = splits_.ways(d, p + 1, run.left);
        if (k >= each) {
          k -= each;
          return true;
        }
        tiling[static_cast<std::size_t>(p)][static_cast<std::size_t>(d)] = {run.first, run.y};
        left = run.left;
        return false;
      });
    }
    return true;
  }

  const LayerProblem& problem_;
  Splits splits_;
  NestWriter writer_;
  Rng rng_;
};

struct Seen {
  int mappings = 0, exact = 0;
};

// Energy units that the sums may lack: a block begun for each tensor and kind of access, and leakage of a cycle.
double rounding(const LayerProblem& problem, const Mapping& mapping) {
  const Compiled& c = problem.model.compiled();
  double sum = 0;
  u64 instances = 1;
  for (std::size_t i = static_cast<std::size_t>(c.level_count); i-- > 0;) {
    const CompiledLevel& level = c.level[i];
    sum += static_cast<double>((level.read_units + level.fill_units + level.update_units) *
                               std::min(instances, level.clusters)) *
           std::popcount(mapping.keep[i]);
    sum += static_cast<double>(level.leak_units * instances);
    instances *= level.fanout_x * level.fanout_y;
  }
  return sum;
}

void expect_below(const LayerProblem& problem, const Mapping& mapping, Seen& seen) {
  const Cost cost = problem.model.evaluate(mapping).cost;
  const auto energy = static_cast<double>(cost.energy.units), cycles = static_cast<double>(cost.cycles);
  const auto steps = trace_bounds(problem, mapping);
  ASSERT_FALSE(steps.empty()) << "a mapping that the search cannot meet";
  for (const WitnessStep& step : steps) {
    ASSERT_LE(step.value.energy, energy * (1 + 1e-9)) << "bound " << step.bound << " of level " << step.level;
    ASSERT_LE(step.value.cycles, cycles * (1 + 1e-9)) << "bound " << step.bound << " of level " << step.level;
  }
  ++seen.mappings;
  const Compiled& c = problem.model.compiled();
  const Lattice lattice(c.size, c.dimension_count);
  const auto fanouts = make_fanout_choices(problem, lattice);
  const FlowCosts model = make_flow_costs(problem, mapping.keep, lattice, fanouts);
  // Levels that share accesses are bounded as if all their instances did.
  const bool shares = std::any_of(model.channels.begin(), model.channels.end(),
                                  [](const Channel& k) { return k.kind == Channel::Kind::Shared; });
  if (!model.exact || shares) return;
  ++seen.exact;
  const CostBound& sum = steps.back().value;
  ASSERT_EQ(steps.back().bound, "sum");
  ASSERT_GE(sum.energy + rounding(problem, mapping), energy * (1 - 1e-8));
  if (model.timed) {
    ASSERT_GE(sum.cycles * (1 + 1e-8) + 1, cycles);
  }
}

void expect_below(const SearchProblem& p, u64 seed, int random_mappings, Seen& seen) {
  for (const Objective objective : kObjectives) {
    const LayerProblem problem = layer_problem(p, objective);
    SCOPED_TRACE(fmt::format("seed {}, {}", seed, name(objective)));
    if (p.answer.legal == 0) return;
    expect_below(problem, p.answer.best[static_cast<std::size_t>(objective)].mapping, seen);
    RandomMappings walk(problem, seed);
    for (int k = 0; k < random_mappings && !::testing::Test::HasFatalFailure(); ++k) {
      const auto mapping = walk.next(50);
      if (mapping) expect_below(problem, *mapping, seen);
    }
  }
}

TEST(PartialBounds, NeverAboveARealCost) {
  Seen seen;
  for (u64 seed = 0; seed < 400 && !HasFatalFailure(); ++seed)
    expect_below(testing::random_search_problem(seed, {.max_mappings = 3'000}), seed, 6, seen);
  EXPECT_GT(seen.mappings, 5'000);
  EXPECT_GT(seen.exact, 1'000);
}

TEST(PartialBounds, NeverAboveARealCostWhereOneKindOfCostIsAll) {
  Seen seen;
  for (u64 seed = 0; seed < 400 && !HasFatalFailure(); ++seed)
    expect_below(testing::unusual_search_problem(seed, {.max_mappings = 2'000}), seed, 6, seen);
  EXPECT_GT(seen.mappings, 5'000);
  EXPECT_GT(seen.exact, 1'000);
}

// Real layers on real machines, along what the searches find there.
void expect_below_on_presets(const char* machine, const std::vector<const char*>& layers) {
  const auto architecture = load_architecture(machine);
  ASSERT_TRUE(architecture.ok());
  Seen seen;
  for (const char* layer : layers) {
    const auto network = load_network(layer);
    ASSERT_TRUE(network.ok());
    const Workload& workload = network->layers.front().workload;
    SearchOptions options;
    for (const char* strategy : {"random", "sunstone"}) {
      options.strategy = *parse_strategy(strategy);
      options.budget_evaluations = 300;
      const auto found = map_workload(workload, *architecture, options);
      ASSERT_TRUE(found.ok());
      if (found->status == Status::Infeasible) continue;
      SCOPED_TRACE(fmt::format("{} on {}, {}", layer, machine, strategy));
      expect_below(layer_problem(workload, *architecture, options), found->mapping, seen);
    }
  }
  EXPECT_GE(seen.mappings, static_cast<int>(layers.size()));
}

const std::vector<const char*> kLayers{"resnet18/conv1", "resnet18/conv4_1", "mobilenet_v2/b2_dw", "mttkrp:64x32x60x72",
                                       "sddmm:96x100x64"};
TEST(PartialBounds, NeverAboveARealCostOnEyeriss) { expect_below_on_presets("eyeriss", kLayers); }
TEST(PartialBounds, NeverAboveARealCostOnSimba) { expect_below_on_presets("simba", kLayers); }
TEST(PartialBounds, NeverAboveARealCostOnGemmini) { expect_below_on_presets("gemmini", kLayers); }
TEST(PartialBounds, NeverAboveARealCostOnEdgeUnified) { expect_below_on_presets("edge_unified", kLayers); }

}  // namespace
}  // namespace heliolite
