// Lines on stdout: tables, texts and help fit 120 columns, or the terminal, whatever names are in them.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <pty.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <sstream>
#include <string>
#include <vector>

#include "cli/ui/lines.h"
#include "cli/ui/table.h"
#include "tests/support/cli_runner.h"

namespace heliolite::cli::cli_tables_test {
namespace {

using ::testing::AllOf;
using ::testing::ElementsAre;
using ::testing::Gt;
using ::testing::HasSubstr;
using ::testing::Le;

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream stream(text);
  for (std::string line; std::getline(stream, line);) lines.push_back(line);
  return lines;
}

std::size_t widest(const std::string& text) {
  std::size_t columns = 0;
  for (const std::string& line : lines_of(text)) columns = std::max(columns, columns_of(line));
  return columns;
}

std::string without_spaces(std::string text) {
  std::erase_if(text, [](char c) { return c == ' ' || c == '\n'; });
  return text;
}

TEST(Lines, AreBrokenAtSpacesThenBehindPunctuationThenAnywhere) {
  EXPECT_THAT(broken("K 64, C 3, P 112", 10), ElementsAre("K 64, C 3,", "P 112"));
  EXPECT_THAT(broken("block_3_depthwise", 10), ElementsAre("block_3_", "depthwise"));
  EXPECT_THAT(broken("abcdefgh", 5, 2), ElementsAre("abcde", "  fgh"));
  EXPECT_THAT(broken("", 5), ElementsAre(""));
  EXPECT_THAT(broken("\u00e9\u00e9\u00e9", 2), ElementsAre("\u00e9\u00e9", "\u00e9"));
  EXPECT_EQ(fitted("  one two three\nfour\n", 9), "  one two\n    three\nfour\n");
  EXPECT_EQ(fitted("see /a/path/that/stays whole", 10), "see\n  /a/path/that/stays\n  whole");
}

// Random words of letters and separators, now and then none.
rc::Gen<std::string> any_text(int most) {
  return rc::gen::map(
      rc::gen::resize(most, rc::gen::container<std::string>(rc::gen::elementOf(std::string("ab12 _,")))),
      [](std::string text) {
        while (text.starts_with(' ')) text.erase(0, 1);
        return text;
      });
}

RC_GTEST_PROP(Lines, FitAndKeepEveryLetter, ()) {
  const std::string text = *any_text(80);
  const auto width = *rc::gen::inRange<std::size_t>(4, 30);
  std::string all;
  for (const std::string& line : broken(text, width, *rc::gen::inRange<std::size_t>(0, 3))) {
    RC_ASSERT(columns_of(line) <= width);
    all += line;
  }
  RC_ASSERT(without_spaces(all) == without_spaces(text));
}

RC_GTEST_PROP(Tables, FitAndKeepEveryCell, ()) {
  const auto columns = *rc::gen::inRange<std::size_t>(1, 12), rows = *rc::gen::inRange<std::size_t>(1, 5);
  std::vector<std::string> headings;
  for (std::size_t c = 0; c < columns; ++c)
    headings.push_back((*rc::gen::arbitrary<bool>() ? "<h" : "h") + *any_text(20));
  Table table(headings);
  std::array<std::size_t, 128> wanted{};
  for (std::size_t r = 0; r < rows; ++r) {
    std::vector<std::string> cells;
    for (std::size_t c = 0; c < columns; ++c) cells.push_back("x" + *any_text(40));
    for (const std::string& cell : cells)
      for (const char letter : without_spaces(cell)) ++wanted[static_cast<unsigned char>(letter)];
    table.row(cells);
  }
  const auto width = *rc::gen::inRange<std::size_t>(60, 130);
  const std::string text = table.to_string(2, width);
  RC_ASSERT(widest(text) <= width);
  std::array<std::size_t, 128> got{};
  for (const char letter : without_spaces(text)) ++got[static_cast<unsigned char>(letter)];
  for (const char letter : std::string("abx12_,")) {  // columns that name a row may stand in several tables
    RC_ASSERT(got[static_cast<unsigned char>(letter)] >= wanted[static_cast<unsigned char>(letter)]);
  }
}

TEST(Tables, BreakHeadingsThenTextsThenBecomeSeveral) {
  Table table({"<layer", "<size", "energy of all runs", "cycles"});
  table.row({"conv1", "K 64, C 3, P 112, Q 112", "1.234", "100"});
  table.row({"conv2_depthwise", "K 64", "5.6", "20,000"});
  EXPECT_EQ(table.to_string(0, 200),
            "layer            size                     energy of all runs  cycles\n"
            "--------------------------------------------------------------------\n"
            "conv1            K 64, C 3, P 112, Q 112               1.234     100\n"
            "conv2_depthwise  K 64                                    5.6  20,000\n");
  EXPECT_EQ(table.to_string(0, 60),
            "                                           energy of\n"
            "layer            size                       all runs  cycles\n"
            "------------------------------------------------------------\n"
            "conv1            K 64, C 3, P 112, Q 112       1.234     100\n"
            "conv2_depthwise  K 64                            5.6  20,000\n");
  EXPECT_EQ(table.to_string(0, 42),
            "                                    energy\n"
            "                                    of all\n"
            "layer            size                 runs\n"
            "------------------------------------------\n"
            "conv1            K 64, C 3, P 112,   1.234\n"
            "                   Q 112\n"
            "conv2_depthwise  K 64                  5.6\n"
            "\n"
            "layer            size               cycles\n"
            "------------------------------------------\n"
            "conv1            K 64, C 3, P 112,     100\n"
            "                   Q 112\n"
            "conv2_depthwise  K 64               20,000\n");
}

TEST(Tables, KeepColumnsOfAGroupTogether) {
  Table table({"<layer", "energy", "cycles", "|<status", "evaluated", "time"});
  table.row({"conv1", "1.234567", "10,000", "optimal", "1,000,000", "10 ms"});
  EXPECT_EQ(table.to_string(0, 40),
            "layer    energy  cycles\n"
            "-----------------------\n"
            "conv1  1.234567  10,000\n"
            "\n"
            "layer  status   evaluated   time\n"
            "--------------------------------\n"
            "conv1  optimal  1,000,000  10 ms\n");
  EXPECT_EQ(widest(table.to_string(0, 60)), 50u) << "where all fit, they stay side by side";
}

constexpr const char* kMachine = R"(architecture:
  name: a machine whose name is as long as those that research gives to its accelerators, if not longer
  word_bits: 16
  energy: pat
  levels:
  - {name: OffChipDynamicMemory, dram: true}
  - {name: SharedGlobalScratchpadBuffer, entries: 4096, fanout: 4x2}
  - {name: ProcessingElementRegisterFile, entries: 64}
  compute: {name: MultiplyAccumulateUnit}
)";

