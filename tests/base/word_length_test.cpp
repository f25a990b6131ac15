// Lengths of words: what is read, what is refused, and that nothing is rounded.
#include "engine/base/word_length.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <regex>

namespace heliolite::word_length_test {
namespace {

std::string read(const std::string& text) {
  const std::optional<WordLength> length = parse_word_length(text);
  return length ? text_of(*length) : "";
}

TEST(WordLengths, AreNumbersFormatsAndBlocksWithScales) {
  EXPECT_EQ(read("16"), "16");
  EXPECT_EQ(read("4.25"), "4.25");
  EXPECT_EQ(read("4.500"), "4.5");
  EXPECT_EQ(read("1.6"), "1.6");  // five of three values in a byte
  EXPECT_EQ(read("1.0009765625"), "1.0009765625");
  EXPECT_EQ(read("mxfp4"), "4.25");
  EXPECT_EQ(read("NVFP4"), "4.5");
  EXPECT_EQ(read("mxfp6"), "6.25");
  EXPECT_EQ(read("MXFP8"), "8.25");
  EXPECT_EQ(read("fp8"), "8");
  EXPECT_EQ(read("int4"), "4");
  EXPECT_EQ(read("bf16"), "16");
  EXPECT_EQ(read("4+8/32"), "4.25");
  EXPECT_EQ(read("4 + 16/128"), "4.125");
  EXPECT_EQ(read("4+16/128+4/128"), "4.15625");
}

TEST(WordLengths, RefuseWhatTheyWouldHaveToRound) {
  for (const char* bad : {"", "0", "0.5", "1025", "-4", "4.", ".5", "1e1", "4,25", "4+8/24", "4+8/0", "4.0001", "mxfp5",
                          "1.00048828125", "nan", "4.25x", "99999999999999999999"})
    EXPECT_EQ(read(bad), "") << bad;
}

TEST(WordLengths, HaveAPatternForAllThatIsRead) {
  const std::regex pattern(word_length_pattern());
  for (const std::string& name : number_format_names()) EXPECT_TRUE(std::regex_match(name, pattern)) << name;
  for (const char* text : {"16", "4.25", "4+8/32", "4 + 16/128+4/128", "MXFP4", "Bf16"})
    EXPECT_TRUE(std::regex_match(text, pattern)) << text;
  for (const char* text : {"", "mxfp", "4+", "4x", "4+8"}) EXPECT_FALSE(std::regex_match(text, pattern)) << text;
}

TEST(WordLengths, AreExact) {
  const WordLength mxfp4 = WordLength::of_parts(17, 4), nvfp4 = WordLength::of_parts(9, 2);
  EXPECT_EQ(mxfp4 * 4, WordLength(17));
  EXPECT_EQ(mxfp4 + nvfp4, WordLength::of_parts(35, 4));
  EXPECT_LT(mxfp4, nvfp4);
  EXPECT_EQ(gcd(mxfp4, nvfp4), WordLength::of_parts(1, 4));
  EXPECT_EQ(gcd(nvfp4, WordLength(0)), nvfp4);
  EXPECT_EQ(mxfp4.in_units(8, 32), 17u);
  EXPECT_EQ(mxfp4.in_units(8, 33), 17u);
  EXPECT_EQ(mxfp4.in_units_up(8, 33), 18u);
  EXPECT_EQ(static_cast<double>(mxfp4), 4.25);
  EXPECT_EQ(WordLength(16).in_units(nvfp4, 9), 32u);
}

TEST(WordLengths, AreNumbersOfJson) {
  EXPECT_EQ(nlohmann::json(WordLength(16)).dump(), "16");
  EXPECT_EQ(nlohmann::json(WordLength::of_parts(8, 5)).dump(), "1.6");
}

}  // namespace
}  // namespace heliolite::word_length_test
