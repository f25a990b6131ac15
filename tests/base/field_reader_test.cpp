// FieldReader: what a table says is what is read, and the table and its reader cannot drift apart.
#include "engine/base/field_reader.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace heliolite::field_reader_test {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using ::testing::IsEmpty;

const FieldTable& buffer_fields() {
  static const FieldTable table{"buffer",
                                "A memory.",
                                {required({"name", shape::text(), "Its name."}),
                                 {"words", shape::integer(1, 100), "Its capacity."},
                                 {"energy", shape::number(0, 10), "Of an access.", "pJ"},
                                 {"kind", shape::one_of({"sram", "dram"}), "What it is."},
                                 {"keep", shape::words(), "What it holds."},
                                 {"on", shape::boolean(), "Whether it is on."},
                                 {"note", shape::any(), "For readers."}}};
  return table;
}

struct Read {
  std::vector<std::string> complaints;
  std::optional<std::string> name, kind;
  std::optional<i64> words;
  std::optional<double> energy;
};

Read read(const std::string& text) {
  Read out;
  Diagnostics errors;
  FieldReader reader(*YamlNode::parse(text, "f"), buffer_fields(), errors);
  out.name = reader.string("name");
  out.words = reader.integer("words");
  out.energy = reader.number("energy");
  out.kind = reader.choice("kind");
  reader.words("keep");
  reader.boolean("on");
  reader.ignore("note");
  reader.finish();
  for (const Diagnostic& error : errors) out.complaints.push_back(error.to_string());
  return out;
}

TEST(FieldReader, ReadsWhatTheTableSays) {
  const Read good = read("{name: a, words: 100, energy: 0.5, kind: dram, keep: [x], on: yes, note: [1]}");
  EXPECT_THAT(good.complaints, IsEmpty());
  EXPECT_EQ(good.name, "a");
  EXPECT_EQ(good.words, 100);
  EXPECT_EQ(good.energy, 0.5);
  EXPECT_EQ(good.kind, "dram");
}

TEST(FieldReader, ComplainsByTheTable) {
  EXPECT_THAT(read("{words: 101, energy: -1, kind: srm, keep: {}, on: 2, nane: a}").complaints,
              ElementsAre(HasSubstr("missing key 'name'"), HasSubstr("words = 101, must be an integer from 1 to 100"),
                          HasSubstr("energy = -1, must be a number from 0 to 10"),
                          HasSubstr("kind = srm, must be sram or dram, did you mean 'sram'?"),
                          HasSubstr("keep must be a list of words"), HasSubstr("on = 2, must be true or false"),
                          HasSubstr("unknown key 'nane', did you mean 'name'?")));
  EXPECT_THAT(read("{name: a, 7: b}").complaints,
              ElementsAre(HasSubstr("unknown key '7', must be one of name, words, energy, kind, keep, on or note")));
  EXPECT_THAT(read("[1]").complaints, ElementsAre(HasSubstr("must be a map of keys and values, not a list")));
}

// A comma ends a value between braces: what it cut off a text is no key.
TEST(FieldReader, SaysThatATextWithCommasNeedsQuotes) {
  EXPECT_THAT(read("{name: a, note: conv:c=4,k=8}").complaints,
              ElementsAre(HasSubstr("unknown key 'k=8': in { } a comma ends a value; write a text that has commas")));
}

TEST(FieldReader, ComplainsOnceAboutWhatIsMissing) {
  Diagnostics errors;
  FieldReader reader(*YamlNode::parse("{words: 3}", "f"), buffer_fields(), errors);
  reader.string("name");
  reader.child("name");
  EXPECT_EQ(errors.size(), 1u);
  EXPECT_FALSE(reader.needed("energy"));  // required by what stands beside it
  EXPECT_EQ(errors.size(), 2u);
}

TEST(FieldReader, AnUpperEndThatDependsOnTheFile) {
  Diagnostics errors;
  FieldReader reader(*YamlNode::parse("{name: a, words: 9}", "f"), buffer_fields(), errors);
  EXPECT_EQ(reader.integer("words", 9), 9);
  EXPECT_EQ(reader.integer("words", 1000), 9);
  EXPECT_FALSE(reader.integer("words", 8));
  EXPECT_THAT(errors.back().to_string(), HasSubstr("must be an integer from 1 to 8"));
}

// Whoever adds a field to a table and does not read it, or reads one that is not there, sees every file refused.
TEST(FieldReader, TheTableAndItsReaderCannotDriftApart) {
  Diagnostics unread;
  FieldReader reader(*YamlNode::parse("{name: a}", "f"), buffer_fields(), unread);
  for (const char* field : {"name", "words", "energy", "kind", "keep", "on"}) reader.child(field);
  reader.finish();
  ASSERT_EQ(unread.size(), 1u);
  EXPECT_THAT(unread[0].to_string(), HasSubstr("note is in the table of a buffer, but nothing reads it"));

  Diagnostics undeclared;
  FieldReader other(*YamlNode::parse("{name: a}", "f"), buffer_fields(), undeclared);
  other.child("size");
  other.integer("energy");
  ASSERT_EQ(undeclared.size(), 2u);
  EXPECT_THAT(undeclared[0].to_string(), HasSubstr("size is read, but the table of a buffer has no such field"));
  EXPECT_THAT(undeclared[1].to_string(), HasSubstr("energy is read, but the table of a buffer has another type"));
}

}  // namespace
}  // namespace heliolite::field_reader_test