constexpr const char* kNetwork = R"(name: network_with_a_rather_long_name_of_its_own
layers:
- {name: block_3_expanded_depthwise_convolution_with_stride_2_and_padding, conv: {c: 4, k: 8, p: 6, r: 3}, count: 12}
- {name: encoder_layer_11_feed_forward_network_contraction, gemm: {m: 16, n: 16, k: 64}}
- {name: encoder_layer_11_feed_forward_network_second_part, gemm: {m: 32, n: 16, k: 16}}
edges:
- {from: encoder_layer_11_feed_forward_network_contraction, to: encoder_layer_11_feed_forward_network_second_part,
   tensor: B}
)";

constexpr const char* kLayer = "block_3_expanded_depthwise_convolution_with_stride_2_and_padding";

class CliTables : public ::testing::Test {
 protected:
  void SetUp() override {
    const std::string machine = folder_.write("machine.yaml", kMachine), net = folder_.write("net.yaml", kNetwork);
    both_ = "-a " + machine + " -w " + net;
    net_ = "-w " + net;
    sweep_ = folder_.write("sweep.yaml", R"(sweep:
  name: a sweep of several parameters with long names
  machine: machine.yaml
  workloads: [net.yaml, "gemm:16x16x16"]
  evaluations: 50
  strategy: sunstone
  parameters:
    entries_of_the_scratchpad_buffer: {set: SharedGlobalScratchpadBuffer.entries, values: [2048, 4096]}
    fanout_of_the_scratchpad_buffer: {set: SharedGlobalScratchpadBuffer.fanout, values: [2x2, 4x2]}
    entries_of_the_register_file: {set: ProcessingElementRegisterFile.entries, values: [32, 64]}
  constraints: [entries_of_the_register_file * 2 <= SharedGlobalScratchpadBuffer_words]
)");
    bench_ = folder_.write("bench.yaml", R"(bench:
  machines: [machine.yaml]
  workloads: [net.yaml]
  strategies: [sunstone, {name: random, seed: 3, victory: 50, label: a random search with a label of its own}]
)");
  }

