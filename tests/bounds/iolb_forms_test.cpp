// Closed forms of IOLB and IOUB: the published values.
#include "engine/bounds/published/published.h"

#include <gtest/gtest.h>

#include "engine/bounds/segment/iolb_segment.h"
#include "tests/support/load.h"

namespace heliolite::iolb_forms_test {
namespace {

TEST(Forms, TilingOfAProduct) {
  EXPECT_NEAR(contraction_tiling_form({1000, 1000, 1000, 1}, 1024).loads, 65483635.13, 0.01);
}

TEST(Forms, Contractions) {
  struct Row {
    std::string einsum;
    double bound, tiling;
  };
  for (const auto& [einsum, bound, tiling] :
       {Row{"o[a,b,c] += x[b,d,a]*y[d,c]; a=312,b=312,c=296,d=312", 198201587, 200857818},
        {"o[a,b] += x[a,c]*y[c,b]; a=5136,b=5136,c=5120", 2983820726, 3017541411},
        {"o[a,b,c,d] += x[a,e,b,f]*y[f,d,e,c]; a=72,b=72,c=72,d=72,e=72,f=72", 3050995505, 3112635213},
        {"o[a,b,c] += x[a,d,e,c]*y[e,b,d]; a=72,b=72,c=72,d=72,e=72", 42387304, 43231045}}) {
    const auto contraction = as_contraction(testing::workload(einsum));
    ASSERT_TRUE(contraction) << einsum;
    EXPECT_NEAR(contraction_form(*contraction, 8192), bound, 0.51) << einsum;
    // Published without the array that stays.
    const ContractionTilingForm form = contraction_tiling_form(*contraction, 8192);
    EXPECT_NEAR(form.loads - form.stationary, tiling, 0.51) << einsum;
  }
  const auto small =
      as_contraction(testing::workload("o[a,b,c,d,e] += x[e,f,b,a,d]*y[c,f]; a=48,b=32,c=24,d=32,e=48,f=32"));
  ASSERT_TRUE(small);
  EXPECT_EQ(contraction_form(*small, 8192), 132121344);
  // The tile is larger than c: the tiling's form says less than must be loaded.
  EXPECT_NEAR(contraction_tiling_form(*small, 8192).loads - contraction_tiling_form(*small, 8192).stationary, 40483392,
              0.51);
  EXPECT_FALSE(as_contraction(testing::workload("mttkrp:8x8x8x8")));
  EXPECT_FALSE(as_contraction(testing::workload("conv:k=8,c=8,p=8,r=3")));
  EXPECT_FALSE(as_contraction(testing::workload("bmm:4x8x8x8")));
}

// The classes of TCCG: loops by the two arrays that share them.
TEST(Forms, ContractionClasses) {
  struct Row {
    std::string einsum;
    double m, n, k;
    int contracted;
  };
  for (const auto& [einsum, m, n, k, contracted] :
       {Row{"o[a,b,c,d] += x[d,b,e,a]*y[e,c]; a=72,b=72,c=24,d=72,e=72", 72 * 72 * 72, 24, 72, 1},
        {"o[a,b,c,d,e,f] += x[d,e,g,a]*y[g,f,b,c]; a=24,b=16,c=16,d=24,e=16,f=16,g=24", 24 * 24 * 16, 16 * 16 * 16, 24,
         1},
        {"o[a,b] += x[c,a,d]*y[d,c,b]; a=312,b=296,c=312,d=312", 312, 296, 312 * 312, 2},
        {"o[a,b,c,d] += x[a,e,b,f]*y[f,d,e,c]; a=72,b=72,c=72,d=72,e=72,f=72", 5184, 5184, 5184, 2}}) {
    const auto c = as_contraction(testing::workload(einsum));
    ASSERT_TRUE(c) << einsum;
    EXPECT_EQ((std::array{c->m, c->n, c->k}), (std::array{m, n, k})) << einsum;
    EXPECT_EQ(c->contracted, contracted) << einsum;
  }
}

TEST(Forms, Convolutions) {
  const auto conv = [](const std::string& text) { return *as_convolution(testing::workload(text)); };
  const Convolution yolo2 = conv("conv:k=64,c=32,p=272,r=3"), yolo4 = conv("conv:k=128,c=64,p=136,r=3"),
                    yolo8 = conv("conv:k=256,c=128,p=68,r=3");
  const auto rows = convolution_forms(yolo2, 4096);
  EXPECT_NEAR(rows[0], 7155840, 0.51);
  EXPECT_NEAR(rows[1], -8993478, 0.51);
  EXPECT_NEAR(rows[2], 4830355, 0.51);
  EXPECT_NEAR(convolution_forms(yolo4, 4096)[2], 9479033, 0.51);
  EXPECT_NEAR(convolution_forms(conv("conv:k=1024,c=512,p=17,r=3"), 4096)[2], 13611095, 0.51);
  EXPECT_NEAR(convolution_forms(conv("conv:k=28272,c=1024,p=17,r=1"), 4096)[2], 244973534, 0.51);
  EXPECT_NEAR(convolution_forms(yolo8, 8192)[2], 7670536, 0.51);
  EXPECT_LE(convolution_forms(conv("conv:n=4,k=64,c=32,p=27,r=3"), 4096)[3],
            convolution_forms(conv("conv:n=4,k=64,c=32,p=27,r=3"), 4096)[2]);

  EXPECT_NEAR(convolution_tiling_form(yolo2, 4096).loads, 18371997.84, 0.01);
  EXPECT_NEAR(convolution_tiling_form(yolo4, 4096).extent, 17.521, 1e-3);
  EXPECT_NEAR(convolution_tiling_form(yolo4, 4096).loads, 18498139, 0.51);
  EXPECT_NEAR(convolution_tiling_form(yolo8, 8192).extent, 24.873, 1e-3);
  EXPECT_NEAR(convolution_tiling_form(yolo8, 8192).loads, 13161658, 0.51);
  // Three channels are fewer than the tile has: not a tiling, and below the bound.
  const ConvolutionTilingForm yolo0 = convolution_tiling_form(conv("conv:k=32,c=3,p=544,r=3"), 4096);
  EXPECT_NEAR(yolo0.loads, 3435516, 0.51);
  EXPECT_FALSE(yolo0.valid);
  EXPECT_TRUE(convolution_tiling_form(yolo4, 4096).valid);
}

}  // namespace
}  // namespace heliolite::iolb_forms_test
