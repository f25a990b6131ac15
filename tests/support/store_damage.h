#pragma once
// Databases damaged at random, and what must never happen with them: rows that are taken for good and are not those
// that were written.
#include <gtest/gtest.h>

#include <filesystem>
#include <nlohmann/json.hpp>
#include <random>
#include <sstream>
#include <string>
#include <vector>

#include "engine/report/report_data.h"
#include "engine/report/report_page.h"
#include "engine/sweep/export.h"
#include "engine/sweep/merge.h"
#include "engine/sweep/store_sql.h"
#include "tests/support/cli_runner.h"
#include "tests/support/random_problem.h"
#include "tests/support/sweep_store.h"

namespace heliolite::testing {

inline constexpr u64 kDamagePoints = 40;

inline void write_test_point(Store& store, u64 id) {
  Diagnostics errors;
  for (const LayerRecord& layer : test_layers(id))
    if (!store.layer(id, layer.layer)->has_value()) errors = store.write(layer);
  if (!store.point(id)->has_value()) errors = store.write(test_point(id));
  EXPECT_EQ(to_string(errors), "");
}

// All rows as the program gives them out, with the times of the layers; or what it complains about.
struct Exported {
  std::string points, layers, json, report;

  bool operator==(const Exported&) const = default;
};

inline Result<Exported> exported(const Store& store) {
  std::ostringstream points, layers, json;
  if (Diagnostics errors = write_points_csv(store, points); !errors.empty()) return errors;
  if (Diagnostics errors = write_layers_csv(store, layers); !errors.empty()) return errors;
  if (Diagnostics errors = write_json(store, {{"rows", "all"}}, json); !errors.empty()) return errors;
  Result<ReportData> report = read_report(store);
  if (!report) return report.errors();
  report->decided.progress = SweepProgress::Stopped;  // whether somebody writes on is no row
  return Exported{points.str(), layers.str(), json.str(), report_json(*report, "test")};
}

// A database of kDamagePoints points: as it is after a run, or as a writer that was killed leaves it with its log.
class Damageable {
 public:
  explicit Damageable(bool with_log) : with_log_(with_log) {
    const std::string path = folder_.path("a.db");
    {
      Store store = made(path, with_log ? kDamagePoints / 2 : kDamagePoints);
      EXPECT_TRUE(store.close(!with_log).empty());
    }
    if (with_log) {
      const pid_t child = in_child([&] {
        Result<Store> store = Store::resume(path, test_sweep(8));
        for (u64 id = kDamagePoints / 2; store && id < kDamagePoints; ++id) write_test_point(*store, id);
        raise(SIGKILL);
        return 1;
      });
      EXPECT_EQ(wait_for(child), 128 + SIGKILL);
    }
    for (const char* suffix : {"", "-wal", "-shm"}) files_.push_back(read_text(path + suffix));
    const TempFolder copy;
    const Result<Store> store = Store::read(write(copy, files_));
    EXPECT_TRUE(store.ok()) << to_string(store.errors());
    EXPECT_TRUE(store->warnings().empty()) << store->warnings().front();
    const Result<Exported> rows = exported(*store);
    EXPECT_TRUE(rows.ok()) << to_string(rows.errors());
    rows_ = *rows;
  }

  std::string copy(const TempFolder& folder) const { return write(folder, files_); }
  const Exported& rows() const { return rows_; }

  // The database in the folder, damaged as `seed` says: its path, and what was done in words.
  std::pair<std::string, std::string> damaged(const TempFolder& folder, u64 seed) const {
    Rng rng(seed);
    std::vector<std::string> files = files_;
    if (!with_log_ && pick(rng, 0, 2) == 0) {
      const std::string path = write(folder, files);
      return {path, edit(path, rng)};
    }
    std::string& bytes = files[with_log_ && pick(rng, 0, 3) != 0 ? 1 : 0];
    const std::string what = (&bytes == &files[1] ? "log: " : "") + damage(bytes, rng);
    return {write(folder, files), what};
  }

 private:
  static std::string write(const TempFolder& folder, const std::vector<std::string>& files) {
    for (std::size_t f = 1; f < files.size(); ++f)
      if (!files[f].empty()) folder.write(std::string("a.db") + (f == 1 ? "-wal" : "-shm"), files[f]);
    return folder.write("a.db", files[0]);
  }

  static std::size_t below(Rng& rng, std::size_t end) { return static_cast<std::size_t>(pick(rng, 0, end - 1)); }

  // Bits, pages, the end.
  static std::string damage(std::string& bytes, Rng& rng) {
    constexpr std::size_t kPage = 4096;
    const auto flip = [&] {
      const std::size_t at = below(rng, bytes.size());
      const auto bit = pick(rng, 0, 7);
      bytes[at] = static_cast<char>(bytes[at] ^ (1 << bit));
      return "bit " + std::to_string(bit) + " of byte " + std::to_string(at);
    };
    const auto page = [&] { return below(rng, bytes.size() / kPage) * kPage; };
    switch (pick(rng, 0, 9)) {
      default: return flip();
      case 6: {
        std::string what;
        for (auto n = pick(rng, 2, 20); n > 0; --n) what += flip() + ", ";
        return what;
      }
      case 7: {
        bytes.resize(below(rng, bytes.size()));
        return "cut to " + std::to_string(bytes.size());
      }
      case 8: {
        const std::size_t to = page(), from = page();
        bytes.replace(to, kPage, bytes.substr(from, kPage));
        return "page at " + std::to_string(from) + " also at " + std::to_string(to);
      }
      case 9: {
        const std::size_t to = page();
        const bool zero = pick(rng, 0, 1) == 0;
        for (std::size_t i = 0; i < kPage; ++i) bytes[to + i] = static_cast<char>(zero ? 0 : pick(rng, 0, 255));
        return (zero ? "zeros at " : "noise at ") + std::to_string(to);
      }
    }
  }

