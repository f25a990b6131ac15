// Numbers of points of sets with parameters, as numbers and as polynomials.
#include "engine/program/count.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <limits>

namespace heliolite::count_test {
namespace {

struct Counted {
  IslContext context;
  isl::set set;
};
Counted written(const std::string& text) {
  const IslContext context;
  return {context, isl::set(context.get(), text)};
}

std::string polynomial(const std::string& text, i64 least = 8) {
  const Counted c = written(text);
  const Result<CountPolynomial> p = count_polynomial(c.context, c.set, least);
  return p ? p->to_string() : p.errors()[0].message;
}

TEST(Count, PolynomialsOfSimplices) {
  EXPECT_EQ(polynomial("[N] -> { S[i, j, k] : 0 <= k < j < i < N }"), "1/6*N^3 - 1/2*N^2 + 1/3*N");
  EXPECT_EQ(polynomial("[N, M] -> { S[i, j] : 0 <= i < N and 1 <= j <= M - 2 }"), "N*M - 2*N");
  EXPECT_EQ(polynomial("[N] -> { S[i] : i = 3 or i = N or N + 2 <= i <= 2N }"), "N + 1");
  EXPECT_EQ(polynomial("[A, B, C, D, E, F] -> { S[a, b, c, d, e, f] : 0 <= a < A and 0 <= b < B and 0 <= c < C and "
                       "0 <= d < D and 0 <= e < E and 0 <= f < F }"),
            "A*B*C*D*E*F");
  EXPECT_EQ(polynomial("[N] -> { S[] }"), "1");
  EXPECT_EQ(polynomial("[N] -> { S[i] : N < i < N }"), "0");
  EXPECT_EQ(polynomial("{ S[i, j] : 0 <= i, j < 5 }"), "25");
  EXPECT_EQ(polynomial("[N] -> { S[i, j] : 0 <= i < 2N and (exists e : i = 2e) and 0 <= j < i }"), "N^2 - N");
}

// The points of a slice, whose index is a parameter.
TEST(Count, PolynomialsWhereParametersDependOnEachOther) {
  const Counted c = written("[N, k] -> { S[i, j] : k < i < N and k < j <= i }");
  const isl::set slices(c.context.get(), "[N, k] -> { : N >= 8 and 0 <= k < N }");
  const Result<CountPolynomial> p = count_polynomial(c.context, c.set, slices);
  ASSERT_TRUE(p.ok()) << to_string(p.errors());
  EXPECT_EQ(p->to_string(), "1/2*N^2 - N*k + 1/2*k^2 - 1/2*N + 1/2*k");
}

TEST(Count, RefusesWhatIsNoPolynomial) {
  EXPECT_THAT(polynomial("[N, M] -> { S[i] : 0 <= i < N and i < M }"), ::testing::HasSubstr("cases"));
  EXPECT_THAT(polynomial("[N] -> { S[i] : 0 <= 2i < N }"),
              ::testing::HasSubstr("corners do not move by whole numbers"));
  EXPECT_THAT(polynomial("[N] -> { S[i] : N <= i }"), ::testing::HasSubstr("infinite"));
  EXPECT_THAT(polynomial("[N] -> { S[i] : 0 <= i < 20 - N }"), ::testing::HasSubstr("cases"));
}

TEST(Count, NumbersOfAnySize) {
  const Counted c = written("[N, T] -> { S[t, i, j, k] : 0 <= t < T and 0 < i, j, k < N - 1 }");
  const Result<Rational> many = count_at(c.context, c.set, {{"N", 1'000'000}, {"T", 1'000'000}});
  ASSERT_TRUE(many.ok()) << to_string(many.errors());
  EXPECT_EQ(many->str(), "999994000011999992000000");
  EXPECT_EQ(*count_at(c.context, c.set, {{"N", 5}, {"T", 2}}), 54);
  EXPECT_EQ(*count_at(c.context, c.set, {{"N", 1}, {"T", 2}}), 0);
  EXPECT_FALSE(count_at(c.context, c.set, {{"N", 5}}).ok());
  const i64 huge = i64{1} << 59;
  const Counted wide = written("[N] -> { S[i, j] : 0 <= i < 4N and 0 <= j < 4N + 3i }");
  const Result<Rational> square = count_at(wide.context, wide.set, {{"N", huge}});
  ASSERT_TRUE(square.ok()) << to_string(square.errors());
  const Rational four_n = Rational(huge) * 4;
  EXPECT_EQ(*square, four_n * four_n + 3 * four_n * (four_n - 1) / 2);
  EXPECT_FALSE(count_at(wide.context, wide.set, {{"N", std::numeric_limits<i64>::max()}}).ok());
  const Counted floors = written("[N] -> { S[i, j] : 0 <= 3i < N and 0 <= 2j <= i }");
  EXPECT_EQ(*count_at(floors.context, floors.set, {{"N", 7}}), 4);  // i = 0, 1, 2 with 1, 1, 2 values of j
}

// Random unions of polytopes against isl's own counting.
RC_GTEST_PROP(Count, AgreesWithWalkingEveryPoint, ()) {
  const auto condition = [] {
    return fmt::format("{}i + {}j + {}k + {}N + {} >= 0", *rc::gen::inRange(-2, 3), *rc::gen::inRange(-2, 3),
                       *rc::gen::inRange(-1, 2), *rc::gen::inRange(0, 2), *rc::gen::inRange(-3, 6));
  };
  const auto box = "0 <= i, j, k < N and " + condition() + " and " + condition();
  const auto other = "1 <= i <= N and 0 <= j <= i and k = j and " + condition();
  const Counted c = written("[N] -> { S[i, j, k] : (" + box + ") or (" + other + ") }");
  const i64 n = *rc::gen::inRange(1, 9);
  const isl::set fixed = isl::manage(isl_set_fix_si(c.set.copy(), isl_dim_param, 0, static_cast<int>(n)));
  const isl::val expected = isl::manage(isl_set_count_val(fixed.get()));
  const Result<Rational> found = count_at(c.context, c.set, {{"N", n}});
  RC_LOG() << c.set << " N = " << n << " expected " << expected.num_si()
           << (found ? " found " + found->str() : to_string(found.errors()));
  RC_ASSERT(found.ok());
  RC_ASSERT(found->str() == std::to_string(expected.num_si()));
  // Where it is a polynomial from n on, it is one that counts.
  if (const Result<CountPolynomial> p = count_polynomial(c.context, c.set, n))
    for (i64 m = n; m < n + 6; ++m) RC_ASSERT(p->at({{"N", m}}) == *count_at(c.context, c.set, {{"N", m}}));
}

}  // namespace
}  // namespace heliolite::count_test
