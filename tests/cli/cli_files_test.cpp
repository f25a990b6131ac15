// What commands write: never over what they read, over a database or over each other, whole or not at all; and pipes.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/stat.h>

#include <chrono>
#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>
#include <thread>

#include "tests/support/cli_runner.h"
#include "tests/support/report_sweep.h"
#include "tests/support/sweep_store.h"

namespace heliolite::cli_files_test {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;
using std::chrono_literals::operator""ms;
using ::testing::AllOf;
using ::testing::HasSubstr;

class CliFiles : public ::testing::Test {
 protected:
  // '@' in a command stands for the folder.
  std::string at(std::string text) const {
    for (std::size_t i = 0; (i = text.find('@', i)) != std::string::npos;) text.replace(i, 1, folder_.path(""));
    return text;
  }
  CliResult run(const std::string& command) const { return run_cli(at(command)); }

  std::map<std::string, std::string> files() const {
    std::map<std::string, std::string> out;
    for (const auto& entry : fs::directory_iterator(folder_.path("")))
      if (entry.is_regular_file()) out[entry.path().filename().string()] = read_text(entry.path().string());
    return out;
  }
  // Exit code 2, every file as it was, none more. The complaint.
  std::string refused(const std::string& command) const {
    const auto before = files();
    const CliResult result = run(command);
    EXPECT_EQ(result.exit_code, 2) << command << "\n" << result.out;
    EXPECT_EQ(result.out, "") << command;
    EXPECT_EQ(files(), before) << command;
    return result.err;
  }

  // A machine that names another file, a workload, a mapping, a sweep and a suite that name those.
  void write_inputs() const {
    folder_.write("base.yaml", "architecture:\n  base: eyeriss\n");
    folder_.write("a.yaml", "architecture:\n  base: base.yaml\n");
    folder_.write("w.yaml",
                  "name: small\ndimensions: {M: 4, N: 4, K: 4}\ntensors:\n  A: [M, K]\n  B: [K, N]\n"
                  "  Z: [M, N]\noutput: Z\n");
    folder_.write("x.yaml",
                  "sweep:\n  name: x\n  machine: a.yaml\n  workloads: w.yaml\n  strategy: random\n"
                  "  parameters:\n    glb: {set: GLB.capacity, values: [64 KB, 128 KB]}\n");
    folder_.write("e.csv", "machine,layer,mapper,value\na,small,other,1\n");
    folder_.write("s.yaml",
                  "bench:\n  strategies: [random]\n  machines: [a.yaml]\n  workloads: [w.yaml]\n"
                  "  external: e.csv\n");
    folder_.write("co.yaml", "co_search:\n  sweep: x.yaml\n");
    ASSERT_EQ(run("map -a @a.yaml -w @w.yaml -s random --json @m.json").exit_code, 0);
    fs::create_symlink("w.yaml", folder_.path("link.yaml"));
    fs::create_hard_link(folder_.path("w.yaml"), folder_.path("hard.yaml"));
    fs::create_directory_symlink(".", folder_.path("here"));
  }

