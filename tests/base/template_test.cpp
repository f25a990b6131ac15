// Templates: values of expressions, statements, where lines come from, complaints.
#include "engine/inputs/template_render.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace heliolite::template_test {
namespace {

using ::testing::HasSubstr;

CallResult no_calls(std::string_view name, std::span<const TemplateValue>, const TemplateNames&) {
  return {name == "broken", Diagnostic{"", 0, "", "is broken"}};
}

const TemplateNames kNames{{"n", i64{6}}, {"half", 0.5}, {"word", std::string("glb")}, {"on", true}};

std::string rendered(const std::string& text) {
  const Result<RenderedText> out = render_template(text, "t.yaml", kNames, no_calls);
  return out ? out->text : to_string(out.errors());
}

TEST(Template, EvaluatesExpressions) {
  const std::pair<const char*, const char*> cases[] = {
      {"n + 1", "7"},
      {"-n ** 2", "-36"},
      {"2 ** 3 ** 2", "512"},
      {"n // 4 * 10 + n % 4", "12"},
      {"7 / 2", "3.5"},
      {"6 / 2", "3.0"},
      {"half * 4", "2.0"},
      {"1e-9", "1e-09"},
      {"word ~ '_' ~ n", "glb_6"},
      {"\"a\" + 'b'", "ab"},
      {"(n + 2) * 2", "16"},
      {"n == 6.0 and word != 'x'", "True"},
      {"not on or n < 3", "False"},
      {"on and word", "glb"},
      {"'small' if n < 6 else 'large'", "large"},
      {"broken() if n < 6 else 1", "1"},
      {"missing | default(n + 1)", "7"},
      {"word | upper | lower | trim", "glb"},
      {"'' | default('x', true)", "x"},
      {"missing is defined", "False"},
      {"n is not defined", "False"},
      {"none is none", "True"},
      {"'12' | int + 1", "13"},
      {"3.9 | int", "3"},
      {"n | float", "6.0"},
      {"'a}}b'", "a}}b"},
  };
  for (const auto& [text, value] : cases) EXPECT_EQ(rendered("{{ " + std::string(text) + " }}"), value) << text;
}

TEST(Template, TextsDoNotGrowWithoutEnd) {
  std::string doubling = "{% set a = 'x' %}";
  for (int k = 0; k < 40; ++k) doubling += "{% set a = a ~ a %}";
  EXPECT_THAT(rendered(doubling + "{{ a }}"), HasSubstr("makes a text longer than 64 KiB"));
  // Names that are many, and what is put out again and again.
  std::string names = "{% set a = 'x' %}";
  for (int k = 0; k < 16; ++k) names += "{% set a = a ~ a %}";
  std::string printed = names;
  for (int k = 0; k < 300; ++k) names += "{% set a" + std::to_string(k) + " = a + '' %}";
  EXPECT_THAT(rendered(names), HasSubstr("longer than 16 MiB together"));
  for (int k = 0; k < 1100; ++k) printed += "{{ a }}";
  EXPECT_THAT(rendered(printed), HasSubstr("longer than 64 MiB"));
}

TEST(Template, CarriesOutStatements) {
  EXPECT_EQ(rendered("{% set a = n * 2 %}x: {{a}}{# remark #}\n"), "x: 12\n");
  EXPECT_EQ(rendered("{% if n > 9 %}a{% elif n > 5 %}b{% elif n > 4 %}c{% else %}d{% endif %}"), "b");
  EXPECT_EQ(rendered("{% if n > 9 %}a{% if on %}b{% endif %}{% else %}d{% endif %}"), "d");
  EXPECT_EQ(rendered("{% if word == 'x' %}{{missing}}{% set n = missing %}{% endif %}{{n}}"), "6");
  EXPECT_EQ(rendered("a  {{- n -}}  b"), "a6b");
  EXPECT_EQ(rendered("no braces { } here }}"), "no braces { } here }}");
}

TEST(Template, RepeatsForEachItem) {
  EXPECT_EQ(rendered("{% for x in [1, 'b', n] %}<{{x}}>{% endfor %}"), "<1><b><6>");
  EXPECT_EQ(rendered("{% for i in range(3) %}{{i}}{% if not loop.last %}, {% endif %}{% endfor %}"), "0, 1, 2");
  EXPECT_EQ(rendered("{% for i in range(6, 0, -2) %}{{loop.index}}:{{i}} {% endfor %}"), "1:6 2:4 3:2 ");
  EXPECT_EQ(rendered("{% for i in range(2) %}{% for j in range(2) %}{{i}}{{j}} {% endfor %}{% endfor %}"),
            "00 01 10 11 ");
  EXPECT_EQ(rendered("{% for a, b in [(1, 2), [3, 4]] %}{{a + b}} {% endfor %}"), "3 7 ");
  EXPECT_EQ(rendered("{% for i in [] %}a{% else %}none{% endfor %}"), "none");
  EXPECT_EQ(rendered("{% for i in [1] %}{% if i > 1 %}a{% else %}b{% endif %}{% else %}none{% endfor %}"), "b");
  // What a loop sets is gone behind it; so is its own name.
  EXPECT_EQ(rendered("{% set a = 1 %}{% for i in range(2) %}{% set a = a + 5 %}{{a}} {% endfor %}{{a}}"), "6 6 1");
  EXPECT_EQ(rendered("{% if n > 9 %}{% for i in missing %}{{i}}{% endfor %}{% endif %}x"), "x");
}

TEST(Template, ListsAndIndents) {
  const std::pair<const char*, const char*> cases[] = {
      {"[1, 'a', [2.5]]", "[1, 'a', [2.5]]"},
      {"[1, 2, 3][-1]", "3"},
      {"2 in [1, 2]", "True"},
      {"'x' not in ['a', 'b']", "True"},
      {"'lb' in word", "True"},
      {"[1, 2] | length", "2"},
      {"['a', 'b'] | join('-')", "a-b"},
      {"range(2, 4)", "[2, 3]"},
      {"range(2, 4) | list | length", "2"},
      {"'a\\nb' | indent", "anb"},  // a backslash stands for the character behind it
      {"missing | default('') | indent(2)", ""},
      {"[3, 1, 2] | min", "1"},
      {"max(3, 1.5)", "3"},
      {"ceil(7 / 2)", "4"},
      {"floor(7 / 2)", "3"},
      {"'a' in dict()", "False"},
      {"'x' | indent(3, true)", "   x"},
      {"'x' | indent(width=3, first=True)", "   x"},
  };
  for (const auto& [text, value] : cases) EXPECT_EQ(rendered("{{ " + std::string(text) + " }}"), value) << text;
  // Every line but the first, and no empty one.
  EXPECT_EQ(rendered("{% set a = 'x\ny\n\nz' %}{{ a | indent(2) }}"), "x\n  y\n\n  z");
}

TEST(Template, ReadsChecksAndRawText) {
  EXPECT_EQ(rendered("a{% raw %} {{ b }} {% c %}{% endraw %}d"), "a {{ b }} {% c %}d");
  EXPECT_EQ(rendered("{% assert 1 < 2, 'no' %}x"), "x");
  EXPECT_EQ(rendered("{% for k, v in dict().items() %}{{k}}{% endfor %}x"), "x");
  EXPECT_FALSE(render_template("{% assert 2 < 1, 'no' %}", "t.yaml", {}, {}).ok());
  EXPECT_FALSE(render_template("{% raw %} a", "t.yaml", {}, {}).ok());
}

TEST(Template, LinesKnowWhereTheyComeFrom) {
  const auto other = std::make_shared<const std::string>("o.yaml");
  auto included = std::make_shared<RenderedText>();
  included->append("a: 1\nb: 2\n", other, 1, true);
  const TemplateCall call = [&](std::string_view, std::span<const TemplateValue>, const TemplateNames&) {
    return CallResult{true, TemplateValue{std::shared_ptr<const RenderedText>(included)}};
  };
  const auto out = render_template("{# two\nlines #}{{f()}}\n{% if false %}\n{% endif %}c: 3\n", "t.yaml", {}, call);
  ASSERT_TRUE(out.ok()) << to_string(out.errors());
  EXPECT_EQ(out->text, "a: 1\nb: 2\n\nc: 3\n");
  std::string lines;
  for (const YamlLine& line : out->lines) lines += *line.file + ":" + std::to_string(line.line) + " ";
  EXPECT_EQ(lines, "o.yaml:1 o.yaml:2 t.yaml:2 t.yaml:4 ");
}

TEST(Template, SaysWhatItDoesNotUnderstand) {
  const std::pair<std::string, const char*> cases[] = {
      {"a\n{{ missing }}", "t.yaml:2: template: missing: 'missing' has no value: give it with --define missing=VALUE"},
      {"{{ wrod }}", "did you mean 'word'?"},
      {"{% for x in y %}{% endfor %}", "'y' has no value"},
      {"{% for x in n %}{% endfor %}", "'for x in n' needs a list behind 'in'"},
      {"{% for x of [1] %}{% endfor %}", "must be: for NAME in LIST"},
      {"{% for a, b in [1] %}{% endfor %}", "2 names for 1"},
      {"a\n{% for x in [1] %}", "t.yaml:2: 'for' without 'endfor'"},
      {"{% for x in [1] %}{% if x %}{% endfor %}", "'if' without 'endif'"},
      {"{% if n %}{% for x in [1] %}{% endif %}{% endfor %}", "'endif' without an 'if'"},
      {"{% endfor %}", "'endfor' without a 'for'"},
      {"{% for x in range(9999) %}{% for y in range(9999) %}a{% endfor %}{% endfor %}", "more than 200000 steps"},
      {"{% for x in range(9999) %}{% for y in range(9999) %}{% endfor %}{% endfor %}", "more than 200000 steps"},
      {"{% set a = [1] %}{% for x in range(99) %}{% set a = [1] %}{% endfor %}{{ [range(9999), range(9999)] }}",
       "a list of more than 10000 items"},
      {"{{ range(99999) }}", "range() of more than 10000 numbers"},
      {"{{ range(1, 5, 0) }}", "steps of 0"},
      {"{{ [1, 2][2] }}", "[2] of a list of 2"},
      {"{{ 'a' | indent(first=true) }}", "'first=' is not its value number 1"},
      {"{{ 'a' | indent(-1) }}", "takes a number of blanks, from 0 to 200"},
      {"{% macro f() %}", "template statement 'macro' is not understood; understood are set, if, elif"},
      {"{{ n.real }}", "unexpected '.real' at character 2; understood are numbers, 'texts', [lists]"},
      {"{{ n | abs }}", "filter 'abs' is not understood; understood are default, int"},
      {"{{ system('ls') }}", "system() is not a function of templates; understood are include"},
      {"{{ 1 + }}", "the expression ends too early"},
      {"{{ 1 / 0 }}", "division by zero"},
      {"{{ 'a' * 2 }}", "'*' needs two numbers"},
      {"{{ broken() }}", "is broken"},
      {"{{ 'a", "{{ is opened here and never closed with }}"},
      {"x\n{% if n %}", "t.yaml:2: 'if' without 'endif'"},
      {"{% endif %}", "'endif' without an 'if'"},
      {"{% if n %}{% else %}{% else %}{% endif %}", "'else' without an 'if'"},
      {"{% set 1 = 2 %}", "must be: set NAME = VALUE"},
      {"{{ " + std::string(100, '(') + " }}", "nested deeper than"},
      {"{{ " + std::string(5000, '1') + " }}", "longer than 4096 characters"},
  };
  for (const auto& [text, message] : cases) EXPECT_THAT(rendered(text), HasSubstr(message)) << text.substr(0, 80);
}

}  // namespace
}  // namespace heliolite::template_test
