#pragma once
// The results of a sweep in one SQLite database (docs/results.md): one row per design point and one per (design point,
// layer), kept when the call that writes it returns, whatever happens to the program afterwards.
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "engine/base/result.h"
#include "engine/sweep/records.h"

namespace heliolite {

struct RowCounts {
  u64 points = 0, layers = 0;
};

// At most one process writes a database; any number read it at the same time. All member functions may be called from
// several threads at once. Errors say what to do: disk full, locked, damaged, not a sweep's database, another version.
// A point is written after its layers.
class Store {
 public:
  // A new database to write. Error if there is a file already.
  static Result<Store> create(const std::string& path, const SweepRecord& sweep);
  // The database at `path` to write on, a new one if there is none. Error if it holds another sweep or another shard.
  static Result<Store> resume(const std::string& path, const SweepRecord& sweep);
  // What is there at this moment, read only; a writer beside it is not disturbed. Older versions of the tables, too.
  static Result<Store> read(const std::string& path);

  Store(Store&&) noexcept;
  Store& operator=(Store&&) noexcept;
  ~Store();

  const std::string& path() const;  // as given
  const SweepRecord& sweep() const;
  // What to know about the rows: tables without checksums, rows that a killed writer's damaged log lost. One line each.
  const std::vector<std::string>& warnings() const;

  // All that reads rows complains about one that is not as it was written, naming table and key.

  // Nothing if there is no such row yet.
  Result<std::optional<PointState>> state(u64 point) const;
  Result<std::optional<PointRecord>> point(u64 id) const;
  Result<std::optional<LayerRecord>> layer(u64 point, u64 layer) const;
  // The row of any layer that asked the same (LayerRecord::question).
  Result<std::optional<LayerRecord>> answer(std::string_view question) const;

  // A row that is there already is replaced. The point and its layers are written together or not at all.
  Diagnostics write(const LayerRecord& layer);
  Diagnostics write(const PointRecord& point, std::span<const LayerRecord> layers = {});
  // The same for many rows; false if a row of that point (and layer) was there already and stays.
  Result<bool> insert(const LayerRecord& layer);
  Result<bool> insert(const PointRecord& point);
  // What `work` writes, from this thread, is kept when all of it is done, and nothing of it when it returns errors.
  // Within another one it is a part of that, which must then return the errors too.
  Diagnostics together(const std::function<Diagnostics()>& work);

  // Row by row, in the order of (point, layer), however many there are; `row` returns false to end.
  Diagnostics visit_points(const std::function<bool(const PointRecord&)>& row) const;
  Diagnostics visit_layers(const std::function<bool(const LayerRecord&)>& row) const;
  // Points with their layers.
  Diagnostics visit(const std::function<bool(const PointRecord&, const std::vector<LayerRecord>&)>& row) const;
  // Error if they are not all or do not add up to the point.
  Result<std::vector<LayerRecord>> layers(const PointRecord& point) const;

  // Walks through all of the file; error if anything in it is damaged.
  Diagnostics check() const;
  Result<RowCounts> rows() const;
  // Oldest first.
  Result<std::vector<RunRecord>> runs() const;
  // Ends writing and notes whether nothing is left to do. The database is one plain file again, unless somebody reads
  // it. The destructor does the same silently.
  Diagnostics close(bool finished = false);

 private:
  struct State;
  explicit Store(std::unique_ptr<State> state);
  template <class Record>
  Result<bool> insert_row(const Record& record);
  static Result<Store> to_write(const std::string& path, const SweepRecord& sweep, bool may_exist);

  std::unique_ptr<State> state_;
};

// "process 4711 on host" while a process holds the database for writing.
std::optional<std::string> writer_of(const std::string& path);

}  // namespace heliolite
