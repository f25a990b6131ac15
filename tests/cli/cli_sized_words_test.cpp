// Tensors that state sizes of their words, through the commands that bound and execute.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <string>

#include "engine/base/types.h"
#include "tests/support/cli_runner.h"

namespace heliolite::cli_sized_words_test {
namespace {

using nlohmann::json;
using ::testing::HasSubstr;

json answer(const std::string& arguments) {
  const CliResult result = run_cli(arguments + " --json -");
  EXPECT_EQ(result.exit_code, 0) << arguments << "\n" << result.err;
  return json::parse(result.out, nullptr, false);
}

std::string complaint(const std::string& arguments) {
  const CliResult result = run_cli(arguments);
  EXPECT_EQ(result.exit_code, 2) << arguments;
  return result.err;
}

u64 largest(const json& bounds) {
  u64 words = 0;
  for (const json& bound : bounds) words = std::max(words, bound["words"].get<u64>());
  return words;
}

TEST(CliSizedWords, EqualSizesAreBytesOfWords) {
  const json words = answer("bound -w gemm:32x32x32 --kind orojenesis --buffer 256");
  const json bytes = answer("bound -w gemm:32x32x32 --kind orojenesis --buffer 512B --word-bits 16");
  EXPECT_EQ(words["unit"], "words");
  EXPECT_EQ(bytes["unit"], "bytes");
  ASSERT_EQ(bytes["curve"].size(), words["curve"].size());
  for (std::size_t i = 0; i < words["curve"].size(); ++i)
    for (const char* key : {"buffer_words", "accesses"})
      EXPECT_EQ(bytes["curve"][i][key].get<u64>(), 2 * words["curve"][i][key].get<u64>());
  EXPECT_EQ(bytes["bounds"][0]["capacity_words"], 512);
  EXPECT_EQ(bytes["bounds"][0]["words"].get<u64>(), 2 * words["bounds"][0]["words"].get<u64>());
}

// Blocks with a scale: all counts are quarters of a bit.
TEST(CliSizedWords, MayBePartsOfBits) {
  const std::string of = " gemm:16x16x16 --word-bits A=mxfp4,B=4+16/32,Z=bf16 ";
  const json bound = answer("bound -w" + of + "--buffer 64B");
  EXPECT_EQ(bound["unit"], "0.25 bits");
  EXPECT_EQ(bound["bounds"][0]["capacity_words"], 64 * 8 * 4);
  EXPECT_EQ(bound["bounds"][0]["words"].get<u64>(), 256u * (17 + 18 + 64)) << "every word once";
  const json map = answer("map -a eyeriss --no-look -w" + of);
  EXPECT_EQ(map["layers"][0]["word_bits"], json({{"A", 4.25}, {"B", 4.5}, {"Z", 16}}));
  EXPECT_EQ(map["layers"][0]["status"], "optimal");
  const TempFolder folder;
  const std::string machine =
      folder.write("m.yaml",
                   "architecture:\n  word_bits: mxfp4\n  levels:\n  - {name: DRAM, dram: true, energy: 9}\n"
                   "  - {name: Buf, capacity: 17 B, energy: 1}\n  compute: {energy: 1}\n");
  EXPECT_THAT(run_cli("show " + machine).out, HasSubstr("4.25"));
  EXPECT_THAT(complaint("convert " + machine + " -o " + folder.path("tl") + " --to timeloop"),
              HasSubstr("Buf: word_bits = 4.25, and Timeloop's words have whole bits"));
  EXPECT_THAT(complaint("map -a eyeriss -w gemm:4x4x4 --word-bits mxfp5"), HasSubstr("'mxfp5' must be 1 to 1024 bits"));
}

// 64 B are 512 bits; a plain number is of the answer's unit.
TEST(CliSizedWords, CapacitiesAreInTheUnitOfTheAnswer) {
  const std::string of = "bound -w gemm:16x16x16 --word-bits A=4,B=8,Z=12 ";
  const json bits = answer(of + "--buffer 64B");
  EXPECT_EQ(bits["unit"], "bits");
  EXPECT_EQ(bits["bounds"][0]["capacity_words"], 512);
  EXPECT_EQ(bits["bounds"][0]["words"].get<u64>(), 256u * (4 + 8 + 12)) << "every word once";
  EXPECT_EQ(answer(of + "--buffer 512")["bounds"], bits["bounds"]);
  EXPECT_THAT(run_cli(of + "--buffer 64B").out, HasSubstr("gemm: bits that any execution must load and store"));
  EXPECT_THAT(run_cli(of + "--buffer 64B --csv -").out, HasSubstr("layer,level,capacity_bits,kind,bits"));
  EXPECT_THAT(run_cli(of + "--kind orojenesis --svg -").out, HasSubstr("accesses [bits]"));
}

TEST(CliSizedWords, BoundsOfAMachineAreBelowItsMapping) {
  const std::string sized = " -a eyeriss -w gemm:16x16x16 --word-bits A=4,Z=32";
  const json mapped = answer("map" + sized)["layers"][0]["bounds"];
  const json bounds = answer("bound" + sized);
  EXPECT_EQ(bounds["unit"], "bits");
  ASSERT_FALSE(mapped.empty());
  for (const json& level : mapped) {
    EXPECT_EQ(level["unit"], "bits");
    EXPECT_GE(level["mapping"]["distance"].get<double>(), 1);
    json here = json::array();
    for (const json& bound : bounds["bounds"])
      if (bound["level"] == level["level"]) here.push_back(bound);
    EXPECT_LE(largest(here), level["mapping"]["words"].get<u64>()) << level["level"];
  }
  EXPECT_THAT(run_cli("bound --kind orojenesis --map" + sized).out, HasSubstr("bits inside"));
}

// The bound of a network, and its layers fused and not, in one unit.
TEST(CliSizedWords, NetworksHaveOneUnit) {
  const std::string of = "bound -w conv_pair --kind ", sized = " --word-bits weights=4,inputs=8,outputs=32";
  const json fused = answer(of + "orojenesis --fuse --buffer 64KiB" + sized);
  const json bound = answer(of + "iolb --buffer 64KiB" + sized);
  EXPECT_EQ(fused["unit"], "bits");
  EXPECT_EQ(bound["unit"], "bits");
  EXPECT_EQ(fused["curve"][0]["buffer_words"], 65536 * 8);
  EXPECT_EQ(bound["network"][0]["capacity_words"], 65536.0 * 8);
  EXPECT_EQ(bound["network"][0]["words"], fused["bounds"][0]["words"]);
  EXPECT_LE(fused["bounds"][0]["words"].get<u64>(), fused["curve"][0]["accesses"].get<u64>());
  EXPECT_LT(fused["curve"][0]["accesses"].get<u64>(), fused["curve"][0]["unfused"].get<u64>());
  const CliResult table = run_cli(of + "orojenesis --fuse --buffer 64KiB" + sized);
  EXPECT_THAT(table.out, HasSubstr("[bits]  [bytes]"));
  EXPECT_THAT(table.out, HasSubstr("524,288   64 KiB"));
  EXPECT_THAT(run_cli(of + "orojenesis --fuse --csv - --word-bits 8 --buffer 64KiB").out,
              HasSubstr("buffer_bytes,unfused,fused"));
  EXPECT_THAT(run_cli(of + "iolb --buffer 64KiB --word-bits 8").out, HasSubstr("capacity  bytes at least"));
  EXPECT_THAT(complaint(of + "orojenesis --fuse --word-bits weights=4"), HasSubstr("states no size of its words"));
  EXPECT_THAT(complaint(of + "orojenesis --fuse --word-bits 8 --word-size 2"), HasSubstr("--word-size"));
}

TEST(CliSizedWords, WhatIsNotCountedIsRefused) {
  EXPECT_THAT(complaint("bound -w gemm:8x8x8 --word-bits A=8"), HasSubstr("B of gemm states no size of its words"));
  EXPECT_THAT(complaint("bound -w gemm:8x8x8 --word-bits 8 --word-size 2"),
              HasSubstr("--word-size: gemm states sizes of words (A: 8, B: 8, Z: 8)"));
  EXPECT_THAT(complaint("bound -w gemm:8x8x8 --word-bits 8 --simulate --buffer 64"), HasSubstr("words of one size"));
  EXPECT_THAT(complaint("bound -w gemm:8x8x8 --word-bits 8 --regions"), HasSubstr("a capacity in words of one size"));
  EXPECT_THAT(complaint("emit -w gemm:8x8x8 --word-bits 8 --tiling none"), HasSubstr("a C program of one type"));
  EXPECT_THAT(complaint("simulate -w gemm:8x8x8 --cache 64 --word-bits A=8,B=8,Z=16"),
              HasSubstr("a cache of words of one size"));
  EXPECT_THAT(complaint("simulate -w gemm:8x8x8 --cache 64 --word-bits 8 --word-size 2"), HasSubstr("--word-size"));
}

TEST(CliSizedWords, ExecutionsCountWords) {
  const auto levels = [](const std::string& sizes) {
    const TempFolder folder;
    const std::string mapping = folder.path("best.json"), of = " -a eyeriss -w gemm:8x8x8";
    EXPECT_EQ(run_cli("map --no-look --json " + mapping + of).exit_code, 0);
    return answer("simulate -m " + mapping + of + sizes)["levels"];
  };
  EXPECT_EQ(levels(" --word-bits A=4,Z=32"), levels(""));
  // 16 bits a word: 128 bytes are 64 words.
  const std::string of = "simulate -w gemm:8x8x8 --cache ";
  EXPECT_EQ(answer(of + "128B --word-bits 16")["nests"], answer(of + "64")["nests"]);
}

}  // namespace
}  // namespace heliolite::cli_sized_words_test
