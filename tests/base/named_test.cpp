// Names of enumerators: one array beside the enumeration serves for writing, reading and listing them.
#include "engine/base/named.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "engine/base/types.h"

namespace heliolite::named_test {

enum class Colour : u8 { Red, Green };
constexpr ValueNames<2> value_names(Colour) { return {"red", "green"}; }

namespace {

TEST(Named, ValuesOfAnEnumerationAreFoundByTheirNames) {
  EXPECT_EQ(heliolite::name(Colour::Green), "green");
  EXPECT_EQ(find_named<Colour>("red"), Colour::Red);
  EXPECT_FALSE(find_named<Colour>("Red").has_value());
  EXPECT_THAT(names_of<Colour>(), ::testing::ElementsAre("red", "green"));
}

}  // namespace
}  // namespace heliolite::named_test
