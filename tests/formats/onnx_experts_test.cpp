// Mixtures of experts in ONNX models: the products of the experts that tokens can take.
#include <gmock/gmock.h>

#include "tests/support/onnx_models.h"
#include "tests/support/onnx_reading.h"
#include "workloads/families.h"

namespace heliolite::onnx_experts_test {
namespace {

using namespace onnx_models;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

Model experts(const std::vector<Sizes>& sizes, std::int64_t k) { return attention("MoE", sizes, {{"k", k}}); }

TEST(OnnxExperts, AreProductsOfStackedWeights) {
  const auto plain = import(experts({{2, 16, 64}, {32, 8}, {8, 128, 64}, {}, {8, 64, 128}}, 2));
  EXPECT_THAT(shapes(plain), ElementsAre("bmm: 8x128x8x64", "bmm: 8x64x8x128"));
  EXPECT_EQ(plain->network.layers[0].workload.name, "att.fc1");
  // The other order of the weights, and a gate apart.
  const auto gated = import(experts({{32, 64}, {32, 8}, {8, 64, 96}, {}, {8, 96, 64}, {}, {8, 64, 96}}, 2));
  EXPECT_THAT(shapes(gated), ElementsAre("bmm: 8x96x8x64", "bmm: 8x96x8x64", "bmm: 8x64x8x96"));
  // A gate that is part of the first product; one token takes one expert, whose product stands alone.
  const auto fused = import(experts({{1, 64}, {1, 8}, {8, 256, 64}, {}, {8, 64, 128}}, 1));
  EXPECT_THAT(shapes(fused), ElementsAre("gemm: 256x1x64", "gemm: 64x1x128"));
  const auto uneven = import(experts({{5, 64}, {5, 8}, {8, 128, 64}, {}, {8, 64, 128}}, 2));
  EXPECT_THAT(shapes(uneven), ElementsAre("bmm: 6x128x1x64", "bmm: 6x64x1x128", "bmm: 2x128x2x64", "bmm: 2x64x2x128"));
}

// com.microsoft's QMoE: two weights of 4 bits stand in a byte; behind the weights of each product their scales and
// their bias. 32 tokens that take 2 of 8 experts are 8 for each.
TEST(OnnxExperts, MayHavePackedWeights) {
  const auto packed = [](const std::vector<Sizes>& sizes, std::vector<Attribute> more) {
    more.emplace_back("k", 2);
    return import(attention("QMoE", sizes, more));
  };
  const auto four = packed({{2, 16, 64}, {32, 8}, {8, 256, 32}, {8, 256}, {}, {8, 64, 64}, {8, 64}}, {});
  EXPECT_THAT(shapes(four), ElementsAre("bmm: 8x256x8x64", "bmm: 8x64x8x128"));
  const auto eight =
      packed({{32, 64}, {32, 8}, {8, 96, 64}, {8, 96}, {}, {8, 64, 96}, {8, 64}, {}, {8, 96, 64}, {8, 96}},
             {{"expert_weight_bits", 8}});
  EXPECT_THAT(shapes(eight), ElementsAre("bmm: 8x96x8x64", "bmm: 8x96x8x64", "bmm: 8x64x8x96"));
  const auto odd =
      packed({{32, 64}, {32, 8}, {8, 96, 64}, {8, 96}, {}, {8, 64, 96}, {8, 64}}, {{"expert_weight_bits", 3}});
  EXPECT_THAT(to_string(odd.errors()), HasSubstr("expert_weight_bits = 3, must be 1, 2, 4 or 8"));
}

TEST(OnnxExperts, RefuseWhatDoesNotFit) {
  const auto why = [](const Model& m) { return to_string(import(m).errors()); };
  EXPECT_THAT(why(experts({{5, 64}, {5, 8}, {8, 128, 65}, {}, {8, 64, 128}}, 2)), HasSubstr("for 8 experts and 64"));
  EXPECT_THAT(why(experts({{5, 64}, {5, 8}, {8, 128, 64}, {}, {8, 64, 100}}, 2)),
              HasSubstr("to 128 words and from 100"));
  EXPECT_THAT(why(experts({{5, 64}, {5, 8}, {8, 128, 64}, {}, {8, 64, 128}}, 9)), HasSubstr("k = 9, must be from 1"));
}

TEST(SpreadTokens, LosesNone) {
  for (u64 experts = 1; experts < 9; ++experts)
    for (u64 tokens = 1; tokens < 20; ++tokens)
      for (u64 each = 1; each <= experts; ++each) {
        u64 active = 0, assigned = 0;
        for (const ExpertGroup& group : spread_tokens(experts, tokens, each)) {
          active += group.experts;
          assigned += group.experts * group.tokens;
        }
        EXPECT_EQ(active, std::min(experts, tokens * each));
        EXPECT_EQ(assigned, tokens * each);
      }
}

}  // namespace
}  // namespace heliolite::onnx_experts_test
