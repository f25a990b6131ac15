#include "engine/model/mapping_yaml.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck.h>
#include <rapidcheck/gtest.h>

#include <string>
#include <vector>

#include "engine/base/yaml_node.h"
#include "engine/formats/load_mapping.h"
#include "engine/formats/timeloop/mapping.h"

namespace heliolite::mapping_yaml_test {
namespace {

using ::testing::HasSubstr;

// Z[M,N] = sum_K A[M,K] B[K,N].
Workload gemm(u64 m, u64 n, u64 k) {
  Workload w;
  w.name = "gemm";
  w.dimensions = {{"M", m}, {"N", n}, {"K", k}};
  const auto rank = [](int d) { return Rank{{Term{d, 1}}}; };
  w.tensors = {{"A", {rank(0), rank(2)}, Role::Input},
               {"B", {rank(2), rank(1)}, Role::Weight},
               {"Z", {rank(0), rank(1)}, Role::Output}};
  return w;
}

// DRAM - Buf - 4 x 2 { Reg } - MAC
Architecture machine() {
  Architecture a;
  a.name = "small";
  a.levels.resize(3);
  a.levels[0].name = "Reg";
  a.levels[0].keep.bypass = {"weights"};
  a.levels[1].name = "Buf";
  a.levels[1].fanout_x = 4;
  a.levels[1].fanout_y = 2;
  a.levels[2].name = "DRAM";
  return a;
}

Result<Mapping> read(const std::string& text, const Workload& w = gemm(8, 4, 16), const Architecture& a = machine()) {
  const Result<YamlNode> node = YamlNode::parse(text, "m.yaml");
  if (!node) return node.errors();
  return read_mapping(*node->find("mapping"), w, a);
}

// The complaints about a mapping of gemm(8, 4, 16), one a line.
std::string errors(const std::string& text) {
  const Result<Mapping> mapping = read(text);
  return mapping ? "accepted" : to_string(mapping.errors());
}

constexpr const char* kGood = R"(mapping:
  - level: DRAM
    keep: [A, B, Z]
    temporal: [K: 4, M: 2]
  - level: Buf
    keep: [A, Z]
    temporal: [N: 2]
    spatial: {x: [M: 4], y: [N: 2]}
  - level: Reg
    keep: all
    temporal: [K: 4]
)";

TEST(MappingYaml, ReadsTheNestOutermostFirst) {
  const Result<Mapping> mapping = read(kGood);
  ASSERT_TRUE(mapping.ok()) << to_string(mapping.errors());
  Mapping expected;
  expected.level_count = 3;
  expected.keep = {0b111, 0b101, 0b111};
  expected.add(LoopKind::Temporal, 0, 2, 4);
  expected.add(LoopKind::SpatialX, 1, 0, 4);
  expected.add(LoopKind::SpatialY, 1, 1, 2);
  expected.add(LoopKind::Temporal, 1, 1, 2);
  expected.add(LoopKind::Temporal, 2, 0, 2);  // M is the inner one of DRAM's loops
  expected.add(LoopKind::Temporal, 2, 2, 4);
  EXPECT_TRUE(*mapping == expected);
}

TEST(MappingYaml, JsonAndMapsAreTheSameMapping) {
  const char* json = R"({"mapping": [
    {"level": "DRAM", "keep": ["A","B","Z"], "temporal": [{"K": 4}, {"M": 2}]},
    {"level": "Buf", "keep": ["A","Z"], "temporal": [{"N": 2}], "spatial": {"x": [{"M": 4}], "y": [{"N": 2}]}},
    {"level": "Reg", "keep": ["A","B","Z"], "temporal": [{"K": 4}]}]})";
  const char* maps = R"(mapping:
  - {level: DRAM, temporal: {K: 4, M: 2}}
  - {level: Buf, keep: [A, Z], temporal: {N: 2}, spatial: {x: {M: 4}, y: {N: 2}}}
  - {level: Reg, keep: all, temporal: {K: 4}}
)";
  EXPECT_TRUE(*read(json) == *read(kGood));
  EXPECT_TRUE(*read(maps) == *read(kGood));
}

