// Shards united: the rows of one run, in any order, any number of times; what does not belong together is refused.
#include "engine/sweep/merge.h"

#include <gmock/gmock.h>
#include <rapidcheck/gtest.h>

#include <csignal>
#include <filesystem>
#include <sstream>

#include "engine/sweep/export.h"
#include "engine/sweep/store.h"
#include "tests/support/cli_runner.h"
#include "tests/support/sweep_store.h"

namespace heliolite::merge_test {
namespace {

namespace fs = std::filesystem;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

constexpr u64 kPoints = 12;

SweepRecord shard_of(u64 shard, u64 shards) {
  SweepRecord out = test_sweep(kPoints);
  out.shard = shard;
  out.shards = shards;
  out.shard_points = kPoints / shards;
  return out;
}

// The rows of point `id`; seconds differ from shard to shard as they do in life.
void add(Store& store, u64 id) {
  std::vector<LayerRecord> layers;
  for (u64 l = 0; l < kTestLayers; ++l) {
    layers.push_back(test_layer(id, l));
    layers.back().seconds = static_cast<double>(store.sweep().shard);
  }
  ASSERT_TRUE(store.write(test_point(id), layers).empty());
}

// Everything but the seconds and who wrote it when.
std::string content(const std::string& path) {
  const Result<Store> store = Store::read(path);
  if (!store) return to_string(store.errors());
  std::ostringstream points, layers;
  EXPECT_TRUE(write_points_csv(*store, points).empty());
  EXPECT_TRUE(write_layers_csv(*store, layers).empty());
  std::string out = points.str(), line;
  for (std::istringstream lines(layers.str()); std::getline(lines, line);)
    out += line.substr(0, line.rfind(',')) + '\n';
  const SweepRecord& sweep = store->sweep();
  return out + sweep.question + sweep.text + shard_text(sweep) + std::to_string(sweep.shard_points);
}

// One run over everything.
std::string whole_content(const TempFolder& folder) {
  {
    Result<Store> store = Store::create(folder.path("whole.db"), test_sweep(kPoints));
    EXPECT_TRUE(store);
    for (u64 id = 0; id < kPoints; ++id) add(*store, id);
  }
  return content(folder.path("whole.db"));
}

// Shard i has the points i, i + shards, .., and the first two, as all shards do.
std::vector<std::string> make_shards(const TempFolder& folder, u64 shards) {
  std::vector<std::string> paths;
  for (u64 i = 0; i < shards; ++i) {
    paths.push_back(folder.path("shard" + std::to_string(i) + ".db"));
    Result<Store> store = Store::create(paths.back(), shard_of(i, shards));
    EXPECT_TRUE(store);
    for (u64 id = 0; id < kPoints; ++id)
      if (id % shards == i || id < 2) add(*store, id);
    EXPECT_TRUE(store->close(i != 2).empty());
  }
  return paths;
}

RC_GTEST_PROP(Merge, AnyPartitionInAnyOrderIsTheWhole, ()) {
  static const TempFolder reference;
  static const std::string whole = whole_content(reference);
  const TempFolder folder;
  const auto shards = *rc::gen::inRange<u64>(1, 5);
  std::vector<Store> stores;
  std::vector<std::string> paths;
  for (u64 i = 0; i < shards; ++i) {
    paths.push_back(folder.path(std::to_string(i)));
    stores.push_back(*Store::create(paths.back(), shard_of(i, shards)));
  }
  for (u64 id = 0; id < kPoints; ++id) {
    const auto owner = *rc::gen::inRange<u64>(0, shards), other = *rc::gen::inRange<u64>(0, shards);
    add(stores[owner], id);
    if (other != owner && *rc::gen::arbitrary<bool>()) add(stores[other], id);
  }
  stores.clear();
  for (std::size_t i = paths.size(); i > 1; --i) std::swap(paths[i - 1], paths[*rc::gen::inRange<std::size_t>(0, i)]);
  const std::string out = folder.path("out.db");
  for (int twice = 0; twice < 2; ++twice) {
    const Result<MergeResult> result = merge_shards(out, paths);
    RC_ASSERT(result.ok());
    RC_ASSERT(result->complete());
    RC_ASSERT(result->missing.empty());
    RC_ASSERT(content(out) == whole);
  }
}

TEST(Merge, TellsWhatIsMissingAndTakesItLater) {
  const TempFolder folder;
  const std::vector<std::string> shards = make_shards(folder, 4);
  const std::string out = folder.path("out.db");
  const Result<MergeResult> some = merge_shards(out, std::vector{shards[2], shards[0]});
  ASSERT_TRUE(some) << to_string(some.errors());
  EXPECT_FALSE(some->complete());
  EXPECT_THAT(some->missing, ElementsAre(1, 3));
  EXPECT_EQ(some->inputs[0].points, 5u);
  EXPECT_FALSE(some->inputs[0].finished);
  const Result<MergeResult> rest = merge_shards(out, std::vector{shards[1], shards[3]});
  ASSERT_TRUE(rest) << to_string(rest.errors());
  EXPECT_TRUE(rest->complete());
  EXPECT_EQ(rest->inputs[0].path, out);
  EXPECT_EQ(content(out), whole_content(folder));
  // A run of the whole sweep finds all of it done.
  const Result<Store> resumed = Store::resume(out, test_sweep(kPoints));
  ASSERT_TRUE(resumed) << to_string(resumed.errors());
  EXPECT_EQ(resumed->rows()->points, kPoints);
}

// Of large sweeps points that constraints leave out have no row: shards that have ended say that nothing is left.
TEST(Merge, FinishedShardsAreTheWholeWithFewerRowsThanPoints) {
  const TempFolder folder;
  const auto make = [&](u64 shard, bool finished) {
    SweepRecord sweep = shard_of(shard, 2);
    sweep.planned_points = kPoints + 5;
    const std::string path = folder.path("shard" + std::to_string(shard) + (finished ? "" : "begun") + ".db");
    Result<Store> store = Store::create(path, sweep);
    EXPECT_TRUE(store);
    for (u64 id = shard; id < kPoints; id += 2) add(*store, id);
    EXPECT_TRUE(store->close(finished).empty());
    return path;
  };
  const std::string first = make(0, true), second = make(1, true), begun = make(1, false);
  EXPECT_FALSE(merge_shards(folder.path("half.db"), std::vector{first})->complete());
  EXPECT_FALSE(merge_shards(folder.path("begun.db"), std::vector{first, begun})->complete());
  EXPECT_TRUE(merge_shards(folder.path("all.db"), std::vector{first, second})->complete());
  EXPECT_FALSE(merge_shards(folder.path("copy.db"), std::vector{folder.path("half.db")})->complete());
  EXPECT_TRUE(merge_shards(folder.path("copy.db"), std::vector{folder.path("all.db")})->complete());
}

TEST(Merge, RefusesRowsThatContradict) {
  const TempFolder folder;
  const std::vector<std::string> shards = make_shards(folder, 2);
  {
    Result<Store> store = Store::resume(shards[1], shard_of(1, 2));
    std::vector<LayerRecord> others = test_layers(0);
    others[1].energy_pj = 1e6;
    ASSERT_TRUE(store->write(summed(test_point(0), others), others).empty());
  }
  const Result<MergeResult> result = merge_shards(folder.path("out.db"), shards);
  ASSERT_FALSE(result);
  const std::string text = to_string(result.errors());
  EXPECT_THAT(text, HasSubstr(shards[1] + ": point 0, layer 1 (conv1 of net) contradicts " + shards[0]));
  EXPECT_THAT(text, HasSubstr("and 1000000"));
  EXPECT_FALSE(fs::exists(folder.path("out.db")));
  EXPECT_FALSE(fs::exists(folder.path("out.db.part")));
}

TEST(Merge, RefusesOtherSweepsAndShardsAsResults) {
  const TempFolder folder;
  const std::vector<std::string> shards = make_shards(folder, 2);
  SweepRecord other = test_sweep(kPoints);
  other.question = "another";
  { ASSERT_TRUE(Store::create(folder.path("other.db"), other)); }
  const auto complaint_of = [&](const std::string& out, const std::vector<std::string>& inputs) {
    return complaint(merge_shards(out, inputs));
  };
  EXPECT_THAT(complaint_of(folder.path("out.db"), {shards[0], folder.path("other.db")}),
              HasSubstr("other.db: holds another sweep"));
  EXPECT_THAT(complaint_of(shards[0], {shards[1]}), HasSubstr("is shard 1/2 itself"));
  EXPECT_THAT(complaint_of(folder.path("out.db"), {shards[0], folder.path("none.db")}),
              HasSubstr("none.db: there is no such file"));
  EXPECT_THAT(complaint_of(folder.path("none/out.db"), shards), HasSubstr("there is no folder"));
  EXPECT_FALSE(fs::exists(folder.path("out.db")));
  EXPECT_EQ(content(shards[0]).substr(0, 3), "id,");
}

TEST(Merge, RefusesADamagedShard) {
  const TempFolder folder;
  const std::vector<std::string> shards = make_shards(folder, 2);
  fs::resize_file(shards[1], fs::file_size(shards[1]) / 2);
  EXPECT_THAT(complaint(merge_shards(folder.path("out.db"), shards)), HasSubstr(shards[1] + ": is damaged"));
  EXPECT_FALSE(fs::exists(folder.path("out.db")));
}

TEST(Merge, IsRefusedWhileTheResultIsWritten) {
  const TempFolder folder;
  const std::vector<std::string> shards = make_shards(folder, 2);
  const Store writer = *Store::create(folder.path("out.db"), test_sweep(kPoints));
  EXPECT_THAT(complaint(merge_shards(folder.path("out.db"), shards)), HasSubstr("writes it"));
}

TEST(Merge, TakesShardsThatAreStillWritten) {
  const TempFolder folder;
  std::vector<std::string> shards = make_shards(folder, 2);
  const Store writer = *Store::resume(shards[0], shard_of(0, 2));
  EXPECT_EQ(complaint(merge_shards(folder.path("out.db"), shards)), "");
  EXPECT_EQ(content(folder.path("out.db")), whole_content(folder));
}

// Asked in the middle of a database: the walk over its rows ends too.
TEST(Merge, AskedToStopWritesNothing) {
  const TempFolder folder;
  const std::vector<std::string> shards = make_shards(folder, 2);
  const std::string out = folder.path("out.db");
  std::atomic<bool> stop = true;
  const Result<MergeResult> result = merge_shards(out, shards, &stop);
  ASSERT_TRUE(result) << to_string(result.errors());
  EXPECT_TRUE(result->interrupted);
  EXPECT_FALSE(std::filesystem::exists(out));
  EXPECT_FALSE(std::filesystem::exists(out + ".part"));
  stop = false;
  const Result<Store> store = Store::read(shards[0], &stop);
  ASSERT_TRUE(store);
  stop = true;
  EXPECT_FALSE(store->check().empty());
  stop = false;
  EXPECT_TRUE(store->check().empty());
}

TEST(Merge, KilledAnywhereLeavesTheResultAsItWasOrDone) {
  const TempFolder folder;
  const std::vector<std::string> shards = make_shards(folder, 3);
  const std::string whole = whole_content(folder), out = folder.path("out.db");
  std::string before = content(out);
  for (int round = 0; round < 8; ++round) {
    const pid_t child = in_child([&] { return merge_shards(out, shards) ? 0 : 1; });
    usleep(static_cast<useconds_t>(4000 * round));
    kill(child, SIGKILL);
    wait_for(child);
    const std::string after = content(out);
    EXPECT_TRUE(after == before || after == whole) << after;
    before = after;
  }
  EXPECT_EQ(complaint(merge_shards(out, shards)), "");
  EXPECT_EQ(content(out), whole);
}

}  // namespace
}  // namespace heliolite::merge_test
