// Results databases that cannot be opened or written: what is said, and that what was there stays.
#include <fcntl.h>
#include <gmock/gmock.h>
#include <rapidcheck/gtest.h>
#include <sys/resource.h>
#include <sys/stat.h>

#include <csignal>
#include <fstream>

#include "engine/sweep/store_sql.h"
#include "tests/cli_runner.h"
#include "tests/sweep_store.h"

namespace heliolite {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;

TEST(StoreComplaints, FilesThatAreNoDatabase) {
  const TempFolder folder;
  folder.write("text", std::string(5000, 'x'));
  folder.write("short", "x");
  mkfifo(folder.path("pipe").c_str(), 0600);
  const auto both = [&](const std::string& name) {
    const std::string reading = complaint(Store::read(folder.path(name)));
    const std::string writing = complaint(Store::resume(folder.path(name), test_sweep()));
    EXPECT_EQ(reading, writing);
    return reading;
  };
  EXPECT_THAT(both("text"), HasSubstr("text: is not a results database"));
  EXPECT_THAT(both("short"), HasSubstr("short: is not a results database"));
  EXPECT_THAT(both("."), HasSubstr("is a folder"));
  EXPECT_THAT(both("pipe"), HasSubstr("is not a regular file"));
  EXPECT_THAT(complaint(Store::read(folder.path("none.db"))), HasSubstr("there is no such file"));
  EXPECT_THAT(complaint(Store::create(folder.path("none/a.db"), test_sweep())), HasSubstr("there is no folder"));
  EXPECT_EQ(read_text(folder.path("text")), std::string(5000, 'x'));
}

TEST(StoreComplaints, OtherDatabases) {
  const TempFolder folder;
  const auto change = [&](const std::string& name, const std::string& sql) {
    const auto database = SqlDatabase::open(folder.path(name), SqlDatabase::Access::Write);
    EXPECT_TRUE(database && database->execute(sql).empty());
  };
  change("other.db", "CREATE TABLE songs (title TEXT)");
  EXPECT_THAT(complaint(Store::read(folder.path("other.db"))), HasSubstr("not one of a sweep"));
  EXPECT_THAT(complaint(Store::resume(folder.path("other.db"), test_sweep())), HasSubstr("not one of a sweep"));
  { const Store store = made(folder.path("new.db")); }
  change("new.db", "PRAGMA user_version = 77");
  EXPECT_THAT(complaint(Store::read(folder.path("new.db"))), HasSubstr("tables of version 77"));
  EXPECT_THAT(complaint(Store::resume(folder.path("new.db"), test_sweep())), HasSubstr("tables of version 77"));
}

TEST(StoreComplaints, RowsThatSomebodyChanged) {
  const TempFolder folder;
  { const Store store = made(folder.path("a.db")); }
  {
    const auto database = SqlDatabase::open(folder.path("a.db"), SqlDatabase::Access::Write);
    ASSERT_TRUE(database->execute("UPDATE points SET state = 'great', parameter_values = '{' WHERE id = 3").empty());
  }
  const Result<Store> store = Store::read(folder.path("a.db"));
  ASSERT_EQ(complaint(store), "");
  const std::string text = to_string(store->visit_points([](const PointRecord&) { return true; }));
  EXPECT_THAT(text, HasSubstr("state: holds 'great'"));
  EXPECT_THAT(text, HasSubstr("parameter_values: holds '{'"));
}

TEST(StoreComplaints, ALockThatSomebodyHolds) {
  const TempFolder folder;
  Store store = made(folder.path("a.db"), 1);
  const auto shell = SqlDatabase::open(folder.path("a.db"), SqlDatabase::Access::Write);
  ASSERT_TRUE(shell->execute("BEGIN IMMEDIATE").empty());
  EXPECT_THAT(to_string(store.write(test_point(1))),
              HasSubstr("another program (a sqlite3 shell, a long --export?) holds it"));
  ASSERT_TRUE(shell->execute("COMMIT").empty());
  EXPECT_TRUE(store.write(test_point(1)).empty());
}

TEST(StoreComplaints, AFullDiskKeepsWhatIsThere) {
  const TempFolder folder;
  const std::string path = folder.path("a.db"), complaints = folder.path("complaints");
  const pid_t child = in_child([&] {
    signal(SIGXFSZ, SIG_IGN);
    Result<Store> store = Store::create(path, test_sweep());
    const rlimit limit{300'000, RLIM_INFINITY};
    setrlimit(RLIMIT_FSIZE, &limit);
    u64 id = 0;
    Diagnostics errors;
    while (errors.empty()) errors = store->write(test_point(id++));
    setrlimit(RLIMIT_FSIZE, &limit);
    std::ofstream(complaints) << id - 1 << ' ' << to_string(errors);
    return 0;
  });
  ASSERT_EQ(wait_for(child), 0);
  const std::string said = read_text(complaints);
  EXPECT_THAT(said, HasSubstr("what was written before is kept, go on with --resume"));
  const u64 written = std::stoull(said);
  EXPECT_GT(written, 10u);
  Result<Store> store = Store::resume(path, test_sweep());
  ASSERT_EQ(complaint(store), "");
  EXPECT_EQ(store->rows()->points, written);
  EXPECT_TRUE(store->write(test_point(written)).empty());
}

TEST(StoreComplaints, AFolderThatCannotBeWritten) {
  const TempFolder folder;
  fs::create_directory(folder.path("f"));
  const std::string path = folder.path("f/a.db");
  { const Store store = made(path); }
  fs::permissions(folder.path(""), fs::perms::all);
  fs::permissions(path, fs::perms::owner_read | fs::perms::group_read | fs::perms::others_read);
  fs::permissions(folder.path("f"), fs::perms(0555));
  const std::string said = folder.path("said");
  const pid_t child = in_child([&] {
    if (getuid() == 0 && setuid(65534) != 0) return 3;  // nothing is read-only to root
    const Result<Store> reading = Store::read(path);
    std::ofstream(said) << complaint(Store::resume(path, test_sweep())) << '\n'
                        << complaint(Store::create(folder.path("f/b.db"), test_sweep()));
    return reading && reading->rows()->points == 8 ? 0 : 1;
  });
  EXPECT_EQ(wait_for(child), 0);
  EXPECT_THAT(read_text(said), HasSubstr("a.db.lock cannot be made: Permission denied"));
  EXPECT_THAT(read_text(said), HasSubstr("b.db.lock cannot be made: Permission denied"));
  fs::permissions(folder.path("f"), fs::perms::all);
}

// Whatever the bytes are, there is an answer: rows or a complaint.
RC_GTEST_PROP(StoreDamage, EndsInRowsOrAComplaint, ()) {
  static const std::string whole = [] {
    const TempFolder folder;
    { const Store store = made(folder.path("a.db"), 40); }
    return read_text(folder.path("a.db"));
  }();
  std::string bytes = whole;
  for (int flips = *rc::gen::inRange(0, 20); flips > 0; --flips)
    bytes[*rc::gen::inRange<std::size_t>(0, bytes.size())] ^= static_cast<char>(*rc::gen::inRange(1, 256));
  if (*rc::gen::arbitrary<bool>()) bytes.resize(*rc::gen::inRange<std::size_t>(0, bytes.size()));
  const TempFolder folder;
  const std::string path = folder.write("a.db", bytes);
  const auto look_at = [](const Result<Store>& store) {
    if (!store) {
      RC_ASSERT(!to_string(store.errors()).empty());
      return;
    }
    u64 rows = 0;
    store->visit_points([&](const PointRecord& p) { return rows += p.id < 40, true; });
    store->visit_layers([&](const LayerRecord&) { return ++rows, true; });
    (void)store->answer(test_layer(3, 0).question);
    (void)store->runs();
  };
  look_at(*rc::gen::arbitrary<bool>() ? Store::read(path) : Store::resume(path, test_sweep()));
}

TEST(StoreDamage, HalfAFileIsNotAccepted) {
  const TempFolder folder;
  { const Store store = made(folder.path("a.db"), 40); }
  fs::resize_file(folder.path("a.db"), fs::file_size(folder.path("a.db")) / 2);
  EXPECT_THAT(complaint(Store::resume(folder.path("a.db"), test_sweep())), HasSubstr("is damaged"));
}

}  // namespace
}  // namespace heliolite
