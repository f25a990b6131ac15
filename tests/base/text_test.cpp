// Small text helpers: suggestions, lists, splitting.
#include "engine/base/text.h"

#include <gtest/gtest.h>

#include "engine/base/result.h"

namespace heliolite::text_test {
namespace {

const std::vector<std::string> kKeys{"bandwidth", "entries", "word_bits", "K",
                                     "stride",    "wstride", "resnet18",  "bert_base"};

TEST(Text, SuggestsTheNearestName) {
  EXPECT_EQ(nearest("bandwith", kKeys), "bandwidth");
  EXPECT_EQ(nearest("badnwidth", kKeys), "bandwidth");  // swapped neighbours are one slip
  EXPECT_EQ(nearest("word-bits", kKeys), "word_bits");
  EXPECT_EQ(nearest("ENTRIES", kKeys), "entries");
  EXPECT_EQ(nearest("k", kKeys), "K");
  // Of equally near names that of the same length.
  EXPECT_EQ(nearest("LPDDR6", std::vector<std::string>{"HBM2", "LPDDR", "LPDDR4", "LPDDR5"}), "LPDDR4");
  EXPECT_EQ(nearest("resnet81", kKeys), "resnet18");
  EXPECT_EQ(nearest("bert", kKeys), "bert_base");  // the beginning of a name
  EXPECT_EQ(nearest("wstrid", kKeys), "wstride");
  EXPECT_EQ(nearest("gem", std::vector<std::string>{"gemm-abz", "gemm"}), "gemm");  // a slip before a beginning
}

TEST(Text, SuggestsNothingFarFetched) {
  EXPECT_EQ(nearest("Q", kKeys), std::nullopt);
  EXPECT_EQ(nearest("", kKeys), std::nullopt);
  EXPECT_EQ(nearest("latency", kKeys), std::nullopt);
  EXPECT_EQ(nearest("entries", {}), std::nullopt);
  EXPECT_EQ(nearest(std::string(1'000'000, 'e'), kKeys), std::nullopt);
}

TEST(Text, EndsAMessageWithASuggestion) {
  EXPECT_EQ(did_you_mean("strde", kKeys), ", did you mean 'stride'?");
  EXPECT_EQ(did_you_mean("energy", kKeys), "");
}

TEST(Text, JoinsAsInASentence) {
  EXPECT_EQ(join(std::vector<std::string>{}), "");
  EXPECT_EQ(join(std::vector<std::string>{"a"}), "a");
  EXPECT_EQ(join(std::vector<std::string>{"a", "b"}), "a and b");
  EXPECT_EQ(join(std::vector<std::string>{"a", "b", "c"}, "or"), "a, b or c");
}

TEST(Text, SplitsAndTrims) {
  EXPECT_EQ(split("a, b ,,c", ','), (std::vector<std::string>{"a", "b", "", "c"}));
  EXPECT_EQ(split("", ','), std::vector<std::string>{});
  EXPECT_EQ(split("a", ','), std::vector<std::string>{"a"});
  EXPECT_EQ(trim(" \t x y \r\n"), "x y");
  EXPECT_EQ(trim("   "), "");
  EXPECT_EQ(lower("AbC-9"), "abc-9");
}

TEST(Text, ShowsWhatATerminalWouldObey) {
  EXPECT_EQ(visible("a\x1b[31mb\x07\n\tc\x7f"), "a\\x1b[31mb\\x07\\n\\tc\\x7f");
  EXPECT_EQ(visible("a\nb\x1b", "\n"), "a\nb\\x1b");
  EXPECT_EQ(visible("\xc2\x9b\xe2\x80\xae\xef\xbf\xbf"), "\\u009b\\u202e\\uffff");
  EXPECT_EQ(visible("caf\xe9 \xc3\xa9 \xf0\x9f\x98\x80 \xc0\x80 \xed\xa0\x80"),
            "caf\\xe9 \xc3\xa9 \xf0\x9f\x98\x80 \\xc0\\x80 \\xed\\xa0\\x80");
  EXPECT_EQ(readable("no layer 'a\nb' and \x1b[2J"), "no layer 'a\\nb' and \\x1b[2J");
}

TEST(Text, CellsAreNoFormulas) {
  EXPECT_EQ(csv_cell("=cmd|' /C calc'!A0"), "'=cmd|' /C calc'!A0");
  EXPECT_EQ(csv_cell("@SUM(1,2)"), "\"'@SUM(1,2)\"");
  EXPECT_EQ(csv_cell("-a"), "'-a");
  EXPECT_EQ(csv_cell("+a"), "'+a");
  for (const char* same : {"-1.5e3", "+2", "-", "", "a=b", "conv-1", "1"}) EXPECT_EQ(csv_cell(same), same);
}

TEST(Text, ShowsTheBeginningOfLongTextsAndTheirLength) {
  const std::string most(kLongestShown, 'x'), cut(160, 'x');
  EXPECT_EQ(shortened(most), most);
  EXPECT_EQ(shortened(most + "xyz"), cut + ".. (203 characters)");
  EXPECT_EQ(shortened(shortened(most + "xyz")), cut + ".. (203 characters)");
  EXPECT_EQ(shortened("a\tb\nc"), "a b c");
  std::string wide;  // three bytes each: not cut inside one
  for (int i = 0; i < 100; ++i) wide += "\xe2\x82\xac";
  EXPECT_EQ(shortened(wide), wide.substr(0, 159) + ".. (100 characters)");
  EXPECT_EQ(readable("no '" + most + most + "', must be\na"), "no '" + cut + ".. (400 characters)', must be\na");
  EXPECT_EQ(readable("no '" + most + " it's x', must"), "no '" + cut + ".. (207 characters)', must");
  EXPECT_EQ(readable("a = " + most + "y, must"), "a = " + cut + ".. (202 characters) must");
  for (const char* same : {" a  b ", "", "'a' b's 'c d'\n", "'", "''"}) EXPECT_EQ(readable(same), same);
  const Diagnostic d{"/" + most + "x/b.yaml", 3, most + " " + most, "m " + most + most};
  EXPECT_EQ(d.to_string(), "/" + cut + ".. (201 characters)/b.yaml:3: " + cut + ".. (401 characters): m " + cut +
                               ".. (400 characters)");
}

}  // namespace
}  // namespace heliolite::text_test
