// heliolite-check-proof as a sceptic runs it: what it says, and its exit codes.
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>

namespace heliolite::check_proof_program_test {
namespace {

namespace fs = std::filesystem;

struct Outcome {
  int exit_code = -1;
  std::string output;
};

class CheckProofProgram : public ::testing::Test {
 protected:
  void SetUp() override {
    fs::create_directories(folder_);
    std::ifstream file(std::string(HELIOLITE_TEST_DATA) + "/golden/proof/tiny.proof");
    std::ostringstream text;
    text << file.rdbuf();
    tiny_ = text.str();
    write("tiny.proof", tiny_);
    write("tiny.instance", tiny_.substr(0, tiny_.find("heliolite-proof")));
  }
  void TearDown() override { fs::remove_all(folder_); }

  void write(const std::string& name, const std::string& text) const { std::ofstream(folder_ / name) << text; }
  // `before`: what its standard input comes from, with "|".
  Outcome run(const std::string& arguments, const std::string& before = "") const {
    const std::string program = (fs::path(HELIOLITE_BINARY).parent_path() / "heliolite-check-proof").string();
    const std::string command =
        "cd '" + folder_.string() + "' && " + before + " '" + program + "' " + arguments + " 2>&1";
    Outcome out;
    std::FILE* pipe = popen(command.c_str(), "r");
    if (pipe == nullptr) return out;
    char block[4096];
    for (std::size_t n = 0; (n = std::fread(block, 1, sizeof block, pipe)) > 0;) out.output.append(block, n);
    const int status = pclose(pipe);
    out.exit_code = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
    return out;
  }

  const fs::path folder_ = fs::temp_directory_path() / ("check_proof_program_" + std::to_string(getpid()));
  std::string tiny_;
};

TEST_F(CheckProofProgram, AcceptsFromAFileAndFromAPipe) {
  const std::string claim =
      "accepted: no legal mapping has an EDP below 3192 pJ x cycles, the mapping has it; 2 states; "
      "instance 57d4b28190b90aad\n";
  for (const char* how : {"tiny.proof", "- < tiny.proof", "--instance tiny.instance tiny.proof",
                          "--instance tiny.instance - < tiny.proof"}) {
    const Outcome r = run(how);
    EXPECT_EQ(r.exit_code, 0) << how;
    EXPECT_EQ(r.output, claim) << how;
  }
  ASSERT_EQ(std::system(("gzip -k '" + (folder_ / "tiny.proof").string() + "'").c_str()), 0);
  const Outcome packed = run("-", "zcat tiny.proof.gz |");
  EXPECT_EQ(packed.output, claim);
  const Outcome help = run("--help");
  EXPECT_EQ(help.exit_code, 0);
  EXPECT_NE(help.output.find("zcat FILE | heliolite-check-proof -"), std::string::npos) << help.output;
}

TEST_F(CheckProofProgram, RejectsWithTheLine) {
  std::string text = tiny_;
  text.replace(text.find("s 2 1 K:2"), 9, "s 2 1 M:2");
  write("wrong.proof", text);
  const Outcome r = run("wrong.proof");
  EXPECT_EQ(r.exit_code, 1);
  EXPECT_EQ(r.output,
            "rejected: wrong.proof:25: an extension of state 1 is neither closed nor listed: K:2 - DRAM,DRAM,DRAM\n");
}

TEST_F(CheckProofProgram, DemandsAnInstance) {
  std::string other = tiny_.substr(0, tiny_.find("heliolite-proof"));
  other.replace(other.find("room 6"), 6, "room 8");
  write("other.instance", other);
  const Outcome r = run("--instance other.instance tiny.proof");
  EXPECT_EQ(r.exit_code, 1);
  EXPECT_EQ(r.output, "rejected: tiny.proof: a proof of the instance other.instance expected\n");
}

TEST_F(CheckProofProgram, PricesAMapping) {
  const Outcome r = run("--price tiny.proof");
  EXPECT_EQ(r.exit_code, 0);
  EXPECT_NE(r.output.find("priced: 14 cycles at 228 pJ, 3192 pJ x cycles"), std::string::npos) << r.output;
  EXPECT_NE(r.output.find("DRAM Z accesses 4 fills 0 instances 1"), std::string::npos) << r.output;
}

TEST_F(CheckProofProgram, RefusesWhatItCannotSayAnythingOf) {
  write("packed.proof", "\x1f\x8b\x08");
  for (const auto& [how, what] : {std::pair{"packed.proof", "refused: packed.proof: gzipped"},
                                  {"missing.proof", "refused: missing.proof: cannot be opened"},
                                  {"- < packed.proof", "refused: -: gzipped"},
                                  {"--thread tiny.proof", "unknown argument"},
                                  {"tiny.proof tiny.proof", "unknown argument"},
                                  {"tiny.proof --instance", "a value expected"},
                                  {"", "a file expected"}}) {
    const Outcome r = run(how);
    EXPECT_EQ(r.exit_code, 2) << how;
    EXPECT_NE(r.output.find(what), std::string::npos) << how << ": " << r.output;
  }
}

}  // namespace
}  // namespace heliolite::check_proof_program_test
