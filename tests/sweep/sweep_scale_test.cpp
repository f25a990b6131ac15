// A sweep of many points on many shards, without its searches: the rows are copies of answers of this sweep, written as
// a run writes them. What is left is what grows with the grid: how soon a shard begins and goes on, how large the files
// are, how long merging and dealing the work left anew take, in how much memory. Times are printed (docs/slurm.md);
// that none of them grows faster than the number of points is what is asserted.
//
// HELIOLITE_SCALE_POINTS (a power of ten to 10^7) and HELIOLITE_SCALE_SHARDS (20) ask for one size alone, TMPDIR for
// another disk.
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/wait.h>

#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <iostream>

#include "engine/base/split_mix.h"
#include "engine/sweep/design_points.h"
#include "engine/sweep/rest.h"
#include "engine/sweep/store.h"
#include "engine/sweep/totals.h"
#include "tests/support/sweep_problem.h"

namespace heliolite::sweep_scale_test {
namespace {

namespace fs = std::filesystem;
using Clock = std::chrono::steady_clock;

u64 number_of(const char* name, u64 otherwise) {
  const char* text = std::getenv(name);
  return text ? std::strtoull(text, nullptr, 10) : otherwise;
}

// A grid of `points`, a power of ten from 10^3 to 10^7, of the machine with one layer.
std::string grid_of(const TempFolder& folder, u64 points) {
  std::string parameters = R"(
  parameters:
    pe: {set: GLB.fanout, values: [1x2, 2x2, 2x4, 4x4, 4x8, 8x8, 8x16, 16x16, 16x32, 32x32]}
    spad: {set: Spad.entries, from: 32, to: 320, step: 32}
    glb: {set: GLB.capacity, from: 2 KB, to: 20 KB, step: 2 KB}
)";
  const std::array<const char*, 4> more{"    dram: {set: DRAM.bandwidth.read, from: 1, to: 10, step: 1}\n",
                                        "    fill: {set: GLB.bandwidth.read, from: 1, to: 10, step: 1}\n",
                                        "    drain: {set: GLB.bandwidth.write, from: 1, to: 10, step: 1}\n",
                                        "    ports: {set: Spad.bandwidth.read, from: 1, to: 10, step: 1}\n"};
  for (u64 size = 1000, k = 0; size < points; size *= 10) parameters += more.at(k++);
  folder.write("machine.yaml", testing::kSmallMachine);
  return folder.write(
      "scale" + std::to_string(points) + ".yaml",
      "sweep:\n  name: scale\n  machine: machine.yaml\n  workloads: ['conv:c=16,k=32,p=14,q=14,r=3,s=3']\n"
      "  strategy: sunstone\n" +
          parameters);
}

double since(Clock::time_point begin) { return std::chrono::duration<double>(Clock::now() - begin).count(); }

struct Measured {
  double seconds = 0;
  double of_processor = 0;  // seconds, user and system
  double megabytes = 0;     // most of main memory
  int exit_code = 0;
};

// The program with these arguments, in a process of its own.
Measured measured(std::vector<std::string> arguments) {
  arguments.insert(arguments.begin(), HELIOLITE_BINARY);
  arguments.push_back("--quiet");
  std::vector<char*> words;
  for (std::string& word : arguments) words.push_back(word.data());
  words.push_back(nullptr);
  std::cout.flush();
  const auto begin = Clock::now();
  const pid_t child = fork();
  if (child == 0) {
    if (std::freopen("/dev/null", "w", stdout) == nullptr) _exit(126);
    execv(words[0], words.data());
    _exit(127);
  }
  int status = 0;
  rusage used{};
  wait4(child, &status, 0, &used);
  const auto seconds = [](const timeval& t) {
    return static_cast<double>(t.tv_sec) + 1e-6 * static_cast<double>(t.tv_usec);
  };
  return {since(begin), seconds(used.ru_utime) + seconds(used.ru_stime), static_cast<double>(used.ru_maxrss) / 1024,
          WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status)};
}

// The rows of a shard: of the points that are its own and are below `end`, as copies of one answer with other numbers.
void write_shard(const std::string& path, const SweepSpec& spec, const SweepRecord& sweep,
                 const std::vector<u64>& points, const PointRecord& point, const LayerRecord& layer, bool finished) {
  const DesignPoints design(spec);
  Result<Store> store = Store::create(path, sweep);
  ASSERT_TRUE(store) << to_string(store.errors());
  // Many in a transaction, which is faster than the one of each point that a run writes.
  constexpr std::size_t kTogether = 1000;
  for (std::size_t from = 0; from < points.size(); from += kTogether)
    ASSERT_TRUE(store
                    ->together([&] {
                      Diagnostics errors;
                      for (std::size_t k = from; k < std::min(from + kTogether, points.size()) && errors.empty(); ++k) {
                        const u64 id = points[k];
                        LayerRecord row = layer;
                        row.point = id;
                        row.energy_pj += static_cast<double>(id % 1000);
                        row.question.replace(0, 16, fmt::format("{:016x}", split_mix(id)));
                        row.seconds = 0.001 * static_cast<double>(1 + design.choice(id)[1]);
                        PointRecord copy = point;
                        copy.id = id;
                        copy.values = design.values(id);
                        const Totals sum = totals({row}, ranking_of(spec), copy.cycle_ns);
                        copy.energy_pj = sum.energy_pj, copy.value = sum.value, copy.lower_bound = sum.lower_bound;
                        copy.sum_of_layer_values = sum.sum_of_layer_values;
                        errors = store->write(copy, std::span(&row, 1));
                      }
                      return errors;
                    })
                    .empty());
  ASSERT_TRUE(store->close(finished).empty());
}

