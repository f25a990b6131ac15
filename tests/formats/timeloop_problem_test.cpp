// Timeloop's problem files: all versions and spellings, and every complaint.
#include "engine/formats/timeloop/problem.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <map>

#include "engine/formats/load_network.h"
#include "workloads/compact_text.h"

namespace heliolite::timeloop_problem_test {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

Result<Workload> read(const std::string& text) {
  const Result<YamlNode> root = YamlNode::parse(text, "p.yaml");
  if (!root.ok()) return root.errors();
  EXPECT_TRUE(is_timeloop_problem(*root));
  return timeloop_problem(*root, "p");
}

Workload workload(const std::string& text) {
  const Result<Workload> w = read(text);
  EXPECT_TRUE(w.ok()) << to_string(w.errors());
  return w.ok() ? *w : Workload{};
}

std::string complaint(const std::string& text) {
  const Result<Workload> w = read(text);
  return w.ok() ? "" : to_string(w.errors());
}

std::string with(std::string text, std::string_view what, std::string_view by) {
  const std::size_t at = text.find(what);
  EXPECT_NE(at, std::string::npos) << what;
  return text.replace(at, what.size(), by);
}

// Same dimensions, sizes, tensors and sets of ranks; order of tensors and ranks may differ.
std::string shown(const Workload& w) {
  std::vector<std::string> parts;
  for (const Dimension& d : w.dimensions) parts.push_back(d.name + "=" + std::to_string(d.size));
  for (std::size_t v = 0; v < w.tensors.size(); ++v) {
    std::vector<std::string> ranks;
    for (const Rank& rank : w.tensors[v].ranks) {
      std::vector<std::string> terms;
      for (const Term& t : rank.terms) {
        terms.push_back(std::to_string(t.coefficient) + w.dimensions[static_cast<std::size_t>(t.dimension)].name);
      }
      std::ranges::sort(terms);
      std::string text;
      for (const std::string& t : terms) text += "+" + t;
      ranks.push_back(text);
    }
    std::ranges::sort(ranks);
    std::string text = w.tensors[v].name + "(" + std::string(name(w.tensors[v].role)) + ")";
    for (const std::string& r : ranks) text += " " + r;
    parts.push_back(text);
  }
  std::ranges::sort(parts);
  std::string out;
  for (const std::string& p : parts) out += p + "\n";
  return out;
}

std::string compact(const std::string& text) {
  const Result<Workload> w = parse_compact_text(text);
  EXPECT_TRUE(w.ok()) << to_string(w.errors());
  return shown(*w);
}

constexpr const char* kConv = R"(problem:
  version: 0.4
  shape:
    name: conv
    dimensions: [R, S, P, Q, C, K, N]
    coefficients:
    - {name: Wstride, default: 1}
    - {name: Hstride, default: 1}
    - {name: Wdilation, default: 1}
    - {name: Hdilation, default: 1}
    data_spaces:
    - name: Weights
      projection: [[[C]], [[K]], [[R]], [[S]]]
    - name: Inputs
      projection: [[[N]], [[C]], [[R, Wdilation], [P, Wstride]], [[S, Hdilation], [Q, Hstride]]]
    - name: Outputs
      projection: [[[N]], [[K]], [[Q]], [[P]]]
      read_write: True
  instance: {R: 5, S: 3, P: 6, Q: 10, C: 6, K: 10, N: 2, Wstride: 2, Hstride: 3, Wdilation: 3}
)";

const std::string kConvText = "conv:r=5,s=3,p=6,q=10,c=6,k=10,n=2,wstride=2,hstride=3,wdilation=3";

TEST(TimeloopProblem, ReadsShapeAndInstance) {
  const Workload w = workload(kConv);
  EXPECT_EQ(w.name, "p");
  EXPECT_EQ(shown(w), compact(kConvText));
  EXPECT_EQ(w.dimensions[0].name, "R");
  EXPECT_EQ(w.tensors[0].name, "Weights");
}

