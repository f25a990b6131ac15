// Conditions on design points.
#include "engine/sweep/design_points.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <limits>

namespace heliolite::expression_test {
namespace {

using ::testing::HasSubstr;

const std::vector<std::string> kNames{"l1", "l2", "area_mm2"};

bool holds(const std::string& text, std::vector<double> values) {
  const auto condition = Expression::parse(text, kNames);
  EXPECT_TRUE(condition.ok()) << to_string(condition.errors());
  return condition->holds(values);
}

std::string complaint(const std::string& text) {
  const auto condition = Expression::parse(text, kNames);
  EXPECT_FALSE(condition.ok()) << text;
  return condition.ok() ? "" : to_string(condition.errors());
}

TEST(Expression, ComparesNumbersByName) {
  EXPECT_TRUE(holds("l1 * 2 <= l2", {3, 7, 0}));
  EXPECT_FALSE(holds("l1 * 2 <= l2", {4, 7, 0}));
  EXPECT_TRUE(holds("l1 < 2 || area_mm2 >= 1.5", {3, 7, 1.5}));
  EXPECT_TRUE(holds("l1 == l2", {3, 3, 0}));
  EXPECT_TRUE(holds("l1 < 2 ? l2 > 5 : l2 != 7", {1, 6, 0}));
  EXPECT_FALSE(holds("max(l1, l2) < 7", {1, 7, 0}));
}

TEST(Expression, HoldsNowhereWhereItHasNoValue) {
  EXPECT_FALSE(holds("l1 / l2 < 1", {0, 0, 0}));
  EXPECT_FALSE(holds("l1 / l2 >= 1", {0, 0, 0}));
  EXPECT_TRUE(holds("l1 > 1e300", {std::numeric_limits<double>::infinity(), 0, 0}));
}

TEST(Expression, KnowsWhatItUses) {
  const auto condition = Expression::parse("area_mm2 < l1", kNames);
  ASSERT_TRUE(condition.ok());
  EXPECT_TRUE(condition->uses(0));
  EXPECT_FALSE(condition->uses(1));
  EXPECT_TRUE(condition->uses(2));
}

TEST(Expression, NamesWhatIsWrong) {
  EXPECT_THAT(complaint("are_mm2 < 2"), HasSubstr("unknown name 'are_mm2', did you mean 'area_mm2'?"));
  EXPECT_THAT(complaint("foo < 2"), HasSubstr("known: l1, l2 and area_mm2"));
  EXPECT_THAT(complaint("(l1 < 3"), HasSubstr("missing parenthesis"));
  EXPECT_THAT(complaint("l1 <=> 2"), HasSubstr("at column 6"));
  EXPECT_THAT(complaint("l1 = 3"), HasSubstr("compares with '=='"));
  EXPECT_THAT(complaint("l1 + l2"), HasSubstr("compares nothing"));
  EXPECT_THAT(complaint("l1 < 3, l2 < 3"), HasSubstr("more than one condition"));
  EXPECT_THAT(complaint(""), HasSubstr("empty"));
  EXPECT_THAT(complaint("sin() < 2"), HasSubstr("too few parameters"));
}

TEST(Expression, ReservesTheNamesOfFunctionsAndConstants) {
  EXPECT_TRUE(Expression::reserved("min"));
  EXPECT_TRUE(Expression::reserved("_pi"));
  EXPECT_FALSE(Expression::reserved("l1"));
}

// Whatever the text: a condition, or a complaint of one line.
RC_GTEST_PROP(ExpressionProperty, NoTextBreaksIt, ()) {
  const auto piece = rc::gen::elementOf(std::vector<std::string>{
      "l1", "l2", "(", ")",   "<", "<=",  "=",    "==", "&&", "||", "!",        "?", ":",  "+",  "-",
      "/",  "^",  "3", "1e9", ",", "min", "sum(", "\"", " ",  ".",  "\xc3\xa9", "_", "if", "0x", "e"});
  std::string text;
  for (const std::string& part : *rc::gen::container<std::vector<std::string>>(piece)) text += part;
  const auto condition = Expression::parse(text, kNames);
  if (condition) {
    condition->holds(std::vector<double>{1, 0, 2});
  } else {
    RC_ASSERT(condition.errors().size() == 1u);
    RC_ASSERT(!condition.errors().front().message.empty());
    RC_ASSERT(condition.errors().front().message.find('\n') == std::string::npos);
  }
}

}  // namespace
}  // namespace heliolite::expression_test