  // What somebody may do to the tables.
  static std::string edit(const std::string& path, Rng& rng) {
    const std::string id = std::to_string(pick(rng, 0, kDamagePoints - 1)),
                      other = std::to_string(pick(rng, 0, kDamagePoints - 1)),
                      layer = std::to_string(pick(rng, 0, kTestLayers - 1));
    const std::string of_layer = " WHERE point = " + id + " AND layer = " + layer;
    const std::vector<std::string> edits{
        "UPDATE points SET energy_pj = energy_pj / 2",
        "UPDATE points SET value = value * 0.999 WHERE id = " + id,
        "UPDATE points SET state = 'cut' WHERE id = " + id,
        "UPDATE points SET parameter_values = (SELECT parameter_values FROM points WHERE id = " + other +
            ") || ' ' WHERE id = " + id,
        "UPDATE points SET layers = layers + 1 WHERE id = " + id,
        "UPDATE points SET id = id + 100 WHERE id = " + id,
        "UPDATE points SET id = -1 - id; UPDATE points SET id = id + 40",  // in the opposite order
        "DELETE FROM points WHERE id = " + id,
        "DELETE FROM points WHERE id > " + id,
        "DELETE FROM points",
        "CREATE TABLE copy AS SELECT * FROM points WHERE id = " + id + "; UPDATE copy SET id = id + 77;" +
            "INSERT INTO points SELECT * FROM copy; DROP TABLE copy",
        "UPDATE layers SET energy_pj = energy_pj / 2" + of_layer,
        "UPDATE layers SET mapping = ''" + of_layer,
        "UPDATE layers SET seconds = 7" + of_layer,
        "UPDATE layers SET layer = layer + 10" + of_layer,
        "UPDATE layers SET point = -point - 1 WHERE layer = 0; UPDATE layers SET point = 39 - (-point - 1) WHERE point "
        "< 0",
        "DELETE FROM layers" + of_layer,
        "DELETE FROM layers WHERE point = " + id,
        "DELETE FROM layers",
        "UPDATE sweep SET objective = 'delay'",
        "UPDATE sweep SET parameters = '[\"b\", \"a\"]'",
        "UPDATE sweep SET question = 'another'",
        "UPDATE sweep SET planned_points = 7",
        "DELETE FROM sweep",
        "INSERT INTO sweep SELECT * FROM sweep",
        "UPDATE runs SET all_points = all_points - 1",
        "UPDATE runs SET points_digest = 0",
        "DELETE FROM runs",
        "PRAGMA user_version = 2",
        "PRAGMA user_version = 1",
        "PRAGMA application_id = 5",
        "DROP TABLE layers",
        "DELETE FROM points WHERE id = " + id + "; DELETE FROM layers WHERE point = " + id,
    };
    const std::string& sql = edits[below(rng, edits.size())];
    const auto database = SqlDatabase::open(path, SqlDatabase::Access::Write);
    EXPECT_TRUE(database.ok());
    (void)database->execute(sql);
    return sql;
  }

  const TempFolder folder_;
  bool with_log_;
  std::vector<std::string> files_;  // the database, its log, the log's index
  Exported rows_;
};

// What became of the damaged copies.
struct DamageCounts {
  int silent = 0;    // rows as they were: nothing that is shown was hit
  int noticed = 0;   // refused, or with a warning
  int repaired = 0;  // of those refused: after --repair and another run the rows are as they were
  int lost = 0;      // of those refused: cannot be repaired
};

inline void expect_rows_or_complaint(const Damageable& original, u64 seed, DamageCounts& counts) {
  const SweepRecord sweep = test_sweep();
  bool noticed = false;
  {  // Looked at.
    const TempFolder folder;
    const auto [path, what] = original.damaged(folder, seed);
    SCOPED_TRACE(what);
    const Result<Store> store = Store::read(path);
    const Result<Exported> rows = store ? exported(*store) : Result<Exported>(store.errors());
    noticed = !rows || !store->warnings().empty();
    EXPECT_TRUE(noticed || *rows == original.rows());
  }
  {  // Merged.
    const TempFolder folder;
    const auto [path, what] = original.damaged(folder, seed);
    SCOPED_TRACE(what);
    const Result<MergeResult> merged = merge_shards(folder.path("merged.db"), std::vector{path});
    if (merged && merged->warnings.empty())
      EXPECT_TRUE(*exported(*Store::read(folder.path("merged.db"))) == original.rows());
    else noticed = true;
  }
  // Gone on with; repaired where it must be.
  const TempFolder folder;
  const auto [path, what] = original.damaged(folder, seed);
  SCOPED_TRACE(what);
  const auto resume = [&, &path = path]() -> std::string {
    Result<Store> store = Store::resume(path, sweep);
    if (!store) return to_string(store.errors());
    for (u64 id = 0; id < kDamagePoints; ++id) write_test_point(*store, id);
    const Result<Exported> rows = exported(*store);
    EXPECT_TRUE(rows.ok() && *rows == original.rows());
    return "";
  };
  const std::string refused = resume();
  noticed = noticed || !refused.empty();
  counts.silent += !noticed;
  counts.noticed += noticed;
  if (refused.empty()) return;
  const Result<StoreRepair> repair = repair_store(path, sweep);
  counts.lost += !repair;
  if (!repair) return;
  ++counts.repaired;
  EXPECT_TRUE(repair->repaired) << refused;
  EXPECT_EQ(resume(), "") << refused;
}

}  // namespace heliolite::testing