  TempFolder folder_;
};

TEST_F(CliFiles, NoOutputReplacesAnInput) {
  write_inputs();
  fs::copy(HELIOLITE_TEST_DATA "/golden/optima", folder_.path("r"), fs::copy_options::recursive);
  const std::string read = "which is read", also = "is also where --json goes";
  for (const auto& [command, complaint] : std::initializer_list<std::pair<std::string, std::string>>{
           {"map -a @a.yaml -w @w.yaml --json @a.yaml", also},
           {"map -a @a.yaml -w @w.yaml --json @base.yaml", also},
           {"map -a @a.yaml -w @w.yaml --json @w.yaml", also},
           {"map -a @a.yaml -w @w.yaml --json @link.yaml", also},
           {"map -a @a.yaml -w @link.yaml --json @hard.yaml", also},
           {"map -a @a.yaml -w @hard.yaml --json @here/w.yaml", also},
           {"eval -a @a.yaml -w @w.yaml -m @m.json --json @m.json", also},
           {"explain -a @a.yaml -w @w.yaml -m @m.json --json @base.yaml", also},
           {"orders -w @w.yaml --dot @w.yaml", "is also where --dot goes"},
           {"space -a @a.yaml -w @w.yaml --tiles GLB --dot @base.yaml", "is also where --dot goes"},
           {"bound -w @w.yaml --json @w.yaml", also},
           {"bound -w @w.yaml --csv @w.yaml", "is also where --csv goes"},
           {"bound -w @w.yaml -a @a.yaml --svg @base.yaml", "is also where --svg goes"},
           {"bench @s.yaml --csv @s.yaml", "is also where --csv goes"},
           {"bench @s.yaml --csv @w.yaml", "is also where --csv goes"},
           {"bench @s.yaml --json @e.csv", also},
           {"bench @co.yaml --json @x.yaml", also},
           {"sweep @x.yaml -o @n.db --json @x.yaml", also},
           {"sweep @x.yaml -o @n.db --json @base.yaml", also},
           {"sweep @x.yaml -o @n.db --slurm 2 --json @n.sbatch", "takes one of"},
           {"verify @r --json @r/optima.jsonl", also},
           {"bound -w /dev/stdin --json @w.yaml < @w.yaml", also},
       })
    EXPECT_THAT(refused(command), HasSubstr(complaint)) << command;
}

TEST_F(CliFiles, NoOutputReplacesADatabase) {
  write_inputs();
  { made(folder_.path("o.db")); }
  fs::create_symlink("o.db", folder_.path("link.db"));
  fs::create_hard_link(folder_.path("o.db"), folder_.path("hard.db"));
  for (const std::string name : {"o.db", "link.db", "hard.db", "here/o.db"})
    for (const std::string command :
         {"sweep --export @o.db --csv @", "sweep --export @o.db --layers-csv @", "sweep --export @o.db --json @",
          "sweep --status @o.db --json @", "report @o.db -o @", "report @o.db --json @",
          "map -a eyeriss -w @w.yaml --json @", "sweep @x.yaml -o @o.db --resume --json @",
          "merge @n.db @o.db --json @", "merge @o.db @o.db --json @"})
      EXPECT_THAT(refused(command + name), HasSubstr("is a database (SQLite)")) << command << name;
  // Names that are no files yet, and the files that belong to a database.
  EXPECT_THAT(refused("sweep @x.yaml -o @n.db --json @n.db"), HasSubstr("n.db: is also where --json goes"));
  EXPECT_THAT(refused("sweep @x.yaml -o @n.db --json @here/n.db-wal"),
              HasSubstr("n.db-wal: is also where --json goes"));
  EXPECT_THAT(refused("sweep @x.yaml -o @n.db --slurm 2 --json @n.db"), HasSubstr("n.db: is also where --json goes"));
  EXPECT_THAT(refused("merge @n.db @o.db --json @here/n.db"), HasSubstr("n.db: is also where --json goes"));
  EXPECT_THAT(refused("sweep --export @o.db --csv @o.db.lock"), HasSubstr("is also where --csv goes"));
}

TEST_F(CliFiles, NoTwoOutputsAreOneFile) {
  { made(folder_.path("o.db")); }
  folder_.write("old.csv", "old");
  fs::create_symlink("new.csv", folder_.path("dangling.csv"));
  fs::create_symlink("old.csv", folder_.path("link.csv"));
  const std::string rows = "sweep --export @o.db --csv ";
  EXPECT_THAT(refused(rows + "@n.csv --layers-csv @n.csv"), HasSubstr("takes one of --csv and --layers-csv"));
  EXPECT_THAT(refused(rows + "@new.csv --json @dangling.csv"), HasSubstr("takes one of --json and --csv"));
  EXPECT_THAT(refused(rows + "@old.csv --json @link.csv"), HasSubstr("takes one of --json and --csv"));
  EXPECT_THAT(refused(rows + "- --json -"), HasSubstr("standard output takes one of --json and --csv"));
  EXPECT_THAT(refused(rows + "- --layers-csv /dev/stdout"), HasSubstr("takes one of"));
  EXPECT_THAT(refused("report @o.db -o - --json -"), HasSubstr("standard output takes one of"));
  EXPECT_THAT(refused("orders -w gemm:8x8x8 --dot - --json -"), HasSubstr("standard output takes one of"));
  EXPECT_THAT(refused("bound -w gemm:8x8x8 --csv - --svg -"), HasSubstr("standard output takes one of"));
  EXPECT_THAT(refused("bench @s.yaml --csv - --json -"), HasSubstr("standard output takes one of"));
  EXPECT_THAT(refused("orders -w gemm:8x8x8 --json @old.csv >> @old.csv"), HasSubstr("is where standard output goes"));
  const CliResult both = run(rows + "/dev/null --layers-csv /dev/null");
  EXPECT_EQ(both.exit_code, 0) << both.err;
}

TEST_F(CliFiles, AReplacedFileKeepsItsModeAndItsLinks) {
  const std::string old = folder_.write("old.json", "old");
  fs::permissions(old, fs::perms::owner_read | fs::perms::owner_write);
  fs::create_symlink("old.json", folder_.path("link.json"));
  fs::create_symlink("new.json", folder_.path("dangling.json"));
  ASSERT_EQ(run("orders -w gemm:8x8x8 --json @link.json").exit_code, 0);
  EXPECT_TRUE(fs::is_symlink(folder_.path("link.json")));
  EXPECT_EQ(fs::status(old).permissions(), fs::perms::owner_read | fs::perms::owner_write);
  EXPECT_EQ(json::parse(read_text(old))["command"], "orders");
  ASSERT_EQ(run("orders -w gemm:8x8x8 --json @dangling.json").exit_code, 0);
  EXPECT_EQ(read_text(folder_.path("new.json")), read_text(old));
  EXPECT_EQ(files().size(), 4u);
}

TEST_F(CliFiles, AFileThatCannotBeFinishedLeavesTheOldOne) {
  { write_report_sweep(folder_.path("o.db"), 2000); }
  folder_.write("rows.csv", "old");
  const auto before = files();
  // Files of at most 64 blocks of 512 bytes.
  const std::string command = "sh -c 'ulimit -f 64; exec " HELIOLITE_BINARY " sweep --export " + folder_.path("o.db") +
                              " --csv " + folder_.path("rows.csv") + "' 2>" + folder_.path("err");
  EXPECT_EQ(WEXITSTATUS(std::system(command.c_str())), 2);
  EXPECT_THAT(read_text(folder_.path("err")), HasSubstr("rows.csv cannot be written: File too large"));
  fs::remove(folder_.path("err"));
  EXPECT_EQ(files(), before);
}

TEST_F(CliFiles, AKilledProgramLeavesTheOldFileOrTheNewOne) {
  write_report_sweep(folder_.path("o.db"), 1000);
  const std::string csv = folder_.path("rows.csv");
  const std::vector<std::string> command{"sweep", "--export", folder_.path("o.db"), "--layers-csv", csv};
  const auto begin = std::chrono::steady_clock::now();
  ASSERT_EQ(run("sweep --export @o.db --layers-csv @rows.csv").exit_code, 0);
  const auto whole = std::chrono::duration_cast<std::chrono::microseconds>(std::chrono::steady_clock::now() - begin);
  const std::string rows = read_text(csv);
  int killed = 0;
  for (int k = 1; k <= 12; ++k) {
    folder_.write("rows.csv", "old");
    const int signal = k % 2 ? SIGTERM : SIGKILL;
    const Background run(command);
    std::this_thread::sleep_for(whole * k / 12);
    killed += run.end(signal) == 128 + signal;
    const std::string there = read_text(csv);
    EXPECT_TRUE(there == "old" || there == rows) << there.size() << " bytes";
    for (const auto& [name, text] : files()) {
      if (!name.starts_with(".heliolite-")) continue;
      EXPECT_EQ(signal, SIGKILL) << name;
      fs::remove(folder_.path(name));
    }
  }
  EXPECT_GT(killed, 0);
}

TEST_F(CliFiles, OutputsGoIntoPipesAndDescriptorsToo) {
  const std::string orders = "orders -w gemm:8x8x8 --json ";
  const std::string answer = run(orders + "-").out;
  EXPECT_EQ(json::parse(answer)["command"], "orders");
  EXPECT_THAT(run(orders + "/dev/stdout").out, ::testing::EndsWith(answer));
  EXPECT_THAT(run(orders + "/dev/stdout | cat").out, ::testing::EndsWith(answer));
  EXPECT_EQ(run(orders + "/dev/null").exit_code, 0);
  EXPECT_EQ(run(orders + "/dev/fd/3 3>@three.json").exit_code, 0);
  EXPECT_EQ(read_text(folder_.path("three.json")), answer);
  ASSERT_EQ(mkfifo(folder_.path("pipe").c_str(), 0600), 0);
  EXPECT_EQ(run("--version >/dev/null & cat @pipe > @got & '" HELIOLITE_BINARY "' " + orders + "@pipe; wait").exit_code,
            0);
  EXPECT_EQ(read_text(folder_.path("got")), answer);
  EXPECT_TRUE(fs::is_fifo(folder_.path("pipe")));
}

TEST_F(CliFiles, InputsComeFromPipesToo) {
  write_inputs();
  const std::string expected = run("orders -w @w.yaml").out;
  EXPECT_EQ(run("orders -w /dev/stdin < @w.yaml").out, expected);
  EXPECT_EQ(run("--version >/dev/null; cat @w.yaml | '" HELIOLITE_BINARY "' orders -w /dev/stdin").out, expected);
  ASSERT_EQ(mkfifo(folder_.path("pipe").c_str(), 0600), 0);
  EXPECT_EQ(run("--version >/dev/null; cat @w.yaml > @pipe & '" HELIOLITE_BINARY "' orders -w @pipe").out, expected);
  EXPECT_THAT(refused("orders -w @pipe"), HasSubstr("pipe: is a pipe that nobody writes to"));
  EXPECT_THAT(refused("verify @pipe"), HasSubstr("pipe: is no regular file"));
  EXPECT_THAT(refused("orders -w @pipe --json @pipe"), HasSubstr("is also where --json goes"));
}

}  // namespace
}  // namespace heliolite::cli_files_test