TEST(TimeloopProblem, AcceptsEverySpelling) {
  std::string old = with(kConv, "data_spaces", "data-spaces");
  old = with(old, "read_write", "read-write");
  EXPECT_EQ(shown(workload(with(old, "version: 0.4", "version: '0.2'"))), compact(kConvText));
  std::string flat = with(kConv, "[[[N]], [[K]], [[Q]], [[P]]]", "[N, K, Q, P]");
  flat = with(flat, "[R, S, P, Q, C, K, N]", "R S P Q C K N");
  EXPECT_EQ(shown(workload(flat)), compact(kConvText));
  const std::string other_sections = std::string(kConv) + "architecture: {version: 0.4}\nmapping: []\n";
  EXPECT_EQ(shown(workload(other_sections)), compact(kConvText));
  EXPECT_EQ(shown(workload(with(kConv, "instance: {",
                                "instance: {densities: {Weights: 1.0, Inputs: {distribution: fixed, density: 1}}, "))),
            compact(kConvText));
  EXPECT_EQ(shown(workload(with(kConv, "instance: {", "instance: {commonDensity: 1, Wpadding: 0, "))),
            compact(kConvText));
}

TEST(TimeloopProblem, KnowsTheShapesOfTimeloop) {
  const std::string sizes = "R: 3, S: 3, P: 8, Q: 8, C: 4, K: 16, N: 1";
  const std::string conv = compact("conv:r=3,p=8,c=4,k=16,wstride=2");
  EXPECT_EQ(shown(workload("problem: {shape: cnn-layer, instance: {" + sizes + ", Wstride: 2}}")), conv);
  EXPECT_EQ(shown(workload("problem: {shape: CNN_Layer, " + sizes + ", Wstride: 2}")), conv) << "the oldest form";
  EXPECT_EQ(shown(workload("problem: {" + sizes + ", Wstride: 2}")), conv) << "the default shape";
  EXPECT_EQ(shown(workload("problem: {shape: gemm-ABZ, instance: {M: 2, N: 3, K: 4}}")), compact("gemm:2x3x4"));
  EXPECT_EQ(shown(workload("problem: {shape: dw-cnn-layer, instance: {R: 3, S: 3, P: 8, Q: 8, C: 4, N: 1}}")),
            compact("depthwise:r=3,p=8,c=4"));
  EXPECT_EQ(workload("problem: {shape: gemm, instance: {M: 2, N: 3, K: 4}}").tensors.size(), 4U);
  EXPECT_THAT(complaint("problem: {shape: gem, instance: {M: 2}}"),
              AllOf(HasSubstr("p.yaml:1: problem.shape: shape = gem, must be"), HasSubstr("did you mean 'gemm'?")));
}

TEST(TimeloopProblem, RefusesWhatIsNotModelled) {
  EXPECT_THAT(complaint(with(kConv, "instance: {", "instance: {densities: {Weights: 0.5}, ")),
              AllOf(HasSubstr("p.yaml:19: problem.instance.densities.Weights"),
                    HasSubstr("density of Weights is 0.5, must be 1")));
  EXPECT_THAT(
      complaint(with(kConv, "instance: {", "instance: {densities: {Weights: {distribution: fixed, density: 0.1}}, ")),
      HasSubstr("is 0.1, must be 1"));
  EXPECT_THAT(complaint(with(kConv, "instance: {", "instance: {commonDensity: 0.5, ")), HasSubstr("is 0.5, must be 1"));
  EXPECT_THAT(
      complaint(with(kConv, "    coefficients:", "    flatten: [{name: F, dimensions: [P, Q]}]\n    coefficients:")),
      HasSubstr("flattened dimensions are not supported"));
  EXPECT_THAT(complaint(with(kConv, "version: 0.4", "version: 0.9")),
              HasSubstr("version = 0.9, must be 0.1, 0.2, 0.3 or 0.4"));
}