  // stdout of a command that must succeed.
  std::string out(const std::string& arguments) const {
    const CliResult result = run_cli(arguments);
    EXPECT_EQ(result.exit_code, 0) << arguments << "\n" << result.err;
    EXPECT_FALSE(result.out.empty()) << arguments;
    return result.out;
  }

  TempFolder folder_;
  std::string both_, net_, sweep_, bench_;
};

TEST_F(CliTables, OfEveryCommandFit) {
  const std::string best = folder_.path("best.json"), db = folder_.path("s.db"),
                    layer = std::string(" --layer ") + kLayer;
  for (const std::string& command : std::vector<std::string>{
           "map " + both_ + " --strategy sunstone --evaluations 200 --json " + best,
           "eval " + both_ + " -m " + best + layer,
           "explain " + both_ + " -m " + best + layer,
           "orders " + net_,
           "orders --all " + net_ + layer,
           "space " + both_,
           "space " + both_ + layer,
           "space " + both_ + layer + " --tiles ProcessingElementRegisterFile",
           "bound " + net_,
           "bound " + net_ + layer,
           "bound " + both_ + layer + " --map",
           "bound " + net_ + " --kind orojenesis",
           "bound " + net_ + " --fuse",
           "bench " + bench_,
           "sweep " + sweep_ + " --check",
           "sweep " + sweep_ + " -o " + db,
           "sweep --status " + db,
           "verify " HELIOLITE_TEST_DATA "/golden/golden.jsonl",
       }) {
    const std::string text = out(command);
    EXPECT_LE(widest(text), kLineWidth) << command << "\n" << text;
  }
}

// Names come from files of others, from command lines and from databases.
TEST(Tables, HoldNothingThatATerminalObeys) {
  Table table({"<name", "n"});
  table.row({"\x1b[2Jwiped\x07", "1"});
  table.row({"a\nb", "2"});
  const std::string text = table.to_string();
  EXPECT_THAT(text, AllOf(HasSubstr("\\x1b[2Jwiped\\x07"), HasSubstr("a\\nb")));
  EXPECT_EQ(text.find('\x1b'), std::string::npos);
  const TempFolder folder;
  const std::string machine = folder.write(
      "m.yaml", "architecture:\n  name: m\n  levels:\n  - {name: \"D\\e[31m\", capacity: unbounded, energy: 100}\n");
  const std::string svg = folder.path("m.svg");
  for (const std::string& arguments : {"show -a " + machine + " --svg " + svg, std::string("show '--\x1b[31m'"),
                                       std::string("map -w 'x\x1b[2J'"), std::string("show -w 'conv\x9b:k=4'")}) {
    const CliResult result = run_cli(arguments);
    EXPECT_NE(result.exit_code, 0) << arguments;
    for (const std::string& said : {result.out, result.err}) {
      EXPECT_EQ(said.find('\x1b'), std::string::npos) << said;
      EXPECT_EQ(said.find('\x9b'), std::string::npos) << said;
    }
  }
}

TEST_F(CliTables, HelpFits) {
  for (const char* command : {"", "map ", "eval ", "explain ", "orders ", "space ", "bound ", "bench ", "sweep ",
                              "merge ", "verify ", "report "}) {
    EXPECT_LE(widest(out(std::string(command) + "--help")), kLineWidth) << command;
  }
}

// What the program writes to a terminal of this many columns, standard error left out.
std::string on_terminal(unsigned short columns, const std::string& arguments, const std::string& environment = "") {
  winsize size{};
  size.ws_row = 50;
  size.ws_col = columns;
  int terminal = -1;
  const pid_t child = forkpty(&terminal, nullptr, nullptr, &size);
  if (child == 0) {
    const std::string command = "unset COLUMNS NO_COLOR; TERM=xterm; export TERM; " + environment +
                                " exec '" HELIOLITE_BINARY "' " + arguments + " 2>/dev/null";
    execl("/bin/sh", "sh", "-c", command.c_str(), nullptr);
    _exit(127);
  }
  std::string text;
  std::array<char, 4096> part{};
  for (ssize_t n = 0; (n = read(terminal, part.data(), part.size())) > 0;)
    text.append(part.data(), static_cast<std::size_t>(n));
  close(terminal);
  int status = 0;
  waitpid(child, &status, 0);
  EXPECT_EQ(status, 0) << text;
  std::erase(text, '\r');
  return text;
}