TEST(MappingYaml, LevelsNotListedKeepWhatTheMachineLetsThem) {
  const Result<Mapping> mapping = read("mapping: [{level: DRAM, temporal: [M: 8, N: 4, K: 16]}]");
  ASSERT_TRUE(mapping.ok()) << to_string(mapping.errors());
  EXPECT_EQ(mapping->keep[0], 0b101);  // weights bypass Reg
  EXPECT_EQ(mapping->keep[1], 0b111);
  EXPECT_EQ(mapping->keep[2], 0b111);
}

TEST(MappingYaml, ReadsResidualFactors) {
  const Result<Mapping> mapping =
      read("mapping: [{level: DRAM, temporal: [M: 3, N: 4, K: 16]}, {level: Reg, temporal: [M: [3, 2]]}]");
  ASSERT_TRUE(mapping.ok()) << to_string(mapping.errors());
  EXPECT_EQ(mapping->loop[0].end, 3u);
  EXPECT_EQ(mapping->loop[0].residual, 2u);  // 3 * (3 - 1) + 2 = 8
}

TEST(MappingYaml, FactorsThatDoNotMultiplyNameThemselves) {
  EXPECT_EQ(
      errors("mapping:\n- {level: DRAM, temporal: [K: 4, M: 8]}\n- {level: Buf, spatial: {x: [K: 2], y: [N: 2]}}"),
      "m.yaml:2: mapping: the factors of dimension N multiply to 2, its size is 4 (Buf y 2); a factor of 2 is "
      "missing\n"
      "m.yaml:2: mapping: the factors of dimension K multiply to 8, its size is 16 (DRAM temporal 4 * Buf x 2); "
      "a factor of 2 is missing");
  EXPECT_THAT(errors("mapping: [{level: DRAM, temporal: [K: 16, M: 8]}]"), HasSubstr("dimension N has no factors"));
  EXPECT_THAT(errors("mapping: [{level: DRAM, temporal: [K: 16, M: 9, N: 4]}]"),
              HasSubstr("dimension M multiply to 9, its size is 8"));
  EXPECT_THAT(errors("mapping: [{level: DRAM, temporal: [K: 16, M: [3, 2], N: 4]}]"),
              HasSubstr("dimension M count to 2, its size is 8 (DRAM temporal [3, 2])"));
}

TEST(MappingYaml, UnknownNamesAreSuggested) {
  EXPECT_THAT(errors("mapping: [{level: DRMA}]"),
              HasSubstr("unknown level 'DRMA', did you mean 'DRAM'?; known: Reg, Buf and DRAM"));
  EXPECT_THAT(errors("mapping: [{level: Buf, keep: [A, C]}]"), HasSubstr("unknown tensor 'C'"));
  EXPECT_THAT(errors("mapping: [{level: Buf, temporal: [Q: 2]}]"), HasSubstr("unknown dimension 'Q'"));
  EXPECT_THAT(errors("mapping: [{level: Buf, temporl: [N: 2]}]"), HasSubstr("temporl"));
}

TEST(MappingYaml, OrderMistakesAreNamed) {
  EXPECT_THAT(errors("mapping: [{level: Reg}, {level: DRAM}]"), HasSubstr("outermost first: DRAM comes before Reg"));
  EXPECT_THAT(errors("mapping: [{level: Buf}, {level: Buf}]"), HasSubstr("level Buf is listed twice"));
  EXPECT_THAT(errors("mapping: [{level: Buf, temporal: [N: 2, K: 2, N: 2]}]"),
              HasSubstr("N has two loops at Buf temporal"));
}

TEST(MappingYaml, TooWideUnrollingNamesTheMesh) {
  EXPECT_THAT(errors("mapping: [{level: Buf, spatial: {x: [M: 4, N: 2]}}]"),
              HasSubstr("spatial factors M 4 * N 2 need 8 units, but Buf x has 4"));
  EXPECT_THAT(errors("mapping: [{level: DRAM, spatial: {y: [M: 2]}}]"), HasSubstr("DRAM y has 1"));
}

