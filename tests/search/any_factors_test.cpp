// The search over all tile sizes: its bounds against the cost of random mappings, its answers against complete
// enumerations and recorded optima.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <fstream>
#include <map>
#include <nlohmann/json.hpp>

#include "arch/load.h"
#include "engine/model/true_counts/cost.h"
#include "engine/model/true_counts/traffic.h"
#include "engine/search/any/meeting.h"
#include "engine/search/any/padded_starts.h"
#include "engine/search/any/rest_table.h"
#include "engine/search/core/compulsory.h"
#include "engine/search/map.h"
#include "tests/support/random_problem.h"
#include "tests/support/search_problem.h"
#include "workloads/load.h"

namespace heliolite::any_factors_test {
namespace {

using testing::random_problem;
using testing::random_search_problem;
using testing::RandomOptions;
using testing::RandomProblem;
using testing::SearchProblem;

// Calls visit(trail, reach) after every loop and every fan-out and level of a mapping.
template <class Visit>
void each_prefix(const Compiled& c, const Mapping& m, Visit&& visit) {
  Trail trail(c);
  int k = 0;
  for (int i = 0; i < c.level_count; ++i) {
    trail.begin(i);
    u64 x = c.level[at(i)].fanout_x, y = c.level[at(i)].fanout_y;
    visit(trail, Reach{i, x, y});
    for (const LoopKind kind : {LoopKind::SpatialX, LoopKind::SpatialY, LoopKind::Temporal}) {
      for (; k < m.loop_count && m.loop[at(k)].level == i && m.loop[at(k)].kind == kind; ++k) {
        const Loop& loop = m.loop[at(k)];
        trail.push(kind, i, loop.dimension, loop.end);
        if (kind == LoopKind::SpatialX) x /= loop.end;
        if (kind == LoopKind::SpatialY) y /= loop.end;
        visit(trail, Reach{i, kind == LoopKind::SpatialX ? x : 1, kind == LoopKind::Temporal ? 1 : y});
      }
      if (kind == LoopKind::SpatialX) visit(trail, Reach{i, 1, y});
      if (kind == LoopKind::SpatialY) visit(trail, Reach{i, 1, 1});
    }
  }
}

// No limits of loops.
TilesOutside any_tiles() {
  TilesOutside out;
  for (auto& level : out) level.fill(~u64{0});
  return out;
}

// A random mapping of all tile sizes that fits, without loops that have nothing to do. Of every third seed the tensors
// state the sizes of their words.
struct FittingMapping {
  RandomProblem problem;
  Compiled c;
  Mapping mapping;
  Cost cost;
  bool fits;

  FittingMapping(u64 seed, bool sliding, bool interconnects = false)
      : problem(random_problem(seed, options(sliding, interconnects, seed % 3 == 0))),
        c(problem.workload, problem.architecture) {
    if (seed % 6 == 0)
      for (StorageLevel& level : problem.architecture.levels) level.network = {.hop_pj = 0.5};
    c = Compiled(problem.workload, problem.architecture);
    mapping = without_idle_loops(TrueNest(c, problem.mapping), problem.mapping);
    const Evaluation e = true_cost_of(c, mapping);
    cost = e.cost;
    fits = e.verdict == Verdict::Fits;
  }

