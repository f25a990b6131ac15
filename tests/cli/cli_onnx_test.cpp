// ONNX models on the command line: where -w takes a workload, with sizes as options or behind '@'.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/support/cli_runner.h"
#include "tests/support/onnx_models.h"

namespace heliolite::cli_onnx_test {
namespace {

using onnx_models::conv;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;

TEST(CliOnnx, ModelsAreWorkloads) {
  const TempFolder folder;
  const std::string model = folder.write("net.onnx", conv({"N", "8", "16", "16"}, {8, 8, 3, 3}).bytes());
  for (const std::string sizes : {" --dim N=2", "@N=2"}) {
    const CliResult result = run_cli("orders -w " + model + sizes);
    EXPECT_EQ(result.exit_code, 0) << result.err;
    EXPECT_THAT(result.err, AllOf(HasSubstr("net.onnx: 1 layer (1 shape), 0.0002258 GMACs"), Not(HasSubstr("edge"))));
  }
  // Whoever reads a model says what it left out.
  const std::string mapping = folder.path("best.json"), bench = folder.path("bench.yaml");
  const std::string layer = " -a eyeriss -w " + model + "@N=1";
  EXPECT_EQ(run_cli("map" + layer + " -q --json " + mapping).exit_code, 0);
  folder.write("bench.yaml", "bench: {name: b, machines: [eyeriss], workloads: [net.onnx@N=1], strategies: [exact]}");
  for (const std::string& command : std::vector<std::string>{
           "eval -m " + mapping + layer, "explain -m " + mapping + layer, "emit -m " + mapping + layer,
           "simulate -m " + mapping + layer, "diff " + mapping + " " + mapping + layer, "show " + model + "@N=1",
           "diff " + model + "@N=1 " + model + "@N=1", "emit -w " + model + "@N=1 --cache 512",
           "bench --check " + bench}) {
    const CliResult result = run_cli(command);
    EXPECT_EQ(result.exit_code, 0) << command << ": " << result.err;
    EXPECT_THAT(result.err, HasSubstr("net.onnx: 1 layer (1 shape)")) << command;
  }
  // By its content, whatever it is called; and what is wrong names the file and the way out.
  const std::string renamed = folder.write("net.yaml", read_text(model));
  const CliResult open = run_cli("space -a eyeriss -w " + renamed);
  EXPECT_EQ(open.exit_code, 2);
  EXPECT_THAT(open.err, AllOf(HasSubstr("net.yaml: the file leaves 1 size open: N (of x)"), HasSubstr("--dim N=1")));
  const CliResult twice = run_cli("space -a eyeriss -w " + model + " --dim N=1,M=2 --merge all");
  EXPECT_EQ(twice.exit_code, 2);
  EXPECT_THAT(twice.err, HasSubstr("--merge: unknown name 'all'; known: none, blocks and shapes"));
  const CliResult text = run_cli("orders -w " + folder.write("text.onnx", "conv: {}\n"));
  EXPECT_THAT(text.err, HasSubstr("looks like a text"));
  const CliResult none = run_cli("orders -w gemm:2x2x2 --dim N=1");
  EXPECT_EQ(none.exit_code, 2);
}

// Whatever command takes a model takes what is to be said of it, and nothing else does.
TEST(CliOnnx, EveryCommandTakesSizes) {
  const TempFolder folder;
  const std::string model = folder.write("net.onnx", conv({"N", "8", "h", "16"}, {8, 8, 3, 3}).bytes());
  folder.write("other.onnx", conv({"batch", "8", "8", "16"}, {8, 8, 3, 3}).bytes());
  const std::string mapping = folder.path("best.json"), sizes = " --dim N=1,h=16";
  const std::string layer = " -a eyeriss -w " + model + sizes;
  EXPECT_EQ(run_cli("map" + layer + " -q --no-look --json " + mapping).exit_code, 0);
  const std::string bench = folder.write(
      "bench.yaml",
      "bench: {name: b, machines: [eyeriss], workloads: [net.onnx, alexnet/conv3, inside.yaml], strategies: [exact]}");
  folder.write("inside.yaml", "layers: [{network: net.onnx, repeat: 2}]\n");
  const std::string sweep = folder.write("sweep.yaml", R"(sweep:
  machine: eyeriss
  workloads: [net.onnx, alexnet/conv3, other.onnx]
  parameters: {glb: {set: GLB.entries, values: [55296]}}
)");
  const std::string both = " --dim N=1,h=16,batch=1";
  for (const std::string& command : std::vector<std::string>{
           "show " + sizes + " " + model, "show -w " + model + sizes, "check " + model + sizes,
           "check " + folder.path("") + both, "eval -m " + mapping + layer, "explain -m " + mapping + layer,
           "space -a eyeriss -w " + model + sizes, "orders -w " + model + sizes,
           "bound --buffer 4096 -w " + model + sizes, "bound --regions -w " + model + sizes,
           "emit --cache 512 -w " + model + sizes, "simulate --cache 512 -w " + model + sizes,
           "diff " + model + " " + model + sizes, "diff " + model + " " + folder.path("other.onnx") + both,
           "convert eyeriss " + model + " -o " + folder.path("out") + sizes, "bench --check " + bench + sizes,
           "sweep --check " + sweep + both, "show " + folder.path("inside.yaml") + sizes}) {
    const CliResult result = run_cli(command);
    EXPECT_LE(result.exit_code, command.starts_with("diff") ? 1 : 0) << command << ": " << result.out << result.err;
  }
  EXPECT_THAT(run_cli("show " + model + sizes).out, HasSubstr("112,896"));
  for (const std::string& command : std::vector<std::string>{
           "show", "show eyeriss", "show resnet18", "map -a eyeriss -w resnet18", "orders -w gemm:2x2x2",
           "diff eyeriss simba", "diff resnet18 resnet50", "check " + folder.path("inside.yaml") + sizes,
           "convert eyeriss -o " + folder.path("out"), "sweep --check " + sweep + both,
           "bench --check " +
               folder.write("no.yaml",
                            "bench: {machines: [eyeriss], workloads: [alexnet/conv3], strategies: [exact]}")}) {
    const CliResult result = run_cli(command + " --dim seq=4");
    EXPECT_EQ(result.exit_code, 2) << command << ": " << result.out;
    EXPECT_THAT(result.err, HasSubstr("seq=4")) << command;
  }
}

TEST(CliOnnx, ShowListsTheEdgesItAnnounces) {
  const TempFolder folder;
  onnx_models::Model pair = conv({"1", "8", "16", "16"}, {8, 8, 3, 3}, {{"pads", onnx_models::Sizes{1, 1, 1, 1}}});
  pair.nodes.push_back(onnx_models::node("my.Act", {"y"}, {"a"}, {}, "act", "my.domain"));
  pair.nodes.push_back(onnx_models::node("Conv", {"a", "w"}, {"z"}, {{"pads", onnx_models::Sizes{1, 1, 1, 1}}}, "d"));
  const std::string model = folder.write("pair.onnx", pair.bytes());
  EXPECT_THAT(run_cli("show " + model).err, HasSubstr("--elementwise my.domain::my.Act"));
  const std::string act = " --elementwise my.domain::my.Act";
  const CliResult shown = run_cli("show " + model + act);
  EXPECT_THAT(shown.err, HasSubstr("2 layers (1 shape), 0.0002949 GMACs, 1 edge"));
  EXPECT_THAT(shown.out, AllOf(HasSubstr("elementwise"), Not(HasSubstr("No edges"))));
  const CliResult merged = run_cli("show --merge shapes " + model + act);
  EXPECT_THAT(merged.err, HasSubstr("1 edge, which merge=shapes leaves out"));
  EXPECT_THAT(merged.out, Not(HasSubstr("elementwise")));
  EXPECT_EQ(run_cli("show --layers " + model + act).out, "c\n");
  EXPECT_THAT(run_cli("map -q -a eyeriss -w " + model + "@elementwise=my.domain::my.Act").exit_code, 0);
}

TEST(CliOnnx, ConvertWritesNetworks) {
  const TempFolder folder;
  const std::string model = folder.write("net.onnx", onnx_models::transformer(2, 16).bytes());
  const std::string sizes = " --dim batch=1,seq=4 --merge blocks";
  const CliResult printed = run_cli("convert " + model + sizes);
  EXPECT_EQ(printed.exit_code, 0) << printed.err;
  EXPECT_THAT(printed.out, HasSubstr("- {name: h0_scores, bmm: 2x4x4x8, count: 2}  # h0/scores"));
  const std::string written = folder.path("net.yaml");
  EXPECT_EQ(run_cli("convert " + model + sizes + " -o " + written).exit_code, 0);
  EXPECT_EQ(read_text(written), printed.out);
  EXPECT_EQ(run_cli("orders -w " + written + " -l h0_scores").exit_code, 0);
  const CliResult nodes = run_cli("convert " + model + sizes + " --json -");
  EXPECT_THAT(nodes.out, HasSubstr(R"("fate": "layer")"));

  const CliResult sized = run_cli("convert " + model + sizes + " --word-bits weights=4,inputs=8");
  EXPECT_THAT(sized.out, HasSubstr("- {name: h0_scores, bmm: 2x4x4x8, word_bits: {A: 4, B: 8}, count: 2}"));
  EXPECT_THAT(run_cli("convert " + model + sizes + " --word-bits types").out, HasSubstr("word_bits: {A: 32"));
  for (const char* option : {"--to timeloop", "--layer h0_scores", "--timeloop-version 0.3", "--rename B=C"}) {
    const CliResult refused = run_cli("convert " + model + sizes + " " + option);
    EXPECT_EQ(refused.exit_code, 2) << option;
    EXPECT_THAT(refused.err, HasSubstr("is not of ONNX models")) << option;
  }
  EXPECT_EQ(run_cli("convert " + model + sizes + " --to heliolite").out, printed.out);

  onnx_models::Model relu;
  relu.inputs = {onnx_models::tensor("x", {"4"})};
  relu.nodes = {onnx_models::node("Relu", {"x"}, {"y"})};
  EXPECT_EQ(run_cli("convert " + folder.write("relu.onnx", relu.bytes())).exit_code, 1);
  const CliResult over = run_cli("convert " + model + sizes + " -o " + model);
  EXPECT_EQ(over.exit_code, 2);
  EXPECT_EQ(run_cli("convert eyeriss").exit_code, 2);
}

}  // namespace
}  // namespace heliolite::cli_onnx_test
