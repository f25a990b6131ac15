#pragma once
// Making, recognising, opening, replacing and closing a results database, and the walks over its rows that notice what
// is damaged: a row by its checksum, a place by the order of the keys, rows that are missing or there twice by the
// tally of what was written, a point by its layers.
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "engine/sweep/store_rows.h"
#include "engine/sweep/totals.h"

namespace heliolite {

// The file "<database>.lock" beside a database, which says who writes it and goes with this object.
using WriterNote = std::shared_ptr<const std::string>;

// How the costs of a sweep's points follow from those of their layers.
struct SumRule {
  Ranking ranking;
  bool together = false;  // layers are mapped together: the bound of a point is its own
};
SumRule sum_rule_of(const SweepRecord& sweep);

// An open database.
struct OpenStore {
  std::string path;  // as given
  SqlDatabase database;
  WriterNote note;  // null: read only
  u64 version = 0;  // of the tables
  SweepRecord sweep;
  SumRule sums;                       // of the sweep
  RunRecord run;                      // the program that writes; for a reader the last one that wrote
  std::vector<std::string> warnings;  // Store::warnings()
};

// Opens the database for writing, or makes it. Error if there is a file and not `may_exist`; others as Store::resume.
// `stop`: until it is open (SqlDatabase::end_when).
Result<OpenStore> open_to_write(const std::string& path, const SweepRecord& sweep, bool may_exist,
                                const std::atomic<bool>* stop = nullptr);

// Opens the database as it is at this moment; later rows are not seen. `stop`: as long as it is open.
Result<OpenStore> open_to_read(const std::string& path, const std::atomic<bool>* stop = nullptr);

// Writes that the run has ended, and whether it left nothing to do (`finished`); may be called again.
Diagnostics close_store(OpenStore& store, bool finished);

// Lets `fill` make a new database beside `path`, whose name it is given; if that returns true, the new one takes the
// place of `path`. Whatever fails or is killed, `path` is as it was. Nobody else writes it meanwhile. `retire` is
// called with the name of what is there, if anything is, just before; without it nobody may read that.
Result<bool> replace_store(const std::string& path, const std::function<Result<bool>(const std::string& part)>& fill,
                           const std::function<Diagnostics(const std::string& path)>& retire = nullptr);

// Gives the file a second name that no file has, its own with this ending: a program that is killed before another file
// takes its place leaves one of the two. `name`: the second one.
Diagnostics keep_as(const std::string& path, const std::string& ending, std::string& name);

double seconds_since_1970();  // as the clock of the machine says

// Why rows of the sweep `there` are no answers to `here`; empty if they are.
Diagnostics compare_sweeps(const SweepRecord& there, const SweepRecord& here, const std::string& path);

// Writes the row, also in place of the one that is there, and returns its checksum.
template <class Row>
Result<u64> put_row(OpenStore& store, const Row& row) {
  static const std::string kInsert = insert_statement<Row>("OR REPLACE");
  const u64 sum = row_sum(store.sweep.question, row);
  SqlStatement& insert = store.database.kept(kInsert);
  bind_row(insert, row, sum);
  if (Diagnostics errors = insert.run(); !errors.empty()) return errors;
  return sum;
}

// The rows of "SELECT .. FROM <table> <rest>", which has ?s for the keys. Error: the first one that is damaged.
template <class Row>
Result<std::vector<Row>> read_rows(const OpenStore& store, const std::string& rest, const auto&... keys) {
  Result<SqlStatement> rows = store.database.prepare(select_statement<Row>(store.version, rest));
  if (!rows) return rows.errors();
  (rows->bind(keys), ...);
  Result<std::vector<Row>> out = std::vector<Row>{};
  Diagnostics errors = rows->each([&] {
    Result<SummedRow<Row>> row = read_row<Row>(*rows, store.version, store.sweep.question, store.path);
    if (row) out->push_back(std::move(row->row));
    else out = row.errors();
    return out.ok();
  });
  return errors.empty() ? out : errors;
}

// The first of these rows, if there is one.
template <class Row>
Result<std::optional<Row>> find_row(const OpenStore& store, const std::string& rest, const auto&... keys) {
  Result<std::vector<Row>> rows = read_rows<Row>(store, rest + " LIMIT 1", keys...);
  if (!rows) return rows.errors();
  return rows->empty() ? std::optional<Row>() : std::optional(std::move(rows->front()));
}

// Calls `row` for every row of `points` by id, or of `layers` by point and layer, until that returns false.
Diagnostics walk_rows(const OpenStore& store, const std::function<bool(const PointRow&)>& row);
Diagnostics walk_rows(const OpenStore& store, const std::function<bool(const LayerRecord&)>& row);

// A walk over all rows of `points` or `layers`, by key.
template <class Row>
class TableWalk {
 public:
  explicit TableWalk(const OpenStore& store);

  bool ended() const { return ended_; }
  // The next row; none after the last one. A damaged row is an error that names it; the walk then goes on with the
  // next.
  Result<std::optional<Row>> next();
  // After the last row: a complaint if these are not all rows that were written.
  Diagnostics missing() const;

 private:
  const OpenStore& store_;
  Result<SqlStatement> rows_;
  bool ended_ = false;
  bool complete_ = true;  // nothing was in the way
  Tally tally_;
  std::optional<std::pair<u64, u64>> last_;  // key
};

// The rows of a point: its own, none if it was not done, and those of its layers.
struct RowsOfPoint {
  u64 id = 0;
  std::optional<PointRow> point;
  std::vector<LayerRecord> layers;
};

// A walk over the rows of both tables, point by point.
class PointWalk {
 public:
  explicit PointWalk(const OpenStore& store) : store_(store), points_(store), layers_(store) {}

  // The rows of the next point; none after the last one. Damage is an error; the walk then goes on behind it.
  Result<std::optional<RowsOfPoint>> next();

 private:
  const OpenStore& store_;
  TableWalk<PointRow> points_;
  TableWalk<LayerRecord> layers_;
  std::optional<PointRow> point_;  // the next
  std::optional<LayerRecord> layer_;
  std::optional<RowsOfPoint> begun_;  // whose layers are being read
  bool layers_damaged_ = false;       // somewhere: then it is not known which ones a point has
  bool ended_ = false;
};

// Calls `point` for every point, by id, with the rows of its layers; `point` returns false to end. Damage is reported
// to `damage` instead, which returns false to end.
void walk_points(const OpenStore& store, const std::function<bool(const PointRow&, std::vector<LayerRecord>)>& point,
                 const std::function<bool(Diagnostic)>& damage);

// A complaint if these are not all layers of the point, or if it is done and its costs are not their sums.
std::optional<Diagnostic> check_sums(const OpenStore& store, const PointRow& point,
                                     const std::vector<LayerRecord>& layers);

// Checks the file's structure and its indices; and every row, too. Errors tell what is damaged.
Diagnostics check_structure(const OpenStore& store);
Diagnostics check_whole(const OpenStore& store);

}  // namespace heliolite