TEST(MappingYaml, WrongShapesAreNamed) {
  EXPECT_THAT(errors("mapping: 3"), HasSubstr("must be a list of levels"));
  EXPECT_THAT(errors("mapping: [3]"), HasSubstr("m.yaml:1"));
  EXPECT_THAT(errors("mapping: [{level: Buf, temporal: 4}]"), HasSubstr("must be a list of loops"));
  EXPECT_THAT(errors("mapping: [{level: Buf, temporal: [4]}]"), HasSubstr("must be a dimension and its factor"));
  for (const char* factor : {"0", "-2", "x", "1.5", "99999999999", "[2, 3, 4]", "{}"}) {
    EXPECT_THAT(errors(std::string("mapping: [{level: Buf, temporal: [M: ") + factor + "]}]"), HasSubstr("must be"))
        << factor;
  }
  EXPECT_THAT(errors("mapping: [{level: DRAM, keep: [A], temporal: [M: 8, N: 4, K: 16]}]"),
              HasSubstr("DRAM is the outermost level, it keeps every tensor"));
  EXPECT_THAT(errors("mapping: [{level: Buf, temporal: [M: [2, 3]]}]"), HasSubstr("3 is larger than the factor 2"));
  const auto lonely = read("mapping: [{level: DRAM, temporal: [N: 4, K: 16]}, {level: Buf, spatial: {x: [M: [4, 3]]}}]",
                           gemm(3, 4, 16));
  ASSERT_FALSE(lonely.ok());
  EXPECT_THAT(to_string(lonely.errors()),
              HasSubstr("Buf x [4, 3] of dimension M has a shorter last tile, which needs"));
}

// Each of the forms a file may have holds the same mapping, written in it.
TEST(MappingFile, TellsItsFormByContent) {
  const Workload w = gemm(8, 4, 16);
  Architecture a = machine();
  for (StorageLevel& level : a.levels) level.entries = 1024;
  a.levels[2].entries.reset();
  const Mapping mapping = *read(kGood, w, a);
  const std::string list = R"([{"level": "DRAM", "temporal": [{"K": 4}, {"M": 2}]},
    {"level": "Buf", "keep": ["A","Z"], "temporal": [{"N": 2}], "spatial": {"x": [{"M": 4}], "y": [{"N": 2}]}},
    {"level": "Reg", "keep": "all", "temporal": [{"K": 4}]}])";
  const std::string other = R"({"name": "other", "mapping": [{"level": "DRAM"}]})";
  for (const std::string& text : {
           write_mapping(mapping, w, a),
           *write_timeloop_mapping(mapping, w, a),
           list,
           R"({"command": "eval", "energy_pj": 3, "mapping": )" + list + "}",
           R"({"layers": [{"name": "resnet/gemm", "mapping": )" + list + "}]}",
           R"({"layers": [)" + other + R"(, {"name": "gemm", "mapping": )" + list + "}]}",
       }) {
    const Result<Mapping> again = parse_mapping(text, "m", w, a);
    ASSERT_TRUE(again) << to_string(again.errors()) << "\n" << text;
    EXPECT_EQ(*again, mapping) << text;
  }
}

TEST(MappingFile, SaysWhatItCannotTakeAndWhy) {
  const Workload w = gemm(8, 4, 16);
  Architecture a = machine();
  a.levels[0].entries = 2;  // too little for the 4 words of A and 1 of Z
  const auto complaint = [&](const std::string& text) {
    const Result<Mapping> mapping = parse_mapping(text, "m.yaml", w, a);
    return mapping ? "accepted" : to_string(mapping.errors());
  };
  EXPECT_THAT(complaint(kGood), AllOf(HasSubstr("m.yaml:2: "), HasSubstr("Reg"), HasSubstr("2")));
  EXPECT_THAT(complaint("3"), HasSubstr("must have the key 'mapping'"));
  EXPECT_THAT(complaint("{layers: []}"), HasSubstr("must be a list of layers"));
  EXPECT_THAT(complaint("{layers: [{name: gem, mapping: []}, {name: x, mapping: []}]}"),
              HasSubstr("no layer 'gemm', did you mean 'gem'?; layers: gem and x"));
  EXPECT_THAT(complaint("{layers: [{name: gemm, status: infeasible}]}"), HasSubstr("layer 'gemm' has no mapping"));
  EXPECT_THAT(complaint("{mapping: [], mping: 3}"), HasSubstr("mping"));
  EXPECT_THAT(to_string(load_mapping("no/such/file.yaml", w, a).errors()), HasSubstr("no/such/file.yaml"));
}

