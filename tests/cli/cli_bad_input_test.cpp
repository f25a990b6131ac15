// Whatever a user gets wrong: exit code 2 (1 when nothing fits), a message that says how to mend it, no crash.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <string>

#include "tests/support/cli_runner.h"

namespace heliolite::cli_bad_input_test {
namespace {

using ::testing::AllOf;
using ::testing::AnyOf;
using ::testing::HasSubstr;
using ::testing::Not;

// Runs, and checks what holds for every complaint.
CliResult refused(const std::string& arguments, int exit_code = 2) {
  CliResult result = run_cli(arguments);
  EXPECT_EQ(result.exit_code, exit_code) << arguments << "\n" << result.err;
  EXPECT_FALSE(result.err.empty()) << arguments;
  for (const char* raw :
       {"terminate", "what():", "std::", "YAML::", "CLI::", "internal error", "Segmentation", "\x1b"}) {
    EXPECT_THAT(result.err, Not(HasSubstr(raw))) << arguments;
  }
  if (exit_code == 2) {
    EXPECT_EQ(result.out, "") << arguments;
  }
  return result;
}

constexpr const char* kWorkload = R"(name: small
dimensions: {M: 8, N: 4, K: 16}
tensors:
  A: [M, K]
  B: [K, N]
  Z: [M, N]
output: Z
)";

constexpr const char* kMachine = R"(architecture:
  name: small
  word_bits: 16
  energy: pat
  levels:
  - {name: DRAM, dram: true}
  - {name: Buf, entries: 64, fanout: 4x2}
  - {name: Reg, entries: 8}
  compute: {name: MAC}
)";

class CliBadInput : public ::testing::Test {
 protected:
  TempFolder folder_;
  std::string machine_ = folder_.write("machine.yaml", kMachine);
  std::string workload_ = "'Z[M,N] += A[M,K]*B[K,N]; M=8,N=4,K=16'";

  // The complaint about this machine file, this workload file, this mapping file.
  std::string machine(const std::string& text) {
    return refused("map -w gemm:8x8x8 -a " + folder_.write("a.yaml", text)).err;
  }
  std::string workload(const std::string& text) {
    return refused("map -a eyeriss -w " + folder_.write("w.yaml", text)).err;
  }
  std::string mapping(const std::string& text) {
    return refused("eval -a " + machine_ + " -w " + workload_ + " -m " + folder_.write("m.yaml", text)).err;
  }
  // `text` with `from` replaced.
  static std::string with(std::string text, const std::string& from, const std::string& to) {
    const auto at = text.find(from);
    EXPECT_NE(at, std::string::npos) << from;
    return text.replace(at, from.size(), to);
  }
};

TEST_F(CliBadInput, TheFilesOfTheseTestsAreGoodOnesOtherwise) {
  const std::string good = folder_.write("m.yaml", "mapping: [{level: DRAM, temporal: [M: 8, N: 4, K: 16]}]");
  const CliResult result = run_cli("eval -a " + machine_ + " -w " + workload_ + " -m " + good);
  EXPECT_EQ(result.exit_code, 0) << result.err;
  const CliResult from_file = run_cli("orders -w " + folder_.write("w.yaml", kWorkload));
  EXPECT_EQ(from_file.exit_code, 0) << from_file.err;
}

TEST_F(CliBadInput, FilesThatAreNone) {
  const std::string empty = folder_.path("empty");
  std::filesystem::create_directory(empty);
  for (const std::string& bad : {std::string("/nowhere/x.yaml"), empty, std::string("/dev/null")}) {
    EXPECT_THAT(refused("map -w gemm:8x8x8 -a " + bad).err, HasSubstr(bad));
    EXPECT_THAT(refused("map -a eyeriss -w " + bad).err, HasSubstr(bad));
    EXPECT_THAT(refused("eval -a eyeriss -w gemm:8x8x8 -m " + bad).err, HasSubstr(bad));
    EXPECT_THAT(refused("verify " + bad).err, HasSubstr(bad));
  }
}

