// Lists made of other lists, and sums over lists.
#include "engine/base/mapped.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "engine/base/integers.h"

namespace heliolite::mapped_test {
namespace {

using ::testing::ElementsAre;

struct Part {
  std::string name;
  u64 words = 0;

  u64 bytes() const { return 2 * words; }
};

const std::vector<Part> kParts{{"a", 3}, {"b", 5}};

TEST(Mapped, HasAValueOfEachElementInTheirOrder) {
  EXPECT_THAT(mapped(kParts, [](const Part& part) { return part.words + 1; }), ElementsAre(4, 6));
  EXPECT_THAT(mapped(kParts, &Part::name), ElementsAre("a", "b"));
  EXPECT_THAT(mapped(kParts, &Part::bytes), ElementsAre(6, 10));
  EXPECT_THAT(mapped(bits(5u), [](int bit) { return 10 * bit; }), ElementsAre(0, 20));
  EXPECT_TRUE(mapped(std::vector<Part>{}, &Part::name).empty());
}

TEST(Mapped, HasTheTypeThatIsAskedFor) {
  const std::vector<std::string> texts =
      mapped<std::string>(kParts, [](const Part& part) { return std::string_view(part.name); });
  EXPECT_THAT(texts, ElementsAre("a", "b"));
}

TEST(Mapped, KeysAreTheFirstOfPairs) {
  EXPECT_THAT(keys_of(std::map<std::string, int>{{"b", 1}, {"a", 2}}), ElementsAre("a", "b"));
}

TEST(SumOf, AddsValuesOfTheElements) {
  EXPECT_EQ(sum_of<u64>(kParts, &Part::words), 8U);
  EXPECT_EQ(sum_of<u64>(std::vector<u64>{1, 2, 3}), 6U);
  EXPECT_EQ(sum_of<double>(std::vector<double>{}), 0);
}

}  // namespace
}  // namespace heliolite::mapped_test
