// Files that include others: values, their places, what is refused; sparse keys taken out.
#include "engine/inputs/input_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "engine/inputs/read_options.h"
#include "tests/support/cli_runner.h"

namespace heliolite::input_file_test {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

const std::string kTemplates = HELIOLITE_TEST_DATA "/data/templates/";

YamlNode loaded(const std::string& path, const ReadOptions& options = {}) {
  const Result<YamlNode> node = load_input(path, options);
  EXPECT_TRUE(node.ok()) << to_string(node.errors());
  return node ? *node : YamlNode{};
}

std::string complaint(const std::string& path) {
  const Result<YamlNode> node = load_input(path);
  return node ? "" : to_string(node.errors());
}

TEST(InputFile, MergesIncludedTexts) {
  const YamlNode layer = loaded(kTemplates + "layers/small.yaml");
  const auto instance = layer.find("problem")->find("instance");
  EXPECT_EQ(instance->find("C")->text(), "4");
  EXPECT_EQ(instance->find("Wdilation")->text(), "1");
  EXPECT_THAT(instance->find("C")->file(), HasSubstr("layers/small.yaml"));
  EXPECT_EQ(instance->find("C")->line(), 8);
  EXPECT_THAT(instance->find("N")->file(), HasSubstr("templates/base.yaml"));
  EXPECT_EQ(instance->find("N")->line(), 5);
}

TEST(InputFile, IncludesValuesOfOtherFiles) {
  const auto buffer = [](const ReadOptions& options) {
    return loaded(kTemplates + "top.yaml.jinja2", options).find("architecture")->find("nodes")->at(1);
  };
  const YamlNode small = buffer({});
  EXPECT_EQ(small.find("name")->text(), "Buffer");
  EXPECT_EQ(buffer({.defines = {{"design", "wide"}}}).find("name")->text(), "WideBuffer");
  // `<<<` with a list: maps are filled in, lists are joined.
  EXPECT_EQ(small.find("class")->text(), "SRAM");
  EXPECT_EQ(small.find("attributes")->size(), 3U);
  const auto keep = small.find("constraints")->find("dataspace")->find("keep");
  ASSERT_EQ(keep->size(), 2U);
  EXPECT_EQ(keep->at(0).text() + keep->at(1).text(), "OutputsInputs");
  const YamlNode top = loaded(kTemplates + "top.yaml.jinja2");
  EXPECT_EQ(top.find("components")->find("classes")->at(0).at(0).find("name")->text(), "buffer_a");
  EXPECT_EQ(top.find("variables")->find("BATCH")->text(), "2");
}

// {% include %} knows what is set; texts are indented as they are put in; what an included file names is found beside
// it, in added folders, or beside the file that includes it.
TEST(InputFile, IncludesTexts) {
  const TempFolder folder;
  folder.write("base/parts.yaml", "- {name: a{{size}}}\n- {name: b}\n");
  folder.write("base/all.yaml", "list: {{include_text('../values.yaml')}}\nown: {% include 'near.yaml' %}\n");
  folder.write("base/near.yaml", "7");
  folder.write("values.yaml", "[1, 2]");
  folder.write("far/names.yaml", "outer: {{include('values.yaml')}}\n");
  folder.write("top.yaml",
               "{{add_to_path('base')}}\n{% set size = 4 %}\n{{include('far/names.yaml') | default('')}}\n");
  folder.write("nested.yaml",
               "{% set size = 4 %}x:\n  parts:\n    {% include 'base/parts.yaml' %}\n"
               "  same:\n    {{include_text('base/parts2.yaml') | indent(4)}}\n"
               "{% include 'missing.yaml' ignore missing %}\ny: {{include('base/all.yaml')}}\n");
  folder.write("base/parts2.yaml", "- 1\n- 2\n");
  folder.write("base/parts.yaml", "[{name: a{{size}}}, {name: b}]");
  const YamlNode nested = loaded(folder.path("nested.yaml"));
  EXPECT_EQ(nested.find("x")->find("parts")->at(0).find("name")->text(), "a4");
  EXPECT_EQ(nested.find("x")->find("same")->at(1).text(), "2");
  EXPECT_THAT(nested.find("x")->find("same")->at(1).file(), HasSubstr("base/parts2.yaml"));
  EXPECT_EQ(nested.find("x")->find("same")->at(1).line(), 2);
  EXPECT_EQ(nested.find("y")->find("list")->at(1).text(), "2");
  EXPECT_EQ(nested.find("y")->find("own")->text(), "7");
  EXPECT_EQ(loaded(folder.path("top.yaml")).find("outer")->at(0).text(), "1");
  folder.write("bad.yaml", "a: 1\n{% include 'missing.yaml' %}\n");
  EXPECT_THAT(complaint(folder.path("bad.yaml")), HasSubstr("bad.yaml:2: include 'missing.yaml': there is no file"));
}

TEST(InputFile, NamesFilesOfAccelForge) {
  const auto part = [](const std::string& text) { return accelforge_part(*YamlNode::parse(text, "f.yaml")); };
  EXPECT_EQ(part("arch: {nodes: [!Memory {name: Main}, !Compute {name: Mult}]}"), "machine");
  EXPECT_EQ(part("workload: {iteration_space_shape: {m: 0 <= m < 8}, einsums: ['Z[m] = A[m]']}"), "workload");
  EXPECT_EQ(part("mapping: {nodes: [!Storage {component: Main}]}"), "mapping");
  EXPECT_EQ(part("architecture: {nodes: [!Component {name: Main}]}"), "");
  EXPECT_EQ(part("mapping: [{target: a}]"), "");
  EXPECT_EQ(part("renames: {a: b}"), "");
  const TempFolder folder;
  folder.write("model.yaml", "{% set N = SIZE %}\nworkload:\n  einsums:\n  - Z[n] = A[n]\n");
  EXPECT_EQ(accelforge_part(std::string_view("{% set N = SIZE %}\nworkload:\n  einsums:\n")), "workload");
  const auto wanted = [](const char* part) {
    return refuse_accelforge(YamlNode::parse("workload: {einsums: []}", "f.yaml"), part);
  };
  EXPECT_TRUE(wanted("workload").ok());
  EXPECT_THAT(to_string(wanted("machine").errors()),
              HasSubstr("f.yaml: is a workload of AccelForge, which -w takes; here stands a machine"));
}

// Included files know the names that were set before, keys stand behind what was included.
TEST(InputFile, FollowsIncludesOfAccelForge) {
  const TempFolder folder;
  folder.write("part.yaml",
               "{% assert N > 1, 'N is too small' %}\nworkload:\n  rank_sizes: {M: {{N}}}\n  einsums: [a, b]\n");
  folder.write("top.yaml",
               "{% set N = SIZE %}\n{% set P = include('part.yaml', '') %}\nworkload:\n  rank_sizes:\n"
               "    <<<: [{{P}}.workload.rank_sizes]\n  einsums:\n  - {{P}}.workload.einsums\n");
  ReadOptions options;
  options.defines["SIZE"] = "4";
  const Result<YamlNode> top = load_input(folder.path("top.yaml"), options);
  ASSERT_TRUE(top.ok()) << to_string(top.errors());
  EXPECT_EQ(top->find("workload")->find("rank_sizes")->find("M")->text(), "4");
  EXPECT_EQ(top->find("workload")->find("einsums")->at(0).at(1).text(), "b");
  options.defines["SIZE"] = "1";
  EXPECT_THAT(to_string(load_input(folder.path("top.yaml"), options).errors()),
              HasSubstr("part.yaml:1: the file's own check fails: N is too small"));
}

TEST(InputFile, FollowsTags) {
  const TempFolder folder;
  folder.write("a.yaml", "x: !include sub/b.yaml\ny: !include sub/b.yaml,\nall: !includedir sub\n");
  std::filesystem::create_directory(folder.path("sub"));
  folder.write("sub/b.yaml", "k: 3\n");
  const YamlNode a = loaded(folder.path("a.yaml"));
  EXPECT_EQ(a.find("x")->find("k")->text() + a.find("y")->find("k")->text(), "33");
  EXPECT_EQ(a.find("all")->at(0).find("k")->text(), "3");
  folder.write("bad.yaml", "x: 1\ny: !include_loaded 0\n");
  EXPECT_THAT(complaint(folder.path("bad.yaml")), HasSubstr("bad.yaml:2: y: !include_loaded is written by templates"));
  folder.write("nomerge.yaml", "a: &a {l: [1], m: {x: 1}}\nb: {<<<: *a, l: !nomerge [2], m: {y: 2}}\n");
  const auto b = loaded(folder.path("nomerge.yaml")).find("b");
  EXPECT_EQ(b->find("l")->size(), 1U);
  EXPECT_EQ(b->find("m")->size(), 2U);
}

TEST(InputFile, NamesThePlaceOfMistakes) {
  const TempFolder folder;
  folder.write("inner.yaml", "a: 1\nb: {{missing}}\n");
  folder.write("outer.yaml", "x: 1\n{{include_text('inner.yaml')}}\n");
  EXPECT_THAT(complaint(folder.path("outer.yaml")),
              AllOf(HasSubstr("inner.yaml:2: template: missing: 'missing' has no value"),
                    HasSubstr("outer.yaml:2: template: include_text('inner.yaml'): cannot be read")));
  folder.write("inner.yaml", "a: 1\nb: [\n");
  EXPECT_THAT(complaint(folder.path("outer.yaml")), HasSubstr("not valid YAML"));
  folder.write("outer.yaml", "x: 1\ny: {{include('inner.yaml', 'a.b')}}\n");
  folder.write("inner.yaml", "a: {bb: 1}\n");
  EXPECT_THAT(complaint(folder.path("outer.yaml")),
              AllOf(HasSubstr("inner.yaml:1: a: has no key 'b'"), HasSubstr("outer.yaml:2: template: include")));
  folder.write("outer.yaml", "x: {{include_text('nothing.yaml')}}\n");
  EXPECT_THAT(complaint(folder.path("outer.yaml")),
              AllOf(HasSubstr("outer.yaml:1: template:"), HasSubstr("there is no file 'nothing.yaml'; looked for ")));
}

TEST(InputFile, HasLimits) {
  const TempFolder folder;
  folder.write("a.yaml", "{{include_text('b.yaml')}}\n");
  folder.write("b.yaml", "x: {{include('a.yaml')}}\n");
  EXPECT_THAT(complaint(folder.path("a.yaml")), HasSubstr("a.yaml: includes itself"));
  for (int i = 0; i < 20; ++i)
    folder.write("d" + std::to_string(i) + ".yaml", "x: !include d" + std::to_string(i + 1) + ".yaml\n");
  folder.write("d20.yaml", "x: 1\n");
  EXPECT_THAT(complaint(folder.path("d0.yaml")), HasSubstr("deeper than 16 levels"));
  EXPECT_EQ(complaint(folder.path("d5.yaml")), "");
  // 4^8 files.
  for (int i = 0; i < 8; ++i) {
    const std::string next = "!include e" + std::to_string(i + 1) + ".yaml";
    folder.write("e" + std::to_string(i) + ".yaml", "[" + next + ", " + next + ", " + next + ", " + next + "]\n");
  }
  folder.write("e8.yaml", "x: 1\n");
  EXPECT_THAT(complaint(folder.path("e0.yaml")), HasSubstr("more than 1000 files are included"));
}

TEST(InputFile, KnowsLibconfig) {
  const TempFolder folder;
  for (const char* text :
       {"arch =\n{\n  storage = ( { name = \"x\"; } );\n};\n", "/* old */\n// x\nproblem :\n{\n R = 3;\n};"}) {
    folder.write("old.cfg", text);
    EXPECT_THAT(complaint(folder.path("old.cfg")), HasSubstr("is in the format of libconfig")) << text;
  }
  for (const char* text : {"a: {b: 1}\n", "# x = 1\na: 1\n", "a:\n  {b: 1}\n", "- a = 2\n"})
    EXPECT_FALSE(is_libconfig(text)) << text;
}

TEST(InputFile, TakesOutWhatIsSparse) {
  std::vector<std::string> notes;
  const YamlNode machine = without_sparse(loaded(kTemplates + "sparse_machine.yaml"), notes);
  ASSERT_EQ(notes.size(), 1U);
  EXPECT_THAT(notes[0], AllOf(HasSubstr("read as dense"), HasSubstr("metadata_datawidth ("),
                              HasSubstr("sparse_machine.yaml:4)"), HasSubstr("sparse_machine.yaml:9 and 1 more)")));
  EXPECT_FALSE(machine.has("sparse_optimizations"));
  EXPECT_EQ(machine.find("architecture")->find("nodes")->at(1).tag(), "!Component");
  notes.clear();
  const YamlNode dense = loaded(kTemplates + "machine.yaml");
  EXPECT_EQ(without_sparse(dense, notes).value(), dense.value()) << "the same tree";
  EXPECT_TRUE(notes.empty());
}

}  // namespace
}  // namespace heliolite::input_file_test