// The instances of exercises give the input's sizes and its padding too; Timeloop looks at neither.
TEST(TimeloopProblem, NotesWhatTimeloopPassesOver) {
  const auto notes_of = [](const std::string& keys) {
    std::vector<std::string> notes;
    const auto root = YamlNode::parse(with(kConv, "instance: {", "instance: {" + keys), "p.yaml");
    const auto w = timeloop_problem(*root, "p", {}, &notes);
    EXPECT_TRUE(w.ok()) << to_string(w.errors());
    if (w) {
      EXPECT_EQ(shown(*w), compact(kConvText)) << keys;
    }
    return notes;
  };
  using ::testing::ElementsAre;
  EXPECT_THAT(notes_of("H: 6, W: 10, Hpad: 0, G: 1, "), ::testing::IsEmpty());
  EXPECT_THAT(notes_of("Wpad: 1, Hpadding: 2, "),
              ElementsAre(HasSubstr("p.yaml:19: Wpad = 1: words of the padding count like words of the input"),
                          HasSubstr("Hpadding = 2")));
  EXPECT_THAT(notes_of("HStride: 4, "),
              ElementsAre(HasSubstr("HStride = 4 is passed over, as in Timeloop: this shape knows Hstride only")));
  EXPECT_THAT(complaint(with(kConv, "instance: {", "instance: {G: 2, ")), HasSubstr("unknown key 'G'"));
}

TEST(TimeloopProblem, TakesAnyCoefficientOfOnePosition) {
  const std::string flat = with(kConv, "R: 5", "R: 1");
  EXPECT_EQ(shown(workload(with(flat, "Wdilation: 3", "Wdilation: 0"))),
            shown(workload(with(flat, "Wdilation: 3", "Wdilation: 1"))));
  EXPECT_THAT(complaint(with(kConv, "Wdilation: 3", "Wdilation: 0")),
              HasSubstr("p.yaml:19: problem.instance.Wdilation: Wdilation = 0, must be an integer from 1 to 65535: it "
                        "multiplies R of size 5"));
}

TEST(TimeloopProblem, EvaluatesSizes) {
  const std::string named = with(kConv, "N: 2", "N: BATCH // 2");
  EXPECT_EQ(shown(workload(named + "variables: {BATCH: 2 * TWO, TWO: 2}\n")), compact(kConvText));
  const auto root = YamlNode::parse(named, "p.yaml");
  const auto variables = YamlNode::parse("variables: {version: 0.4, BATCH: 4}\n", "v.yaml");
  EXPECT_TRUE(timeloop_problem(*root, "p", {*variables}).ok());
  EXPECT_THAT(complaint(named),
              AllOf(HasSubstr("N = BATCH // 2: unknown name 'BATCH'"), HasSubstr("-w problem.yaml,variables.yaml")));
  EXPECT_THAT(complaint(named + "variables: {BATCH: 3}\n"), ::testing::IsEmpty());
  EXPECT_THAT(complaint(named + "variables: {BATCH: BATCH}\n"), HasSubstr("refers to itself"));
  EXPECT_THAT(complaint(with(kConv, "N: 2", "N: 7 / 2")), HasSubstr("N = 7 / 2, must be an integer"));
}

TEST(TimeloopProblem, RefusesUnknownKeys) {
  EXPECT_THAT(
      complaint(with(kConv, "read_write", "read_wirte")),
      HasSubstr("p.yaml:18: problem.shape.data_spaces[2]: unknown key 'read_wirte', did you mean 'read_write'?"));
  EXPECT_THAT(complaint(with(kConv, "Hstride: 3", "Hstrid: 3")),
              HasSubstr("p.yaml:19: problem.instance: unknown key 'Hstrid', did you mean 'Hstride'?"));
  EXPECT_THAT(complaint(std::string(kConv) + "architectur: {}\n"),
              HasSubstr("p.yaml:20: unknown key 'architectur', did you mean 'architecture'?"));
  EXPECT_THAT(complaint(with(kConv, "coefficients:", "coeficients:")), HasSubstr("did you mean 'coefficients'?"));
}

