// The table of rules, its documentation, and the gate through which searches ask.
#include "engine/search/core/rules.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <sstream>
#include <string>

namespace heliolite::rules_test {
namespace {

using ::testing::HasSubstr;

std::string page(std::string_view name) {
  std::ifstream in(fmt::format("{}/../docs/rules/{}", HELIOLITE_TEST_DATA, name));
  std::stringstream text;
  text << in.rdbuf();
  return text.str();
}

TEST(Rules, StandInTheTableInTheirOrder) {
  for (std::size_t r = 0; r < kRules; ++r) {
    EXPECT_EQ(static_cast<std::size_t>(kRuleTable[r].rule), r);
    EXPECT_EQ(parse_rule(kRuleTable[r].name), kRuleTable[r].rule);
  }
  EXPECT_FALSE(parse_rule("beams"));
}

TEST(Rules, AreDocumentedAndProven) {
  const std::string table = page("README.md");
  for (const RuleInfo& rule : kRuleTable) {
    EXPECT_THAT(table, HasSubstr(fmt::format("| `{}` | {} | {} | {} | [{}]({}) |\n", rule.name, name(rule.user),
                                             name(rule.soundness), rule.help, rule.page, rule.page)));
    EXPECT_THAT(page(rule.page), HasSubstr(rule.name)) << rule.page;
  }
}

TEST(Gate, AsksARuleThatIsOnAndCounts) {
  RuleSet rules;
  RuleCounts counts;
  const Gate gate(rules, counts);
  EXPECT_TRUE(gate.on(Rule::OwnLoops));
  EXPECT_TRUE(gate.prunes(Rule::OwnLoops, [] { return true; }));
  EXPECT_FALSE(gate.prunes(Rule::OwnLoops, [] { return false; }));
  gate.pruned(Rule::OwnLoops, 3);
  EXPECT_EQ(counts.calls[static_cast<std::size_t>(Rule::OwnLoops)], 5u);
  EXPECT_EQ(counts.cuts[static_cast<std::size_t>(Rule::OwnLoops)], 4u);
}

TEST(Gate, DoesNotAskARuleThatIsOff) {
  RuleSet rules;
  rules.set(Rule::Beam, false);
  RuleCounts counts;
  const Gate gate(rules, counts);
  EXPECT_FALSE(gate.on(Rule::Beam));
  EXPECT_FALSE(gate.prunes(Rule::Beam, []() -> bool { throw "asked"; }));
  EXPECT_EQ(counts, RuleCounts());
}

}  // namespace
}  // namespace heliolite::rules_test
