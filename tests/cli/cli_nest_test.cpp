// A mapping to look at: explain --nest and --svg.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "tests/support/cli_runner.h"
#include "tests/support/svg_check.h"

namespace heliolite::cli_nest_test {
namespace {

using ::testing::AllOf;
using ::testing::ContainsRegex;
using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::Not;

constexpr const char* kQuickstart = HELIOLITE_TEST_DATA "/../configs/quickstart";

std::string quickstart(const std::string& options) {
  const std::string folder = kQuickstart;
  return "explain -a " + folder + "/machine.yaml -w " + folder + "/workload.yaml -m " + folder + "/mapping.yaml " +
         options;
}

std::size_t count_of(const std::string& text, const std::string& what) {
  std::size_t n = 0;
  for (std::size_t at = text.find(what); at != std::string::npos; at = text.find(what, at + 1)) ++n;
  return n;
}

TEST(CliNest, DrawsTheLoopsInText) {
  const std::string text = run_cli(quickstart("--nest")).out;
  // 1,152 of 8,192 words are 6 of 40 characters, 2,880 up to 20, 896 up to 24.
  EXPECT_THAT(text, HasSubstr("Buffer  ["));
  EXPECT_THAT(text, AllOf(HasSubstr("keeps W Weights 1,152, I Inputs 2,880, O Outputs 896"), HasSubstr("for P in 7\n"),
                          HasSubstr("across X: K 8\n"), HasSubstr("across Y: P 4\n"), HasSubstr("MAC")));
  EXPECT_THAT(text, ContainsRegex("Buffer +\\[W+I+O+\\.*\\] +4,928 of [0-9,]+ words"));
  EXPECT_EQ(count_of(text, "  for "), 7u);
  EXPECT_THAT(run_cli(quickstart("")).out, AllOf(Not(HasSubstr("across X: ")), HasSubstr("across X below")));
}

TEST(CliNest, DrawsThePicture) {
  const std::string svg = run_cli(quickstart("--svg -")).out;
  EXPECT_EQ(not_well_formed(svg), "");
  EXPECT_THAT(misplaced_texts(svg), IsEmpty());
  EXPECT_THAT(svg, AllOf(HasSubstr(">for Q in 28<"), HasSubstr(">across X: K 8 (8 of 8)<"),
                         HasSubstr(">across Y: P 4 (4 of 4)<"), HasSubstr(">Inputs 2,880<")));
  EXPECT_EQ(count_of(svg, ">for "), 7u);
}

// Machines with buffers side by side, levels without tensors and wide fan-outs; uneven tiles; four tensors.
TEST(CliNest, KeepsTextsApartOnAnyMachine) {
  const TempFolder folder;
  const std::string best = folder.path("best.json");
  const auto drawn = [&](const std::string& what, const std::string& search) {
    const CliResult found = run_cli("map " + what + " --no-look -q --json " + best + " " + search);
    EXPECT_EQ(found.exit_code, 0) << found.err;
    const std::string explained = "explain " + what + " -m " + best;
    const std::string svg = run_cli(explained + " --svg -").out;
    EXPECT_EQ(not_well_formed(svg), "") << what;
    EXPECT_THAT(misplaced_texts(svg), IsEmpty()) << what;
    EXPECT_THAT(run_cli(explained + " --nest").out, HasSubstr("keeps")) << what;
    return svg;
  };
  drawn("-a eyeriss -w conv:c=8,k=16,p=14,r=3", "-s sunstone");
  EXPECT_THAT(drawn("-a tpu_v4i -w gemm:128x128x128", "-s sunstone"), HasSubstr("32 x 32 of 128 x 128 drawn"));
  drawn("-a edge_unified -w 'o[i,j] += a[i,k,l]*b[k,j]*c[l,j]; i=16,j=16,k=8,l=8'", "-s sunstone");
  drawn("-a edge_unified -w gemm:16x16x16", "--tiles uneven");
}

}  // namespace
}  // namespace heliolite::cli_nest_test
