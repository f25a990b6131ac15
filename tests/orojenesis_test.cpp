// The curve of one buffer against Timeloop's, against all mappings of small Einsums priced by the cost model, and
// against a walk through all blockings.
#include <gtest/gtest.h>

#include <fstream>
#include <sstream>
#include <string>

#include "engine/bounds/orojenesis.h"
#include "engine/model/cost_model.h"
#include "tests/load.h"
#include "tests/orojenesis_fronts.h"
#include "tests/random_problem.h"

namespace heliolite {
namespace {

using testing::Front;
using testing::model_front;
using testing::put;
using testing::Rng;
using testing::snowcat;
using testing::thinned;
using testing::walked_front;
using testing::workload;

Front front_of(const Result<Curve>& curve) {
  Front front;
  EXPECT_TRUE(curve.ok());
  for (const auto& point : curve->points()) front[point.buffer] = point.accesses;
  return front;
}

TEST(Orojenesis, IsTimeloopsCurve) {
  std::ifstream file(HELIOLITE_TEST_DATA "/data/orojenesis/gemm_1024.csv");
  std::string line;
  std::getline(file, line);
  Front expected;
  while (std::getline(file, line)) {
    std::istringstream cells(line);
    u64 buffer = 0, accesses = 0;
    char comma = 0;
    cells >> buffer >> comma >> accesses;
    expected[buffer] = accesses;
  }
  ASSERT_EQ(expected.size(), 23u);
  EXPECT_EQ(front_of(one_buffer_curve(workload("gemm:1024x1024x1024"))), expected);
}

TEST(Orojenesis, IsTheFrontOfAllMappings) {
  Rng rng(5);
  testing::RandomOptions shape;
  shape.max_size = 6;
  shape.max_tensors = 3;
  for (int i = 0; i < 150; ++i) {
    const Workload w = testing::random_workload(rng, shape);
    if (!check(w).empty()) continue;
    OrojenesisOptions options;
    if (i % 3 == 1) options.partial_sums = PartialSums::WriteOnly;
    if (i % 3 == 2) options.word_size = {1, 4, 2, 1, 1, 1, 1, 1};
    EXPECT_EQ(front_of(one_buffer_curve(w, options)), model_front(w, options)) << "problem " << i;
  }
}

TEST(Orojenesis, IsTheFrontOfKnownShapes) {
  for (const char* text :
       {"conv:k=2,c=2,p=4,q=1,r=3,s=1", "conv:k=2,c=1,p=4,r=2", "conv:k=1,c=2,p=4,q=2,r=4,s=1,stride=2",
        "conv:k=1,c=2,p=6,q=1,r=4,s=1,dilation=2", "gemm:4x6x8", "mttkrp:2x4x2x4", "sddmm:4x4x6",
        "o[i] += a[i+j,i]*b[j]; i=4,j=4", "o[2*i] += a[i,j]*b[j]; i=6,j=4", "o[i+j] += a[i]*b[j]; i=6,j=4"}) {
    const Workload w = workload(text);
    EXPECT_EQ(front_of(one_buffer_curve(w)), model_front(w, {})) << text;
  }
}

// With tiles of any size: no blocking is below, and those that are on it exist (the perfect ones by the cost model,
// whose overlaps further out a walk does not have).
TEST(Orojenesis, ImperfectIsTheFrontOfAllBlockings) {
  for (const char* text :
       {"gemm:5x6x7", "gemm:7x3x4", "conv:k=2,c=3,p=5,q=1,r=3,s=1", "conv:k=2,c=2,p=7,q=1,r=3,s=1,stride=2",
        "mttkrp:3x3x2x3", "o[i] += a[i+2*j]*b[j]; i=7,j=5"}) {
    const Workload w = workload(text);
    Front expected = walked_front(w);
    for (const auto& [buffer, accesses] : model_front(w, {})) put(expected, buffer, accesses);
    EXPECT_EQ(front_of(one_buffer_curve(w, {.imperfect = true})), thinned(expected)) << text;
  }
}

TEST(Orojenesis, EveryPointIsReachedByItsTiling) {
  for (const char* text : {"gemm:12x16x10", "conv:k=4,c=4,p=8,r=3", "mttkrp:4x8x4x8"}) {
    const Workload w = workload(text);
    const auto curve = one_buffer_curve(w);
    ASSERT_TRUE(curve.ok());
    const Architecture a = snowcat();
    const CostModel model(w, a);
    for (const auto& point : curve->points()) {
      Mapping m;
      m.level_count = 2;
      m.keep = {point.how.kept, static_cast<TensorMask>((1u << w.tensors.size()) - 1)};
      for (std::size_t d = 0; d < w.dimensions.size(); ++d)
        m.add(LoopKind::Temporal, 0, static_cast<int>(d), point.how.tile[d]);
      for (int k = 0; k < point.how.loop_count; ++k) {
        const auto d = point.how.loop[static_cast<std::size_t>(k)];
        m.add(LoopKind::Temporal, 1, d, w.dimensions[d].size / point.how.tile[d]);
      }
      const Breakdown b = model.explain(m);
      u64 accesses = 0;
      for (const TensorTraffic& t : b.level[1].tensor) accesses += static_cast<u64>(t.reads + t.updates);
      EXPECT_EQ(b.level[0].used_words, point.buffer) << text;
      EXPECT_EQ(accesses, point.accesses) << text << " " << point.buffer;
    }
  }
}

TEST(Orojenesis, ResidentTensorsNeverCross) {
  const Workload w = workload("gemm:8x8x8");
  OrojenesisOptions options;
  options.resident = static_cast<TensorMask>(1u << w.output());
  const auto curve = one_buffer_curve(w, options);
  ASSERT_TRUE(curve.ok());
  EXPECT_EQ(curve->points().front().buffer, 64u);
  EXPECT_EQ(curve->points().back().accesses, 128u);
}

TEST(Orojenesis, TooManyOrdersAreRefused) {
  const auto curve =
      one_buffer_curve(workload("z[a] += q[a]*r[b]*s[c]*t[d]*u[e]*v[f]*w[g]; a=2,b=2,c=2,d=2,e=2,f=2,g=2"));
  EXPECT_FALSE(curve.ok());
}

TEST(Staircase, KeepsWhatNothingBeats) {
  Staircase<int> stairs;
  EXPECT_TRUE(stairs.empty());
  EXPECT_EQ(stairs.at(10), nullptr);
  stairs.add(10, 100, 1);
  stairs.add(20, 50, 2);
  stairs.add(15, 100, 3);  // no better than 10
  stairs.add(10, 100, 4);  // the first stays
  EXPECT_EQ(stairs.at(9), nullptr);
  EXPECT_EQ(stairs.at(19)->how, 1);
  EXPECT_EQ(stairs.at(20)->how, 2);
  stairs.add(5, 50, 5);  // better than both
  ASSERT_EQ(stairs.points().size(), 1u);
  EXPECT_EQ(stairs.points()[0].how, 5);
}

}  // namespace
}  // namespace heliolite
