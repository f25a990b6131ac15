// Language models on the command line: the file of a model hub, and presets, wherever -w takes a workload.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "tests/support/cli_runner.h"

namespace heliolite::cli_language_model_test {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

constexpr const char* kConfig = R"({
  "architectures": ["LlamaForCausalLM"],
  "model_type": "llama",
  "hidden_size": 64,
  "num_hidden_layers": 2,
  "num_attention_heads": 8,
  "num_key_value_heads": 2,
  "intermediate_size": 96,
  "max_position_embeddings": 512,
  "rope_theta": 500000.0,
  "head_count_of_tomorrow": 3,
  "torch_dtype": "bfloat16",
  "vocab_size": 1000
})";

TEST(CliLanguageModel, ConfigsAreWorkloads) {
  const TempFolder folder;
  const std::string config = folder.write("config.json", kConfig), answer = folder.path("answer.json");
  const CliResult mapped =
      run_cli("map -a eyeriss --budget 5 -w " + config + "@phase=decode,cached=63 --json " + answer);
  EXPECT_EQ(mapped.exit_code, 0) << mapped.err;
  EXPECT_THAT(mapped.err, HasSubstr("shapes may depend on them: head_count_of_tomorrow"));
  const nlohmann::json layers = nlohmann::json::parse(read_text(answer))["layers"];
  EXPECT_EQ(layers.size(), 10U);
  for (const auto& layer : layers) EXPECT_EQ(layer["status"], "optimal") << layer["name"];
  for (const std::string& command :
       {"map --fuse -a edge_unified -q --budget 1 -w " + config + "@new=8,layers=1", "bound --kind all -w " + config,
        "check " + config, "show " + config + "@batch=2", "space -a eyeriss -w " + config + " --layer k_proj"})
    EXPECT_EQ(run_cli(command).exit_code, 0) << command << run_cli(command).err;
  EXPECT_THAT(run_cli("check " + config).out, HasSubstr("config of a language model"));
  const CliResult wrong = run_cli("map -a eyeriss -w " + config + "@cahced=3");
  EXPECT_EQ(wrong.exit_code, 2);
  EXPECT_THAT(wrong.err, AllOf(HasSubstr("unknown option 'cahced'"), HasSubstr("did you mean 'cached'?")));
}

TEST(CliLanguageModel, ConvertWritesTheNetwork) {
  const TempFolder folder;
  const std::string config = folder.write("config.json", kConfig), written = folder.path("out/network.yaml");
  const CliResult converted = run_cli("convert --to heliolite " + config + "@batch=2,new=16 -o " + folder.path("out"));
  EXPECT_EQ(converted.exit_code, 0) << converted.err;
  EXPECT_EQ(run_cli("show " + written).exit_code, 0);
}

TEST(CliLanguageModel, StandsInsideNetworks) {
  const TempFolder folder;
  folder.write("config.json", kConfig);
  const std::string file = folder.write("two.yaml",
                                        "layers:\n- {name: prompt, network: 'config.json@new=32'}\n"
                                        "- {name: answer, network: 'config.json@phase=decode,cached=32', repeat: 8}\n");
  const CliResult shown = run_cli("show " + file);
  EXPECT_EQ(shown.exit_code, 0) << shown.err;
  EXPECT_THAT(shown.out, AllOf(HasSubstr("prompt.scores"), HasSubstr("answer.scores")));
}

}  // namespace
}  // namespace heliolite::cli_language_model_test
