#include "engine/space/mapspace.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck.h>
#include <rapidcheck/gtest.h>

#include <algorithm>

#include "tests/support/space_workloads.h"

namespace heliolite::mapspace_test {
namespace {

using namespace heliolite::testing;  // NOLINT(google-build-using-namespace)
using ::testing::HasSubstr;
using ::testing::IsEmpty;

StorageLevel level(std::string name, u64 fanout_x = 1, u64 fanout_y = 1) {
  StorageLevel l;
  l.name = std::move(name);
  l.fanout_x = fanout_x;
  l.fanout_y = fanout_y;
  return l;
}

// Reg - 8x4 - Buf - DRAM.
Architecture machine() {
  Architecture a;
  a.name = "machine";
  a.levels = {level("Reg"), level("Buf", 8, 4), level("DRAM")};
  return a;
}

Mapspace resolved(const Workload& w, const Architecture& a, MapspaceOptions options = {}) {
  auto result = resolve(w, a, options);
  EXPECT_TRUE(result.ok()) << (result.ok() ? "" : to_string(result.errors()));
  return result.ok() ? *result : Mapspace{};
}

std::string errors(const Workload& w, const Architecture& a) {
  const auto result = resolve(w, a);
  return result.ok() ? "" : to_string(result.errors());
}

Mapping whole_in_dram(const Workload& w) {
  Mapping m;
  m.level_count = 3;
  m.keep.fill(0b111);
  for (std::size_t d = 0; d < w.dimensions.size(); ++d)
    m.add(LoopKind::Temporal, 2, static_cast<int>(d), w.dimensions[d].size);
  return m;
}

TEST(Mapspace, OpenMachine) {
  const Mapspace s = resolved(conv(1, 64, 32, 14, 14, 3, 1), machine());
  EXPECT_EQ(s.non_unit, 0b0111110);
  EXPECT_EQ(s.levels[0].temporal.allowed, s.non_unit);
  EXPECT_EQ(s.levels[0].temporal.factor[1].max, 64u);
  EXPECT_EQ(s.levels[0].spatial.allowed_x, 0);  // no fan-out
  EXPECT_EQ(s.levels[1].spatial.allowed_x, s.non_unit);
  EXPECT_EQ(s.levels[1].spatial.factor[1].max, 32u);
  EXPECT_EQ(s.levels[1].open, 0b111);
  EXPECT_EQ(s.levels[2].keep, 0b111);
}

TEST(Mapspace, KeepRules) {
  Architecture a = machine();
  a.levels[0].keep.keep = {"outputs"};
  a.levels[0].keep.bypass = {"all"};
  a.levels[1].keep.bypass = {"weight"};
  a.levels[2].keep.bypass = {"all"};  // the outermost holds everything
  const Mapspace s = resolved(gemm(8, 8, 8), a);
  EXPECT_EQ(s.levels[0].keep, 0b001);
  EXPECT_EQ(s.levels[0].bypass, 0b110);
  EXPECT_EQ(s.levels[1].bypass, 0b100);
  EXPECT_EQ(s.levels[1].open, 0b011);
  EXPECT_EQ(s.levels[2].keep, 0b111);
}

TEST(Mapspace, OpenLiftsKeepRules) {
  Architecture a = machine();
  a.levels[0].keep = {{"outputs"}, {"all"}};
  a.levels[1].keep = {{"Z"}, {}};
  EXPECT_EQ(resolved(gemm(8, 8, 8), a).levels[0].keep, 0b001);
  EXPECT_EQ(resolved(gemm(8, 8, 8), a, {.open = true}).levels[0].open, 0b111);
  EXPECT_EQ(resolved(gemm(8, 8, 8), a, {.open = true}).levels[1].open, 0b111);
  EXPECT_EQ(resolved(gemm(8, 8, 8), a, {.open = true}).levels[2].keep, 0b111);
  a.levels[1].keep = {{}, {"all"}};  // holds nothing: the place of a fan-out
  EXPECT_EQ(resolved(gemm(8, 8, 8), a, {.open = true}).levels[1].bypass, 0b111);
  a.levels[1].keep = {{"inputs", "weights"}, {"all"}};  // two buffers side by side
  a.levels[1].loops_allowed = false;
  a.levels[1].fanout_x = a.levels[1].fanout_y = 1;
  const Mapspace split = resolved(gemm(8, 8, 8), a, {.open = true});
  EXPECT_EQ(split.levels[0].keep, 0b001);
  EXPECT_EQ(split.levels[1].keep, 0b110);
}

TEST(Mapspace, ClassesAndNames) {
  Architecture a = machine();
  a.levels[1].constraints.spatial.allowed_x = {{"input_channel"}};
  a.levels[1].constraints.spatial.allowed_y = {{"output_channel", "R"}};
  a.levels[1].constraints.spatial.factors = {{"kernel", Relation::AtMost, 2}};
  const Mapspace s = resolved(conv(1, 64, 32, 14, 14, 4, 4), a);
  EXPECT_EQ(s.levels[1].spatial.allowed_x, 0b0000100);
  EXPECT_EQ(s.levels[1].spatial.allowed_y, 0b0100010);
  EXPECT_EQ(s.levels[1].spatial.factor[5].max, 2u);
  EXPECT_EQ(s.levels[1].spatial.factor[1].max, 4u);  // Y only
  EXPECT_EQ(s.levels[1].spatial.factor[3].max, 1u);
  const Mapspace lifted = resolved(conv(1, 64, 32, 14, 14, 4, 4), a, {.free = true});
  EXPECT_EQ(lifted.levels[1].spatial.allowed_x, lifted.non_unit);
}

TEST(Mapspace, SplitDividesTheAxes) {
  // Dimensions N K C P Q R S; Buf has 8 x 4 places.
  Architecture a = machine();
  SpatialConstraints& spatial = a.levels[1].constraints.spatial;
  const Workload w = conv(1, 64, 32, 14, 14, 3, 3);
  spatial.order = {"C", "K"};
  spatial.split = 1;
  EXPECT_EQ(resolved(w, a).levels[1].spatial.allowed_x, 0b0000100);
  EXPECT_EQ(resolved(w, a).levels[1].spatial.allowed_y, 0b1111010);  // what is not named stands outside
  a.unit_loops_first = true;                                         // N has size 1: it takes X
  EXPECT_EQ(resolved(w, a).levels[1].spatial.allowed_x, 0);
  EXPECT_EQ(resolved(w, a).levels[1].spatial.allowed_y, 0b1111110);
  spatial.split = 2;
  EXPECT_EQ(resolved(w, a).levels[1].spatial.allowed_x, 0b0000100);
  spatial.factors = {{"R", Relation::Equal, 1}, {"S", Relation::AtMost, 1}};
  spatial.split = 4;  // N S R C | K
  EXPECT_EQ(resolved(w, a).levels[1].spatial.allowed_x, 0b0000100);
  EXPECT_EQ(resolved(w, a).levels[1].spatial.allowed_y, 0b0011010);
  a.unit_loops_first = false;
  EXPECT_THAT(errors(w, a),
              HasSubstr("level 'Buf', spatial constraint: split = 4, but the permutation names 2 of the 7 "
                        "dimensions: which of the others (P, Q, R and S) go to X is open; name them"));
  spatial.split = 7;
  EXPECT_EQ(resolved(w, a).levels[1].spatial.allowed_x, 0b0011110);
  EXPECT_EQ(resolved(w, a).levels[1].spatial.allowed_y, 0);
}

// Timeloop's front end inserts each unit dimension at the head of the permutation; then the first `split` go to X.
RC_GTEST_PROP(Mapspace, SplitIsWhatTheFrontEndMakesOfIt, ()) {
  const auto size = [] { return *rc::gen::element<u64>(1, 1, 2, 6); };
  const Workload w = conv(size(), size(), size(), size(), size(), size(), size());
  Architecture a = machine();
  a.unit_loops_first = *rc::gen::arbitrary<bool>();
  SpatialConstraints& spatial = a.levels[1].constraints.spatial;
  std::vector<std::string> names;
  for (const Dimension& d : w.dimensions) names.push_back(d.name);
  for (std::size_t i = 0; i < names.size(); ++i)
    std::swap(names[i], names[*rc::gen::inRange<std::size_t>(i, names.size())]);
  spatial.order.assign(names.begin(), names.begin() + *rc::gen::inRange(0, 8));
  for (const Dimension& d : w.dimensions)
    if (*rc::gen::inRange(0, 3) == 0)
      spatial.factors.push_back({d.name, Relation::AtMost, *rc::gen::element<u64>(1, 2)});
  spatial.split = *rc::gen::inRange<u64>(0, 9);

  std::vector<std::string> list = spatial.order;
  const auto insert = [&](const std::string& name) {
    if (std::ranges::find(list, name) == list.end()) list.insert(list.begin(), name);
  };
  for (const FactorConstraint& f : spatial.factors)
    if (a.unit_loops_first && f.value == 1) insert(f.dimension);
  for (const Dimension& d : w.dimensions)
    if (a.unit_loops_first && d.size == 1) insert(d.name);
  const auto missing = [&](const Dimension& d) { return d.size > 1 && std::ranges::find(list, d.name) == list.end(); };
  const bool open = *spatial.split > list.size() && *spatial.split < 7 && std::ranges::any_of(w.dimensions, missing);
  const Result<Mapspace> space = resolve(w, a);
  RC_ASSERT(space.ok() == !open);
  if (open) return;
  const SpatialSpace& fanout = space->levels[1].spatial;
  for (std::size_t d = 0; d < 7; ++d) {
    const u64 place = static_cast<u64>(std::ranges::find(list, w.dimensions[d].name) - list.begin());
    const bool may = w.dimensions[d].size > 1 && fanout.factor[d].max > 1;
    RC_ASSERT((fanout.allowed_x >> d & 1) == (may && place < *spatial.split));
    RC_ASSERT((fanout.allowed_y >> d & 1) == (may && place >= *spatial.split));
  }
}

TEST(Mapspace, ConstraintsForChannelsOnly) {
  Architecture a = machine();
  a.levels[1].constraints.spatial.allowed_x = {{"input_channel"}};
  EXPECT_THAT(errors(mttkrp(), a), HasSubstr("neither a convolution nor"));
  EXPECT_THAT(errors(mttkrp(), a), HasSubstr("'constraints_for: channels'"));
  a.levels[1].constraints.spatial.allowed_y = {{"input_channel"}};  // `allowed` of a file is both
  const std::string once = errors(mttkrp(), a);
  EXPECT_EQ(once.find("neither"), once.rfind("neither")) << once;
  a.constraints_for_channels_only = true;
  EXPECT_EQ(resolved(mttkrp(), a).levels[1].spatial.allowed_x, 0b1111);
  EXPECT_EQ(resolved(gemm(8, 8, 8), a).levels[1].spatial.allowed_x, 0b100);
}

TEST(Mapspace, WholeDimensionLeavesNoLoopElsewhere) {
  Architecture a = machine();
  a.levels[0].constraints.temporal.factors = {{"R", Relation::Equal, 0}, {"C", Relation::AtLeast, 4}};
  const Mapspace s = resolved(conv(1, 64, 32, 14, 14, 3, 3), a);
  EXPECT_EQ(s.levels[0].temporal.factor[5].min, 3u);
  EXPECT_EQ(s.levels[2].temporal.factor[5].max, 1u);
  EXPECT_EQ(s.levels[2].temporal.allowed, 0b1011110);
  EXPECT_EQ(s.levels[2].temporal.factor[2].max, 8u);
  EXPECT_EQ(s.levels[1].spatial.allowed_x, 0b1011110);
}

TEST(Mapspace, LevelsWithoutLoops) {
  Architecture a = machine();
  a.levels[0].loops_allowed = false;
  a.levels[2].constraints.temporal.allowed = {{"K"}};
  const Mapspace s = resolved(gemm(64, 8, 64), a);
  EXPECT_EQ(s.levels[0].temporal.allowed, 0);
  EXPECT_EQ(s.levels[1].temporal.factor[0].min, 2u);  // 64 = 32 PEs * 2
  a.levels[0].constraints.temporal.factors = {{"M", Relation::Equal, 2}};
  EXPECT_THAT(errors(gemm(64, 8, 64), a), HasSubstr("takes no temporal loops"));
}

TEST(Mapspace, EveryComplaintInOneGo) {
  Architecture a = machine();
  a.levels[0].constraints.temporal.factors = {{"k", Relation::Equal, 4}};
  a.levels[0].constraints.temporal.order = {"M", "M"};
  a.levels[0].keep.keep = {"wieghts"};
  a.levels[1].constraints.spatial.allowed_x = {{"input_chanel"}};
  a.levels[1].constraints.spatial.factors = {{"M", Relation::AtLeast, 64}, {"N", Relation::AtMost, 0}};
  a.levels[2].constraints.temporal.factors = {{"M", Relation::AtLeast, 8}, {"M", Relation::AtMost, 4}};
  const std::string text = errors(gemm(64, 64, 64), a);
  EXPECT_THAT(text,
              HasSubstr("level 'Reg', temporal constraint: 'k' is not a dimension of workload 'gemm' (it has M, N "
                        "and K)"));
  EXPECT_THAT(text, HasSubstr("did you mean 'K'?"));
  EXPECT_THAT(text, HasSubstr("dimension 'M' is ordered twice"));
  EXPECT_THAT(text, HasSubstr("level 'Reg', keep: 'wieghts' is not a tensor of workload 'gemm'"));
  EXPECT_THAT(text, HasSubstr("did you mean 'weights'?"));
  EXPECT_THAT(text, HasSubstr("did you mean 'input_channel'?"));
  EXPECT_THAT(text, HasSubstr("M >= 64, but the fan-out of 8x4"));
  EXPECT_THAT(text, HasSubstr("N <= 0 is not a factor"));
  EXPECT_THAT(text, HasSubstr("M <= 4 contradicts another constraint on M"));
}

TEST(Mapspace, NoWayToSplitADimension) {
  Architecture a = machine();
  for (int l = 0; l < 3; ++l) a.levels[l].constraints.temporal.factors = {{"M", Relation::AtMost, 1}};
  EXPECT_THAT(errors(gemm(64, 8, 8), a), HasSubstr("no way to split dimension 'M'"));
  // 64 = 3 * .. has no perfect factors, which only perfect_factor_conflicts() minds.
  Architecture b = machine();
  b.levels[0].constraints.temporal.factors = {{"M", Relation::Equal, 3}};
  const Diagnostics conflicts = perfect_factor_conflicts(resolved(gemm(64, 8, 8), b));
  ASSERT_EQ(conflicts.size(), 1u);
  EXPECT_THAT(conflicts[0].to_string(), HasSubstr("Reg temporal 3 to 3"));
  EXPECT_THAT(perfect_factor_conflicts(resolved(gemm(64, 8, 8), machine())), IsEmpty());
}

TEST(Mapspace, ViolationsOfFactorsAndAxes) {
  const Workload w = gemm(64, 8, 8);
  Architecture a = machine();
  a.one_axis_per_dimension = true;
  a.levels[1].constraints.spatial.allowed_x = {{"M"}};
  a.levels[0].constraints.temporal.factors = {{"K", Relation::AtLeast, 2}};
  const Mapspace s = resolved(w, a);
  EXPECT_THAT(to_string(violations(s, whole_in_dram(w))),
              HasSubstr("level 'Reg', temporal: K = 1, must be from 2 to 8"));
  Mapping m;
  m.level_count = 3;
  m.keep.fill(0b111);
  m.add(LoopKind::Temporal, 0, 2, 8);
  m.add(LoopKind::SpatialX, 1, 1, 4);
  m.add(LoopKind::SpatialX, 1, 0, 4);
  m.add(LoopKind::SpatialY, 1, 0, 2);
  m.add(LoopKind::Temporal, 2, 0, 8);
  m.add(LoopKind::Temporal, 2, 1, 2);
  const std::string text = to_string(violations(s, m));
  EXPECT_THAT(text, HasSubstr("level 'Buf', spatial X: N = 4, may not be unrolled here"));
  EXPECT_THAT(text, HasSubstr("level 'Buf', spatial X: 16 instances used, the fan-out has 8"));
  EXPECT_THAT(text, HasSubstr("M is on both axes (4 x 2)"));
}

TEST(Mapspace, ViolationsOfOrderAndKeep) {
  const Workload w = gemm(64, 8, 8);
  Architecture a = machine();
  a.levels[2].constraints.temporal.order = {"K", "M"};
  a.levels[0].keep.keep = {"A"};
  a.levels[0].keep.bypass = {"B"};
  const Mapspace s = resolved(w, a);
  Mapping m = whole_in_dram(w);  // M N K
  m.keep[0] = 0b100;
  const std::string text = to_string(violations(s, m));
  EXPECT_THAT(text, HasSubstr("level 'DRAM', temporal: the innermost loops must be K M (innermost first)"));
  EXPECT_THAT(text, HasSubstr("tensor 'A' must be kept"));
  EXPECT_THAT(text, HasSubstr("tensor 'B' must bypass the level"));
  Mapping good;
  good.level_count = 3;
  good.keep = {0b010, 0b111, 0b111};
  for (int d : {2, 0, 1}) good.add(LoopKind::Temporal, 2, d, w.dimensions[d].size);
  EXPECT_THAT(violations(s, good), IsEmpty());
}

}  // namespace
}  // namespace heliolite::mapspace_test
