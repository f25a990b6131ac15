// The public headers give what the engine gives: searches, their options, progress and cancellation; mapspaces, bounds
// and curves.
#define HELIOLITE_API_APART
#include <gtest/gtest.h>
#include <heliolite/heliolite.h>

#include <atomic>
#include <string>
#include <vector>

#include "engine/bounds/curve/movement_distance.h"
#include "engine/bounds/fusion/cut.h"
#include "engine/bounds/lower_bounds.h"
#include "engine/bounds/network/network_bound.h"
#include "engine/formats/load_architecture.h"
#include "engine/formats/load_network.h"
#include "engine/model/cost_model.h"
#include "engine/model/mapping_yaml.h"
#include "engine/search/co_search/co_search.h"
#include "engine/search/core/option_table.h"
#include "engine/search/map.h"
#include "engine/search/scheduling/fused_network.h"
#include "engine/space/mapspace_size.h"
#include "engine/space/order_trie.h"
#include "tests/support/small_chain.h"
#include "workloads/einsum_text.h"

namespace heliolite::api_search_test {
namespace {

constexpr const char* kGemm = "Z[m,n] += A[m,k]*B[k,n]; m=64,n=64,k=64";

template <class T>
std::string errors_of(const Result<T>& result) {
  return result ? std::string() : to_string(result.errors());
}

TEST(ApiMap, AnswersAreTheEngines) {
  const auto machine = api::load_architecture("eyeriss");
  const auto engine_machine = load_architecture("eyeriss");
  const auto network = api::load_network("alexnet");
  const Network engine_network = *load_network("alexnet");
  for (const ObjectiveInfo& objective : {info(Objective::Edp), info(Objective::EnergyPerOp)}) {
    SearchOptions options;
    options.objective = objective.objective;
    options.strategy = Strategy::Sunstone;
    const auto engine = map_network(engine_network, *engine_machine, options);
    const auto answer =
        api::map_network(*network, *machine, {.objective = std::string(objective.name), .strategy = "sunstone"});
    ASSERT_TRUE(engine && answer) << errors_of(answer);
    EXPECT_EQ(answer->objective, objective.name);
    EXPECT_EQ(answer->value_unit, unit(objective));
    EXPECT_EQ(answer->total.cycles, engine->total.cycles);
    EXPECT_TRUE(answer->all_feasible());
    ASSERT_EQ(answer->layers.size(), engine->layers.size());
    for (std::size_t i = 0; i < engine->layers.size(); ++i) {
      const MappingResult& expected = engine->layers[i].result;
      const api::LayerAnswer& layer = answer->layers[i];
      EXPECT_EQ(layer.name, engine->layers[i].name);
      EXPECT_EQ(layer.status, name(expected.status));
      EXPECT_EQ(layer.strategy, name(expected.strategy));
      EXPECT_EQ(layer.value, expected.value);
      EXPECT_EQ(layer.lower_bound, expected.lower_bound);
      EXPECT_EQ(layer.evaluated, expected.statistics.evaluated);
      ASSERT_TRUE(layer.mapping);
      EXPECT_EQ(layer.mapping->yaml(),
                write_mapping(expected.mapping, engine_network.layers[i].workload, *engine_machine));
      EXPECT_EQ(api::CostModel(layer.mapping->workload(), *machine).evaluate(*layer.mapping)->cycles,
                layer.cost.cycles);
      EXPECT_TRUE(api::outside_space(*layer.mapping).empty());
    }
  }
}

TEST(ApiMap, LayersByThemselvesWithALookAtOtherTiles) {
  const auto machine = api::load_architecture("eyeriss");
  const auto gemm = api::parse_einsum("Z[m,n] += A[m,k]*B[k,n]; m=62,n=31,k=17");
  const auto answer = api::map_workload(*gemm, *machine, {.look_at_other_tiles = true});
  ASSERT_TRUE(answer) << errors_of(answer);
  EXPECT_EQ(answer->status, name(Status::Optimal));
  EXPECT_EQ(answer->gap, 0);
  ASSERT_TRUE(answer->other_tiles);
  EXPECT_LE(answer->other_tiles->value, answer->value);
  EXPECT_FALSE(answer->steps.empty());
  EXPECT_FALSE(answer->rules.empty());
}

TEST(ApiMap, FindsTheOptimumOfANetwork) {
  const auto machine = api::load_architecture("tpu_v4i");
  const auto network = api::load_network("resnet18");
  const auto alone = api::map_network(*network, *machine);
  const auto answer = api::map_network(*network, *machine, {.for_network = true});
  ASSERT_TRUE(alone && answer) << errors_of(answer);
  EXPECT_FALSE(alone->optimum);
  ASSERT_TRUE(answer->optimum);
  EXPECT_EQ(answer->optimum->status, name(Status::Optimal));
  EXPECT_EQ(answer->optimum->value, answer->total.energy_pj * static_cast<double>(answer->total.cycles));
  EXPECT_LT(answer->optimum->value, alone->total.energy_pj * static_cast<double>(alone->total.cycles));
  EXPECT_FALSE(answer->optimum->layers_that_differ.empty());
}

TEST(ApiMap, InfeasibleLayersSayWhy) {
  const auto busy = api::load_architecture("eyeriss")->with("min_parallelism", "0.25");
  ASSERT_TRUE(busy) << errors_of(busy);
  api::Einsum small = api::parse_einsum("Z[m,n] += A[m,k]*B[k,n]; m=3,n=3,k=3")->einsum();
  small.name = "small";
  const auto network =
      api::Network::create("two", {{*api::parse_einsum(kGemm), 1}, {*api::Workload::create(small), 2}});
  ASSERT_TRUE(network) << errors_of(network);
  const auto answer = api::map_network(*network, *busy, {.strategy = "sunstone"});
  ASSERT_TRUE(answer) << errors_of(answer);
  EXPECT_FALSE(answer->all_feasible());
  EXPECT_TRUE(answer->layers[0].feasible());
  EXPECT_EQ(answer->layers[1].status, name(Status::Infeasible));
  EXPECT_FALSE(answer->layers[1].mapping);
  EXPECT_THAT(to_string(answer->layers[1].why_infeasible), ::testing::HasSubstr("min_parallelism"));
}

TEST(ApiMap, SaysWhatIsKnownWithoutLinks) {
  const std::string text =
      "architecture:\n  energy: pat\n  link_transfers: on\n  levels:\n  - {name: DRAM, dram: true}\n"
      "  - {name: Buf, entries: 4096, fanout: 4x1}\n  - {name: Reg, entries: 8}\n";
  const char* conv = "conv:p=4,r=3,c=2,k=2";
  const auto linked = api::parse_architecture(text, "linked.yaml");
  const auto network = api::load_network(conv);
  ASSERT_TRUE(linked && network) << errors_of(linked);
  const api::Workload layer = network->layers().front().workload;
  const auto answer = api::map_workload(layer, *linked);
  const auto engine =
      map_workload(load_network(conv)->layers.front().workload, *parse_architecture(text, "linked.yaml"), {});
  ASSERT_TRUE(answer && engine) << errors_of(answer);
  EXPECT_EQ(answer->value, engine->value);
  ASSERT_TRUE(answer->without_links && engine->without_peers);
  EXPECT_EQ(answer->without_links->value, engine->without_peers->value);
  const auto unlinked = linked->with("link_transfers", "off");
  ASSERT_TRUE(unlinked) << errors_of(unlinked);
  EXPECT_FALSE(api::map_workload(layer, *unlinked)->without_links);
}

TEST(ApiMap, OptionsAreTheTables) {
  const std::vector<api::OptionInfo> options = api::map_options();
  ASSERT_EQ(options.size(), search_option_table().size());
  for (std::size_t i = 0; i < options.size(); ++i) {
    const SearchOption& row = search_option_table()[i];
    EXPECT_EQ(options[i].name, row.name);
    EXPECT_EQ(options[i].names, row.names);
    EXPECT_EQ(options[i].strategies.size(), row.strategies.size());
  }
  const auto machine = api::load_architecture("eyeriss");
  const auto gemm = api::parse_einsum(kGemm);
  const auto refused = api::map_workload(
      *gemm, *machine,
      {.objective = "enrgy", .budget_seconds = -1, .others = {{"tile", "even"}, {"imperfect", "true"}}});
  ASSERT_FALSE(refused);
  EXPECT_EQ(refused.errors().size(), 4) << "all at once";
  EXPECT_THAT(
      errors_of(refused),
      ::testing::AllOf(::testing::HasSubstr("unknown option 'tile'"), ::testing::HasSubstr("did you mean 'tiles'"),
                       ::testing::HasSubstr("write factors any"), ::testing::HasSubstr("did you mean 'energy'"),
                       ::testing::HasSubstr("budget = -1, must be seconds")));
  EXPECT_THAT(errors_of(api::map_workload(*gemm, *machine, {.others = {{"victory", "7"}}})),
              ::testing::HasSubstr("strategy exact has no such option"));
  const auto uneven = api::map_workload(*gemm, *machine, {.others = {{"tiles", "uneven"}, {"evaluations", "2000"}}});
  ASSERT_TRUE(uneven) << errors_of(uneven);
  EXPECT_EQ(uneven->ended_by, "evaluations");
}

TEST(ApiMap, TellsItsProgressAndStopsWhenAsked) {
  const auto machine = api::load_architecture("eyeriss");
  const auto network = api::load_network("alexnet");
  std::atomic<bool> stop = false;
  std::uint64_t done = 0;
  api::MapOptions options{.strategy = "sunstone", .threads = 2, .stop = &stop};
  options.progress = [&](const api::MapProgress& news) {
    EXPECT_EQ(news.layers, 8);
    EXPECT_FALSE(news.layer.empty());
    done = std::max(done, news.layers_done);
  };
  ASSERT_TRUE(api::map_network(*network, *machine, options));
  EXPECT_EQ(done, 8);
  stop = true;
  options.strategy = "exact";
  const auto stopped = api::map_network(*network, *machine, options);
  if (!stopped) return;  // before there was any mapping
  for (const api::LayerAnswer& layer : stopped->layers) EXPECT_NE(layer.status, name(Status::Optimal));
}

TEST(ApiMap, AsksOwnEvaluators) {
  const auto answer = api::map_workload(
      *api::parse_einsum(kGemm), *api::load_architecture("eyeriss"),
      {.strategy = "random", .threads = 1, .others = {{"evaluator", "cat >/dev/null; echo 42"}, {"evaluations", "5"}}});
  ASSERT_TRUE(answer) << errors_of(answer);
  EXPECT_EQ(answer->status, name(Status::Measured));
  EXPECT_EQ(answer->value, 42);
  ASSERT_TRUE(answer->evaluator);
  EXPECT_GE(answer->evaluator->evaluations, 1);
}

TEST(ApiCoSearch, FindsTheEnginesMachine) {
  const auto small = api::load_architecture("eyeriss_45nm");
  std::vector<api::Architecture> machines{*small};
  for (const char* size : {"54 KB", "216 KB"}) machines.push_back(*small->with("GLB.capacity", size));
  std::vector<Architecture> engine_machines;
  for (const api::Architecture& machine : machines)
    engine_machines.push_back(*parse_architecture(machine.yaml(), "machine.yaml"));
  const auto family = MachineFamily::create(engine_machines);
  ASSERT_TRUE(family) << errors_of(family);
  const Workload gemm = *parse_einsum(kGemm);
  const auto engine = co_search(std::vector<WeightedLayer>{{gemm, 2}}, *family, {});
  const auto answer = api::co_search({{*api::parse_einsum(kGemm), 2}}, machines);
  ASSERT_TRUE(engine && answer) << errors_of(answer);
  EXPECT_EQ(answer->best, engine->best);
  EXPECT_NEAR(answer->value, engine->value, 1e-9 * engine->value);
  EXPECT_EQ(answer->status, name(engine->status));
  ASSERT_EQ(answer->machines.size(), 3);
  EXPECT_EQ(answer->machines[answer->best].state, "searched");
  EXPECT_FALSE(api::co_search({{*api::parse_einsum(kGemm), 1}}, {}));
  EXPECT_FALSE(api::co_search({{*api::parse_einsum(kGemm), 1}}, {*small, *api::load_architecture("simba")}));
}

TEST(ApiSpace, CountsAreTheEngines) {
  const auto machine = load_architecture("eyeriss");
  const Workload gemm = *parse_einsum(kGemm);
  const MapspaceSize engine = mapspace_size(*resolve(gemm, *machine));
  const auto size = api::space_size(*api::parse_einsum(kGemm), *api::load_architecture("eyeriss"));
  ASSERT_TRUE(size) << errors_of(size);
  EXPECT_EQ(size->mappings, engine.mappings.str());
  EXPECT_EQ(size->levels.size(), machine->levels.size());
  EXPECT_EQ(size->levels.back().orders, engine.orders.back().str());
  EXPECT_EQ(size->dimensions.front().splits, engine.splits.front().str());
  EXPECT_EQ(api::loop_orders(*api::parse_einsum(kGemm)).orders.size(), build_order_trie(infer_reuse(gemm)).kept.size());
}

TEST(ApiBounds, AreTheEngines) {
  const Workload gemm = *parse_einsum(kGemm);
  const auto bounds = api::lower_bounds(*api::parse_einsum(kGemm), 512);
  ASSERT_TRUE(bounds) << errors_of(bounds);
  const std::vector<LowerBound> engine = LowerBounds(gemm).at(512);
  ASSERT_EQ(bounds->bounds.size(), engine.size());
  EXPECT_EQ(bounds->least(), best(engine).words);
  EXPECT_EQ(bounds->unit, "words");
  EXPECT_THAT(errors_of(api::lower_bounds(*api::parse_einsum(kGemm), 0)), ::testing::HasSubstr("must be above 0"));
  const Network network = *load_network("bert_base");
  EXPECT_EQ(api::network_bound(*api::load_network("bert_base"), 65536)->least, network_bound(network, 65536).words);
}

TEST(ApiBounds, MovementIsAtLeastTheLeast) {
  const auto answer =
      api::map_workload(*api::parse_einsum(kGemm), *api::load_architecture("eyeriss"), {.objective = "energy"});
  ASSERT_TRUE(answer) << errors_of(answer);
  const auto boundaries = api::movement(*answer->mapping);
  ASSERT_TRUE(boundaries) << errors_of(boundaries);
  ASSERT_EQ(boundaries->size(), 4);
  for (const api::BoundaryTraffic& boundary : *boundaries) {
    EXPECT_GE(boundary.ratio(), 1);
    EXPECT_GE(boundary.moved, boundary.least_for_held);
  }
}

TEST(ApiCurves, FallToTheMinimum) {
  for (const bool one_buffer : {false, true}) {
    const auto curve = api::access_curve(*api::parse_einsum(kGemm), {.one_buffer = one_buffer});
    ASSERT_TRUE(curve) << errors_of(curve);
    ASSERT_GT(curve->points.size(), 2);
    EXPECT_EQ(curve->points.back().accesses, curve->minimum);
    for (std::size_t i = 1; i < curve->points.size(); ++i)
      EXPECT_LT(curve->points[i].accesses, curve->points[i - 1].accesses);
  }
  std::atomic<bool> stop = true;
  EXPECT_FALSE(api::access_curve(*api::parse_einsum(kGemm), {.stop = &stop}));
}

TEST(ApiCurves, OfNetworksAreTheEngines) {
  const auto engine = SegmentedNetwork::create(*load_network("bert_base"));
  const auto fused = api::FusedNetwork::create(*api::load_network("bert_base"));
  ASSERT_TRUE(engine && fused) << errors_of(fused);
  for (const api::FusedPoint& point : fused->points({1 << 16, 1 << 20})) {
    EXPECT_EQ(point.fused, engine->fused(point.buffer));
    EXPECT_EQ(point.unfused, engine->unfused(point.buffer));
    EXPECT_FALSE(fused->segments(point.buffer).empty());
  }
}

// A schedule is the engine's, and its file reads back to the same one.
TEST(ApiSchedule, AnswersAreTheEnginesAndReadBack) {
  const auto machine = api::parse_architecture(testing::kChainMachine, "m.yaml");
  const auto network = api::parse_network(testing::kChain, "n.yaml");
  ASSERT_TRUE(machine && network);
  const auto answer = api::map_fused(*network, *machine);
  ASSERT_TRUE(answer.ok()) << errors_of(answer);
  const auto engine = fuse_network(*parse_network(testing::kChain, "n.yaml"),
                                   *parse_architecture(testing::kChainMachine, "m.yaml"), {});
  ASSERT_TRUE(engine.ok()) << errors_of(engine);
  EXPECT_EQ(answer->value, engine->best.value);
  EXPECT_EQ(answer->lower_bound, engine->best.lower_bound);
  EXPECT_EQ(answer->status, "optimal");
  EXPECT_EQ(answer->unfused_value, engine->best.unfused_value);
  EXPECT_EQ(answer->value_unit, "pJ x cycles");
  std::size_t layers = 0;
  for (const api::ScheduleGroup& group : answer->schedule.groups) {
    layers += group.layers.size();
    EXPECT_EQ(group.homes.empty(), group.layers.size() == 1);
    for (const api::ScheduleHome& home : group.homes) EXPECT_EQ(home.words.size(), group.layers.size()) << home.array;
  }
  EXPECT_EQ(layers, network->layers().size());
  const auto read = api::parse_schedule(answer->schedule.yaml, "s.yaml", *network, *machine);
  ASSERT_TRUE(read.ok()) << errors_of(read);
  EXPECT_EQ(read->yaml, answer->schedule.yaml);
  EXPECT_EQ(read->text, answer->schedule.text);
  EXPECT_EQ(read->cost.energy_pj, answer->schedule.cost.energy_pj);
  EXPECT_EQ(read->cost.cycles, answer->schedule.cost.cycles);
  EXPECT_EQ(read->outermost_words, answer->schedule.outermost_words);
  EXPECT_TRUE(answer->kept_apart.empty());
  std::string weights_only = testing::kChainMachine;
  for (const char* level : {"entries: 400", "entries: 3,"})
    weights_only.insert(weights_only.find(level), "keep: weights, ");
  const auto apart = api::map_fused(*network, *api::parse_architecture(weights_only, "w.yaml"));
  ASSERT_TRUE(apart.ok()) << errors_of(apart);
  ASSERT_EQ(apart->kept_apart.size(), 1U);
  EXPECT_EQ(apart->kept_apart.front().arrays, std::vector<std::string>{"l1.z"});
  EXPECT_NE(apart->kept_apart.front().why.find("Buf"), std::string::npos) << apart->kept_apart.front().why;
  const auto refused = api::map_fused(*network, *machine, {.strategy = "sunstone"});
  ASSERT_FALSE(refused.ok());
  EXPECT_EQ(refused.errors().front().field, "strategy");
  EXPECT_FALSE(api::parse_schedule("schedule: nothing\nmappings: {}\n", "s.yaml", *network, *machine).ok());
}

}  // namespace
}  // namespace heliolite::api_search_test
