// Workloads as values: sizes, limits, roles, classes of dimensions.
#include "workloads/workload.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <limits>

#include "workloads/compact_text.h"
#include "workloads/network.h"

namespace heliolite::workload_test {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

Workload make(const std::string& text) {
  Result<Workload> workload = parse_compact_text(text);
  EXPECT_TRUE(workload.ok()) << to_string(workload.errors());
  return *workload;
}

const std::string kStrided = "conv:n=2,k=4,c=3,p=5,q=7,r=3,s=2,wstride=2,hstride=3,wdilation=2";

TEST(Workload, MeasuresTensorsByTheirBoundingBox) {
  const Workload w = make(kStrided);
  EXPECT_EQ(w.macs(), 2U * 4 * 3 * 5 * 7 * 3 * 2);
  EXPECT_EQ(w.tensor_words(*w.find_tensor("Weights")), 3U * 4 * 3 * 2);
  EXPECT_EQ(w.tensor_words(*w.find_tensor("Inputs")), 2U * 3 * (1 + 2 * 2 + 2 * 4) * (1 + 1 + 3 * 6));
  EXPECT_EQ(w.tensor_words(*w.find_tensor("Outputs")), 2U * 4 * 7 * 5);
  EXPECT_EQ(w.output(), *w.find_tensor("Outputs"));
  EXPECT_EQ(w.find_tensor("Wheights"), std::nullopt);
  EXPECT_EQ(w.find_dimension("X"), std::nullopt);
}

TEST(Workload, KnowsWhatIndexesATensor) {
  const Workload w = make("gemm:8x4x2");
  const auto bit = [&](const char* d) { return 1U << *w.find_dimension(d); };
  EXPECT_EQ(w.indexing(*w.find_tensor("A")), bit("M") | bit("K"));
  EXPECT_EQ(w.indexing(*w.find_tensor("Z")), bit("M") | bit("N"));
}

TEST(Workload, SaturatesInsteadOfWrapping) {
  Workload w = make("gemm:2x2x2");
  for (Dimension& d : w.dimensions) d.size = kMaxDimensionSize;
  EXPECT_EQ(w.macs(), std::numeric_limits<u64>::max());
  EXPECT_THAT(to_string(check(w)), AllOf(HasSubstr("dimensions: "), HasSubstr("more than 4000000000000000 multiply")));
  Network network{"n", {{make("gemm:100000x100000x100000"), 1'000'000}}};
  EXPECT_EQ(network.macs(), std::numeric_limits<u64>::max());
}

TEST(Workload, ChecksEveryLimit) {
  const auto complaint = [](auto change) {
    Workload w = make(kStrided);
    change(w);
    return to_string(check(w));
  };
  EXPECT_EQ(complaint([](Workload&) {}), "");
  EXPECT_THAT(complaint([](Workload& w) { w.dimensions[0].size = 0; }),
              HasSubstr("dimensions.R: the size of R is 0, must be an integer from 1 to 2147483647"));
  EXPECT_THAT(complaint([](Workload& w) { w.dimensions[0].size = u64{1} << 40; }), HasSubstr("1099511627776, must be"));
  EXPECT_THAT(complaint([](Workload& w) { w.dimensions[1].name = "R"; }),
              HasSubstr("two dimensions have the name 'R'"));
  EXPECT_THAT(complaint([](Workload& w) { w.dimensions[1].name = "2x"; }), HasSubstr("'2x', must be a letter"));
  EXPECT_THAT(complaint([](Workload& w) { w.tensors[1].name = "Weights"; }), HasSubstr("two tensors have the name"));
  EXPECT_THAT(complaint([](Workload& w) { w.tensors[0].role = Role::Output; }),
              HasSubstr("tensors: 2 outputs (Weights and Outputs), must be exactly one"));
  EXPECT_THAT(complaint([](Workload& w) { w.tensors[2].role = Role::Input; }), HasSubstr("no tensor is the output"));
  EXPECT_EQ(complaint([](Workload& w) { w.tensors[0].ranks.clear(); }), "");  // one word
  EXPECT_THAT(complaint([](Workload& w) { w.tensors[0].ranks.resize(9, Rank{{{0, 1}}}); }), HasSubstr("has 9 ranks"));
  EXPECT_THAT(complaint([](Workload& w) { w.tensors[0].ranks[0].terms.clear(); }),
              HasSubstr("0 terms, must be 1 to 4"));
  EXPECT_THAT(complaint([](Workload& w) {
                w.tensors[0].ranks[0].terms.push_back({4, 2});
              }),
              HasSubstr("dimension C occurs twice in one rank of Weights"));
  EXPECT_THAT(complaint([](Workload& w) { w.tensors[0].ranks[0].terms[0].dimension = 99; }), HasSubstr("number 99"));
  EXPECT_THAT(complaint([](Workload& w) { w.tensors[0].ranks[0].terms[0].dimension = -1; }), HasSubstr("number -1"));
  EXPECT_THAT(complaint([](Workload& w) { w.tensors[0].ranks[0].terms[0].coefficient = 0; }),
              HasSubstr("the coefficient of C in Weights is 0, must be an integer from 1 to 65535"));
  EXPECT_THAT(complaint([](Workload& w) {
                w.dimensions.push_back({"X", 3});
              }),
              HasSubstr("dimension X indexes no tensor"));
  EXPECT_THAT(complaint([](Workload& w) { w.dimensions.clear(); }), HasSubstr("0 dimensions, must be 1 to 12"));
  EXPECT_THAT(complaint([](Workload& w) {
                for (int i = 0; i < 40; ++i) w.dimensions.push_back({"x" + std::to_string(i), 1});
              }),
              HasSubstr("47 dimensions, must be 1 to 12"));
  EXPECT_THAT(complaint([](Workload& w) { w.tensors.resize(9, w.tensors[0]); }),
              HasSubstr("9 tensors, must be 2 to 8"));
  EXPECT_THAT(to_string(check(Workload{})), AllOf(HasSubstr("dimensions: "), HasSubstr("tensors: ")));
}

TEST(Workload, BoundsTheWordsOfATensor) {
  Workload w = make("Z[i] += A[i+j,i+j,i+j,i+j] * B[j]; i=1000,j=1000");
  EXPECT_EQ(check(w).size(), 0U);
  w.dimensions[0].size = 100'000;
  EXPECT_THAT(to_string(check(w)), HasSubstr("A has more than 4000000000000000 words"));
}

Role role(const Workload& w, const char* tensor) {
  return w.tensors[static_cast<std::size_t>(*w.find_tensor(tensor))].role;
}

TEST(Roles, FollowNamesAndElseTheFirstInput) {
  EXPECT_EQ(role(make("gemm:2x2x2"), "A"), Role::Weight);
  EXPECT_EQ(role(make("gemm:2x2x2"), "B"), Role::Input);
  EXPECT_EQ(role(make("mttkrp:2x2x2x2"), "A"), Role::Weight);
  EXPECT_EQ(role(make("sddmm:2x2x2"), "S"), Role::Weight);
  EXPECT_EQ(role(make(kStrided), "Weights"), Role::Weight);
  const Workload named = make("y[i] += x[i,k] * W[k]; i=2,k=2");
  EXPECT_EQ(role(named, "W"), Role::Weight);
  EXPECT_EQ(role(named, "x"), Role::Input);
  EXPECT_EQ(role(named, "y"), Role::Output);
}

TEST(Roles, LeaveWhatIsTold) {
  Workload w = make("gemm:2x2x2");
  w.tensors[0].role = Role::Input;
  w.tensors[1].role = Role::Weight;
  infer_roles(w);
  EXPECT_EQ(role(w, "A"), Role::Input);
  EXPECT_EQ(role(w, "B"), Role::Weight);
}

std::string classes(const std::string& text) {
  const Workload w = make(text);
  const auto found = classify(w);
  if (!found) return "none";
  std::string out;
  for (std::size_t d = 0; d < w.dimensions.size(); ++d) {
    out += (d > 0 ? " " : "") + w.dimensions[d].name + "=" + std::string(name((*found)[d]));
  }
  return out;
}

TEST(DimensionClasses, OfConvolutionsAndProducts) {
  EXPECT_EQ(classes(kStrided), "R=kernel S=kernel P=pixel Q=pixel C=input_channel K=output_channel N=pixel");
  EXPECT_EQ(classes("conv:k=8,c=8,p=4,r=3,groups=2"),
            "R=kernel S=kernel P=pixel Q=pixel C=input_channel K=output_channel N=pixel G=group");
  EXPECT_EQ(classes("gemm:4x4x4"), "M=output_channel N=pixel K=input_channel");
  EXPECT_EQ(classes("bmm:2x4x4x4"), "H=group M=output_channel N=pixel K=input_channel");
  EXPECT_EQ(classes("fc:k=10,c=20"), "R=kernel S=kernel P=pixel Q=pixel C=input_channel K=output_channel N=pixel");
}

TEST(DimensionClasses, NoneForOtherWorkloads) {
  EXPECT_EQ(classes("depthwise:c=8,p=4,r=3"), "none") << "no channels";
  EXPECT_EQ(classes("mttkrp:4x4x4x4"), "none") << "three inputs";
  EXPECT_EQ(classes("sddmm:4x4x4"), "none");
  EXPECT_EQ(classes("z[i,j] += a[i,k,l] * b[k,j]; i=2,j=2,k=2,l=2"), "none") << "l indexes one input only";
}

TEST(Names, OfRolesAndClasses) {
  EXPECT_EQ(name(Role::Input), "input");
  EXPECT_EQ(name(Role::Weight), "weight");
  EXPECT_EQ(name(Role::Output), "output");
  EXPECT_EQ(name(DimensionClass::Group), "group");
}

// The formula for the box against walking all index values.
RC_GTEST_PROP(Workload, BoxIsWhatAWalkTouchesAtMost, ()) {
  const auto size = rc::gen::inRange<u64>(1, 6);
  const u64 p = *size, r = *size, a = *size, b = *size;
  Workload w;
  w.dimensions = {{"p", p}, {"r", r}};
  w.tensors = {{"x", {Rank{{{0, a}, {1, b}}}}, Role::Input}, {"y", {Rank{{{0, 1}}}}, Role::Output}};
  u64 last = 0;
  for (u64 i = 0; i < p; ++i) {
    for (u64 j = 0; j < r; ++j) last = std::max(last, a * i + b * j);
  }
  RC_ASSERT(w.tensor_words(0) == last + 1);
  RC_ASSERT(check(w).empty());
}

}  // namespace
}  // namespace heliolite::workload_test
