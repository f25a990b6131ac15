// Results databases that cannot be opened or written: what is said, and that what was there stays.
#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/stat.h>

#include <atomic>
#include <csignal>
#include <fstream>

#include "engine/sweep/store.h"
#include "engine/sweep/store_rows.h"
#include "engine/sweep/store_sql.h"
#include "tests/support/cli_runner.h"
#include "tests/support/store_damage.h"
#include "tests/support/sweep_store.h"

namespace heliolite::store_complaints_test {
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
    while (errors.empty()) errors = store->write(test_point(id++, 0));
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
  EXPECT_TRUE(store->write(test_point(written, 0)).empty());
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

void edit(const std::string& path, const std::string& sql) {
  const auto database = SqlDatabase::open(path, SqlDatabase::Access::Write);
  ASSERT_EQ(complaint(database), "");
  ASSERT_EQ(to_string(database->execute(sql)), "");
}

TEST(StoreDamage, GivesNoOtherRowsWithoutAWord) {
  const testing::Damageable closed(false), killed(true);
  testing::DamageCounts counts;
  for (u64 seed = 0; seed < 16; ++seed) expect_rows_or_complaint(seed % 3 == 0 ? killed : closed, seed, counts);
  EXPECT_GT(counts.noticed, 8);
  EXPECT_GT(counts.repaired, counts.lost);
}

TEST(StoreDamage, NamesTheRow) {
  const TempFolder folder;
  const std::string path = folder.path("a.db");
  const auto said = [&](const std::string& sql) {
    fs::remove(path);
    { made(path); }
    edit(path, sql);
    return complaint(Store::resume(path, test_sweep()));
  };
  EXPECT_THAT(said("UPDATE points SET energy_pj = energy_pj / 2 WHERE id = 3"),
              HasSubstr("a.db: points, id 3: the row is damaged, it does not fit its checksum"));
  EXPECT_THAT(said("UPDATE layers SET seconds = 9 WHERE point = 2 AND layer = 1"),
              HasSubstr("layers, point 2, layer 1: "));
  EXPECT_THAT(said("DELETE FROM points WHERE id = 3"), HasSubstr("points: has 7 rows, 8 were written"));
  EXPECT_THAT(said("DELETE FROM layers WHERE point = 3 AND layer = 0"),
              HasSubstr("points, id 3: has 2 of its 3 layers"));
  EXPECT_THAT(said("UPDATE sweep SET text = ''"), HasSubstr("sweep: the row is damaged"));
  EXPECT_THAT(said("DELETE FROM runs"), HasSubstr("points: has 8 rows, 0 were written"));
  EXPECT_THAT(said("UPDATE points SET energy_pj = energy_pj / 2"), HasSubstr("--resume --repair"));
}

TEST(StoreDamage, IsRepairedOnACopy) {
  const TempFolder folder;
  const std::string path = folder.path("a.db");
  { made(path); }
  EXPECT_FALSE(repair_store(path, test_sweep())->repaired);
  edit(path, "UPDATE points SET value = 1 WHERE id = 3; DELETE FROM layers WHERE point = 5 AND layer = 2");
  SweepRecord other = test_sweep();
  other.question = "another";
  EXPECT_THAT(complaint(repair_store(path, other)), HasSubstr("holds the results of another sweep"));
  const Result<StoreRepair> repair = repair_store(path, test_sweep());
  ASSERT_EQ(complaint(repair), "");
  EXPECT_EQ(repair->points, 6u);
  EXPECT_EQ(repair->layers, 8 * kTestLayers - 1);
  EXPECT_EQ(repair->damaged_copy, path + ".damaged");
  EXPECT_TRUE(fs::exists(path + ".damaged"));
  const Result<Store> store = Store::resume(path, test_sweep());
  ASSERT_EQ(complaint(store), "");
  EXPECT_FALSE(store->point(3)->has_value());
  EXPECT_FALSE(store->layer(5, 2)->has_value());
  EXPECT_EQ(**store->point(4), test_point(4));
}

// As sweeps were before version 4: points are ranked by the sum over their layers.
SweepRecord old_sweep() {
  SweepRecord sweep = test_sweep();
  sweep.rank = "layers";
  return sweep;
}

void write_by_layers(const std::string& path) {
  Result<Store> store = Store::create(path, old_sweep());
  ASSERT_EQ(complaint(store), "");
  for (u64 id = 0; id < 8; ++id)
    ASSERT_EQ(to_string(store->write(summed(test_point(id), test_layers(id), old_sweep()), test_layers(id))), "");
  ASSERT_EQ(to_string(store->close(true)), "");
}

// Writes the rows of a database, as far as its tables have columns for them, into tables of an older version.
void write_old(const std::string& old, const std::string& path, u64 version) {
  std::string sql = "ATTACH '" + path + "' AS now; ";
  for (const std::string& statement : schema_statements(version, test_sweep().parameters)) sql += statement + "; ";
  const auto copy = [&](const char* table, const auto& row) {
    std::string columns;
    visit_fields(row, [&](const std::string& name, const auto&) {
      if (column_version(table, name) <= version) columns += (columns.empty() ? "" : ", ") + name;
    });
    if (version >= kChecksumVersion) columns += ", checksum";
    sql +=
        "INSERT INTO main." + std::string(table) + " (" + columns + ") SELECT " + columns + " FROM now." + table + "; ";
  };
  copy("sweep", SweepRecord{});
  copy("points", PointRow{});
  copy("layers", LayerRecord{});
  copy("runs", RunRecord{});
  sql += "PRAGMA main.application_id = " + std::to_string(kApplicationId) +
         "; PRAGMA main.user_version = " + std::to_string(version);
  edit(old, sql);
}

// The rows of a table with the checksums that a version had: appends statements that set them.
template <class Row>
Tally sum_as(u64 version, const std::string& path, std::string& sql,
             const std::function<std::string(const Row&)>& key) {
  Tally tally;
  const auto database = SqlDatabase::open(path, SqlDatabase::Access::Read);
  auto rows = database->prepare(select_statement<Row>(kSchemaVersion, ""));
  while (*rows->next()) {
    const auto row = read_row<Row>(*rows, kSchemaVersion, old_sweep().question, path);
    const u64 sum = row_sum(old_sweep().question, row->row, version);
    sql += std::string("UPDATE ") + kTable<Row> + " SET checksum = " + std::to_string(static_cast<i64>(sum)) +
           " WHERE " + key(row->row) + "; ";
    ++tally.rows;
    tally.digest += sum;
  }
  return tally;
}

// Rows of versions 3 and 4 are ranked as they were then, without notes, and go on to be in a merged database.
class StoreVersions : public ::testing::TestWithParam<u64> {};
INSTANTIATE_TEST_SUITE_P(WithChecksums, StoreVersions, ::testing::Values(3, 4));

TEST_P(StoreVersions, AreReadAndMerged) {
  const u64 version = GetParam();
  const TempFolder folder;
  const std::string path = folder.path("old.db"), now = folder.path("now.db");
  write_by_layers(now);
  write_old(path, now, version);
  std::string sql;
  sum_as<SweepRecord>(version, now, sql, [](const SweepRecord&) { return "1"; });
  const Tally points =
      sum_as<PointRow>(version, now, sql, [](const PointRow& row) { return "id = " + std::to_string(row.record.id); });
  const Tally layers = sum_as<LayerRecord>(version, now, sql, [](const LayerRecord& row) {
    return "point = " + std::to_string(row.point) + " AND layer = " + std::to_string(row.layer);
  });
  RunRecord run = Store::read(now)->runs()->front();
  run.points = points, run.layers = layers;
  const auto number = [](u64 x) { return std::to_string(static_cast<i64>(x)); };
  edit(path, sql + "UPDATE runs SET points_digest = " + number(points.digest) + ", layers_digest = " +
                 number(layers.digest) + ", checksum = " + number(row_sum(old_sweep().question, run, version)));
  {
    const Result<Store> store = Store::read(path);
    ASSERT_EQ(complaint(store), "");
    EXPECT_TRUE(store->warnings().empty());
    EXPECT_EQ(to_string(store->check()), "");
    EXPECT_EQ((*store->point(3))->value, (*Store::read(now)->point(3))->value);
    EXPECT_EQ(store->sweep().rank, "layers");
    EXPECT_TRUE(store->sweep().notes.empty());
    EXPECT_EQ(store->sweep().reading, "");
    EXPECT_TRUE(testing::exported(*store).ok());
  }
  EXPECT_THAT(complaint(Store::resume(path, old_sweep())), HasSubstr("heliolite merge NEW.db"));
  ASSERT_EQ(complaint(merge_shards(folder.path("new.db"), std::vector{path})), "");
  EXPECT_EQ(complaint(Store::resume(folder.path("new.db"), old_sweep())), "");
  edit(path, "UPDATE points SET energy_pj = energy_pj / 2 WHERE id = 3");
  EXPECT_NE(complaint(merge_shards(folder.path("more.db"), std::vector{path})), "");
}

TEST(StoreDamage, OlderTablesAreReadAndSaidToBeUnchecked) {
  for (const u64 version : {1, 2}) {
    const TempFolder folder;
    const std::string path = folder.path("old.db");
    write_by_layers(folder.path("now.db"));
    write_old(path, folder.path("now.db"), version);
    std::optional<Result<Store>> reading(Store::read(path));
    const Result<Store>& store = *reading;
    ASSERT_EQ(complaint(store), "");
    ASSERT_EQ(store->warnings().size(), 1u);
    EXPECT_THAT(store->warnings()[0], HasSubstr("version " + std::to_string(version) + ", without checksums"));
    EXPECT_TRUE(testing::exported(*store).ok());
    EXPECT_EQ((*store->point(3))->energy_pj, test_point(3).energy_pj);
    EXPECT_EQ((*store->point(3))->words_moved, version == 1 ? 0 : test_point(3).words_moved);
    EXPECT_EQ(store->runs()->back().finished, version == 2);
    reading.reset();
    EXPECT_THAT(complaint(Store::resume(path, test_sweep())), HasSubstr("heliolite merge NEW.db"));
    const auto merged = merge_shards(folder.path("new.db"), std::vector{path});
    ASSERT_EQ(complaint(merged), "");
    EXPECT_EQ(merged->warnings.size(), 1u);
    EXPECT_EQ(complaint(Store::resume(folder.path("new.db"), test_sweep())), "");
    edit(path, "UPDATE points SET energy_pj = energy_pj / 2");
    EXPECT_THAT(complaint(merge_shards(folder.path("new.db"), std::vector{path})),
                HasSubstr("not the sum of its layers"));
  }
}

// The first tables of version 1 did not note whether a run had finished.
TEST(StoreDamage, TheOldestTablesAreRead) {
  const TempFolder folder;
  const std::string path = folder.path("old.db");
  write_by_layers(folder.path("now.db"));
  write_old(path, folder.path("now.db"), 1);
  edit(path,
       "DROP TABLE runs; CREATE TABLE runs (\n  id INTEGER PRIMARY KEY,\n  started REAL NOT NULL DEFAULT "
       "((julianday('now') - 2440587.5) * 86400),\n  ended REAL,\n  writer TEXT NOT NULL\n) STRICT;"
       "INSERT INTO runs VALUES (1, 5.0, 6.0, 'me')");
  const Result<Store> store = Store::read(path);
  ASSERT_EQ(complaint(store), "");
  EXPECT_FALSE(store->runs()->back().finished);
}

// Of what is not to the letter ours nothing is run: a view may never end, a trigger may delete what is written.
TEST(StoreSchema, IsOursToTheLetterOrRefused) {
  const char* endless = "WITH RECURSIVE n(id) AS (SELECT 1 UNION ALL SELECT id + 1 FROM n) SELECT ";
  const std::pair<std::string, const char*> edits[] = {
      {"CREATE TRIGGER t AFTER INSERT ON runs BEGIN DELETE FROM points; END", "the trigger 't' is none"},
      {"CREATE TRIGGER points AFTER INSERT ON runs BEGIN DELETE FROM points; END", "the trigger 'points' is none"},
      {"CREATE TEMP TABLE x (y); CREATE TABLE songs (title TEXT)", "the table 'songs' is none"},
      {"CREATE INDEX more ON points (value)", "the index 'more' is none"},
      {"DROP INDEX layers_by_question", "the index 'layers_by_question' is missing"},
      {"ALTER TABLE points ADD COLUMN more TEXT", "the table 'points' is not as a sweep makes it"},
      {"ALTER TABLE points ADD COLUMN twice REAL AS (2 * value)", "the table 'points' is not as a sweep makes it"},
      {"DROP VIEW best_points; DROP VIEW design_points; ALTER TABLE points RENAME TO p; CREATE VIEW points AS SELECT * "
       "FROM p",
       " 'p' is none"},
      {std::string("DROP VIEW best_points; CREATE VIEW best_points AS ") + endless + "id FROM n",
       "the view 'best_points' is not as a sweep makes it"},
      {"DROP VIEW design_points", "the view 'design_points' is missing"},
      {"DROP VIEW best_points; DROP VIEW design_points; DROP TABLE points; CREATE VIEW points AS " +
           std::string(endless) + "id FROM n",
       "the view 'points' is none"},
      {"PRAGMA user_version = 2", "not those of a sweep (version 2)"},
  };
  for (const auto& [sql, why] : edits) {
    SCOPED_TRACE(sql);
    const TempFolder folder;
    const std::string path = folder.path("a.db");
    { made(path); }
    edit(path, sql);
    EXPECT_THAT(complaint(Store::read(path)), HasSubstr(why));
    EXPECT_THAT(complaint(Store::resume(path, test_sweep())), HasSubstr(why));
    EXPECT_THAT(complaint(merge_shards(folder.path("m.db"), std::vector{path})), HasSubstr(why));
    // What can be read of it without running anything of the sort is kept.
    const Result<StoreRepair> repair = repair_store(path, test_sweep());
    if (!repair) continue;
    EXPECT_EQ(complaint(Store::resume(path, test_sweep())), "");
  }
}

TEST(StoreSchema, TheStopFlagEndsReading) {
  const TempFolder folder;
  const std::string path = folder.path("a.db");
  { made(path, 200); }
  std::atomic<bool> stop = false;
  {
    const Result<Store> store = Store::read(path, &stop);
    ASSERT_EQ(complaint(store), "");
    EXPECT_EQ(to_string(store->check()), "");
    stop = true;
    EXPECT_THAT(to_string(store->check()), HasSubstr("interrupted"));
  }
  EXPECT_THAT(complaint(Store::resume(path, test_sweep(), &stop)), HasSubstr("interrupted"));
  edit(path, "UPDATE points SET value = 1 WHERE id = 3");
  EXPECT_THAT(complaint(repair_store(path, test_sweep(), &stop)), HasSubstr("interrupted"));
  stop = false;
  EXPECT_TRUE(repair_store(path, test_sweep(), &stop)->repaired);
}

// Rows that went into a file that is not there any more are not said to be there.
TEST(StoreFile, ThatIsNotTheOneThatIsWrittenIsNoticed) {
  const auto emptied = [](const std::string& path) { fs::resize_file(path, 0); };
  const auto removed = [](const std::string& path) { fs::remove(path); };
  const auto replaced = [](const std::string& path) { fs::rename(path + ".other", path); };
  const auto overwritten = [](const std::string& path) {
    fs::copy_file(path + ".other", path, fs::copy_options::overwrite_existing);
  };
  const std::pair<std::function<void(const std::string&)>, const char*> ways[] = {
      {emptied, "was emptied or written over by another program"},
      {removed, "was removed or replaced by another program"},
      {replaced, "was removed or replaced by another program"},
      {overwritten, ""},
  };
  for (const auto& [change, why] : ways) {
    for (const bool write_after : {true, false}) {
      const TempFolder folder;
      const std::string path = folder.path("a.db");
      { EXPECT_TRUE(made(path + ".other", 3).close(true).empty()); }
      Store store = made(path);
      change(path);
      if (write_after) {
        EXPECT_THAT(to_string(store.write(test_point(9))), HasSubstr(why));
      }
      const std::string said = complaint(store.close_and_look(true));
      EXPECT_THAT(said, HasSubstr(why));
      // The log may have had everything.
      if (said.empty()) {
        EXPECT_EQ(Store::read(path)->rows()->points, 8u + write_after);
      }
    }
  }
  const TempFolder folder;
  Store store = made(folder.path("a.db"));
  const Result<Store> there = store.close_and_look(true);
  ASSERT_EQ(complaint(there), "");
  EXPECT_EQ(there->rows()->points, 8u);
}

TEST(StoreDamage, TheLogOfAKilledWriterIsToldToBeCut) {
  const testing::Damageable killed(true);
  for (const char* how : {"whole", "cut", "gone", "damaged"})
    for (const bool repairs : {false, true}) {
      const TempFolder folder;
      const std::string path = killed.copy(folder), log = path + "-wal";
      std::string bytes = read_text(log);
      if (*how == 'c') fs::resize_file(log, bytes.size() / 2);
      if (*how == 'g') fs::remove(log);
      if (*how == 'd') bytes[bytes.size() / 2] ^= 1, folder.write("a.db-wal", bytes);
      std::vector<std::string> warnings;
      if (repairs) {
        const Result<StoreRepair> repair = repair_store(path, test_sweep());
        ASSERT_EQ(complaint(repair), "");
        warnings = repair->warnings;
      } else {
        const Result<Store> store = Store::read(path);
        ASSERT_EQ(complaint(store), "");
        warnings = store->warnings();
      }
      EXPECT_EQ(warnings.empty(), *how == 'w') << how;
      for (const std::string& warning : warnings)
        EXPECT_THAT(warning, HasSubstr("rows that were written last are lost"));
    }
}

}  // namespace
}  // namespace heliolite::store_complaints_test
