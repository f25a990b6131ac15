// Templates: values of expressions, statements, where lines come from, complaints.
#include "engine/inputs/template_render.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace heliolite::template_test {
namespace {

using ::testing::HasSubstr;

CallResult no_calls(std::string_view name, std::span<const TemplateValue>) {
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

TEST(Template, CarriesOutStatements) {
  EXPECT_EQ(rendered("{% set a = n * 2 %}x: {{a}}{# remark #}\n"), "x: 12\n");
  EXPECT_EQ(rendered("{% if n > 9 %}a{% elif n > 5 %}b{% elif n > 4 %}c{% else %}d{% endif %}"), "b");
  EXPECT_EQ(rendered("{% if n > 9 %}a{% if on %}b{% endif %}{% else %}d{% endif %}"), "d");
  EXPECT_EQ(rendered("{% if word == 'x' %}{{missing}}{% set n = missing %}{% endif %}{{n}}"), "6");
  EXPECT_EQ(rendered("a  {{- n -}}  b"), "a6b");
  EXPECT_EQ(rendered("no braces { } here }}"), "no braces { } here }}");
}

TEST(Template, LinesKnowWhereTheyComeFrom) {
  const auto other = std::make_shared<const std::string>("o.yaml");
  auto included = std::make_shared<RenderedText>();
  included->append("a: 1\nb: 2\n", other, 1, true);
  const TemplateCall call = [&](std::string_view, std::span<const TemplateValue>) {
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
      {"{% for x in y %}{% endfor %}", "template statement 'for' is not understood; understood are set, if, elif"},
      {"{{ n.real }}", "unexpected '.real' at character 2; understood are numbers, 'texts', names"},
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