// Splits the size over all slots of the machine, at random.
struct Slots {
  std::vector<u64> temporal{1, 1, 1}, x{1, 1, 1}, y{1, 1, 1};
};

Slots random_split(u64 twos, u64& x_room, u64& y_room) {
  Slots s;
  for (u64 i = 0; i < twos; ++i) {
    const int slot = *rc::gen::inRange(0, 5);
    if (slot < 3) {
      s.temporal[slot] *= 2;
    } else if (slot == 3 && x_room > 1) {
      s.x[1] *= 2, x_room /= 2;
    } else if (slot == 4 && y_room > 1) {
      s.y[1] *= 2, y_room /= 2;
    } else {
      s.temporal[2] *= 2;
    }
  }
  return s;
}

RC_GTEST_PROP(MappingYaml, WhatIsWrittenIsReadBack, ()) {
  const Workload w = gemm(8, 4, 16);
  const Architecture a = machine();
  u64 x_room = 4, y_room = 2;
  std::vector<Slots> split;
  for (const u64 twos : {3, 2, 4}) split.push_back(random_split(twos, x_room, y_room));
  const auto order = *rc::gen::element(std::vector<int>{0, 1, 2}, std::vector<int>{2, 0, 1}, std::vector<int>{1, 2, 0});
  Mapping mapping;
  mapping.level_count = 3;
  for (int i = 0; i < 3; ++i) {
    mapping.keep[i] = i == 2 ? TensorMask{7} : static_cast<TensorMask>(*rc::gen::inRange(0, 8));
    for (const int d : order) mapping.add(LoopKind::SpatialX, i, d, split[d].x[i]);
    for (const int d : order) mapping.add(LoopKind::SpatialY, i, d, split[d].y[i]);
    for (const int d : order) mapping.add(LoopKind::Temporal, i, d, split[d].temporal[i]);
  }
  const Result<YamlNode> node = YamlNode::parse(write_mapping(mapping, w, a), "written");
  RC_ASSERT(node.ok());
  const Result<Mapping> again = read_mapping(*node->find("mapping"), w, a);
  RC_ASSERT(again.ok());
  RC_ASSERT(*again == mapping);
}

TEST(MappingYaml, NamesThatYamlWouldMisreadAreQuoted) {
  Workload w = gemm(8, 4, 16);
  w.dimensions[0].name = "a: b";
  w.tensors[0].name = "x, \"y\"";
  Mapping mapping;
  mapping.level_count = 3;
  mapping.keep = {7, 7, 7};
  for (int d = 0; d < 3; ++d)
    mapping.add(LoopKind::Temporal, 2, d, w.dimensions[d].size, d == 2 ? 16 : w.dimensions[d].size);
  const Result<YamlNode> node = YamlNode::parse(write_mapping(mapping, w, machine()), "written");
  ASSERT_TRUE(node.ok()) << to_string(node.errors());
  const Result<Mapping> again = read_mapping(*node->find("mapping"), w, machine());
  ASSERT_TRUE(again.ok()) << to_string(again.errors());
  EXPECT_TRUE(*again == mapping);
}

// Each access of a tensor that is read twice has a name of its own.
TEST(MappingYaml, TellsAccessesOfOneTensorApart) {
  Workload w = gemm(8, 4, 16);
  w.tensors[1].name = "A#2";
  w.tensors[1].access_of = 0;
  Mapping m = *read(R"(mapping:
  - {level: DRAM, keep: [A, "A#2", Z], temporal: [K: 16, M: 8, N: 4]}
  - {level: Buf, keep: ["A#2"]}
  - {level: Reg, keep: [A]}
)",
                    w);
  EXPECT_EQ(m.keep[1], 0b010);
  const std::string text = write_mapping(m, w, machine());
  const Result<Mapping> again = read(text, w);
  ASSERT_TRUE(again) << to_string(again.errors());
  EXPECT_EQ(again->keep, m.keep);
}

}  // namespace
}  // namespace heliolite::mapping_yaml_test
