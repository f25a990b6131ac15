// HBL exponents of named access patterns, their rank rows and lattices.
#include "engine/bounds/hbl/hbl_exponent.h"

#include <gtest/gtest.h>

#include "engine/bounds/hbl/hbl_subspace.h"
#include "tests/support/load.h"

namespace heliolite::hbl_exponent_test {
namespace {

Rational exponent(const std::string& einsum) {
  const AccessNest nest = access_nest(testing::workload(einsum));
  return hbl_exponent(rank_rows(nest), nest.accesses.size()).k;
}

TEST(HblExponent, NamedPatterns) {
  EXPECT_EQ(exponent("gemm:8x8x8"), Rational(3, 2));
  EXPECT_EQ(exponent("o[i] += a[i,k]*x[k]; i=8,k=8"), 1);
  EXPECT_EQ(exponent("f[i] += p[i]*q[j]; i=8,j=8"), 2);                                         // n-body
  EXPECT_EQ(exponent("o[k,h,w,b] += i[w,h,c,b]*f[k,c]; k=8,h=8,w=8,b=8,c=8"), Rational(3, 2));  // pointwise
  EXPECT_EQ(exponent("conv:k=8,c=8,p=8,r=3,n=8"), 2);
  EXPECT_EQ(exponent("conv:k=8,c=8,p=8,r=7,n=8,stride=2"), 2);
  EXPECT_EQ(exponent("a[j,k,l] += b[i,k,l]*c[i,j,l]*d[i,j,k]; i=8,j=8,k=8,l=8"), Rational(4, 3));
  EXPECT_EQ(exponent("z[i,r] += t[i,j,k]*b[j,r]*c[k,r]; i=8,j=8,k=8,r=8"), Rational(5, 3));  // MTTKRP
  EXPECT_EQ(exponent("e[a,b] += f[b,c]*g[c,d]*h[d,a]; a=8,b=8,c=8,d=8"), 2);                 // 4-cycle join
  EXPECT_EQ(exponent("o[d,n] += a[m,n]; d=8,n=8,m=8"), 2);
  EXPECT_EQ(exponent("o[a,b,e,f] += x[a,b,c,d]*y[c,d,e,f]; a=8,b=8,c=8,d=8,e=8,f=8"), Rational(3, 2));
}

TEST(HblExponent, MatrixProductHasOneBestChoice) {
  const AccessNest nest = access_nest(testing::workload("gemm:8x8x8"));
  const Rational half(1, 2);
  EXPECT_EQ(hbl_exponent(rank_rows(nest), 3).s, (std::vector<Rational>{half, half, half}));
}

// Eleven subgroups matter, by the product rule; without the dominated ones the polytope has the rows sI + sF >= 1,
// sI + sO >= 1, sF + sO >= 1 and sI + sF + sO >= 2.
TEST(HblExponent, ConvolutionPolytope) {
  const AccessNest nest =
      access_nest(testing::workload("o[k,h,w,b] += i[r+w,s+h,c,b]*f[k,r,s,c]; "
                                    "k=9,h=9,w=9,b=9,c=9,r=9,s=9"));
  const auto valid = [&](const std::vector<int>& s) {  // by access: o, i, f
    for (const RankRow& row : rank_rows(nest)) {
      int sum = 0;
      for (std::size_t j = 0; j < 3; ++j) sum += row.image[j] * s[j];
      if (sum < row.rank) return false;
    }
    return true;
  };
  for (int bits = 0; bits < 8; ++bits) {
    const std::vector<int> s{bits & 1, bits >> 1 & 1, bits >> 2 & 1};
    EXPECT_EQ(valid(s), s[0] + s[1] + s[2] >= 2) << bits;
  }
}

// The whole lattices, without the product rule: 14 and 27 subgroups besides {0}.
TEST(HblLattice, Convolution) {
  // Loops b c f x y h w; kernels of Out, Image, Filter, and of the window alone.
  const auto kernel = [](std::vector<std::vector<int>> rows) {
    RationalMatrix matrix;
    for (const auto& row : rows) matrix.emplace_back(row.begin(), row.end());
    return Subspace::kernel(7, std::move(matrix));
  };
  const Subspace out =
      kernel({{1, 0, 0, 0, 0, 0, 0}, {0, 0, 1, 0, 0, 0, 0}, {0, 0, 0, 1, 0, 0, 0}, {0, 0, 0, 0, 1, 0, 0}});
  const Subspace image =
      kernel({{1, 0, 0, 0, 0, 0, 0}, {0, 1, 0, 0, 0, 0, 0}, {0, 0, 0, 1, 0, 1, 0}, {0, 0, 0, 0, 1, 0, 1}});
  const Subspace filter =
      kernel({{0, 1, 0, 0, 0, 0, 0}, {0, 0, 1, 0, 0, 0, 0}, {0, 0, 0, 0, 0, 1, 0}, {0, 0, 0, 0, 0, 0, 1}});
  const Subspace window = kernel({{0, 0, 0, 0, 0, 1, 0}, {0, 0, 0, 0, 0, 0, 1}});
  EXPECT_EQ(lattice_of(7, {out, image, filter})->size(), 15U);
  EXPECT_EQ(lattice_of(7, {out, image, filter, window})->size(), 28U);
}

// Four planes in general position in Q^3 generate infinitely many subspaces.
TEST(HblLattice, InfiniteOnesAreGivenUp) {
  const auto plane = [](int a, int b, int c) { return Subspace::kernel(3, {{Rational(a), Rational(b), Rational(c)}}); };
  EXPECT_EQ(lattice_of(3, {plane(1, 0, 0), plane(0, 1, 0), plane(0, 0, 1), plane(1, 2, 3), plane(2, 1, 5)}, 200),
            std::nullopt);
}

TEST(HblLattice, ModularLaw) {
  const Subspace a = Subspace::span(4, {{1, 2, 0, 1}, {0, 1, 1, 0}}),
                 b = Subspace::span(4, {{1, 3, 1, 1}, {0, 0, 1, 5}});
  EXPECT_EQ((a + b).dimension() + (a & b).dimension(), a.dimension() + b.dimension());
  EXPECT_EQ((a & b).dimension(), 1);
  EXPECT_TRUE((a + b).contains(a));
  EXPECT_FALSE(a.contains(b));
  EXPECT_EQ(Subspace::whole(4).complement(), Subspace(4));
}

// Ranks over three dimensions whose kernels' lattice is infinite: the conditions used instead are sufficient ones.
TEST(HblExponent, FallsBackWhenTheLatticeIsInfinite) {
  const AccessNest nest =
      access_nest(testing::workload("o[x+2*y+3*z] += a[x,y]*b[3*x+y+z]*c[y,z]*d[x+y+5*z]*e[x,z]; x=8,y=8,z=8"));
  for (const RankRow& row : rank_rows(nest)) {
    EXPECT_GE(row.rank, 1);
    EXPECT_EQ(row.image.size(), 6U);
  }
  EXPECT_GE(hbl_exponent(rank_rows(nest), 6).k, Rational(3, 2));
}

}  // namespace
}  // namespace heliolite::hbl_exponent_test