TEST(TimeloopProblem, PointsAtMistakes) {
  EXPECT_THAT(complaint("shape: {name: g, dimensions: [M, N, K], data-spaces: []}"),
              HasSubstr("a shape without sizes"));
  EXPECT_THAT(complaint(with(kConv, "R: 5, ", "")), HasSubstr("p.yaml:19: problem.instance: missing key 'R'"));
  EXPECT_THAT(complaint(with(kConv, "R: 5", "R: 0")),
              HasSubstr("problem.instance.R: R = 0, must be an integer from 1 to 2147483647"));
  EXPECT_THAT(complaint(with(kConv, "R: 5", "R: -5")), HasSubstr("R = -5, must be"));
  EXPECT_THAT(complaint(with(kConv, "R: 5", "R: 1099511627776")), HasSubstr("R = 1099511627776, must be"));
  EXPECT_THAT(complaint(with(kConv, "Wstride: 2", "Wstride: 0")),
              HasSubstr("Wstride = 0, must be an integer from 1 to 65535"));
  EXPECT_THAT(
      complaint(with(kConv, "[[[C]], [[K]]", "[[[X]], [[K]]")),
      HasSubstr(
          "p.yaml:13: problem.shape.data_spaces[0].projection[0][0][0]: unknown dimension 'X', must be one of R, S"));
  EXPECT_THAT(complaint(with(kConv, "[R, Wdilation]", "[R, Wdilatoin]")), HasSubstr("unknown coefficient 'Wdilatoin'"));
  EXPECT_THAT(complaint(with(kConv, "[R, Wdilation]", "[R, Wdilatoin]")), HasSubstr("did you mean 'Wdilation'?"));
  EXPECT_THAT(complaint(with(kConv, "[[[C]], [[K]]", "[[C], [[K]]")),
              HasSubstr("a term must be a list [dimension] or [dimension, coefficient], not C"));
  EXPECT_THAT(complaint(with(kConv, "[[[C]], [[K]], [[R]], [[S]]]", "C*K")),
              HasSubstr("projection must be a list of ranks, not C*K"));
  EXPECT_THAT(complaint(with(kConv, "- name: Weights", "- name: Weights\n      read_write: true")),
              HasSubstr("2 outputs (Weights and Outputs), must be exactly one"));
  EXPECT_THAT(complaint(with(kConv, "read_write: True", "read_write: False")), HasSubstr("no tensor is the output"));
  EXPECT_THAT(complaint(with(kConv, "- name: Weights", "- nam: Weights")),
              AllOf(HasSubstr("missing key 'name'"), HasSubstr("did you mean 'name'?")));
  EXPECT_THAT(complaint(with(kConv, "K: 10, N: 2", "K: 1000000000, N: 1000000000")),
              HasSubstr("more than 4000000000000000 multiply"));
  EXPECT_THAT(complaint("problem: 7\n"), HasSubstr("p.yaml:1: problem: must be a map"));
  EXPECT_THAT(complaint("problem: {shape: {name: x}, instance: {}}\n"),
              AllOf(HasSubstr("missing key 'dimensions'"), HasSubstr("missing key 'data_spaces'")));
  EXPECT_THAT(complaint("problem: {shape: {dimensions: [M], data_spaces: 4}, instance: {M: 1}}\n"),
              HasSubstr("data_spaces must be a list, not 4"));
  EXPECT_EQ(complaint("problem: {shape: {data_spaces: [{name: A, projection: [M]}]}, instance: {M: 1}}\n"),
            "p.yaml:1: problem.shape: missing key 'dimensions'");
  EXPECT_THAT(complaint("problem: {shape: {dimensions: [], data_spaces: [{name: A, projection: [M]}]}}\n"),
              HasSubstr("dimension"));
  EXPECT_THAT(complaint("problem: {shape: [a]}\n"), HasSubstr("problem.shape: must be a map"));
}

