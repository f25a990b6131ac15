// The results database: what is written is there, whoever is killed; who may open it; what is said when it cannot be.
#include "engine/sweep/store.h"

#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <csignal>
#include <filesystem>
#include <limits>
#include <thread>

#include "engine/sweep/store_sql.h"
#include "tests/support/cli_runner.h"
#include "tests/support/sweep_store.h"

namespace heliolite::store_test {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;

std::vector<std::string> files_in(const std::string& folder) {
  std::vector<std::string> out;
  for (const auto& entry : fs::directory_iterator(folder)) out.push_back(entry.path().filename().string());
  std::ranges::sort(out);
  return out;
}

TEST(Store, ReadsWhatWasWritten) {
  const TempFolder folder;
  PointRecord point = test_point(5);
  point.state = PointState::Cut;
  point.values = {"é \"quoted\", 'too'", "a\nb"};
  point.value = std::numeric_limits<double>::max();
  point.lower_bound = 0.1 + 0.2;
  point.compute_units = std::numeric_limits<u64>::max();
  const std::vector<LayerRecord> layers{test_layer(5, 0), test_layer(5, 1)};
  Store store = made(folder.path("a.db"), 0);
  ASSERT_TRUE(store.write(point, layers).empty());
  const Result<Store> read = Store::read(folder.path("a.db"));
  ASSERT_TRUE(read);
  EXPECT_EQ(read->sweep(), test_sweep());
  EXPECT_EQ(**read->point(5), point);
  EXPECT_EQ(*read->layers(point), layers);
  EXPECT_EQ(**read->layer(5, 1), layers[1]);
  EXPECT_EQ((**read->answer(layers[1].question)), layers[1]);
  EXPECT_FALSE(read->answer("nobody asked")->has_value());
  EXPECT_FALSE(read->point(6)->has_value());
}

TEST(Store, VisitsRowsInOrderUntilToldToEnd) {
  const TempFolder folder;
  Store store = made(folder.path("a.db"), 0);
  for (const u64 id : {7, 2, 900, 0}) {
    ASSERT_TRUE(store.write(test_layer(id, 1)).empty());
    ASSERT_TRUE(store.write(test_point(id, 1), std::vector{test_layer(id, 0)}).empty());
  }
  std::vector<u64> points;
  std::vector<std::pair<u64, u64>> layers;
  EXPECT_TRUE(store.visit_points([&](const PointRecord& p) { return points.push_back(p.id), true; }).empty());
  EXPECT_TRUE(
      store.visit_layers([&](const LayerRecord& l) { return layers.emplace_back(l.point, l.layer), l.point < 2; })
          .empty());
  EXPECT_EQ(points, (std::vector<u64>{0, 2, 7, 900}));
  EXPECT_EQ(layers, (std::vector<std::pair<u64, u64>>{{0, 0}, {0, 1}, {2, 0}}));
}

TEST(Store, WriteReplacesInsertKeeps) {
  const TempFolder folder;
  Store store = made(folder.path("a.db"), 1);
  PointRecord changed = test_point(0);
  changed.reason = "changed";
  EXPECT_FALSE(*store.insert(changed));
  EXPECT_EQ(**store.point(0), test_point(0));
  EXPECT_TRUE(store.write(changed).empty());
  EXPECT_EQ(**store.point(0), changed);
  EXPECT_TRUE(*store.insert(test_layer(0, 99)));
}

TEST(Store, TogetherIsAllOrNothing) {
  const TempFolder folder;
  Store store = made(folder.path("a.db"), 1);
  const Diagnostics errors = store.together([&]() -> Diagnostics {
    EXPECT_TRUE(store.write(test_point(1), std::vector{test_layer(1, 0)}).empty());
    return {{"", 0, "", "no"}};
  });
  EXPECT_EQ(to_string(errors), "no");
  EXPECT_EQ(store.rows()->points, 1u);
  EXPECT_EQ(store.rows()->layers, kTestLayers);
  EXPECT_TRUE(store.together([&] { return store.write(test_point(1)); }).empty());
  EXPECT_EQ(store.rows()->points, 2u);
}

TEST(Store, CreateRefusesAFileThatIsThere) {
  const TempFolder folder;
  folder.write("a.db", "precious");
  EXPECT_THAT(complaint(Store::create(folder.path("a.db"), test_sweep())), HasSubstr("a.db: is there already"));
  EXPECT_EQ(read_text(folder.path("a.db")), "precious");
  EXPECT_EQ(files_in(folder.path("")).size(), 1u);
}

TEST(Store, ResumeMakesGoesOnOrRefuses) {
  const TempFolder folder;
  const std::string path = folder.path("a.db");
  EXPECT_EQ(complaint(Store::resume(path, test_sweep())), "");
  { ASSERT_TRUE(Store::resume(path, test_sweep())->write(test_point(3, 0)).empty()); }
  EXPECT_TRUE(Store::resume(path, test_sweep())->point(3)->has_value());
  SweepRecord other = test_sweep();
  other.question = "another";
  other.objective = "energy";
  other.parameters = {"l2"};
  EXPECT_THAT(complaint(Store::resume(path, other)),
              HasSubstr("holds the results of another sweep, 'made_up'; what differs: objective and parameters"));
  SweepRecord shard = test_sweep();
  shard.shard = 1;
  shard.shards = 4;
  EXPECT_THAT(complaint(Store::resume(path, shard)), HasSubstr("not shard 2/4"));
}

TEST(Store, ACreationThatWasKilledAtOnceIsMadeUpFor) {
  const TempFolder folder;
  folder.write("a.db", "");
  EXPECT_THAT(complaint(Store::read(folder.path("a.db"))), HasSubstr("is empty"));
  EXPECT_EQ(complaint(Store::resume(folder.path("a.db"), test_sweep())), "");
  EXPECT_EQ(complaint(Store::read(folder.path("a.db"))), "");
}

TEST(Store, OnePlainFileRemains) {
  const TempFolder folder;
  { const Store store = made(folder.path("a.db")); }
  EXPECT_EQ(files_in(folder.path("")), std::vector<std::string>{"a.db"});
  { EXPECT_EQ(complaint(Store::read(folder.path("a.db"))), ""); }
  EXPECT_EQ(files_in(folder.path("")), std::vector<std::string>{"a.db"});
  const auto runs = Store::read(folder.path("a.db"))->runs();
  ASSERT_EQ(runs->size(), 1u);
  EXPECT_TRUE(runs->front().ended.has_value());
  EXPECT_THAT(runs->front().writer, HasSubstr("process " + std::to_string(getpid())));
}

TEST(Store, ReadableByHand) {
  const TempFolder folder;
  { const Store store = made(folder.path("a.db"), 3); }
  const auto database = SqlDatabase::open(folder.path("a.db"), SqlDatabase::Access::Read);
  ASSERT_EQ(complaint(database), "");
  ASSERT_TRUE(database->execute("PRAGMA trusted_schema = ON").empty());  // as in sqlite3's shell
  EXPECT_EQ(*database->word("SELECT l1 FROM design_points WHERE id = 2"), test_point(2).values[0]);
  EXPECT_EQ(*database->word("SELECT \"it's \"\"odd\"\"\" FROM design_points WHERE id = 0"), "a, \"b\"");
  EXPECT_EQ(*database->number("SELECT count(*) FROM best_points WHERE value > 0"),
            *database->number("SELECT count(*) FROM points WHERE state = 'done'"));
}

// Writing at the same time.

TEST(StoreWriters, ThereIsOneAtMost) {
  const TempFolder folder;
  const std::string path = folder.path("a.db");
  Store first = made(path, 1);
  fs::create_symlink("a.db", folder.path("link.db"));
  const std::string me = "process " + std::to_string(getpid());
  EXPECT_THAT(complaint(Store::resume(path, test_sweep())), HasSubstr(me));
  EXPECT_THAT(complaint(Store::resume(folder.path("link.db"), test_sweep())), HasSubstr(me));
  EXPECT_THAT(writer_of(path).value_or(""), HasSubstr(me));
  EXPECT_TRUE(first.close().empty());
  EXPECT_EQ(writer_of(path), std::nullopt);
  EXPECT_EQ(complaint(Store::resume(path, test_sweep())), "");
}

// The lock lies on the file itself.
TEST(StoreWriters, OtherNamesAndARemovedLockFileAdmitNoSecondOne) {
  const TempFolder folder;
  const std::string path = folder.path("a.db");
  const auto second = [&](const std::string& name) {
    return run_cli("sweep " HELIOLITE_TEST_DATA "/../configs/sweeps/quick.yaml --resume -o " + folder.path(name)).err;
  };
  Store first = made(path, 1);
  EXPECT_THAT(second("a.db"), HasSubstr("process " + std::to_string(getpid())));
  { EXPECT_EQ(complaint(Store::read(path)), ""); }  // that this process reads and closes it takes no lock away
  EXPECT_THAT(second("a.db"), HasSubstr("writes it"));
  fs::remove(path + ".lock");
  EXPECT_THAT(second("a.db"), HasSubstr("writes it"));
  EXPECT_EQ(writer_of(path), "another process");
  fs::create_hard_link(path, folder.path("b.db"));
  EXPECT_THAT(second("b.db"), HasSubstr("writes it"));
  EXPECT_THAT(complaint(Store::read(folder.path("b.db"))), HasSubstr("under another name"));
  EXPECT_TRUE(first.write(test_point(1, 0)).empty());
  EXPECT_TRUE(first.close().empty());
  EXPECT_THAT(second("b.db"), HasSubstr("has 2 names (hard links)"));
  EXPECT_EQ(complaint(Store::read(folder.path("b.db"))), "");
  fs::remove(path);
  EXPECT_THAT(second("b.db"), HasSubstr("holds the results of another sweep"));
  fs::rename(folder.path("b.db"), path);
  first = *Store::resume(path, test_sweep());
  fs::rename(path, folder.path("c.db"));
  EXPECT_THAT(second("c.db"), HasSubstr("writes it"));
}

// POSIX takes SQLite's locks away when any descriptor of the file is closed: nobody may take the log from a reader.
TEST(StoreWriters, LookingAtTheFileKeepsTheLocksOfReaders) {
  const TempFolder folder;
  const std::string path = folder.path("a.db");
  { made(path, 1); }
  const Result<Store> reader = Store::read(path);
  ASSERT_EQ(complaint(reader), "");
  EXPECT_EQ(writer_of(path), std::nullopt);
  EXPECT_EQ(complaint(Store::read(path)), "");
  const pid_t child = in_child([&] {
    struct flock lock {};  // of the bytes that SQLite's readers lock
    lock.l_type = F_WRLCK;
    lock.l_start = 0x40000002;
    lock.l_len = 510;
    const int descriptor = open(path.c_str(), O_RDWR);
    return fcntl(descriptor, F_GETLK, &lock) == 0 && lock.l_type != F_UNLCK ? 0 : 1;
  });
  EXPECT_EQ(wait_for(child), 0) << "the reader's lock is gone";
}

TEST(StoreWriters, SeveralThreadsOfOne) {
  const TempFolder folder;
  Store store = made(folder.path("a.db"), 0);
  std::vector<std::thread> threads;
  for (u64 t = 0; t < 4; ++t)
    threads.emplace_back([&store, t] {
      for (u64 id = t; id < 40; id += 4) {
        EXPECT_TRUE(store.write(test_layer(id, 1)).empty());
        EXPECT_TRUE(store.write(test_point(id, 1), std::vector{test_layer(id, 0)}).empty());
        EXPECT_TRUE(store.answer(test_layer(id, 0).question)->has_value());
      }
    });
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(store.rows()->points, 40u);
  EXPECT_EQ(store.rows()->layers, 80u);
}

TEST(StoreWriters, AReaderSeesWhatWasThereWhenItCame) {
  const TempFolder folder;
  Store writer = made(folder.path("a.db"), 2);
  const Result<Store> reader = Store::read(folder.path("a.db"));
  ASSERT_TRUE(reader);
  ASSERT_TRUE(writer.write(test_point(2)).empty());
  EXPECT_EQ(reader->rows()->points, 2u);
  EXPECT_EQ(Store::read(folder.path("a.db"))->rows()->points, 3u);
  EXPECT_TRUE(writer.close().empty());  // beside the reader
  EXPECT_EQ(reader->rows()->points, 2u);
}

TEST(StoreWriters, OneThatBeginsWaitsForReadersOfThePlainFile) {
  const TempFolder folder;
  const std::string path = folder.path("a.db");
  { made(path, 1); }
  std::optional<Result<Store>> reader(Store::read(path));
  std::thread reading([&] {
    usleep(100'000);
    reader.reset();
  });
  EXPECT_EQ(complaint(Store::resume(path, test_sweep())), "");
  reading.join();
}

TEST(StoreWriters, KillLosesNothingThatWasWritten) {
  const TempFolder folder;
  const std::string path = folder.path("a.db");
  u64 written = 0;
  for (int round = 0; round < 6; ++round) {
    int pipe_ends[2];
    ASSERT_EQ(pipe(pipe_ends), 0);
    const pid_t child = in_child([&] {
      Result<Store> store = Store::resume(path, test_sweep());
      for (u64 id = written; store; ++id) {
        if (!store->write(test_point(id, 1), std::vector{test_layer(id, 0)}).empty()) break;
        if (write(pipe_ends[1], &id, sizeof id) < 0) break;
      }
      return 1;
    });
    close(pipe_ends[1]);
    // So many rows that the log is folded into the database in some rounds.
    for (int rows = 0; rows < 1 + 150 * round; ++rows)
      ASSERT_EQ(read(pipe_ends[0], &written, sizeof written), static_cast<ssize_t>(sizeof written));
    kill(child, SIGKILL);
    EXPECT_EQ(wait_for(child), 128 + SIGKILL);
    close(pipe_ends[0]);
    EXPECT_EQ(writer_of(path), std::nullopt);
    const Result<Store> store = Store::resume(path, test_sweep());
    ASSERT_EQ(complaint(store), "");
    for (u64 id = 0; id <= written; ++id) ASSERT_EQ(**store->point(id), test_point(id, 1));
    EXPECT_GE(store->rows()->layers, written + 1);
    EXPECT_EQ(store->rows()->layers, store->rows()->points);
  }
}

}  // namespace
}  // namespace heliolite::store_test