TEST_F(CliBadInput, EmptyBinaryAndDeepFiles) {
  constexpr char kBytes[] =
      "\x7f"
      "ELF\x00\x01\x02\xff\xfe\x80 binary \x00";
  const std::string binary(kBytes, sizeof kBytes);
  const std::string deep = std::string(10'000, '[') + std::string(10'000, ']');
  for (const std::string& text : {std::string(), std::string("\n\n# nothing\n"), binary, deep, std::string(10'000, '['),
                                  std::string(10'000, '{'), std::string("\t- a"), std::string("a: &x [*x]")}) {
    EXPECT_THAT(machine(text), HasSubstr("a.yaml"));
    EXPECT_THAT(workload(text), HasSubstr("w.yaml"));
    EXPECT_THAT(mapping(text), HasSubstr("m.yaml"));
    refused("verify " + folder_.write("g.jsonl", text));
  }
}

TEST_F(CliBadInput, SyntaxErrorsNameTheLine) {
  EXPECT_THAT(machine(with(kMachine, "{name: Reg, entries: 8}", "{name: Reg, entries: 8")), HasSubstr("a.yaml:"));
  EXPECT_THAT(workload("workload:\n  name: [unclosed\n"), HasSubstr("w.yaml:"));
  EXPECT_THAT(mapping("mapping:\n  - level: DRAM\n temporal: x\n"), HasSubstr("m.yaml:3"));
}

TEST_F(CliBadInput, UnknownKeysAreSuggested) {
  EXPECT_THAT(machine(with(kMachine, "entries: 64", "entires: 64")),
              AllOf(HasSubstr("a.yaml:7"), HasSubstr("entires"), HasSubstr("'entries'")));
  EXPECT_THAT(workload(with(kWorkload, "output: Z", "ouput: Z")), AllOf(HasSubstr("w.yaml:7"), HasSubstr("'output'")));
  EXPECT_THAT(mapping("mapping: [{level: DRAM, tempral: []}]"), AllOf(HasSubstr("m.yaml:1"), HasSubstr("'temporal'")));
}

TEST_F(CliBadInput, WrongTypes) {
  EXPECT_THAT(machine(with(kMachine, "entries: 64", "entries: many")), AllOf(HasSubstr("a.yaml:7"), HasSubstr("many")));
  EXPECT_THAT(workload(with(kWorkload, "M: 8", "M: eight")), AllOf(HasSubstr("w.yaml:2"), HasSubstr("eight")));
  EXPECT_THAT(machine("architecture: [1, 2]"), HasSubstr("a.yaml:1"));
  EXPECT_THAT(workload("42"), HasSubstr("w.yaml"));
}

TEST_F(CliBadInput, SizesOutOfRange) {
  for (const std::string size : {"0", "-4", "1099511627776", "1e30", "99999999999999999999999"}) {
    EXPECT_THAT(workload(with(kWorkload, "M: 8", "M: " + size)), AllOf(HasSubstr("w.yaml:2"), HasSubstr("M")));
    EXPECT_THAT(refused("map -a eyeriss -w gemm:8x8x" + size).err, HasSubstr("heliolite: "));
  }
  for (const std::string size : {"0", "-4", "1e30"})
    EXPECT_THAT(machine(with(kMachine, "entries: 64", "entries: " + size)),
                AllOf(HasSubstr("a.yaml:7"), HasSubstr(size)));
  refused("map -a eyeriss -w gemm:2000000000x2000000000x2000000000");  // each in range, the product is not
}

TEST_F(CliBadInput, WorkloadsThatAreNoEinsum) {
  EXPECT_THAT(workload(with(kWorkload, "A: [M, K]", "A: [M, Q]")), AllOf(HasSubstr("w.yaml:4"), HasSubstr("Q")));
  EXPECT_THAT(workload(with(kWorkload, "output: Z", "output: [Z, A]")),
              AllOf(HasSubstr("w.yaml:7"), HasSubstr("output")));
  EXPECT_THAT(workload(with(kWorkload, "output: Z", "")), HasSubstr("output"));
  const std::string two_outputs = R"(problem:
  shape:
    name: x
    dimensions: [M, N]
    data_spaces:
    - {name: A, projection: [[[M]], [[N]]], read_write: true}
    - {name: Z, projection: [[[M]], [[N]]], read_write: true}
  instance: {M: 4, N: 4}
)";
  EXPECT_THAT(workload(two_outputs), AllOf(HasSubstr("w.yaml"), HasSubstr("output")));
  refused("map -a eyeriss -w 'Z[M,N] += A[M,K]*B[K,Q]; M=8,N=4,K=16'");
}

TEST_F(CliBadInput, MappingsThatDoNotMultiply) {
  EXPECT_THAT(mapping("mapping: [{level: DRAM, temporal: [M: 8, N: 4, K: 8]}]"),
              AllOf(HasSubstr("m.yaml:1"), HasSubstr("dimension K multiply to 8, its size is 16"),
                    HasSubstr("a factor of 2 is missing")));
}

TEST_F(CliBadInput, TilesThatDoNotFit) {
  EXPECT_THAT(mapping("mapping: [{level: DRAM, temporal: [K: 16]}, {level: Reg, temporal: [M: 8, N: 4]}]"),
              AllOf(HasSubstr("m.yaml"), HasSubstr("Reg"), HasSubstr("does not fit"), HasSubstr("44")));
}

TEST_F(CliBadInput, MoreUnitsThanTheMeshHas) {
  EXPECT_THAT(mapping("mapping: [{level: DRAM, temporal: [K: 16]}, {level: Buf, spatial: {x: [M: 8], y: [N: 4]}}]"),
              AllOf(HasSubstr("M 8 need 8 units, but Buf x has 4"), HasSubstr("N 4 need 4 units, but Buf y has 2")));
}

TEST_F(CliBadInput, OtherMappingMistakes) {
  EXPECT_THAT(mapping("mapping: [{level: Bufer, temporal: [K: 16]}]"), HasSubstr("'Buf'"));
  EXPECT_THAT(mapping("layers: []"), HasSubstr("must be a list of layers"));
  EXPECT_THAT(mapping("layers: [{name: a, mapping: []}, {name: b, mapping: []}]"), HasSubstr("layers: a and b"));
  EXPECT_THAT(mapping("- {target: Buf, type: temporal, factors: Q=3}"), HasSubstr("m.yaml"));
}

TEST_F(CliBadInput, MachinesOnWhichNothingFits) {
  const std::string tiny = folder_.write("tiny.yaml", with(kMachine, "entries: 8", "entries: 2"));
  const CliResult result = refused("map -w gemm:8x8x8 -a " + tiny, 1);
  EXPECT_THAT(result.err, AllOf(HasSubstr("Reg"), HasSubstr("3"), HasSubstr("2")));
  const CliResult json = run_cli("map --json - -w gemm:8x8x8 -a " + tiny);
  EXPECT_EQ(json.exit_code, 1);
  EXPECT_THAT(json.out, AllOf(HasSubstr("\"status\": \"infeasible\""), HasSubstr("\"reasons\"")));
}

TEST_F(CliBadInput, NamesAreSuggested) {
  EXPECT_THAT(refused("map -a eyeris -w resnet18").err, HasSubstr("'eyeriss'"));
  EXPECT_THAT(refused("map -a eyeriss -w resnet81").err, HasSubstr("'resnet18'"));
  EXPECT_THAT(refused("mpa -a eyeriss -w resnet18").err, HasSubstr("unknown command 'mpa', did you mean 'map'?"));
  EXPECT_THAT(refused("map -a eyeriss -w resnet18 --jsn x").err,
              HasSubstr("unknown option '--jsn', did you mean '--json'?"));
  EXPECT_THAT(refused("map -a eyeriss -w resnet18 --objective edpp").err, HasSubstr("'edp'"));
  EXPECT_THAT(refused("map -a eyeriss -w resnet18 --strategy sunstne").err, HasSubstr("'sunstone'"));
  EXPECT_THAT(refused("map -a eyeriss -w resnet18 --without bem").err, HasSubstr("'beam'"));
  EXPECT_THAT(refused("map -a eyeriss -w resnet18 --layer conv9").err, HasSubstr("conv1"));
  EXPECT_THAT(refused("orders -w gemm:8x8x8 --without ordr-prefix").err, HasSubstr("'order-prefix'"));
}

TEST_F(CliBadInput, OptionsMissingOrWrong) {
  EXPECT_THAT(refused("").err, HasSubstr("no command given"));
  EXPECT_THAT(refused("map -a eyeriss").err, HasSubstr("--workload"));
  EXPECT_THAT(refused("map -a").err, HasSubstr("--architecture"));
  EXPECT_THAT(refused("map -a eyeriss -w resnet18 --threads many").err, HasSubstr("many"));
  EXPECT_THAT(refused("map -a eyeriss -w resnet18 --threads -3").err, HasSubstr("-3"));
  EXPECT_THAT(refused("map -a eyeriss -w resnet18 extra").err, HasSubstr("extra"));
  EXPECT_THAT(refused("eval -a eyeriss -w resnet18 -m x.yaml").err, HasSubstr("--layer"));
  EXPECT_THAT(refused("verify golden.jsonl --limit x").err, HasSubstr("--limit"));
}

TEST_F(CliBadInput, NamesWithoutTheirOptions) {
  EXPECT_THAT(refused("map eyeriss resnet18").err,
              AllOf(HasSubstr("unexpected argument 'eyeriss', did you mean '-a eyeriss'?"),
                    HasSubstr("unexpected argument 'resnet18', did you mean '-w resnet18'?"),
                    HasSubstr("--architecture is required")));
  EXPECT_THAT(refused("map -a resnet18 -w eyeriss").err,
              AllOf(HasSubstr("--architecture: 'resnet18' is a workload, which goes to -w"),
                    HasSubstr("--workload: 'eyeriss' is a machine, which goes to -a")));
  EXPECT_THAT(refused("bench").err, HasSubstr("missing 'config': Suite: a YAML file"));
  EXPECT_THAT(refused("map gemm:8x8x8 -a eyeriss").err, HasSubstr("did you mean '-w gemm:8x8x8'?"));
  EXPECT_THAT(refused("orders resnet18/conv1").err, HasSubstr("did you mean '-w resnet18/conv1'?"));
  EXPECT_THAT(refused("map mine.yaml -a eyeriss -w resnet18").err,
              HasSubstr("'mine.yaml'; a machine goes to -a, a workload to -w"));
}

TEST_F(CliBadInput, TabsLevelsAndConstraints) {
  EXPECT_THAT(machine("architecture:\n\tname: x\n"),
              HasSubstr("a.yaml:2: indented with a tab; YAML takes spaces only"));
  EXPECT_THAT(
      machine("architecture:\n  energy: pat\n  levels:\n  - {name: Reg, entries: 8, keep: inputs}\n"
              "  - {name: DRAM, dram: true}\n"),
      AllOf(HasSubstr("a.yaml:5"), HasSubstr("outermost first, but DRAM is the last"), Not(HasSubstr("bypass"))));
  EXPECT_THAT(machine(with(kMachine, "entries: 64", "entries: 64, keep: [A, Zed]")),
              HasSubstr("a.yaml:7: level 'Buf', keep: 'Zed' is not a tensor"));
  EXPECT_THAT(machine(with(kMachine, "entries: 8", "entries: 8, constraints: {temporal: {factors: [X=3]}}")),
              HasSubstr("a.yaml:8: level 'Reg', temporal constraint: 'X' is not a dimension"));
  const std::string channels = folder_.write(
      "c.yaml", with(kMachine, "fanout: 4x2", "fanout: 4x2, constraints: {spatial: {allowed: [input_channel]}}"));
  const std::string one = refused("map -w depthwise:c=8,p=4,q=4,r=3,s=3 -a " + channels).err;
  EXPECT_THAT(one, HasSubstr("'constraints_for: channels'"));
  EXPECT_EQ(one.find("means nothing"), one.rfind("means nothing")) << one;
  // The layers that can obey are mapped.
  const std::string network = folder_.write(
      "n.yaml",
      "name: n\nlayers:\n- {name: dw, depthwise: {c: 8, p: 4, q: 4, r: 3, s: 3}}\n- {name: fc, gemm: 8x8x8}\n");
  const CliResult both = refused("map -w " + network + " -a " + channels, 1);
  EXPECT_THAT(both.err, AllOf(HasSubstr("dw"), HasSubstr("'constraints_for: channels'")));
  EXPECT_THAT(both.out, AllOf(HasSubstr("fc"), HasSubstr("optimal")));
}

// A user's text of any length comes back in a line or two, with its length.
TEST_F(CliBadInput, LongValuesAreCut) {
  const std::string word(5'000, 'x');
  std::string words;
  for (int i = 0; i < 2'500; ++i) words += "y ";
  words += "y";
  const auto expect_cut = [&](const std::string& err) {
    EXPECT_LT(err.size(), 2'000U) << err.substr(0, 300);
    EXPECT_THAT(err, HasSubstr(".. (50"));
  };
  for (const std::string& text : {word, words}) {
    expect_cut(machine(with(kMachine, "entries: 64", "entries: " + text)));
    expect_cut(machine(with(kMachine, "fanout: 4x2", "fanout: " + text)));
    expect_cut(machine(with(kMachine, "energy: pat", "energy: " + text)));
    expect_cut(workload(with(kWorkload, "M: 8", "M: " + text)));
    expect_cut(mapping("mapping: [{level: " + text + ", temporal: [K: 16]}]"));
    expect_cut(mapping("mapping: [{level: Buf, temporal: [M: " + text + "]}]"));
  }
  expect_cut(machine(with(kMachine, "entries: 64", "entries: 64, keep: A, open: " + word)));
  for (const std::string command :
       {"map -w gemm:8x8x8 -a ", "map -a eyeriss -w ", "map -a eyeriss -w resnet18 --layer ", "bench ", "report ",
        "map -a eyeriss -w gemm:8x8x8 --threads ", "map -a eyeriss -w gemm:8x8x8 --strategy "})
    expect_cut(refused(command + "'" + words + "'").err);
}

TEST_F(CliBadInput, PicturesOfNothingOrToNowhere) {
  const std::string space = "space -a " + machine_ + " -w " + workload_;
  EXPECT_THAT(refused(space + " --tiles Bug").err,
              AllOf(HasSubstr("small has no level 'Bug', did you mean 'Buf'?"), HasSubstr("DRAM, Buf and Reg")));
  EXPECT_THAT(refused(space + " --dot x.dot").err, HasSubstr("choose it with --tiles"));
  EXPECT_THAT(refused(space + " --all").err, HasSubstr("choose their level with --tiles"));
  EXPECT_THAT(refused(space + " --tiles Reg --dot - --json -").err,
              HasSubstr("standard output takes one of --json and --dot"));
  EXPECT_THAT(refused(space + " --tiles Reg --dot /nowhere/x.dot").err, HasSubstr("/nowhere/x.dot cannot be written"));
  EXPECT_THAT(refused("space -a eyeriss -w resnet18 --tiles GLB").err, HasSubstr("choose it with --layer"));
  EXPECT_THAT(refused("space -a eyeriss -w gemm:2520x2520x2520 --tiles DRAM --dot x.dot").err,
              HasSubstr("tiles are too many for a picture"));
  EXPECT_THAT(refused("space -a eyeriss -w gemm:50400x50400x50400 --tiles DRAM").err,
              HasSubstr("more than 200000 tiles in DRAM"));
  EXPECT_THAT(refused("orders -w gemm:8x8x8 --dot /nowhere/x.dot").err, HasSubstr("/nowhere/x.dot cannot be written"));
  EXPECT_THAT(refused("orders -w gemm:8x8x8 --dot - --json -").err,
              HasSubstr("standard output takes one of --json and --dot"));
  EXPECT_THAT(refused("orders -w resnet18 --dot x.dot").err, HasSubstr("choose it with --layer"));
}

TEST_F(CliBadInput, JsonThatCannotBeWritten) {
  for (const std::string target : {"/nowhere/x.json", "/tmp", "/proc/x.json", "''"}) {
    const CliResult result = run_cli("orders -w gemm:8x8x8 --json " + target);
    if (target == "''") continue;
    EXPECT_EQ(result.exit_code, 2) << target;
    EXPECT_THAT(result.err, AllOf(HasSubstr("--json"), HasSubstr(target)));
  }
  const CliResult full = run_cli("orders -w gemm:8x8x8 --json - > /dev/full");
  EXPECT_EQ(full.exit_code, 2);
  EXPECT_THAT(full.err, HasSubstr("cannot be written"));
}

TEST_F(CliBadInput, ManyErrorsAtOnce) {
  const std::string err = machine(with(with(kMachine, "entries: 64", "entires: 64"), "entries: 8", "entries: -8"));
  EXPECT_THAT(err, AllOf(HasSubstr("a.yaml:7"), HasSubstr("a.yaml:8")));
}

TEST_F(CliBadInput, AReaderThatStopsReading) {
  const CliResult result = run_cli("orders -w gemm:8x8x8 | head -1");
  EXPECT_EQ(result.exit_code, 0);
  EXPECT_EQ(result.err, "");
  for (const std::string what : {"map --help", "orders -w gemm:8x8x8", "orders -w gemm:8x8x8 --json -"}) {
    const CliResult closed = run_cli(what + " >&-");
    EXPECT_EQ(closed.exit_code, 2) << what;
    EXPECT_THAT(closed.err, HasSubstr("standard output cannot be written"));
  }
}

}  // namespace
}  // namespace heliolite::cli_bad_input_test
