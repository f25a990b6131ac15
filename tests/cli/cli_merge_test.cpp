// merge, sweep --status, sweep --export and sweep --slurm as a user types them.
#include <gmock/gmock.h>

#include <algorithm>
#include <chrono>
#include <nlohmann/json.hpp>
#include <thread>

#include "engine/sweep/store_rows.h"
#include "tests/support/cli_runner.h"
#include "tests/support/sweep_problem.h"
#include "tests/support/sweep_store.h"

namespace heliolite::cli_merge_test {
namespace {

using nlohmann::json;
using ::testing::HasSubstr;
using ::testing::StartsWith;

constexpr u64 kPoints = 9;

// Shard i of 3 with the points i, i + 3, ..
std::string make_shard(const TempFolder& folder, u64 i) {
  SweepRecord sweep = test_sweep(kPoints);
  sweep.shard = i;
  sweep.shards = 3;
  sweep.shard_points = kPoints / 3;
  const std::string path = folder.path(std::to_string(i + 1) + ".db");
  Result<Store> store = Store::create(path, sweep);
  EXPECT_TRUE(store);
  for (u64 id = i; id < kPoints; id += 3)
    EXPECT_TRUE(store->write(test_point(id, 2), std::vector{test_layer(id, 0), test_layer(id, 1)}).empty());
  EXPECT_TRUE(store->close(true).empty());
  return path;
}

TEST(CliMerge, UnitesShardsAndTellsWhatIsMissing) {
  const TempFolder folder;
  for (u64 i = 0; i < 3; ++i) make_shard(folder, i);
  const std::string in_folder = "merge " + folder.path("out.db") + " " + folder.path("");
  const CliResult some = run_cli(in_folder + "1.db " + folder.path("3.db") + " --json " + folder.path("a.json"));
  EXPECT_EQ(some.exit_code, 1);
  EXPECT_THAT(some.out, HasSubstr("out.db: 6 of 9 points, 12 layers"));
  EXPECT_THAT(some.out, HasSubstr("missing: 2/3"));
  const json answer = json::parse(read_text(folder.path("a.json")));
  EXPECT_EQ(answer["complete"], false);
  EXPECT_EQ(answer["missing"], json::parse("[2]"));
  EXPECT_EQ(answer["inputs"][1]["shard"], 3);
  const CliResult all = run_cli(in_folder + "2.db");
  EXPECT_EQ(all.exit_code, 0) << all.err;
  EXPECT_THAT(all.out, HasSubstr("out.db: 9 of 9 points, 18 layers"));
}

// The same shards many times: a second or so of work without making as many rows.
TEST(CliMerge, CtrlCLeavesTheResultAsItWas) {
  using namespace std::chrono_literals;
  const TempFolder folder;
  const std::string out = folder.path("out.db"), first = make_shard(folder, 0), second = make_shard(folder, 1);
  for (const bool again : {false, true}) {
    if (again) {
      ASSERT_EQ(run_cli("merge " + out + " " + first).exit_code, 1);
    }
    const std::string before = again ? read_text(out) : "";
    std::vector<std::string> arguments{"merge", out, "--json", folder.path("a.json")};
    for (int k = 0; k < 1000; ++k) arguments.push_back(second);
    const Background run(arguments);
    while (!std::filesystem::exists(out + ".part")) std::this_thread::sleep_for(5ms);
    std::this_thread::sleep_for(50ms);
    EXPECT_EQ(run.end(SIGINT), 130);
    EXPECT_EQ(json::parse(read_text(folder.path("a.json")))["interrupted"], true);
    for (const char* suffix : {"", "-wal", "-shm", "-journal", ".lock"})
      EXPECT_FALSE(std::filesystem::exists(out + ".part" + suffix)) << suffix;
    EXPECT_EQ(std::filesystem::exists(out), again);
    EXPECT_TRUE(!again || read_text(out) == before);
  }
}

TEST(CliMerge, BadInput) {
  const TempFolder folder;
  const std::string shard = make_shard(folder, 0), out = folder.path("out.db");
  const auto refused = [](const std::string& arguments) {
    const CliResult result = run_cli(arguments);
    EXPECT_EQ(result.exit_code, 2) << arguments;
    EXPECT_EQ(result.out, "");
    return result.err;
  };
  EXPECT_THAT(refused("merge " + out + " " + folder.path("none.db")), HasSubstr("none.db: there is no such file"));
  EXPECT_THAT(refused("merge " + out + " " + folder.write("text.db", "text, not tables")),
              HasSubstr("text.db: is not a results database"));
  EXPECT_THAT(refused("merge " + shard + " " + shard), HasSubstr("is shard 1/3 itself"));
  EXPECT_THAT(refused("merge " + out), StartsWith("heliolite: "));
  EXPECT_FALSE(std::filesystem::exists(out));
}

// Three shards of a grid, then a value more: what is new is dealt, run and merged, and is what one run finds.
TEST(CliMerge, DealsTheWorkLeftAlsoOfALargerGrid) {
  const TempFolder folder;
  const std::string small =
                        "\n  parameters:\n    glb: {set: GLB.capacity, values: [1 KB, 2 KB]}\n"
                        "    spad: {set: Spad.entries, values: [16, 64, 256]}\n",
                    large =
                        "\n  parameters:\n    glb: {set: GLB.capacity, values: [1 KB, 2 KB, 4 KB]}\n"
                        "    spad: {set: Spad.entries, values: [16, 64, 256]}\n";
  std::string file = testing::small_sweep(folder, "", small);
  std::string merge = "merge " + folder.path("out.db");
  for (const char* shard : {"1", "2"}) {
    merge += " " + folder.path(std::string(shard) + ".db");
    ASSERT_EQ(run_cli("sweep " + file + " -o " + folder.path(std::string(shard) + ".db") + " --shard " + shard + "/3")
                  .exit_code,
              0);
  }
  file = testing::small_sweep(folder, "", large);
  const CliResult grown = run_cli("sweep " + file + " --resume --shard 1/3 -o " + folder.path("1.db"));
  EXPECT_EQ(grown.exit_code, 2);
  EXPECT_THAT(grown.err, HasSubstr("is shard 1/3 of a smaller grid"));
  const CliResult dealt = run_cli(merge + " --rest 2 -t 1 --sweep " + file + " --json " + folder.path("a.json"));
  EXPECT_EQ(dealt.exit_code, 1) << dealt.err;
  EXPECT_THAT(dealt.err, HasSubstr("was of a smaller grid: 4 points"));
  EXPECT_THAT(dealt.out, HasSubstr("left: 5 points"));
  const json answer = json::parse(read_text(folder.path("a.json")));
  EXPECT_EQ(answer["rest"]["parts"].size(), 2u);
  EXPECT_EQ(answer["rest"]["taken_over"], 4);
  const std::string script = read_text(answer["rest"]["script"]);
  EXPECT_THAT(script, HasSubstr("#SBATCH --array=1-2\n"));
  EXPECT_THAT(script, HasSubstr("--points '" + folder.path("out.rest") + "'/\"$SLURM_ARRAY_TASK_ID\".points --resume"));
  EXPECT_THAT(script, HasSubstr("#SBATCH --requeue\n"));
  std::string again = "merge " + folder.path("out.db");
  for (const char* part : {"1", "2"}) {
    const std::string place = folder.path("out.rest/") + part;
    ASSERT_EQ(run_cli("sweep " + file + " -o " + place + ".db --resume --points " + place + ".points").exit_code, 0);
    again += " " + place + ".db";
  }
  const CliResult all = run_cli(again + " --rest 2 --sweep " + file);
  EXPECT_EQ(all.exit_code, 0) << all.err;
  EXPECT_THAT(all.out, HasSubstr("nothing is left"));
  ASSERT_EQ(run_cli("sweep " + file + " -o " + folder.path("one.db")).exit_code, 0);
  EXPECT_EQ(testing::content_of(folder.path("out.db")), testing::content_of(folder.path("one.db")));
  EXPECT_THAT(run_cli(again + " --rest 2").err, HasSubstr("--sweep"));
  EXPECT_THAT(run_cli(again + " --rest 2 --goal best --strategy exact --sweep " + file).err,
              HasSubstr("--rest: goal best with strategy exact"));
}

TEST(CliStatus, OfASweepThatRunsAndOneThatEnded) {
  const TempFolder folder;
  const std::string path = folder.path("a.db");
  Store store = made(path);
  const CliResult running = run_cli("sweep --status " + path + " --json " + folder.path("a.json"));
  EXPECT_EQ(running.exit_code, 0) << running.err;
  EXPECT_THAT(running.out, StartsWith("made_up: running (process " + std::to_string(getpid())));
  EXPECT_THAT(running.out, HasSubstr("8 of 8 points"));
  EXPECT_THAT(running.out, HasSubstr("Best points"));
  const json answer = json::parse(read_text(folder.path("a.json")));
  EXPECT_EQ(answer["status"]["state"], "running");
  EXPECT_EQ(answer["status"]["points"], 8);
  EXPECT_EQ(answer["status"]["runs"].size(), 1u);
  EXPECT_FALSE(answer["best"].empty());
  ASSERT_TRUE(store.close(false).empty());
  EXPECT_THAT(run_cli("sweep --status " + path).out, StartsWith("made_up: stopped, 8 of 8"));
  ASSERT_TRUE(Store::resume(path, test_sweep())->close(true).empty());
  EXPECT_THAT(run_cli("sweep --status " + path).out, StartsWith("made_up: finished, 8 of 8"));
}

TEST(CliStatus, OfASweepThatWasKilled) {
  const TempFolder folder;
  const std::string path = folder.path("a.db");
  const pid_t child = in_child([&] {
    const Store store = made(path, 3);
    raise(SIGKILL);
    return 0;
  });
  EXPECT_EQ(wait_for(child), 128 + SIGKILL);
  const CliResult result = run_cli("sweep --status " + path);
  EXPECT_EQ(result.exit_code, 0) << result.err;
  EXPECT_THAT(result.out, StartsWith("made_up: killed, 3 of 8 points"));
  EXPECT_THAT(result.out, HasSubstr("go on with --resume"));
}

// Clocks are set back: the run began after its end.
TEST(CliStatus, RatesDoNotDependOnTheClock) {
  const TempFolder folder;
  const std::string path = folder.path("a.db");
  { made(path); }
  RunRecord run = Store::read(path)->runs()->front();
  EXPECT_EQ(run.points_written, 8u);
  EXPECT_GT(run.seconds, 0);
  run.started = *run.ended + 0.001;
  run.ended = run.started - 86400;
  run.seconds = 16;
  {
    const auto database = SqlDatabase::open(path, SqlDatabase::Access::Write);
    Result<SqlStatement> statement = database->prepare(insert_statement<RunRecord>("OR REPLACE"));
    bind_row(*statement, run, row_sum(test_sweep().question, run));
    ASSERT_TRUE(statement->run().empty());
  }
  const CliResult result = run_cli("sweep --status " + path + " --json " + folder.path("a.json"));
  EXPECT_EQ(result.exit_code, 0) << result.err;
  EXPECT_THAT(result.out, HasSubstr(", 0.5 points/s"));
  EXPECT_EQ(json::parse(read_text(folder.path("a.json")))["status"]["points_per_second"], 0.5);
}

TEST(CliStatus, BadInput) {
  const TempFolder folder;
  const CliResult missing = run_cli("sweep --status " + folder.path("none.db"));
  EXPECT_EQ(missing.exit_code, 2);
  EXPECT_THAT(missing.err, HasSubstr("none.db: there is no such file"));
  EXPECT_EQ(run_cli("sweep").exit_code, 2);
  EXPECT_EQ(run_cli("sweep some.yaml --status a.db").exit_code, 2);
}

TEST(CliExport, EveryRowAsCsvAndJson) {
  const TempFolder folder;
  const std::string path = folder.path("a.db");
  { made(path); }
  const CliResult result = run_cli("sweep --export " + path + " --csv - --layers-csv " + folder.path("l.csv") +
                                   " --json " + folder.path("a.json"));
  EXPECT_EQ(result.exit_code, 0) << result.err;
  EXPECT_THAT(result.out, StartsWith("id,state,l1,\"it's \"\"odd\"\"\",area_um2,"));
  EXPECT_THAT(result.out, HasSubstr("\n0," + std::string(name(test_point(0).state)) + ",0,\"a, \"\"b\"\"\","));
  EXPECT_EQ(std::ranges::count(result.out, '\n'), 9);
  const std::string layers = read_text(folder.path("l.csv"));
  EXPECT_THAT(layers, HasSubstr("reason,search_seconds\n0,0,net,conv0,1,1,"));
  EXPECT_EQ(std::ranges::count(layers, '\n'), 1 + 8 * static_cast<int>(kTestLayers));
  const json answer = json::parse(read_text(folder.path("a.json")));
  EXPECT_EQ(answer["command"], "sweep");
  ASSERT_EQ(answer["points"].size(), 8u);
  const json& point = answer["points"][2];
  EXPECT_EQ(point["id"], 2);
  EXPECT_EQ(point["parameters"]["l1"], test_point(2).values[0]);
  ASSERT_EQ(point["layers"].size(), kTestLayers);
  EXPECT_EQ(point["layers"][1]["breakdown"]["L1"]["Weights"], 12.5);
  EXPECT_EQ(point["layers"][1]["energy_pj"], test_layer(2, 1).energy_pj);
}

TEST(CliExport, AnEmptySweepIsJsonToo) {
  const TempFolder folder;
  { made(folder.path("a.db"), 0); }
  const CliResult result = run_cli("sweep --export " + folder.path("a.db") + " --json -");
  EXPECT_EQ(result.exit_code, 0);
  EXPECT_TRUE(json::parse(result.out)["points"].empty());
}

TEST(CliExport, BadInput) {
  const TempFolder folder;
  const std::string path = folder.path("a.db");
  { made(path, 200); }
  const auto refused = [&](const std::string& options) {
    const CliResult result = run_cli("sweep --export " + path + options);
    EXPECT_EQ(result.exit_code, 2) << options;
    return result.err;
  };
  EXPECT_THAT(refused(""), HasSubstr("--export needs --csv FILE"));
  EXPECT_THAT(refused(" --csv - --json -"), HasSubstr("standard output takes one of --json and --csv"));
  EXPECT_THAT(refused(" --csv " + folder.path("none/a.csv")), HasSubstr("there is no folder"));
  EXPECT_THAT(refused(" --layers-csv /dev/full"), HasSubstr("No space left on device"));
  EXPECT_THAT(refused(" --csv - >/dev/full"), HasSubstr("standard output cannot be written: No space left"));
  EXPECT_EQ(run_cli("sweep --csv a.csv x.yaml").exit_code, 2);
}

TEST(CliSlurm, WritesAScriptThatBashAccepts) {
  const TempFolder folder;
  const std::string sweep = folder.path("it's a sweep.yaml");
  std::filesystem::copy(HELIOLITE_TEST_DATA "/../configs/sweeps/quick.yaml", sweep);
  const CliResult result = run_cli("sweep \"" + sweep + "\" -o '" + folder.path("x y.db") +
                                   "' --slurm 12 --threads 8 --objective energy --json -");
  ASSERT_EQ(result.exit_code, 0) << result.err;
  const json answer = json::parse(result.out);
  EXPECT_EQ(answer["script"], folder.path("x y.sbatch"));
  EXPECT_EQ(answer["database"], folder.path("x y.db"));
  const std::string script = read_text(folder.path("x y.sbatch"));
  EXPECT_THAT(script, StartsWith("#!/bin/bash\n#SBATCH --job-name=\"quick\"\n#SBATCH --array=1-12\n"));
  EXPECT_THAT(script, HasSubstr("#SBATCH --cpus-per-task=8\n"));
  EXPECT_THAT(script, HasSubstr("--resume"));
  EXPECT_THAT(script, HasSubstr("'--objective' 'energy'"));
  EXPECT_THAT(script, HasSubstr("it'\\''s a sweep.yaml"));
  EXPECT_TRUE(std::filesystem::is_directory(folder.path("x y.shards")));
  EXPECT_FALSE(std::filesystem::exists(folder.path("x y.db")));
  EXPECT_EQ(std::system(("bash -n '" + folder.path("x y.sbatch") + "'").c_str()), 0);
}

TEST(CliSlurm, BadInput) {
  const TempFolder folder;
  const std::string quick = HELIOLITE_TEST_DATA "/../configs/sweeps/quick.yaml";
  const CliResult none = run_cli("sweep " + quick + " --slurm 0");
  EXPECT_EQ(none.exit_code, 2);
  EXPECT_THAT(none.err, HasSubstr("'0' must be a whole number from 1 to 100000"));
  const CliResult place = run_cli("sweep " + quick + " --slurm 2 -o " + folder.path("none/x.db"));
  EXPECT_EQ(place.exit_code, 2);
  EXPECT_THAT(place.err, HasSubstr("there is no folder"));
  const CliResult quote = run_cli("sweep " + quick + " --slurm 2 -o '" + folder.path("a\"b.db") + "'");
  EXPECT_EQ(quote.exit_code, 2);
  EXPECT_THAT(quote.err, HasSubstr("cannot stand in an sbatch script"));
}

}  // namespace
}  // namespace heliolite::cli_merge_test