  static RandomOptions options(bool sliding, bool interconnects, bool word_bits) {
    RandomOptions out;
    out.imperfect = out.plain_output = out.capacities = true;
    out.sliding = sliding;
    out.max_size = 16;
    out.interconnects = interconnects;
    out.word_bits = word_bits;
    return out;
  }
  // What its fan-outs unroll, and nothing else.
  Unrollable unrolled() const {
    Unrollable out;
    for (const Loop& loop : mapping.loops())
      if (loop.is_spatial()) {
        DimensionMask& axis = (loop.kind == LoopKind::SpatialX ? out.x : out.y)[loop.level];
        axis = static_cast<DimensionMask>(axis | dimension_bit(loop.dimension));
      }
    return out;
  }
  // The same with the units along each dimension by itself.
  ClassUnrolling split_unrolling() const {
    ClassUnrolling out = unrolling();
    for (const DimensionMask of_class : tensor_classes(c)) out.split |= of_class;
    out.along.resize(at(c.level_count));
    for (auto& level : out.along) level.fill(1);
    for (const Loop& loop : mapping.loops())
      if (loop.is_spatial()) out.along[loop.level][loop.dimension] *= loop.end;
    return out;
  }
  // The same if it is not said how many units stand along dimensions that move all tensors.
  ClassUnrolling unrolling_of_the_others() const {
    ClassUnrolling out = unrolling();
    const std::vector<DimensionMask> classes = tensor_classes(c);
    for (std::size_t k = 0; k < classes.size(); ++k) {
      bool free = true;
      for (int v = 0; v < c.tensor_count; ++v)
        free &= (classes[k] & ~c.tensor[at(v)].indexing) == 0 && (classes[k] & c.tensor[at(v)].sharing_any) == 0;
      if (!free) continue;
      out.free = static_cast<u16>(out.free | 1u << k);
      for (int i = 0; i < c.level_count; ++i) out.units[at(i) * classes.size() + k] = 1;
    }
    return out;
  }
  // What its fan-outs make of each class of dimensions.
  ClassUnrolling unrolling() const {
    const std::vector<DimensionMask> classes = tensor_classes(c);
    ClassUnrolling out;
    out.units.assign(at(c.level_count) * classes.size(), 1);
    for (const Loop& loop : mapping.loops())
      for (std::size_t k = 0; k < classes.size(); ++k)
        if (loop.is_spatial() && contains(classes[k], loop.dimension))
          out.units[loop.level * classes.size() + k] *= loop.end;
    for (const DimensionMask of_class : classes) {
      u64& working = out.working.emplace_back(1);
      for (const int d : bits(of_class)) {
        u64 units = 1;
        for (const Loop& loop : mapping.loops())
          if (loop.is_spatial() && loop.dimension == d) units *= loop.end;
        working *= std::min<u64>(units, c.size[at(d)]);
      }
    }
    return out;
  }
  // Of the mapspace that allows its factors, and none larger.
  TilesOutside most_tiles() const {
    Mapspace space;
    space.levels.resize(at(c.level_count));
    space.dimension_count = static_cast<u8>(c.dimension_count);
    for (int d = 0; d < c.dimension_count; ++d) space.size[at(d)] = c.size[at(d)];
    for (const Loop& loop : mapping.loops()) {
      LevelSpace& level = space.levels[loop.level];
      const auto bit = dimension_bit(loop.dimension);
      if (!loop.is_spatial()) {
        level.temporal.allowed |= bit;
        level.temporal.factor[loop.dimension].max *= loop.end;
        continue;
      }
      SpatialSpace& spatial = level.spatial;
      const bool x = loop.kind == LoopKind::SpatialX;
      (x ? spatial.allowed_x : spatial.allowed_y) |= bit;
      (x ? spatial.fanout_x : spatial.fanout_y) *= loop.end;
      spatial.factor[loop.dimension].max *= loop.end;
    }
    return most_tiles_outside(space);
  }
  KeepMasks keep() const {
    KeepMasks out{};
    for (int i = 0; i < c.level_count; ++i) out[at(i)] = mapping.keep[at(i)];
    return out;
  }
};

// HELIOLITE_TRUE_COUNTS_RUNS says how many.
const u64 kRandomMappings = [] {
  const char* runs = std::getenv("HELIOLITE_TRUE_COUNTS_RUNS");
  return runs == nullptr ? u64{1'000} : std::stoull(runs);
}();

TEST(AnyFactors, NoMappingIsBelowTheBoundOfItsInnerLoops) {
  for (u64 seed = 0; seed < kRandomMappings && !HasFailure(); ++seed) {
    const FittingMapping m(seed, seed % 3 != 0, seed % 5 == 0);
    if (!m.fits) continue;
    SCOPED_TRACE(seed);
    const ClassUnrolling unrolling = seed % 2 == 0   ? m.unrolling()
                                     : seed % 3 == 0 ? m.unrolling_of_the_others()
                                                     : m.split_unrolling();
    KeptFlows costs(m.c, m.keep(), seed % 4 < 2 ? Unrollable::all() : m.unrolled());
    const CostModel model(m.problem.workload, m.problem.architecture);
    PartialCost partial(costs, compulsory_cost(model, {m.keep(), m.keep()}).whole.cycles);
    // Few points: most of them stand for several numbers of tiles.
    const TileRanges ranges(m.c, seed % 2 == 0 ? 60 : TileRanges::kMostPoints);
    const RestTable rest(partial, costs, ranges, seed % 11 < 5 ? m.most_tiles() : any_tiles());
    if (seed % 7 < 4) costs.unroll(&unrolling);
    Cost whole;
    each_prefix(m.c, m.mapping, [&](const Trail& trail, const Reach& reach) {
      if (reach.level + 1 == m.c.level_count) whole = partial(trail, reach);
    });
    Trail nothing(m.c);
    nothing.begin(0);
    const Cost once = partial.once(nothing);
    EXPECT_LE(once.energy.picojoules(), whole.energy.picojoules());
    EXPECT_LE(once.cycles, whole.cycles);
    EXPECT_LE(whole.energy.picojoules(), m.cost.energy.picojoules());
    EXPECT_LE(whole.cycles, m.cost.cycles);
    each_prefix(m.c, m.mapping, [&](const Trail& trail, const Reach& reach) {
      const Rest outside = rest(reach.level, trail);
      ASSERT_FALSE(outside.energy == Rest::kNone);
      const Cost least = partial(trail, reach, outside);
      // Dominance compares bounds of whole mappings, so what prunes must not be above them either.
      EXPECT_LE(least.energy.picojoules(), whole.energy.picojoules());
      EXPECT_LE(least.cycles, whole.cycles);
      if (!rest.has_twins() || reach.level + 1 == m.c.level_count) return;
      const Cost other = partial.with_twins(trail, reach, rest.with_twins(reach.level, trail));
      EXPECT_LE(other.energy.picojoules(), whole.energy.picojoules());
      EXPECT_LE(other.cycles, whole.cycles);
    });
  }
}

// The same flow by flow: words of one do not make up for those of another.
TEST(AnyFactors, NoFlowIsBelowTheBoundOfItsWords) {
  const UnitDigits everywhere{};
  u64 compared = 0;
  for (u64 seed = 0; seed < kRandomMappings && !HasFailure(); ++seed) {
    const FittingMapping m(seed, seed % 4 != 0, seed % 5 == 0);
    if (!m.fits) continue;
    SCOPED_TRACE(seed);
    const TrueNest nest(m.c, m.mapping);
    const ClassUnrolling unrolling = seed % 2 == 0 ? m.unrolling() : m.split_unrolling();
    KeptFlows costs(m.c, m.keep(), seed % 3 == 0 ? Unrollable::all() : m.unrolled());
    if (seed % 7 < 5) costs.unroll(&unrolling);
    std::vector<FlowTraffic> words;
    for (const Flow& f : costs.flows()) {
      TrueStream stream(m.c, f.tensor, nest, everywhere);
      stream.start(f.boundary);
      words.push_back({f.to_compute ? 0 : stream.crossing(), stream.accesses(f.outer)});
    }
    each_prefix(m.c, m.mapping, [&](const Trail& trail, const Reach& reach) {
      for (std::size_t k = 0; k < words.size(); ++k) {
        const Flow& f = costs.flows()[k];
        if (f.boundary > reach.level || f.by_network) continue;
        const FlowTraffic least = OpenFlow(costs, f, trail, reach).least();
        EXPECT_LE(least.fetched, words[k].fetched);
        EXPECT_LE(least.shared, words[k].shared);
        ++compared;
      }
    });
  }
  EXPECT_GT(compared, 1'000u);
}

// Every mapping belongs to one of the unrollings that the search divides them by, and takes its steps at least.
TEST(AnyFactors, EveryMappingHasOneOfTheUnrollings) {
  int found = 0;
  for (u64 seed = 0; seed < kRandomMappings / 5 && !HasFailure(); ++seed) {
    const FittingMapping m(seed, seed % 2 == 0);
    if (!m.fits) continue;
    SCOPED_TRACE(seed);
    const auto space = resolve(m.problem.workload, m.problem.architecture, {.free = true});
    ASSERT_TRUE(space.ok());
    if (!violations(*space, m.mapping).empty()) continue;
    ClassUnrolling mine = m.unrolling();
    const auto steps = [&](u64 least) { return least <= m.cost.cycles; };
    const std::vector<ClassUnrolling> all = unrollings(m.c, *space, 100'000, steps);
    if (all.empty()) continue;  // too many
    const std::size_t classes = mine.working.size();
    for (std::size_t k = 0; k < mine.units.size(); ++k)
      if (contains(all[0].free, k % classes)) mine.units[k] = 1;
    const auto it = std::ranges::find(all, mine.units, &ClassUnrolling::units);
    ASSERT_NE(it, all.end());
    EXPECT_LE(it->least_steps, m.cost.cycles);
    ++found;
  }
  EXPECT_GT(found, 10);
}

// The parts of an unrolling are all ways to spread its units, and one of them is each mapping's own.
TEST(AnyFactors, AnUnrollingIsTheSumOfItsParts) {
  for (u64 seed = 1; seed < kRandomMappings / 5 && !HasFailure(); ++seed) {
    const FittingMapping m(seed, true);
    if (!m.fits) continue;
    SCOPED_TRACE(seed);
    const ClassUnrolling mine = m.split_unrolling();
    if (mine.working.empty()) continue;
    const std::vector<ClassUnrolling> parts = splits(m.c, m.unrolling(), mine.split, 1'000'000);
    const auto it = std::ranges::find(parts, mine.along, &ClassUnrolling::along);
    ASSERT_NE(it, parts.end());
    for (std::size_t k = 0; k < mine.working.size(); ++k) EXPECT_EQ(it->working[k], mine.working[k]);
  }
}

// No choice of whole numbers of units meets more often.
RC_GTEST_PROP(AnyFactors, MoreUnitsCannotMeet, ()) {
  const auto few = [](u64 most) { return *rc::gen::inRange<u64>(1, most + 1); };
  std::vector<MeetingRank> ranks(few(3));
  for (MeetingRank& rank : ranks) rank = {few(5), few(12)};
  const u64 along_a = few(20), along_b = few(60), together = few(200);
  double most = 1;
  const auto choose = [&](auto& self, std::size_t k, u64 a, u64 b, double meeting) -> void {
    if (a > along_a || b > along_b || a * b > together) return;
    if (k == ranks.size()) {
      most = std::max(most, meeting);
      return;
    }
    for (u64 x = 1; x <= ranks[k].a; ++x)
      for (u64 y = 1; y <= ranks[k].b; ++y)
        self(self, k + 1, a * x, b * y, meeting * static_cast<double>(x * y) / static_cast<double>(x + y - 1));
  };
  choose(choose, 0, 1, 1, 1);
  RC_ASSERT(most_meeting(ranks, static_cast<double>(along_a), static_cast<double>(along_b),
                         static_cast<double>(together)) >= most);
}

// No unit idles, so the hops of all words are known.
TEST(AnyFactors, HopsOfUnitsThatShareEvenlyAreExact) {
  const auto network = load_network("gemm:64x64x64");
  const auto machine = load_architecture("simba");
  ASSERT_TRUE(network.ok() && machine.ok());
  const Workload& workload = network->layers[0].workload;
  SearchOptions options;
  options.strategy = Strategy::Sunstone;
  const auto answer = map_workload(workload, *machine, options);
  ASSERT_TRUE(answer.ok());
  const Compiled c(workload, *machine);
  const Mapping& m = answer->mapping;
  KeepMasks keep{};
  for (int i = 0; i < c.level_count; ++i) keep[at(i)] = m.keep[at(i)];
  const KeptFlows costs(c, keep, Unrollable::all());
  PartialCost partial(costs, 1);
  Cost whole;
  each_prefix(c, m, [&](const Trail& trail, const Reach& reach) {
    if (reach.level + 1 == c.level_count) whole = partial(trail, reach);
  });
  EXPECT_EQ(whole.energy.picojoules(), true_cost_of(c, m).cost.energy.picojoules());
}

// Of whole mappings without sliding ranks only blocks, bandwidths and networks are bounded, all else is exact.
RC_GTEST_PROP(AnyFactors, TheBoundOfAWholeMappingIsItsCost, (const u64 seed)) {
  FittingMapping m(seed, false, seed % 3 == 0);
  RC_PRE(m.fits);
  for (StorageLevel& level : m.problem.architecture.levels) {
    level.block_words = 1;
    level.bandwidth = {};
    level.network = {};
  }
  const Compiled c(m.problem.workload, m.problem.architecture);
  const KeptFlows costs(c, m.keep(), Unrollable::all());
  PartialCost partial(costs, 1);
  Cost whole;
  each_prefix(c, m.mapping, [&](const Trail& trail, const Reach& reach) {
    if (reach.level + 1 == c.level_count) whole = partial(trail, reach);
  });
  const Cost cost = true_cost_of(c, m.mapping).cost;
  RC_ASSERT(whole.cycles == cost.cycles);
  RC_ASSERT(whole.energy.picojoules() >= cost.energy.picojoules() * (1 - 1e-9));
}

// Partial sums pass by gemmini's scratchpad: the accumulator is too small for all that inputs need there.
TEST(AnyFactors, ATensorThatPassesByABufferIsCountedByItsTile) {
  const auto network = load_network("gemm:509x521x523");
  const auto machine = load_architecture("gemmini");
  ASSERT_TRUE(network.ok() && machine.ok());
  const Compiled c(network->layers[0].workload, *machine);
  ASSERT_TRUE(c.level_count == 4 && c.tensor_count == 3 && c.tensor[2].is_output);
  const KeepMasks keep{0b001, 0b100, 0b011, 0b111};
  const KeptFlows costs(c, keep, Unrollable::all());
  ASSERT_EQ(costs.passing().size(), 1u);
  PartialCost partial(costs, 1);
  const TileRanges ranges(c, 10'000);
  const RestTable rest(partial, costs, ranges, any_tiles());
  Trail trail(c);
  trail.begin(0);
  const Reach reach{0, 1, 1};
  const Cost least = partial(trail, reach, rest(0, trail));
  const Cost other = partial.with_twins(trail, reach, rest.with_twins(0, trail));
  EXPECT_GT(other.energy.picojoules(), 1.1 * least.energy.picojoules());
  EXPECT_TRUE(KeptFlows(c, keep, Unrollable::all(), Twins::No).passing().empty());
}

SearchOptions any_factors(Objective objective, Strategy strategy = Strategy::Exact) {
  SearchOptions options;
  options.factors = Factors::Any;
  options.objective = objective;
  options.strategy = strategy;
  return options;
}

// On random problems, from this seed on.
void expect_optima(u64 first, bool word_bits) {
  int optimal = 0, searched = 0;
  for (u64 seed = first; searched < 10 && !::testing::Test::HasFailure(); ++seed) {
    const SearchProblem p =
        random_search_problem(seed, {.max_mappings = 150, .interconnects = seed % 2 == 0, .word_bits = word_bits});
    if (!has_true_counts(Compiled(p.workload, p.architecture))) continue;
    SCOPED_TRACE(seed);
    const Objective objective = kObjectiveTable[seed % kObjectiveTable.size()].objective;
    SearchOptions options = any_factors(objective, Strategy::Exhaustive);
    options.budget_evaluations = 10'000;
    const auto all = map_workload(p.workload, p.architecture, options);
    ASSERT_TRUE(all.ok()) << to_string(all.errors());
    if (all->status == Status::Bounded) continue;  // too many to look at
    const auto found = map_workload(p.workload, p.architecture, any_factors(objective));
    ASSERT_TRUE(found.ok());
    ASSERT_EQ(found->status == Status::Infeasible, all->status == Status::Infeasible);
    if (found->status == Status::Infeasible) continue;
    ++searched;
    EXPECT_LE(found->lower_bound, all->value * (1 + 1e-12));
    EXPECT_GE(found->value, all->value * (1 - 1e-12));
    if (found->status != Status::Optimal) continue;
    EXPECT_DOUBLE_EQ(found->value, all->value);
    ++optimal;
  }
  EXPECT_GT(optimal, searched * 9 / 10);
}

TEST(AnyFactors, FindAndProveTheOptimumOfEveryMapping) { expect_optima(0, false); }
TEST(AnyFactors, FindAndProveTheOptimumWithSizesOfWords) { expect_optima(5'000, true); }

// Found elsewhere by pricing every mapping, without link transfers; every fifth of them, each problem and objective
// sometimes.
TEST(AnyFactors, RecordedOptimaAreFoundAndProven) {
  const std::string folder = HELIOLITE_TEST_DATA "/data/true_counts/";
  std::ifstream file(folder + "optima.jsonl");
  int records = 0;
  for (std::string line; std::getline(file, line); ++records) {
    if (records % 5 != 0) continue;
    const auto record = nlohmann::json::parse(line);
    SCOPED_TRACE(record["id"].get<std::string>());
    auto machine = load_architecture(folder + "arch/" + record["arch"].get<std::string>() + ".yaml");
    const auto network = load_network(folder + "problem/" + record["problem"].get<std::string>() + ".yaml");
    ASSERT_TRUE(machine.ok() && network.ok());
    machine->link_transfers = false;
    SearchOptions options = any_factors(*parse_objective(record["objective"].get<std::string>()));
    const auto found = map_workload(network->layers[0].workload, *machine, options);
    ASSERT_TRUE(found.ok());
    EXPECT_EQ(found->status, Status::Optimal);
    EXPECT_NEAR(found->value / record["any"]["optimum"].get<double>(), 1, 1e-9);
  }
  EXPECT_GT(records, 10);
}

// Sizes with more divisors lead to mappings of the true ones: 3 x 44 of 132 rows become 3 x 43 with a last one of 2.
TEST(AnyFactors, MappingsOfLargerSizesAreCutToTheTrueOnes) {
  const auto network = load_network("gemm:128x127x1");
  const auto machine = load_architecture("edge_unified");
  ASSERT_TRUE(network.ok() && machine.ok());
  const Workload& workload = network->layers[0].workload;
  const std::vector<Workload> larger = padded_workloads(workload);
  ASSERT_FALSE(larger.empty());
  for (const Workload& w : larger)
    for (std::size_t d = 0; d < w.dimensions.size(); ++d) EXPECT_GE(w.dimensions[d].size, workload.dimensions[d].size);
  const Compiled c(workload, *machine);
  Mapping m;
  m.level_count = static_cast<u8>(c.level_count);
  m.add(LoopKind::Temporal, 0, 0, 3);
  m.add(LoopKind::Temporal, 1, 0, 44);
  m.add(LoopKind::Temporal, 1, 1, 128);
  m.add(LoopKind::Temporal, 2, 0, 2);
  const std::optional<Mapping> cut = cut_to_size(m, c);
  ASSERT_TRUE(cut.has_value());
  ASSERT_EQ(cut->loop_count, 3);
  EXPECT_EQ(cut->loop[1].end, 43u);
  EXPECT_EQ(cut->loop[1].residual, 43u);
  EXPECT_EQ(cut->loop[0].residual, 2u);
  EXPECT_EQ(cut->loop[2].end, 127u);
  m.loop_count = 2;
  EXPECT_FALSE(cut_to_size(m, c).has_value());
}

// A rule that is off changes the work, not the answer.
// Square convolutions with and without fan-outs, whose rows and columns may change places.
TEST(AnyFactors, OneOfTwoMirroredMappingsIsLookedAt) {
  const std::string folder = HELIOLITE_TEST_DATA "/data/true_counts/arch/";
  u64 pruned = 0;
  for (const std::string machine : {"r1_flat2", "r2_arr4", "r4_mac8", "r5_arr4g", "gemmini"})
    for (const std::string layer : {"conv:c=1,k=2,p=3,r=2", "conv:c=2,k=1,p=5,r=1", "conv:c=1,k=1,p=4,r=3,stride=2"}) {
      SCOPED_TRACE(machine + " " + layer);
      const auto arch = load_architecture(folder + machine + ".yaml");
      const auto network = load_network(layer);
      ASSERT_TRUE(arch.ok() && network.ok());
      for (const Objective objective : {Objective::Energy, Objective::Edp}) {
        SearchOptions options = any_factors(objective);
        options.budget_evaluations = 60'000;
        const auto one = map_workload(network->layers[0].workload, *arch, options);
        options.rules.set(Rule::Symmetry, false);
        const auto both = map_workload(network->layers[0].workload, *arch, options);
        ASSERT_TRUE(one.ok() && both.ok());
        pruned += one->statistics.rules.cuts[at(Rule::Symmetry)];
        if (one->status == Status::Optimal && both->status == Status::Optimal) {
          EXPECT_EQ(one->value, both->value);
        }
        EXPECT_LE(one->lower_bound, both->value * (1 + 1e-12));
      }
    }
  EXPECT_GT(pruned, 100u);
}

TEST(AnyFactors, RulesChangeNoAnswer) {
  const std::string folder = HELIOLITE_TEST_DATA "/data/true_counts/";
  const auto machine = load_architecture(folder + "arch/r5_arr4g.yaml");
  const auto network = load_network(folder + "problem/gemm_5x11x2.yaml");
  ASSERT_TRUE(machine.ok() && network.ok());
  const auto answer = [&](const SearchOptions& options) {
    return *map_workload(network->layers[0].workload, *machine, options);
  };
  const MappingResult one = answer(any_factors(Objective::Edp));
  for (const Rule rule : {Rule::AnyDominance, Rule::CandidateEnds, Rule::RelaxedBound, Rule::PassingBound,
                          Rule::UnrollingBound, Rule::Symmetry}) {
    SearchOptions options = any_factors(Objective::Edp);
    options.rules.set(rule, false);
    const MappingResult off = answer(options);
    EXPECT_EQ(off.status, Status::Optimal) << kRuleTable[at(rule)].name;
    EXPECT_EQ(off.value, one.value) << kRuleTable[at(rule)].name;
    if (rule == Rule::UnrollingBound) continue;  // there are more bounds to look at with it
    EXPECT_GE(off.statistics.evaluated, one.statistics.evaluated) << kRuleTable[at(rule)].name;
  }
}

}  // namespace
}  // namespace heliolite::any_factors_test
