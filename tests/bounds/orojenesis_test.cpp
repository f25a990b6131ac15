// The curve of one buffer against Timeloop's, against all mappings of small Einsums, executed word by word, and, with
// Timeloop's counts, priced by the cost model or walked.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fmt/format.h>

#include <algorithm>
#include <fstream>
#include <sstream>
#include <string>

#include "engine/bounds/curve/orojenesis.h"
#include "engine/bounds/lower_bounds.h"
#include "engine/model/cost_model.h"
#include "tests/support/load.h"
#include "tests/support/orojenesis_executor.h"
#include "tests/support/orojenesis_fronts.h"
#include "tests/support/random_problem.h"

namespace heliolite::orojenesis_test {
namespace {

using testing::executed_front;
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
  for (const WordCount words : {WordCount::Distinct, WordCount::Timeloop})
    EXPECT_EQ(front_of(one_buffer_curve(workload("gemm:1024x1024x1024"), {.words = words})), expected);
}

TEST(Orojenesis, TimeloopsCountsAreTheFrontOfAllMappings) {
  Rng rng(5);
  testing::RandomOptions shape;
  shape.max_size = 6;
  shape.max_tensors = 3;
  for (int i = 0; i < 150; ++i) {
    const Workload w = testing::random_workload(rng, shape);
    if (!check(w).empty()) continue;
    OrojenesisOptions options{.words = WordCount::Timeloop};
    if (i % 3 == 1) options.partial_sums = PartialSums::WriteOnly;
    if (i % 3 == 2) options.word_size = {1, 4, 2, 1, 1, 1, 1, 1};
    EXPECT_EQ(front_of(one_buffer_curve(w, options)), model_front(w, options)) << "problem " << i;
  }
}

TEST(Orojenesis, TimeloopsCountsAreTheFrontOfKnownShapes) {
  for (const char* text :
       {"conv:k=2,c=2,p=4,q=1,r=3,s=1", "conv:k=2,c=1,p=4,r=2", "conv:k=1,c=2,p=4,q=2,r=4,s=1,stride=2",
        "conv:k=1,c=2,p=6,q=1,r=4,s=1,dilation=2", "gemm:4x6x8", "mttkrp:2x4x2x4", "sddmm:4x4x6",
        "o[i] += a[i+j,i]*b[j]; i=4,j=4", "o[2*i] += a[i,j]*b[j]; i=6,j=4", "o[i+j] += a[i]*b[j]; i=6,j=4"}) {
    const Workload w = workload(text);
    EXPECT_EQ(front_of(one_buffer_curve(w, {.words = WordCount::Timeloop})), model_front(w, {})) << text;
  }
}

// No execution below either curve; where tiles have no holes and slide along one rank at most, the curve is executed.
void expect_executed(const Workload& w, const OrojenesisOptions& options, const std::string& what) {
  const auto one = one_buffer_curve(w, options);
  const auto nested = nested_curve(w, options);
  ASSERT_TRUE(one.ok() && nested.ok()) << what;
  const Front executed = executed_front(w, options);
  const std::vector<double> word_sizes(options.word_size.begin(), options.word_size.end());
  const LowerBounds every_schedule(w, {}, word_sizes);
  double operands = 0;
  for (std::size_t v = 0; v < w.tensors.size(); ++v) operands += word_sizes[v];
  for (const auto& [buffer, accesses] : executed) {
    EXPECT_LE(every_schedule.words(static_cast<double>(buffer) + operands), accesses) << what << " with " << buffer;
    EXPECT_LE(one->at(buffer)->accesses, accesses) << what << " with " << buffer;
    EXPECT_LE(nested->at(buffer)->accesses, accesses) << what << ", nested, with " << buffer;
  }
  const auto exact = [&](const Tensor& t) {
    if (w.is_read_twice(*w.find_tensor(t.name))) return false;
    int sliding = 0;
    DimensionMask seen = 0;
    for (const Rank& rank : t.ranks) {
      sliding += rank.terms.size() > 1;
      for (const Term& term : rank.terms) {
        if (rank.terms.size() > 2 || (rank.terms.size() > 1 && term.coefficient > 1)) return false;
        if ((seen >> term.dimension & 1) != 0) return false;
        seen |= static_cast<DimensionMask>(1u << term.dimension);
      }
    }
    return sliding <= 1;
  };
  if (std::ranges::all_of(w.tensors, exact)) {
    EXPECT_EQ(front_of(one), executed) << what;
  }
}

TEST(Orojenesis, NoExecutionOfKnownShapesLiesBelow) {
  for (const char* text :
       {"o[k,p] += x[c,2*p+2*r]*w[k,c,r]; k=2,p=8,c=2,r=3", "o[c,p] += x[c,p+r]*w[c,r]; c=4,p=8,r=3",
        "o[i] += a[i+j]*b[j]; i=8,j=8", "o[p] += x[2*p+r]*w[r]; p=6,r=4", "o[p] += x[2*p+3*r]*w[r]; p=6,r=4",
        "o[p,q] += x[p+r,q+s]*w[r,s]; p=4,q=2,r=2,s=2", "o[k,p] += x[p+r]*w[k,r]; k=4,p=2,r=4",
        "o[i+j] += a[i]*b[j]; i=6,j=4", "o[i] += a[i+j,i]*b[j]; i=4,j=4", "o[2*i] += a[i,j]*b[j]; i=6,j=4",
        "o[p] += x[p+r+2*s]*w[r,s]; p=4,r=3,s=2", "c[i,j] += a[i,k]*a[j,k]; i=4,j=4,k=2",
        "c[i,j] += a[i,k]*a[j,k]; i=6,j=2,k=2", "o[i] += a[i+j]*a[j]; i=4,j=4"}) {
    expect_executed(workload(text), {}, text);
    expect_executed(workload(text), {.partial_sums = PartialSums::WriteOnly}, text);
  }
  for (const char* text : {"o[i] += a[i+j]*b[j]; i=5,j=4", "o[p] += x[2*p+r]*w[r]; p=5,r=3",
                           "o[k,p] += x[p+r]*w[k,r]; k=3,p=3,r=5", "gemm:3x5x2"})
    expect_executed(workload(text), {.imperfect = true}, text);
}

// What the cost model counts is above what these execute.
TEST(Orojenesis, CountsWhatExecutionsMove) {
  const auto accesses = [](const char* text, u64 buffer, WordCount words) {
    return one_buffer_curve(workload(text), {.words = words})->at(buffer)->accesses;
  };
  const char* strided = "o[k,p] += x[c,2*p+2*r]*w[k,c,r]; k=2,p=8,c=2,r=3";
  EXPECT_EQ(accesses(strided, 24, WordCount::Distinct), 48u);
  EXPECT_EQ(accesses(strided, 24, WordCount::Timeloop), 66u);
  EXPECT_EQ(accesses("o[c,p] += x[c,p+r]*w[c,r]; c=4,p=8,r=3", 5, WordCount::Distinct), 120u);
  EXPECT_EQ(accesses("o[i] += a[i+j]*b[j]; i=8,j=8", 9, WordCount::Distinct), 45u);
  EXPECT_EQ(algorithmic_minimum(workload(strided)), 2u * 8 + 2 * 10 + 2 * 2 * 3);
  EXPECT_EQ(operand_words(workload(strided)), 2u * 8 + 2 * 19 + 2 * 2 * 3);
}

TEST(Orojenesis, NoExecutionOfRandomMappingsLiesBelow) {
  Rng rng(17);
  testing::RandomOptions shape;
  shape.max_dimensions = 4;
  shape.max_tensors = 3;
  for (int i = 0; i < 60; ++i) {
    shape.max_size = i % 2 == 0 ? 4 : 6;
    const Workload w = testing::random_workload(rng, shape);
    if (!check(w).empty() || w.macs() > 100) continue;
    OrojenesisOptions options;
    options.imperfect = i % 3 == 0 && w.macs() < 40;
    if (i % 5 == 1) options.partial_sums = PartialSums::WriteOnly;
    if (i % 5 == 2) options.word_size = {1, 4, 2, 1, 1, 1, 1, 1};
    if (i % 5 == 3)
      for (u32& size : options.word_size) size = static_cast<u32>(testing::pick(rng, 1, 32));
    expect_executed(w, options, fmt::format("problem {}", i));
  }
}

// Words of b units each: b times the curve in words, of both curves.
TEST(Orojenesis, EqualSizesScaleTheCurve) {
  for (const char* text : {"gemm:8x12x6", "conv:k=4,c=2,p=6,r=3,stride=2", "mttkrp:4x2x3x4"}) {
    const Workload w = workload(text);
    OrojenesisOptions in_bits;
    in_bits.word_size.fill(5);
    const auto expect_scaled = [&](const auto& words, const auto& units) {
      ASSERT_EQ(words->points().size(), units->points().size());
      for (std::size_t i = 0; i < words->points().size(); ++i) {
        EXPECT_EQ(units->points()[i].buffer, 5 * words->points()[i].buffer) << text;
        EXPECT_EQ(units->points()[i].accesses, 5 * words->points()[i].accesses) << text;
      }
    };
    expect_scaled(one_buffer_curve(w), one_buffer_curve(w, in_bits));
    expect_scaled(nested_curve(w), nested_curve(w, in_bits));
    EXPECT_EQ(algorithmic_minimum(w, in_bits), 5 * algorithmic_minimum(w));
  }
}

// A curve never takes words of stated sizes for words of one size.
TEST(Orojenesis, SizesStatedAreToBeGiven) {
  Workload w = workload("gemm:4x4x4");
  for (Tensor& t : w.tensors) t.word_bits = 8;
  EXPECT_TRUE(one_buffer_curve(w).ok()) << "bytes";
  w.tensors[0].word_bits = 16;
  EXPECT_THAT(to_string(one_buffer_curve(w).errors()),
              ::testing::HasSubstr("states sizes of words (A: 16, B: 8, Z: 8)"));
  EXPECT_TRUE(one_buffer_curve(w, {.word_size = word_unit(w)->sizes(w)}).ok());
  w = workload("gemm:1048576x3500000x1024");
  for (Tensor& t : w.tensors) t.word_bits = 1001;
  const auto large = one_buffer_curve(w, {.word_size = word_unit(w)->sizes(w)});
  EXPECT_THAT(to_string(large.errors()), ::testing::HasSubstr("too many for accesses in bits"));
}

// With tiles of any size: no blocking is below, and those that are on it exist (the perfect ones by the cost model,
// whose overlaps further out a walk does not have).
TEST(Orojenesis, TimeloopsImperfectCountsAreTheFrontOfAllBlockings) {
  for (const char* text :
       {"gemm:5x6x7", "gemm:7x3x4", "conv:k=2,c=3,p=5,q=1,r=3,s=1", "conv:k=2,c=2,p=7,q=1,r=3,s=1,stride=2",
        "mttkrp:3x3x2x3", "o[i] += a[i+2*j]*b[j]; i=7,j=5"}) {
    const Workload w = workload(text);
    Front expected = walked_front(w);
    for (const auto& [buffer, accesses] : model_front(w, {})) put(expected, buffer, accesses);
    const OrojenesisOptions options{.words = WordCount::Timeloop, .imperfect = true};
    EXPECT_EQ(front_of(one_buffer_curve(w, options)), thinned(expected)) << text;
  }
}

TEST(Orojenesis, EveryPointIsReachedByItsTiling) {
  for (const char* text : {"gemm:12x16x10", "conv:k=4,c=4,p=8,r=3", "mttkrp:4x8x4x8"}) {
    const Workload w = workload(text);
    const auto curve = one_buffer_curve(w, {.words = WordCount::Timeloop});
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
}  // namespace heliolite::orojenesis_test