TEST_F(CliTables, FollowTheTerminalAndNothingElse) {
  const std::string command = "map " + both_ + " --strategy sunstone --evaluations 50 -q";
  const std::string narrow = on_terminal(80, command), broad = on_terminal(250, command);
  EXPECT_LE(widest(narrow), 80u) << narrow;
  EXPECT_THAT(widest(broad), AllOf(Gt(kLineWidth), Le(250u))) << broad;
  EXPECT_LE(widest(on_terminal(70, "map --help")), 70u);

  const std::string bound = "bound " + net_;
  const std::string piped = out(bound);
  setenv("COLUMNS", "60", 1);
  EXPECT_EQ(out(bound), piped) << "a pipe gets the same lines everywhere";
  unsetenv("COLUMNS");

  const std::string wide = out(command + " --wide");
  EXPECT_GT(widest(wide), kLineWidth);
  EXPECT_THAT(wide, HasSubstr("  block_3_expanded_depthwise_convolution_with_stride_2_and_padding  "));
}

constexpr const char* kGreenOptimal = "\x1b[32moptimal\x1b[0m, perfect";

// Verdicts have colours on a terminal only, which change nothing else of a table.
TEST_F(CliTables, ColoursAreForTerminals) {
  const std::string command = "map -a eyeriss -w gemm:8x8x8 --no-look -q --json /dev/null";
  const auto has_colour = HasSubstr("\x1b[");
  const std::string terminal = on_terminal(120, command), piped = out(command);
  EXPECT_THAT(terminal, HasSubstr(kGreenOptimal));
  EXPECT_THAT(piped, ::testing::Not(has_colour));
  EXPECT_THAT(out(command + " --color always"), HasSubstr(kGreenOptimal));
  EXPECT_THAT(on_terminal(120, command + " --color never"), ::testing::Not(has_colour));
  EXPECT_THAT(on_terminal(120, command, "NO_COLOR=1; export NO_COLOR;"), ::testing::Not(has_colour));
  EXPECT_THAT(on_terminal(120, command, "NO_COLOR=; export NO_COLOR;"), HasSubstr(kGreenOptimal)) << "empty: not set";
  EXPECT_THAT(on_terminal(120, command, "TERM=dumb;"), ::testing::Not(has_colour));

  const std::string check = "check " + folder_.path("net.yaml");
  std::string shown = on_terminal(120, check);
  EXPECT_THAT(shown, HasSubstr("\x1b[32mread\x1b[0m"));
  for (const std::string sequence : {"\x1b[32m", "\x1b[0m"})
    for (std::size_t at = shown.find(sequence); at != std::string::npos; at = shown.find(sequence))
      shown.erase(at, sequence.size());
  EXPECT_EQ(shown, out(check)) << "colours change nothing else";

  const std::string refused = "map -a eyeris -w gemm:8x8x8 ";
  EXPECT_EQ(run_cli(refused).err.substr(0, 10), "heliolite:");
  EXPECT_THAT(run_cli(refused + "--color always").err, ::testing::StartsWith("\x1b[31mheliolite:\x1b[0m "));
  EXPECT_THAT(run_cli(refused + "--color blue").err, HasSubstr("unknown name 'blue'; known: auto, always and never"));
}

TEST(Lines, ColoursTakeNoColumns) {
  const std::string red = "\x1b[31mOUTSIDE\x1b[0m";
  EXPECT_EQ(columns_of(red), 7u);
  EXPECT_THAT(broken(red + " 5 %", 7), ElementsAre(red, "5 %"));
  EXPECT_EQ(fitted("  one " + red + " two", 13), "  one " + red + "\n    two");
  Table table({"<a", "b"});
  table.row({red, "1"});
  table.row({"inside", "2"});
  EXPECT_THAT(table.to_string(), AllOf(HasSubstr(red + "  1\n"), HasSubstr("inside   2\n")));
}

}  // namespace
}  // namespace heliolite::cli::cli_tables_test
