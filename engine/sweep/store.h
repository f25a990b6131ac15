#pragma once
// The results of a sweep in one SQLite database (docs/results.md): one row per design point and one per (design point,
// layer), kept when the call that writes it returns, whatever happens to the program afterwards.
#include <atomic>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "engine/base/result.h"
#include "engine/sweep/records.h"
#include "engine/sweep/totals.h"

namespace heliolite {

// Rows of the two tables.
struct RowCounts {
  u64 points = 0, layers = 0;
};

// At most one process writes a database; any number read it at the same time. All member functions may be called from
// several threads at once. Errors say what to do: disk full, locked, damaged, not a sweep's database, another version.
// A point is written after its layers.
class Store {
 public:
  // Makes a new database to write. Error if there is a file already.
  static Result<Store> create(const std::string& path, const SweepRecord& sweep);
  // Opens the database at `path` to write on, or makes one. Error if it holds another sweep or another shard. When
  // `stop` is set before it is open, it soon ends with an error.
  static Result<Store> resume(const std::string& path, const SweepRecord& sweep,
                              const std::atomic<bool>* stop = nullptr);
  // Opens the database read only, as it is at this moment; a writer at work is not disturbed. Older versions of the
  // tables can be read, too. Whatever reads it while `stop` is set soon ends with an error; `stop` must outlive the
  // store.
  static Result<Store> read(const std::string& path, const std::atomic<bool>* stop = nullptr);

  Store(Store&&) noexcept;
  Store& operator=(Store&&) noexcept;
  ~Store();

  const std::string& path() const;  // as given
  const SweepRecord& sweep() const;
  const Ranking& ranking() const;  // of the sweep
  // Warnings about the rows, a line each: tables without checksums, rows that a killed writer's damaged log lost.
  const std::vector<std::string>& warnings() const;

  // Every function that reads rows returns an error for a row that is not as it was written, naming table and key.

  // The record of a point, the record of a layer of a point; none if there is no such row yet.
  Result<std::optional<PointRecord>> point(u64 id) const;
  Result<std::optional<LayerRecord>> layer(u64 point, u64 layer) const;
  // The row of some layer that asked the same (LayerRecord::question); none if there is none.
  Result<std::optional<LayerRecord>> answer(std::string_view question) const;

  // Writes rows; a row that is there already is replaced. The point and `layers` are written together or not at all.
  Diagnostics write(const LayerRecord& layer);
  Diagnostics write(const PointRecord& point, std::span<const LayerRecord> layers = {});
  // Writes all of these rows or none.
  Diagnostics write_all(const std::vector<PointRecord>& points);
  // Writes the row unless there is one of that point (and layer) already; returns whether it did.
  Result<bool> insert(const LayerRecord& layer);
  Result<bool> insert(const PointRecord& point);
  // Writes the rows of many points, in the order of their numbers, into a database that has none: `next` gives those of
  // one after the other, none after the last. Much faster than row by row, in transactions of its own.
  struct PointRows {
    std::optional<PointRecord> point;  // none: it is not done, some layers are
    std::vector<LayerRecord> layers;
  };
  Diagnostics fill(const std::function<Result<std::optional<PointRows>>()>& next);
  // Calls `work` and keeps all that it writes from this thread, or nothing of it if it returns errors. A call within
  // another call's work is a part of that work, which must then return the errors too.
  Diagnostics together(const std::function<Diagnostics()>& work);

  // Calls `row` for every row in the order of (point, layer), one in memory at a time; `row` returns false to end.
  Diagnostics visit_points(const std::function<bool(const PointRecord&)>& row) const;
  Diagnostics visit_layers(const std::function<bool(const LayerRecord&)>& row) const;
  // Visits all points, each with its layers.
  Diagnostics visit(const std::function<bool(const PointRecord&, const std::vector<LayerRecord>&)>& row) const;
  // The layers of a point. Error if some are missing or they do not add up to the point.
  Result<std::vector<LayerRecord>> layers(const PointRecord& point) const;

  // Reads the whole file; error if anything in it is damaged.
  Diagnostics check() const;
  // The numbers of rows.
  Result<RowCounts> rows() const;
  // The programs that wrote into the database, oldest first.
  Result<std::vector<RunRecord>> runs() const;
  // Ends writing; `finished`: nothing is left to do, which is noted. The database is one plain file again, unless
  // somebody reads it. The destructor does the same with finished = false, without errors.
  Diagnostics close(bool finished = false);
  // Closes, then opens by its name what is there now, read only: the store is not to be used any more. Error if that is
  // not the file that was written, or if it does not hold what was; it is read as a whole for that if the run has
  // `finished`, and rows are not looked at otherwise. `stop` as for read().
  Result<Store> close_and_look(bool finished, const std::atomic<bool>* stop = nullptr);

 private:
  struct State;
  explicit Store(std::unique_ptr<State> state);
  template <class Record>
  Result<bool> put(const Record& record, bool replace);

  std::unique_ptr<State> state_;
};

// "process 4711 on host" while a process holds the database for writing.
std::optional<std::string> writer_of(const std::string& path);

}  // namespace heliolite
