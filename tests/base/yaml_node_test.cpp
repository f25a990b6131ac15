// YAML with places: what is read, and every complaint a broken file can cause.
#include "engine/base/yaml_node.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <unistd.h>
#include <cstdio>
#include <filesystem>
#include <fstream>

#include "engine/base/file_bytes.h"

namespace heliolite::yaml_node_test {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

YamlNode parse(const std::string& text) {
  Result<YamlNode> node = YamlNode::parse(text, "f.yaml");
  EXPECT_TRUE(node.ok()) << to_string(node.errors());
  return *node;
}

std::string complaint(std::string_view text) {
  const Result<YamlNode> node = YamlNode::parse(text, "f.yaml");
  return node.ok() ? "" : to_string(node.errors());
}

std::string repeat(std::string_view piece, int times) {
  std::string out;
  for (int i = 0; i < times; ++i) out += piece;
  return out;
}

TEST(YamlNode, KnowsKindsFieldsAndLines) {
  const YamlNode root = parse("name: x\nlevels:\n- entries: 4\n  tags: [a, b]\n-\n");
  EXPECT_TRUE(root.is_map());
  EXPECT_EQ(root.file(), "f.yaml");
  EXPECT_EQ(root.field(), "");
  EXPECT_THAT(root.keys(), ElementsAre("name", "levels"));
  const YamlNode levels = *root.find("levels");
  ASSERT_EQ(levels.size(), 2U);
  const YamlNode tags = *levels.at(0).find("tags");
  EXPECT_EQ(tags.field(), "levels[0].tags");
  EXPECT_EQ(tags.line(), 4);
  EXPECT_EQ(tags.at(1).field(), "levels[0].tags[1]");
  EXPECT_EQ(tags.at(1).text(), "b");
  EXPECT_TRUE(levels.at(1).is_null());
  EXPECT_TRUE(levels.at(2).is_null());  // beyond the end
  EXPECT_EQ(root.key_line("levels"), 2);
  EXPECT_EQ(root.find("nothing"), std::nullopt);
  EXPECT_FALSE(tags.has("a"));
  EXPECT_EQ(levels.at(0).error("bad").to_string(), "f.yaml:3: levels[0]: bad");
}

TEST(YamlNode, KeepsTags) {
  const YamlNode root = parse("- !Component\n  name: DRAM\n- !!str 5\n- plain\n- \"quoted\"\n");
  EXPECT_EQ(root.at(0).tag(), "!Component");
  EXPECT_EQ(root.at(0).find("name")->text(), "DRAM");
  EXPECT_EQ(root.at(1).tag(), "");
  EXPECT_TRUE(root.at(1).quoted());
  EXPECT_EQ(root.at(2).tag(), "");
  EXPECT_FALSE(root.at(2).quoted());
  EXPECT_TRUE(root.at(3).quoted());
}

TEST(YamlNode, ReadsScalars) {
  const YamlNode v =
      parse("[12, -3, 0x1F, 1e6, 1.5, .5, '7', true, No, abc, 1e999, nan, +4, 9223372036854775808, 1.0, '']");
  const auto integer = [&](std::size_t i) { return v.at(i).as_integer(); };
  EXPECT_EQ(integer(0), 12);
  EXPECT_EQ(integer(1), -3);
  EXPECT_EQ(integer(2), 31);
  EXPECT_EQ(integer(3), 1'000'000);
  EXPECT_EQ(integer(4), std::nullopt);
  EXPECT_EQ(integer(6), std::nullopt) << "quoted";
  EXPECT_EQ(integer(12), 4);
  EXPECT_EQ(integer(13), std::nullopt) << "beyond 63 bits";
  EXPECT_EQ(integer(14), 1);
  EXPECT_EQ(integer(15), std::nullopt);
  EXPECT_EQ(v.at(4).as_number(), 1.5);
  EXPECT_EQ(v.at(5).as_number(), 0.5);
  EXPECT_EQ(v.at(10).as_number(), std::nullopt) << "not finite";
  EXPECT_EQ(v.at(11).as_number(), std::nullopt);
  EXPECT_EQ(v.at(7).as_bool(), true);
  EXPECT_EQ(v.at(8).as_bool(), false);
  EXPECT_EQ(v.at(9).as_bool(), std::nullopt);
}

TEST(YamlNode, MergesAliases) {
  const YamlNode root = parse("base: &b {a: 1, c: 2}\nx: {<<: *b, a: 3}\ny: *b\nz: {<<: [*b, {d: 4}]}\n");
  EXPECT_THAT(root.find("x")->keys(), ElementsAre("a", "c"));
  EXPECT_EQ(root.find("x")->find("a")->as_integer(), 3);
  EXPECT_EQ(root.find("y")->find("c")->field(), "y.c");
  EXPECT_EQ(root.find("z")->find("d")->as_integer(), 4);
  EXPECT_THAT(complaint("a: {<<: 3}"), AllOf(HasSubstr("f.yaml:1"), HasSubstr("must be a map")));
}

TEST(YamlNode, RefusesDeepNestingBeforeRecursing) {
  for (const char* piece : {"[", "{", "- ", "? ", "{a: ", "[a, ", "[{"}) {
    for (const int times : {100, 10'000}) {
      EXPECT_THAT(complaint(repeat(piece, times)), HasSubstr("f.yaml:1")) << piece << times;
    }
  }
  EXPECT_THAT(complaint(repeat("[", 10'000)), HasSubstr("nested deeper than 64 levels"));
  EXPECT_THAT(complaint(repeat("[", 10'000) + repeat("]", 10'000)), HasSubstr("nested deeper than 64 levels"));
  EXPECT_EQ(complaint(repeat("[", 64) + repeat("]", 64)), "");
  EXPECT_THAT(complaint(repeat("[", 65) + repeat("]", 65)), HasSubstr("nested deeper than 64 levels"));
  std::string block;
  for (int i = 0; i < 200; ++i) block += repeat(" ", i) + "k:\n";
  EXPECT_THAT(complaint(block), AllOf(HasSubstr("f.yaml:65"), HasSubstr("nested deeper than 64 levels")));
  EXPECT_EQ(complaint("text: \"" + repeat("[", 500) + "\"\n"), "") << "brackets in quotes nest nothing";
}

TEST(YamlNode, RefusesExplodingAliases) {
  std::string bomb = "a0: &a0 [x, x, x, x, x, x, x, x, x, x]\n";
  for (int i = 1; i < 30; ++i) {
    const std::string alias = "*a" + std::to_string(i - 1);
    bomb += "a" + std::to_string(i) + ": &a" + std::to_string(i) + " [" + repeat(alias + ", ", 9) + alias + " ]\n";
  }
  EXPECT_THAT(complaint(bomb), AllOf(HasSubstr("f.yaml:"), HasSubstr("more than 1000000 values")));
  std::string deep = "a0: &a0 [x]\n";
  for (int i = 1; i < 100; ++i)
    deep += "a" + std::to_string(i) + ": &a" + std::to_string(i) + " [*a" + std::to_string(i - 1) + " ]\n";
  EXPECT_THAT(complaint(deep), HasSubstr("nested deeper than 64 levels"));
  EXPECT_THAT(complaint("a: &x [1, *x ]\n"), AllOf(HasSubstr("f.yaml:1"), HasSubstr("contains it")));
  EXPECT_THAT(complaint("a: *nowhere\n"), AllOf(HasSubstr("f.yaml:1"), HasSubstr("anchor")));
}

TEST(YamlNode, NamesBothLinesOfADuplicateKey) {
  const std::string text = complaint("a: 1\nb:\n- {c: 1, d: 2}\n- c: 1\n  c: 2\na: 3\n");
  EXPECT_THAT(text, AllOf(HasSubstr("f.yaml:5: b[1]: duplicate key 'c', first given at line 4"),
                          HasSubstr("f.yaml:6: duplicate key 'a', first given at line 1")));
}

TEST(YamlNode, RefusesWhatIsNoDocument) {
  EXPECT_EQ(complaint(""), "f.yaml: is empty");
  EXPECT_EQ(complaint("# only a comment\n"), "f.yaml: is empty");
  EXPECT_EQ(complaint("---\n...\n"), "f.yaml: is empty");
  EXPECT_THAT(complaint("a: 1\n---\nb: 1\n"), AllOf(HasSubstr("f.yaml:3"), HasSubstr("second document")));
  EXPECT_EQ(complaint("---\na: 1\n...\n"), "");
  EXPECT_THAT(complaint("[a]\nb\n"), HasSubstr("f.yaml:2"));
}

TEST(YamlNode, PointsAtSyntaxErrors) {
  EXPECT_THAT(complaint("a: 1\nb: [1, 2\n"), AllOf(HasSubstr("f.yaml:"), HasSubstr("not valid YAML")));
  EXPECT_THAT(complaint("a: 1\nb: c: d\n"), HasSubstr("f.yaml:2: not valid YAML"));
  for (const char* open : {"\"open\n", "\"open", "'it''s\n", "'open\n\n", "!t \"\\\"\n", "&x 'a\nb: 2\n"}) {
    EXPECT_THAT(complaint(std::string("z: 0\na: ") + open), HasSubstr("f.yaml:2: not valid YAML: ")) << open;
  }
  EXPECT_EQ(complaint("a: 'it''s'\n"), "");
  EXPECT_EQ(complaint("\xef\xbb\xbf"
                      "a: \"x\\\"y\"\n"),
            "")
      << "byte order mark";
  for (const char* tab : {"a: 1\n\tb: 2\n", "a:\n-\tb: c\n", "a:\n\tb: 2\n"})
    EXPECT_THAT(complaint(tab), HasSubstr("indented with a tab; YAML takes spaces only")) << tab;
  EXPECT_THAT(complaint("# c\n\n\t# d\n \t\na:\n\tb: 2\n"), HasSubstr("f.yaml:6: indented with a tab"));
  EXPECT_EQ(complaint("a: [\n\t1,\t2]\n"), "");
  EXPECT_THAT(complaint("a: 'b\tc'\nd: e: f\n"), Not(HasSubstr("tab")));
  EXPECT_THAT(complaint("{a: 1}}"), HasSubstr("f.yaml:1: not valid YAML"));
  EXPECT_EQ(complaint("{[a, b]: 1, [a]: 2}"), "");
  EXPECT_THAT(complaint("{[a, b]: 1, [a, b]: 2}"), HasSubstr("duplicate key '[a, b]'"));
  EXPECT_THAT(complaint("[[a]]: 1"), HasSubstr("a key must be a plain name"));
  EXPECT_THAT(complaint("[]: 1"), HasSubstr("a key must be a plain name"));
  EXPECT_THAT(complaint("{a: 1}: 1"), HasSubstr("a key must be a plain name"));
  EXPECT_THAT(complaint("? \n: 1"), HasSubstr("a key must be a plain name"));
}

TEST(YamlNode, RefusesAStrayComma) {
  for (const char* text : {",", ", a: 1\n", "a:\n  , b\n", "# a\n  , q, skp ;\nb: |\n\n  c\n"})
    EXPECT_THAT(complaint(text), AllOf(HasSubstr("not valid YAML"), Not(HasSubstr("1000000")))) << text;
}

TEST(YamlNode, RefusesBinaries) {
  EXPECT_THAT(complaint(std::string("a: 1\nb: \0", 9)), AllOf(HasSubstr("f.yaml:2"), HasSubstr("not a text file")));
  EXPECT_THAT(complaint("a: 1\nb: \x04"), HasSubstr("control character 0x04"));
  EXPECT_THAT(complaint(std::string("\xff\xfe"
                                    "a\0:\0",
                                    6)),
              HasSubstr("is text in UTF-16; save it as UTF-8"));
  for (const char* bad :
       {"\xff\xfe", "\xc0\xaf", "\xe0\x80\xaf", "\xed\xa0\x80", "\xf4\x90\x80\x80", "\xe2\x82", "\x80"}) {
    EXPECT_THAT(complaint(std::string("a: ") + bad), HasSubstr("is not valid UTF-8"));
  }
  EXPECT_EQ(complaint("a: \"\xc2\xb5m \xe2\x82\xac \xf0\x9f\x98\x80\""), "");
}

// A folder of its own, removed afterwards.
class YamlFile : public ::testing::Test {
 protected:
  YamlFile() { std::filesystem::create_directories(folder_); }
  ~YamlFile() override { std::filesystem::remove_all(folder_); }

  std::string path(const std::string& name) const { return (folder_ / name).string(); }
  void write(const std::string& name, const std::string& text) const {
    std::ofstream(path(name), std::ios::binary) << text;
  }
  static std::string load(const std::string& path) {
    const Result<YamlNode> node = YamlNode::load_file(path);
    return node.ok() ? "" : to_string(node.errors());
  }

  std::filesystem::path folder_ =
      std::filesystem::temp_directory_path() / ("heliolite_yaml_" + std::to_string(::getpid()));
};

TEST_F(YamlFile, ReadsAFile) {
  write("eyeriss.yaml", "name: eyeriss\n");
  EXPECT_EQ(load(path("eyeriss.yaml")), "");
}

TEST_F(YamlFile, SuggestsTheNearestFile) {
  write("eyeriss.yaml", "name: eyeriss\n");
  EXPECT_THAT(load(path("eyeris.yaml")), AllOf(HasSubstr("eyeris.yaml: no such file"), HasSubstr("'eyeriss.yaml'")));
  EXPECT_THAT(load(path("nowhere/a.yaml")), HasSubstr("there is no folder"));
}

TEST_F(YamlFile, RefusesDirectoriesBinariesAndHugeFiles) {
  EXPECT_THAT(load(folder_.string()), HasSubstr("is a directory"));
  EXPECT_THAT(load(""), HasSubstr("not a file name"));
  write("empty.yaml", "");
  EXPECT_THAT(load(path("empty.yaml")), HasSubstr("is empty"));
  write("binary.yaml", std::string("\x7f"
                                   "ELF\0\0",
                                   6));
  EXPECT_THAT(load(path("binary.yaml")), HasSubstr("not a text file"));
  write("huge.yaml", "");
  std::filesystem::resize_file(path("huge.yaml"), kMaxTextFileBytes + 1);
  EXPECT_THAT(load(path("huge.yaml")), HasSubstr("larger than 64 MiB"));
}

TEST(MapReader, ReadsTypedValues) {
  Diagnostics errors;
  MapReader map(parse("s: text\nb: true\ni: 42\nn: 1.5\nc: red\nw: [a, b]\nv: a, b c\nz:\n"), errors);
  EXPECT_EQ(map.required_string("s"), "text");
  EXPECT_EQ(map.boolean("b"), true);
  EXPECT_EQ(map.required_integer("i", 1, 100), 42);
  EXPECT_EQ(map.required_number("n", 0, 2), 1.5);
  EXPECT_EQ(map.choice("c", {"red", "blue"}), "red");
  EXPECT_THAT(*map.words("w"), ElementsAre("a", "b"));
  EXPECT_THAT(*map.words("v"), ElementsAre("a", "b", "c"));
  EXPECT_THAT(*map.words("z"), ElementsAre());
  EXPECT_EQ(map.string("missing"), std::nullopt);
  map.finish();
  EXPECT_EQ(to_string(errors), "");
}

TEST(MapReader, ReportsEveryComplaintOfAMap) {
  Diagnostics errors;
  MapReader map(parse("entries: -3\nwidth: abc\nname: [x]\nflag: 2\nkind: rde\nbandwith: 3\nwords: {a: 1}\nx: 7\n"),
                errors);
  EXPECT_EQ(map.integer("entries", 1, 2147483647), std::nullopt);
  EXPECT_EQ(map.number("width", 0.5, 2), std::nullopt);
  EXPECT_EQ(map.string("name"), std::nullopt);
  EXPECT_EQ(map.boolean("flag"), std::nullopt);
  EXPECT_EQ(map.choice("kind", {"red", "blue"}), std::nullopt);
  EXPECT_EQ(map.words("words"), std::nullopt);
  EXPECT_EQ(map.number("bandwidth", 0, 1e300), std::nullopt);
  EXPECT_EQ(map.required_integer("block", 1, 8), std::nullopt);
  map.finish();
  EXPECT_EQ(to_string(errors),
            "f.yaml:1: entries: entries = -3, must be an integer from 1 to 2147483647\n"
            "f.yaml:2: width: width = abc, must be a number from 0.5 to 2\n"
            "f.yaml:3: name: name = a list, must be a text\n"
            "f.yaml:4: flag: flag = 2, must be true or false\n"
            "f.yaml:5: kind: kind = rde, must be red or blue, did you mean 'red'?\n"
            "f.yaml:7: words: words must be a list of words\n"
            "f.yaml:1: missing key 'block'\n"
            "f.yaml:6: unknown key 'bandwith', did you mean 'bandwidth'?\n"
            "f.yaml:8: unknown key 'x', must be one of entries, width, name, flag, kind, words, bandwidth or block");
}

TEST(MapReader, ComplainsOnceWhenThereIsNoMap) {
  Diagnostics errors;
  MapReader map(parse("[1, 2]"), errors);
  EXPECT_FALSE(map.valid());
  EXPECT_EQ(map.required_string("a"), std::nullopt);
  map.finish();
  EXPECT_EQ(to_string(errors), "f.yaml:1: must be a map of keys and values, not a list");
}

TEST(MapReader, BoundsTheNumberOfUnknownKeys) {
  std::string text;
  for (int i = 0; i < 5000; ++i) text += "key" + std::to_string(i) + ": 1\n";
  Diagnostics errors;
  MapReader map(parse(text), errors);
  map.finish();
  EXPECT_LE(errors.size(), 30U);
  EXPECT_THAT(to_string(errors), HasSubstr("more unknown keys"));
}

// Pieces that yaml gives a meaning to, in any order: never a crash, and a complaint names the file.
RC_GTEST_PROP(YamlNode, SurvivesAnything, ()) {
  const auto pieces = *rc::gen::container<std::vector<std::string>>(rc::gen::elementOf(std::vector<std::string>{
      "[",    "]",  "{",   "}", ":", ": ", "- ", ",",     "\n",    "  ", "\t", "a", "&x ", "*x ",      "!t ",
      "<<: ", "? ", "|\n", ">", "'", "\"", "#",  "---\n", "...\n", "1",  "~",  "%", "@",   "\xc3\xa9", "\x01"}));
  std::string text;
  for (const std::string& piece : pieces) text += piece;
  const Result<YamlNode> node = YamlNode::parse(text, "f.yaml");
  if (!node.ok()) RC_ASSERT(to_string(node.errors()).starts_with("f.yaml"));
}

}  // namespace
}  // namespace heliolite::yaml_node_test
