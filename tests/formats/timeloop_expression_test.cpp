#include "engine/formats/timeloop/attributes.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <rapidcheck.h>
#include <rapidcheck/gtest.h>

#include <cmath>
#include <string>

#include "engine/formats/timeloop/loops.h"

namespace heliolite::timeloop_expression_test {
namespace {

using ::testing::HasSubstr;

ExpressionResult run(std::string_view text) {
  return evaluate_expression(text, [](std::string_view name, std::string&) -> std::optional<double> {
    if (name == "depth") return 768;
    if (name == "glb.width") return 64;
    return std::nullopt;
  });
}

double value(std::string_view text) {
  const ExpressionResult result = run(text);
  EXPECT_TRUE(result.value) << text << ": " << result.error;
  return result.value.value_or(NAN);
}

TEST(Expression, ArithmeticIsPythons) {
  EXPECT_EQ(value("1 + 2 * 3"), 7);
  EXPECT_EQ(value("(1 + 2) * 3"), 9);
  EXPECT_EQ(value("7 / 2"), 3.5);
  EXPECT_EQ(value("7 // 2"), 3);
  EXPECT_EQ(value("-7 // 2"), -4);
  EXPECT_EQ(value("-7 % 3"), 2);
  EXPECT_EQ(value("2 ** 3 ** 2"), 512);
  EXPECT_EQ(value("-2 ** 2"), -4);
  EXPECT_EQ(value("2 ** -1"), 0.5);
  EXPECT_EQ(value("--3 - -2"), 5);
  EXPECT_EQ(value("10 - 4 - 3"), 3);
  EXPECT_EQ(value(" 1e3*\t.5 "), 500);
  EXPECT_EQ(value("8/4*2"), 4);
}

TEST(Expression, NamesAndFunctions) {
  EXPECT_EQ(value("depth // glb.width"), 12);
  EXPECT_EQ(value("min(3, depth, 5) + max(1, 2)"), 5);
  EXPECT_EQ(value("ceil(7 / 2) + floor(7 / 2) + round(2.5) + abs(-3) + int(9.9) + float(1)"), 4 + 3 + 2 + 3 + 9 + 1);
  EXPECT_EQ(value("math.log2(1024) + log10(100) + pow(2, 5) + math.sqrt(49)"), 10 + 2 + 32 + 7);
}

TEST(Expression, ComplaintsSayWhatIsWrong) {
  EXPECT_THAT(run("depht * 2").error, HasSubstr("unknown name 'depht'"));
  EXPECT_THAT(run("cei(2)").error, HasSubstr("unknown function 'cei', did you mean 'ceil'?"));
  EXPECT_THAT(run("pow(2)").error, HasSubstr("pow() does not take 1 argument"));
  EXPECT_THAT(run("1 / (2 - 2)").error, HasSubstr("division by zero"));
  EXPECT_THAT(run("1 % 0").error, HasSubstr("division by zero"));
  EXPECT_THAT(run("sqrt(-1)").error, HasSubstr("not finite"));
  EXPECT_THAT(run("9 ** 9 ** 9").error, HasSubstr("not finite"));
  EXPECT_THAT(run("1 +").error, HasSubstr("ends too early"));
  EXPECT_THAT(run("").error, HasSubstr("ends too early"));
  EXPECT_THAT(run("(1").error, HasSubstr("ends too early"));
  EXPECT_THAT(run("1 2").error, HasSubstr("unexpected '2' at character 3"));
  EXPECT_THAT(run("depth if 1 else 2").error, HasSubstr("unexpected 'if 1 else 2' at character 7"));
  EXPECT_THAT(run("a < 2").error, HasSubstr("unknown name 'a'"));
  EXPECT_THAT(run("1 < 2").error, HasSubstr("unexpected '< 2' at character 3"));
  EXPECT_THAT(run("__import__('os')").error, HasSubstr("unknown function"));
  EXPECT_THAT(run(std::string(10'000, '(')).error, HasSubstr("longer than"));
  EXPECT_THAT(run(std::string(2'000, '(')).error, HasSubstr("nested deeper"));
  EXPECT_THAT(run(std::string(2'000, '-') + "x").error, HasSubstr("unknown name"));
  std::string tower = "2";
  for (int i = 0; i < 1000; ++i) tower += "**1";
  EXPECT_THAT(run(tower).error, HasSubstr("nested deeper"));
}

RC_GTEST_PROP(Expression, NoTextCrashesIt, (const std::string& text)) {
  const ExpressionResult result = run(text);
  RC_ASSERT(result.value.has_value() == result.error.empty());
}

RC_GTEST_PROP(Expression, SumsOfProductsAgree, ()) {
  const auto a = *rc::gen::inRange(-1000, 1000);
  const auto b = *rc::gen::inRange(1, 1000);
  const auto c = *rc::gen::inRange(-1000, 1000);
  RC_ASSERT(value(fmt::format("{}*{} - {}/{} + {}", a, b, c, b, a)) ==
            static_cast<double>(a) * b - static_cast<double>(c) / b + a);
  RC_ASSERT(value(fmt::format("{0} // {1} * {1} + {0} % {1}", a, b)) == a);
}

// ---- attributes that are expressions over attributes and variables

struct Read {
  std::optional<double> value;
  std::string errors;
};

Read attribute(const std::string& text) {
  Diagnostics errors;
  const Result<YamlNode> root = YamlNode::parse(text, "x.yaml");
  EXPECT_TRUE(root.ok());
  const TimeloopAttributes own = read_attributes(*root->find("attributes"), {}, errors);
  const TimeloopAttributes variables = read_attributes(*root->find("variables"), {}, errors);
  AttributeReader reader(*root, "Buf", own, {}, variables, errors);
  const std::optional<double> value = reader.number({"width", "memory_width"}, 0, 1e9);
  reader.finish();
  return {value, to_string(errors)};
}

TEST(Attributes, FollowNamesThroughAttributesAndVariables) {
  const Read read = attribute(
      "attributes: {width: 2 * block-size, block-size: variables.n + attributes.m, m: 1}\n"
      "variables: {n: m * 3, m: 5}\n");
  EXPECT_THAT(read.errors, HasSubstr("block-size: unknown name 'block'"));
  EXPECT_EQ(attribute("attributes: {width: 2 * block_size, block-size: n + attributes.m, m: 1}\n"
                      "variables: {n: variables.m * 3, m: 5}\n")
                .value,
            32);
}

TEST(Attributes, CirclesAndExplosionsEnd) {
  EXPECT_THAT(attribute("attributes: {width: a, a: b, b: a}\nvariables: {}\n").errors, HasSubstr("refers to itself"));
  std::string wide = "variables: {}\nattributes:\n  width: v0\n";
  for (int i = 0; i < 30; ++i) wide += fmt::format("  v{}: v{} + v{}\n", i, i + 1, i + 1);
  EXPECT_THAT(attribute(wide + "  v30: 1\n").errors, HasSubstr("too many names"));
}

TEST(Attributes, ComplainWithPlaceAndSuggestion) {
  EXPECT_THAT(attribute("attributes:\n  width: 4\n  memory_width: 8\nvariables: {}\n").errors,
              HasSubstr("width of Buf is given twice, as width and memory_width"));
  EXPECT_THAT(attribute("attributes:\n  widht: 4\nvariables: {}\n").errors,
              HasSubstr("x.yaml:2: attribute 'widht' of Buf is not understood, did you mean 'width'?"));
  EXPECT_THAT(attribute("attributes:\n  block-size: 4\n  block_size: 5\nvariables: {}\n").errors,
              HasSubstr("block_size is given twice"));
  EXPECT_THAT(attribute("attributes: {width: \"{{ width }}\"}\nvariables: {}\n").errors,
              HasSubstr("templates ({{..}}, {%..%}) are not expanded here"));
  EXPECT_THAT(attribute("attributes: {width: [1]}\nvariables: {}\n").errors, HasSubstr("must be a number"));
  EXPECT_THAT(attribute("attributes: {width: 3 - 5}\nvariables: {}\n").errors, HasSubstr("must be from 0 to"));
}

// ---- factors and permutations

std::string factors(const std::string& text) {
  Diagnostics errors;
  const Result<YamlNode> root = YamlNode::parse("f: " + text, "f.yaml");
  EXPECT_TRUE(root.ok()) << text;
  std::string out;
  for (const FactorWord& w : read_factors(*root->find("f"), errors)) {
    const char* relation = w.relation == Relation::Equal ? "=" : w.relation == Relation::AtMost ? "<=" : ">=";
    out += fmt::format("{}{}{}{} ", w.dimension, relation, w.value, w.residual ? fmt::format(",{}", *w.residual) : "");
  }
  return errors.empty() ? out : to_string(errors);
}

TEST(Factors, EverySpelling) {
  EXPECT_EQ(factors("C=1 K<=16"), "C=1 K<=16 ");
  EXPECT_EQ(factors("[R=3, P=1]"), "R=3 P=1 ");
  EXPECT_EQ(factors("\"R=3, P=1\""), "R=3 P=1 ");
  EXPECT_EQ(factors("C1 K16"), "C=1 K=16 ");
  EXPECT_EQ(factors("C 1 K >= 16"), "C=1 K>=16 ");
  EXPECT_EQ(factors("\"P=4,2 Q5,3 R = 7\""), "P=4,2 Q=5,3 R=7 ");
  EXPECT_EQ(factors("[\"P=4,2\", S==2]"), "P=4,2 S=2 ");
  EXPECT_EQ(factors("\"C=4 # 8 of them\""), "C=4 ");
  EXPECT_EQ(factors("[x1=4, in_ch<=2]"), "x1=4 in_ch<=2 ");
  EXPECT_EQ(factors("[C<=4, C>=2]"), "C<=4 C>=2 ");
  EXPECT_EQ(factors("[]"), "");
  EXPECT_EQ(factors("\"\""), "");
}

TEST(Factors, Complaints) {
  EXPECT_THAT(factors("C K=4"), HasSubstr("'C' has no value; a factor is written"));
  EXPECT_THAT(factors("C="), HasSubstr("'C=' has no value, an integer from 0"));
  EXPECT_THAT(factors("C=-1"), HasSubstr("'C=-1' has no value"));
  EXPECT_THAT(factors("C=4.5"), HasSubstr("'C=4.5' is not a factor"));
  EXPECT_THAT(factors("4=C"), HasSubstr("'4=C' is not a factor"));
  EXPECT_THAT(factors("C<=0"), HasSubstr("must be at least 1"));
  EXPECT_THAT(factors("C=99999999999999999999"), HasSubstr("an integer from 0 to 2147483647"));
  EXPECT_THAT(factors("C=1 C=2"), HasSubstr("C has two factors"));
  EXPECT_THAT(factors("{C: 4}"), HasSubstr("must be a list of factors"));
  EXPECT_THAT(factors("[[C]]"), HasSubstr("must be a factor such as"));
}

std::vector<std::string> permutation(const std::string& text, std::vector<std::string> known = {}) {
  Diagnostics errors;
  const Result<YamlNode> root = YamlNode::parse("p: " + text, "p.yaml");
  std::vector<std::string> names = read_permutation(*root->find("p"), known, errors);
  if (!errors.empty()) names = {to_string(errors)};
  return names;
}

TEST(Permutations, LettersListsAndNames) {
  const std::vector<std::string> kcp{"K", "C", "P"};
  EXPECT_EQ(permutation("KCP"), kcp);
  EXPECT_EQ(permutation("K CP"), kcp);
  EXPECT_EQ(permutation("[K, C, P]"), kcp);
  EXPECT_EQ(permutation("\"K, C,P\""), kcp);
  EXPECT_EQ(permutation("in_ch out", {"in_ch", "out"}), (std::vector<std::string>{"in_ch", "out"}));
  EXPECT_EQ(permutation("~"), std::vector<std::string>{});
  EXPECT_THAT(permutation("KCK")[0], HasSubstr("dimension 'K' is named twice"));
  EXPECT_THAT(permutation("{K: 1}")[0], HasSubstr("must be a list of dimension names"));
}

RC_GTEST_PROP(Factors, NoTextCrashesThem, (const std::string& text)) {
  std::string safe = "f: \"";
  for (const char c : text)
    if (c >= ' ' && c < 127 && c != '"' && c != '\\') safe += c;
  const Result<YamlNode> root = YamlNode::parse(safe + "\"", "f.yaml");
  RC_ASSERT(root.ok());
  Diagnostics errors;
  read_factors(*root->find("f"), errors);
  read_permutation(*root->find("f"), {}, errors);
  read_tensors(*root->find("f"), errors);
}

}  // namespace
}  // namespace heliolite::timeloop_expression_test
