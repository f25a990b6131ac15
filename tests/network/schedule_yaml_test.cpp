// Files of schedules: what is written reads back, what cannot be read is refused with its place, and what is read costs
// what is recorded. Breakdowns and differences of schedules.
#include "engine/network/schedule_yaml.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <filesystem>
#include <fstream>

#include "engine/network/fused_breakdown.h"
#include "engine/network/group_plan.h"
#include "tests/support/fusion_toys.h"
#include "workloads/edge_ranks.h"
#include "workloads/workload_yaml.h"

namespace heliolite::schedule_yaml_test {
namespace {

using ::testing::ElementsAre;
using testing::FusionProblem;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

// Every size as a product of random factors at the levels, loops in random order, and random keeps.
Mapping random_nest(testing::Rng& rng, const Workload& link, const LinkSizes& sizes) {
  Mapping m;
  m.level_count = 3;
  LinkSizes left = sizes;
  const auto all = static_cast<TensorMask>((1U << link.tensors.size()) - 1);
  for (int i = 0; i < 3; ++i) {
    for (std::size_t d = 0; d < sizes.size(); ++d) {
      u64 factor = left[d];
      if (i < 2) do
          factor = testing::pick(rng, 1, left[d]);
        while (left[d] % factor != 0);
      left[d] /= factor;
      m.add(LoopKind::Temporal, i, static_cast<int>(d), factor);
    }
    m.keep[i] = i == 2 ? all : static_cast<TensorMask>(testing::pick(rng, 0, all));
  }
  return m;
}

// A legal schedule with a group, if a few trees have one.
std::optional<FusedSchedule> random_schedule(const FusionProblem& toy, u64 seed) {
  testing::RandomTrees trees(toy, seed);
  testing::Rng rng(seed);
  const int count = static_cast<int>(toy.graph.links.size());
  for (int tries = 0; tries < 50; ++tries) {
    const LinkGroup group = trees.next();
    const GroupPlan p = plan(group, toy.graph, toy.architecture);
    if (!p.is_legal()) continue;
    FusedSchedule out;
    for (int l = 0; l < group.first; ++l) out.groups.push_back({l, l, 0, {}});
    out.groups.push_back(group);
    for (int l = group.last + 1; l < count; ++l) out.groups.push_back({l, l, 0, {}});
    for (int l = 0; l < count; ++l) {
      const bool alone = l < group.first || l > group.last;
      const Workload& link = toy.graph.link(l);
      out.mappings.push_back(random_nest(rng, link, alone ? sizes_of(link) : p.passes[at(l - group.first)].size));
    }
    return out;
  }
  return std::nullopt;
}

Result<ScheduleFile> read(const std::string& text, const FusionProblem& toy) {
  const auto document = YamlNode::parse(text, "fused.yaml");
  if (!document) return document.errors();
  return read_schedule_file(*document, toy.graph, toy.architecture);
}

RC_GTEST_PROP(ScheduleFile, ReadsBackWhatIsWritten, (u64 seed)) {
  for (const FusionProblem& toy : testing::fusion_toys()) {
    const auto schedule = random_schedule(toy, seed);
    if (!schedule) continue;
    const auto file = read(write_schedule_file(*schedule, "a: b", toy.graph, toy.architecture), toy);
    RC_ASSERT(file.ok());
    RC_ASSERT(file->schedule.groups == schedule->groups);
    RC_ASSERT(file->schedule.mappings == schedule->mappings);
    RC_ASSERT(!file->rules.incremental_softmax);
  }
}

TEST(ScheduleFile, KeepsWhatIsWantedOfSoftmax) {
  const auto toy = testing::fusion_toys()[1];
  const std::string schedule = "kp ; qp ; Buf[(qk.m/2 av.m/2)[qk, av]]";
  const auto written = [&](const std::string& softmax) {
    return read("schedule: " + schedule + "\n" + softmax + "mappings: {}\n", toy);
  };
  EXPECT_THAT(to_string(written("").errors()), HasSubstr("fused.yaml:1: Buf[(qk.m/2 av.m/2)[qk, av]]: "));
  EXPECT_THAT(to_string(written("softmax: incremental\n").errors()), HasSubstr("no mapping of kp, qp, qk and av"));
  EXPECT_THAT(to_string(written("softmax: never\n").errors()), HasSubstr("softmax = never, must be"));
  FusedSchedule cut;
  cut.groups = testing::read_well(read_schedule(schedule, toy.graph, toy.architecture));
  for (const LinkGroup& group : cut.groups)
    for (const LinkPass& pass : plan(group, toy.graph, toy.architecture, {true}).passes) {
      testing::Rng rng(1);
      cut.mappings.push_back(random_nest(rng, toy.graph.link(static_cast<int>(cut.mappings.size())), pass.size));
    }
  const auto again = read(write_schedule_file(cut, "n", toy.graph, toy.architecture, {true}), toy);
  ASSERT_TRUE(again.ok()) << to_string(again.errors());
  EXPECT_TRUE(again->rules.incremental_softmax);
}

TEST(ScheduleFile, SaysWhatIsWrongAndWhere) {
  const auto toy = testing::two_products();
  const auto error = [&](const std::string& text) {
    const auto file = read(text, toy);
    return file.ok() ? "no error" : to_string(file.errors());
  };
  const std::string l1 = "  l1: [{level: Buf, temporal: [j: 2, i: 8, k: 8]}]\n";
  const std::string l2 = "  l2: [{level: Buf, temporal: [j: 2, i: 8, k: 8]}]\n";
  const std::string fused = "schedule: Buf[(l1.j/6 l2.j/6)[l1, l2]]\nmappings:\n";
  EXPECT_EQ(error(fused + l1 + l2), "no error");
  EXPECT_THAT(error("mappings:\n" + l1), HasSubstr("fused.yaml:1: missing key 'schedule'"));
  EXPECT_THAT(error("schedule: l1 ; l2\n"), HasSubstr("missing key 'mappings'"));
  EXPECT_THAT(error("shedule: l1\n" + fused + l1 + l2), HasSubstr("unknown key 'shedule', did you mean 'schedule'?"));
  EXPECT_THAT(error("schedule: l1 ; l3\nmappings: {}\n"),
              HasSubstr("fused.yaml:1: schedule, column 6: 'l3' is no link of the network"));
  EXPECT_THAT(error("network: n\nschedule: |\n  l1 ;\n  Buf[l2]\nmappings: {}\n"),
              HasSubstr("fused.yaml:4: schedule, column 1: a tree from l2 to l2"));
  EXPECT_THAT(error("schedule: Buf[(l1.k/2 l2.k/2)[l1, l2]]\nmappings: {}\n"),
              HasSubstr("fused.yaml:1: Buf[(l1.k/2 l2.k/2)[l1, l2]]: the loop (l1.k/2 l2.k/2) is not over one rank"));
  EXPECT_THAT(error(fused + l1), HasSubstr("fused.yaml:3: mappings: no mapping of l2"));
  EXPECT_THAT(error(fused + l1 + l2 + "  l9: []\n"),
              HasSubstr("fused.yaml:5: mappings.l9: unknown link 'l9'; known: l1 and l2"));
  EXPECT_THAT(error(fused + "  l1: [{level: Buf, temporal: [j: 12, i: 8, k: 8]}]\n" + l2),
              HasSubstr("fused.yaml:3: mappings.l1: the factors of dimension j multiply to 12, its size is 2 (Buf "
                        "temporal 12); l1 runs in 6 passes, each of i 8, j 2, k 8"));
  EXPECT_THAT(error(fused + "  l1: [{level: Bof}]\n" + l2), HasSubstr("unknown level 'Bof', did you mean 'Buf'?"));
  EXPECT_THAT(error("schedule: l1 ; l2\nmappings: [l1]\n"), HasSubstr("must have the mapping of each link"));
  EXPECT_THAT(error("schedule: [l1, l2]\nmappings: {}\n"), HasSubstr("schedule"));
}

// What the cost complains about stands at the line of the link's mapping.
TEST(ScheduleFile, PlacesComplaintsOfTheCost) {
  const auto toy = testing::two_products();
  const auto file = read(
      "schedule: Buf[(l1.j/6 l2.j/6)[l1, l2]]\nmappings:\n  l1: [{level: Buf, temporal: [j: 2, i: 8, k: 8]}]\n"
      "  l2: [{level: Reg, temporal: [j: 2, i: 8, k: 8]}]\n",
      toy);
  ASSERT_TRUE(file.ok()) << to_string(file.errors());
  const auto cost = schedule_breakdown(file->schedule, toy.graph, toy.architecture);
  ASSERT_FALSE(cost.ok());
  EXPECT_THAT(to_string(file->placed(cost.errors(), toy.graph)),
              HasSubstr("fused.yaml:4: l2: no room at Reg: 96 words of its tiles exceed 3"));
}

std::string lines(const nlohmann::json& list) {
  std::string out;
  for (const std::string line : list) out += line + "\n";
  return out;
}

// The network of a record with its ranks on its edges, as a file states them.
Network network_of(const nlohmann::json& record) {
  Network network = testing::read_well(parse_network(lines(record["network"]), "network.yaml"));
  for (std::size_t e = 0; e < network.edges.size(); ++e) {
    Edge& edge = network.edges[e];
    const int first = edge.from_input ? first_reader(network.edges, edge.from)->to : edge.from;
    const auto dimensions = [&](int layer, const nlohmann::json& names) {
      std::vector<int> out;
      for (const std::string name : names) out.push_back(network.layers[layer].workload.find_dimension(name).value());
      return out;
    };
    edge.ranks.stated = true;
    for (const auto& pair : record["ranks"][e])
      edge.ranks.pairs.push_back({dimensions(first, pair[0]), dimensions(edge.to, pair[1])});
  }
  return network;
}

// Those of several positions: loops divide no others.
std::vector<CommonRank> divisible(const ArrayTouch& touch, const Workload& link) {
  std::vector<CommonRank> out;
  for (const CommonRank& r : touch.ranks)
    if (std::ranges::any_of(r.own, [&](int d) { return link.dimensions[d].size > 1; })) out.push_back(r);
  return out;
}

void expect_same_graph(const LinkGraph& a, const LinkGraph& b) {
  ASSERT_EQ(a.arrays.size(), b.arrays.size());
  EXPECT_EQ(a.array_of, b.array_of);
  for (std::size_t k = 0; k < a.arrays.size(); ++k) {
    const SharedArray &x = a.arrays[k], &y = b.arrays[k];
    EXPECT_EQ(x.name, y.name);
    EXPECT_EQ(x.maker, y.maker);
    EXPECT_EQ(x.why_apart, y.why_apart);
    ASSERT_EQ(x.touches.size(), y.touches.size());
    for (std::size_t t = 0; t < x.touches.size(); ++t) {
      EXPECT_EQ(x.touches[t].link, y.touches[t].link);
      const Workload& link = a.link(x.touches[t].link);
      const std::vector<CommonRank> of_a = divisible(x.touches[t], link), of_b = divisible(y.touches[t], link);
      ASSERT_EQ(of_a.size(), of_b.size()) << x.name;
      for (std::size_t r = 0; r < of_a.size(); ++r) {
        const CommonRank &p = of_a[r], &q = of_b[r];
        EXPECT_EQ(std::tie(p.array, p.own, p.slides, p.stride, p.window, p.border, p.divides),
                  std::tie(q.array, q.own, q.slides, q.stride, q.window, q.border, q.divides));
      }
    }
  }
}

// Records through the network's file, the schedule's file and the breakdown.
TEST(ScheduleFile, CostsWhatIsRecorded) {
  int schedules = 0;
  for (const auto& entry : std::filesystem::directory_iterator(HELIOLITE_TEST_DATA "/network/records")) {
    SCOPED_TRACE(entry.path().string());
    std::ifstream in(entry.path());
    const auto record = nlohmann::json::parse(in);
    FusionProblem problem =
        testing::fusion_problem(lines(record["machine"]), lines(record["network"]), record["ranks"]);
    problem.architecture.timeloop_cycles = true;  // as they were recorded
    const Network network = testing::read_well(parse_network(write_network(network_of(record)), "network.yaml"));
    const LinkGraph graph = testing::read_well(graph_of_network(network));
    expect_same_graph(graph, problem.graph);
    for (const auto& witness : record["schedules"]) {
      const FusedSchedule schedule = testing::fused_schedule(problem, witness["schedule"], witness["nests"]);
      const std::string text = write_schedule_file(schedule, network.name, graph, problem.architecture);
      const auto file = read(text, {problem.architecture, graph});
      ASSERT_TRUE(file.ok()) << to_string(file.errors()) << text;
      const auto cost = schedule_breakdown(file->schedule, graph, problem.architecture);
      ASSERT_TRUE(cost.ok()) << to_string(cost.errors());
      EXPECT_DOUBLE_EQ(cost->total.energy.picojoules(), witness["energy_pj"].get<double>());
      EXPECT_EQ(cost->total.cycles, witness["cycles"].get<u64>());
      ++schedules;
    }
  }
  EXPECT_GE(schedules, 12);
}

// Parts add up to the cost, by links, groups and totals.
RC_GTEST_PROP(ScheduleBreakdown, AddsUpToTheCost, (u64 seed)) {
  for (FusionProblem& toy : testing::fusion_toys()) {
    for (StorageLevel& level : toy.architecture.levels) level.entries.reset();
    for (StorageLevel& level : toy.architecture.levels) level.leak_pj_per_cycle = 0.25;
    auto schedule = random_schedule(toy, seed);
    if (!schedule) continue;
    for (Mapping& m : schedule->mappings)
      for (int i = 0; i < 3; ++i) m.keep[i] = m.keep[2];
    const auto cost = schedule_cost(*schedule, toy.graph, toy.architecture);
    const auto parts = schedule_breakdown(*schedule, toy.graph, toy.architecture);
    RC_ASSERT(cost.ok());
    RC_ASSERT(parts.ok());
    RC_ASSERT(parts->total == cost->total);
    Cost sum, groups;
    for (std::size_t l = 0; l < parts->links.size(); ++l) {
      const Breakdown& b = parts->links[l].breakdown;
      RC_ASSERT((Cost{b.energy, b.cycles}) == cost->links[l].cost);
      sum.energy += b.energy;
      sum.cycles += b.cycles;
    }
    for (const Cost& term : parts->term_costs) {
      sum.energy += term.energy;
      sum.cycles += term.cycles;
    }
    for (const Cost& group : parts->groups) {
      groups.energy += group.energy;
      groups.cycles += group.cycles;
    }
    RC_ASSERT(sum == parts->total);
    RC_ASSERT(groups == parts->total);
    // What stays does not go through the outermost level.
    for (const EdgeBreakdown& edge : parts->edges) {
      if (edge.stays) RC_ASSERT(edge.read == 0);
      else RC_ASSERT(edge.read >= edge.words || edge.home >= 0 || edge.is_input);
    }
  }
}

TEST(ScheduleDifference, NamesLoopsHomesAndMappings) {
  const auto toy = testing::two_products();
  const auto file = [&](const std::string& schedule, const std::string& sizes) {
    return testing::read_well(read("schedule: " + schedule + "\nmappings:\n  l1: [{level: Buf, temporal: [" + sizes +
                                       "]}]\n  l2: [{level: Buf, temporal: [" + sizes + "]}]\n",
                                   toy));
  };
  const auto six = file("Buf[(l1.j/6 l2.j/6)[+l1.w, l1, l2]]", "j: 2, i: 8, k: 8");
  const auto two = file("Buf[+l1.w, (l1.j/2 l2.j/2)[l1, l2]]", "j: 6, i: 8, k: 8");
  const auto none = file("l1 ; l2", "j: 12, i: 8, k: 8");
  const auto texts = [&](const ScheduleFile& a, const ScheduleFile& b) {
    std::vector<std::string> out;
    for (const FieldDifference& d : differences(a, b, toy.graph, toy.architecture))
      out.push_back(d.field + ": " + d.a + " | " + d.b);
    return out;
  };
  EXPECT_THAT(texts(six, six), IsEmpty());
  EXPECT_THAT(texts(six, two),
              ElementsAre("l1.loops: (l1.j/6 l2.j/6) | (l1.j/2 l2.j/2)", "l2.loops: (l1.j/6 l2.j/6) | (l1.j/2 l2.j/2)",
                          "l1.w.held: l1 .. l2: (l1.j/6 l2.j/6) | l1 .. l2: all the time",
                          "l1.passes: 6 x i8 j2 k8 | 2 x i8 j6 k8", "l1.Buf.temporal: j=2 i=8 k=8 | j=6 i=8 k=8",
                          "l2.passes: 6 x i8 j2 k8 | 2 x i8 j6 k8", "l2.Buf.temporal: j=2 i=8 k=8 | j=6 i=8 k=8"));
  EXPECT_THAT(texts(six, none)[0], "l1.group: l1 .. l2 at Buf | -");
}

}  // namespace
}  // namespace heliolite::schedule_yaml_test