struct Times {
  Measured begins, resumes, merges;
  double deal_seconds = 0;
};

double gigabytes(u64 bytes) { return static_cast<double>(bytes) / 1e9; }

void tell(const char* what, const Measured& one) {
  std::cout << fmt::format("  {:42} {:9.2f} s  {:9.2f} s of the processor  {:7.0f} MB\n", what, one.seconds,
                           one.of_processor, one.megabytes)
            << std::flush;
}

// All but the last tenth of every eighth shard.
Times simulate(u64 points, u64 shards, const TempFolder& folder) {
  const std::string file = grid_of(folder, points), name = folder.path("scale" + std::to_string(points));
  const SweepSpec spec = testing::sweep_of(file);
  const DesignPoints design(spec);
  EXPECT_EQ(design.planned(), points);
  // Step 1. One answer, from a run.
  EXPECT_EQ(measured({"sweep", file, "-o", name + ".one.db", "--sample", "1"}).exit_code, 0);
  PointRecord point;
  LayerRecord layer;
  {
    const testing::SweepContent one = testing::content_of(name + ".one.db");
    point = one.points.at(0), layer = one.layers.at(0);
    EXPECT_EQ(point.state, PointState::Done);
  }
  // Step 2. The shards.
  std::vector<std::vector<u64>> own(shards);
  const ShardRule rule(spec.goal, design, {0, shards});
  for (u64 id = 0; id < points; ++id) own[rule.in_turn(id)].push_back(id);
  Times out;
  std::vector<std::string> merge{"merge", name + ".db"};
  u64 bytes = 0, least = ~u64{0}, most = 0, rows = 0;
  const auto begin = Clock::now();
  for (u64 shard = 0; shard < shards; ++shard) {
    const bool killed = shard % 8 == 7;
    if (killed) own[shard].resize(own[shard].size() * 9 / 10);
    rows += own[shard].size();
    merge.push_back(fmt::format("{}.{}.db", name, shard + 1));
    write_shard(merge.back(), spec, sweep_record(spec, {shard, shards}, "simulated"), own[shard], point, layer,
                !killed);
    const u64 size = fs::file_size(merge.back());
    bytes += size, least = std::min(least, size), most = std::max(most, size);
  }
  std::cout << fmt::format("{} points, {} shards\n  {:42} {:9.2f} s\n", points, shards, "rows of all shards written",
                           since(begin));
  std::cout << fmt::format("  shards: {:.3f} to {:.3f} GB, {:.1f} GB together, {} bytes a point\n", gigabytes(least),
                           gigabytes(most), gigabytes(bytes), bytes / rows);
  // Step 3. The first rows of a shard; one that goes on where nearly all is done.
  const std::string part = fmt::format("1/{}", shards);
  out.begins = measured({"sweep", file, "-o", name + ".new.db", "--shard", part, "--sweep-budget", "0"});
  tell("a shard begins, until its first row", out.begins);
  fs::copy_file(merge[2], name + ".again.db");
  out.resumes = measured({"sweep", file, "-o", name + ".again.db", "--shard", part, "--resume"});
  tell("a shard that is done is resumed", out.resumes);
  EXPECT_EQ(out.resumes.exit_code, 0);
  fs::remove(name + ".again.db");
  // Step 4. All in one.
  out.merges = measured(merge);
  tell("merge", out.merges);
  EXPECT_EQ(out.merges.exit_code, 1);
  std::cout << fmt::format("  merged: {:.1f} GB\n", gigabytes(fs::file_size(name + ".db")));
  for (std::size_t k = 2; k < merge.size(); ++k) fs::remove(merge[k]);
  // Step 5. The work left.
  fs::create_directory(name + ".rest");
  const auto deal = Clock::now();
  const Result<Store> merged = Store::read(name + ".db");
  const Result<SweepRest> rest = deal_rest(*merged, spec, shards, name + ".rest");
  out.deal_seconds = since(deal);
  EXPECT_TRUE(rest);
  EXPECT_EQ(rest->points, points - rows);
  const auto by_time = [](const RestPart& a, const RestPart& b) { return a.seconds < b.seconds; };
  const auto [quick, slow] = std::ranges::minmax_element(rest->parts, by_time);
  EXPECT_LT(slow->seconds, 1.1 * quick->seconds + 0.02);
  std::cout << fmt::format("  {:42} {:9.2f} s\n  {} points left, parts of {:.2f} to {:.2f} s\n", "the work left dealt",
                           out.deal_seconds, rest->points, quick->seconds, slow->seconds);
  return out;
}

TEST(SweepScale, GrowsWithTheNumberOfPointsAndNoFaster) {
  const TempFolder folder;
  const u64 points = number_of("HELIOLITE_SCALE_POINTS", 0), shards = number_of("HELIOLITE_SCALE_SHARDS", 20);
  const Times whole = simulate(points > 0 ? points : 100'000, shards, folder);
  EXPECT_LT(whole.merges.megabytes, 300);
  EXPECT_LT(whole.begins.megabytes, 300);
  if (points > 0) return;
  const Times tenth = simulate(10'000, shards, folder);
  constexpr double kMost = 15;  // for ten times the points
  EXPECT_LT(whole.merges.seconds, kMost * tenth.merges.seconds + 1);
  EXPECT_LT(whole.resumes.seconds, kMost * tenth.resumes.seconds + 1);
  EXPECT_LT(whole.deal_seconds, kMost * tenth.deal_seconds + 1);
}

}  // namespace
}  // namespace heliolite::sweep_scale_test