// The problems of the recorded Timeloop runs.
TEST(TimeloopProblem, ReadsTheRecordedProblems) {
  const std::map<std::string, std::string> expected{
      {"conv_s", "conv:r=3,p=8,q=12,c=12,k=16,n=2"},
      {"conv_mix", "conv:r=5,s=3,p=6,q=10,c=6,k=10,n=2,wstride=2,hstride=3,wdilation=3"},
      {"dw_str2", "depthwise:r=3,p=8,q=6,c=16,stride=2"},
      {"gemm_s", "gemm:24x30x32"},
      {"mttkrp_s", "mttkrp:16x12x10x18"},
      {"ttmc_s", "ttmc:8x10x12x6x9"},
      {"sddmm_s", "sddmm:24x32x20"},
      {"mmc_s", "mmc:12x16x18x10"},
      {"tcl_s", "tcl:6x8x6x4x10x9"},
      {"resnet18_conv3_1", "conv:r=3,p=28,c=64,k=128,stride=2"},
  };
  int files = 0;
  for (const auto& entry : std::filesystem::directory_iterator(HELIOLITE_TEST_DATA "/golden/problem")) {
    const Result<Network> network = load_network(entry.path().string());
    ASSERT_TRUE(network.ok()) << to_string(network.errors());
    ASSERT_EQ(network->layers.size(), 1U);
    EXPECT_EQ(network->name, entry.path().stem().string());
    const auto it = expected.find(network->name);
    if (it != expected.end()) {
      EXPECT_EQ(shown(network->layers[0].workload), compact(it->second)) << it->first;
    }
    ++files;
  }
  EXPECT_GE(files, 10);
}

// Several problems are the layers of one network, in a list or in a folder.
TEST(TimeloopProblem, ManyFilesAreANetwork) {
  namespace fs = std::filesystem;
  const fs::path folder = fs::temp_directory_path() / "heliolite_problems_test";
  fs::remove_all(folder);
  fs::create_directories(folder);
  const auto write = [&](const std::string& name, const std::string& text) {
    std::ofstream(folder / name) << text;
    return (folder / name).string();
  };
  const auto problem = [](const std::string& c) {
    return "problem: {shape: cnn-layer, instance: {C: " + c + ", K: 8, R: 3, S: 3, P: 4, Q: 4, N: 1}}\n";
  };
  const std::string two = write("layer2.yaml", problem("channels")), ten = write("layer10.yaml", problem("16"));
  const std::string variables = write("variables.yaml", "variables: {channels: 4}\n");
  const auto listed = load_network(ten + "," + two + "," + variables);
  ASSERT_TRUE(listed.ok()) << to_string(listed.errors());
  ASSERT_EQ(listed->layers.size(), 2U);
  EXPECT_EQ(listed->layers[0].workload.name, "layer10") << "as they are given";
  EXPECT_EQ(listed->layers[1].workload.dimensions[*listed->layers[1].workload.find_dimension("C")].size, 4U);
  write("arch.yaml", "architecture: {nodes: []}\n");
  const auto all = load_network(folder.string());
  ASSERT_TRUE(all.ok()) << to_string(all.errors());
  EXPECT_EQ(all->name, "heliolite_problems_test");
  ASSERT_EQ(all->layers.size(), 2U);
  EXPECT_EQ(all->layers[0].workload.name, "layer2") << "2 before 10";
  ASSERT_EQ(all->notes.size(), 1U);
  EXPECT_THAT(all->notes[0], HasSubstr("arch.yaml: no problem and no variables: left out"));
  fs::create_directories(folder / "none");
  EXPECT_THAT(to_string(load_network((folder / "none").string()).errors()), HasSubstr("no file in this folder"));
  fs::remove_all(folder);
}

}  // namespace
}  // namespace heliolite::timeloop_problem_test
