#include "engine/sweep/store.h"

#include <mutex>
#include <utility>

#include "engine/sweep/store_lock.h"
#include "engine/sweep/store_open.h"
#include "engine/sweep/store_rows.h"

namespace heliolite {
namespace {

// All rows of `sql`, whose ?s are bound to `keys`.
template <class Record>
Diagnostics visit_rows(const SqlDatabase& database, const std::string& path, const std::string& sql,
                       const std::function<bool(const Record&)>& row, const auto&... keys) {
  Result<SqlStatement> statement = database.prepare(sql);
  if (!statement) return statement.errors();
  (statement->bind(keys), ...);
  for (;;) {
    const Result<bool> more = statement->next();
    if (!more) return more.errors();
    if (!*more) return {};
    const Result<Record> record = read_record<Record>(*statement, path);
    if (!record) return record.errors();
    if (!row(*record)) return {};
  }
}

template <class Record>
std::string select(const std::string& rest) {
  return "SELECT " + column_names<Record>() + " FROM " + rest;
}

// The one row, if there is one.
template <class Record>
Result<std::optional<Record>> find_row(const SqlDatabase& database, const std::string& path, const std::string& rest,
                                       const auto&... keys) {
  std::optional<Record> out;
  const std::function<bool(const Record&)> keep = [&](const Record& record) {
    out = record;
    return false;
  };
  Diagnostics errors = visit_rows<Record>(database, path, select<Record>(rest), keep, keys...);
  if (!errors.empty()) return errors;
  return out;
}

}  // namespace

struct Store::State {
  std::string path;
  OpenStore open;
  std::recursive_mutex mutex;  // of the statements below and of the transaction they are in
  SqlStatement replace_point, replace_layer, insert_point, insert_layer;

  State(std::string name, OpenStore opened) : path(std::move(name)), open(std::move(opened)) {}

  Diagnostics prepare() {
    const std::pair<SqlStatement*, std::string> statements[] = {
        {&replace_point, insert_statement<PointRecord>("points", "OR REPLACE")},
        {&replace_layer, insert_statement<LayerRecord>("layers", "OR REPLACE")},
        {&insert_point, insert_statement<PointRecord>("points", "OR IGNORE")},
        {&insert_layer, insert_statement<LayerRecord>("layers", "OR IGNORE")}};
    for (const auto& [statement, sql] : statements) {
      Result<SqlStatement> ready = open.database.prepare(sql);
      if (!ready) return ready.errors();
      *statement = *std::move(ready);
    }
    return {};
  }

  // Whether the row is new.
  template <class Record>
  Result<bool> add(SqlStatement& statement, const Record& record) {
    const std::lock_guard lock(mutex);
    bind_record(statement, record);
    Diagnostics errors = statement.run();
    if (!errors.empty()) return errors;
    return open.database.changes() > 0;
  }
};

Store::Store(std::unique_ptr<State> state) : state_(std::move(state)) {}
Store::Store(Store&&) noexcept = default;
Store& Store::operator=(Store&&) noexcept = default;

Store::~Store() {
  if (state_) close();
}

Result<Store> Store::to_write(const std::string& path, const SweepRecord& sweep, bool may_exist) {
  Result<OpenStore> open = open_to_write(path, sweep, may_exist);
  if (!open) return open.errors();
  Store out(std::make_unique<State>(path, *std::move(open)));
  Diagnostics errors = out.state_->prepare();
  if (!errors.empty()) return errors;
  return out;
}

Result<Store> Store::create(const std::string& path, const SweepRecord& sweep) { return to_write(path, sweep, false); }
Result<Store> Store::resume(const std::string& path, const SweepRecord& sweep) { return to_write(path, sweep, true); }

Result<Store> Store::read(const std::string& path) {
  Result<OpenStore> open = open_to_read(path);
  if (!open) return open.errors();
  return Store(std::make_unique<State>(path, *std::move(open)));
}

const std::string& Store::path() const { return state_->path; }
const SweepRecord& Store::sweep() const { return state_->open.sweep; }

Result<std::optional<PointState>> Store::state(u64 id) const {
  const auto found = point(id);
  if (!found) return found.errors();
  if (!*found) return std::optional<PointState>();
  return std::optional((*found)->state);
}

Result<std::optional<PointRecord>> Store::point(u64 id) const {
  return find_row<PointRecord>(state_->open.database, path(), "points WHERE id = ?", id);
}

Result<std::optional<LayerRecord>> Store::layer(u64 point, u64 layer) const {
  return find_row<LayerRecord>(state_->open.database, path(), "layers WHERE point = ? AND layer = ?", point, layer);
}

Result<std::optional<LayerRecord>> Store::answer(std::string_view question) const {
  return find_row<LayerRecord>(state_->open.database, path(), "layers WHERE question = ?", question);
}

Diagnostics Store::write(const LayerRecord& layer) {
  const Result<bool> added = state_->add(state_->replace_layer, layer);
  return added ? Diagnostics{} : added.errors();
}

Diagnostics Store::write(const PointRecord& point, std::span<const LayerRecord> layers) {
  return together([&]() -> Diagnostics {
    for (const LayerRecord& layer : layers)
      if (Diagnostics errors = write(layer); !errors.empty()) return errors;
    const Result<bool> added = state_->add(state_->replace_point, point);
    return added ? Diagnostics{} : added.errors();
  });
}

Result<bool> Store::insert(const LayerRecord& layer) { return state_->add(state_->insert_layer, layer); }
Result<bool> Store::insert(const PointRecord& point) { return state_->add(state_->insert_point, point); }

// A savepoint is a transaction, and within another one a part of it.
Diagnostics Store::together(const std::function<Diagnostics()>& work) {
  const std::lock_guard lock(state_->mutex);
  const SqlDatabase& database = state_->open.database;
  Diagnostics errors = database.execute("SAVEPOINT together");
  if (!errors.empty()) return errors;
  errors = work();
  if (errors.empty()) errors = database.execute("RELEASE together");
  // After some errors SQLite has done this itself and refuses; that is no further error.
  if (!errors.empty()) database.execute("ROLLBACK TO together; RELEASE together");
  return errors;
}

Diagnostics Store::visit_points(const std::function<bool(const PointRecord&)>& row) const {
  return visit_rows<PointRecord>(state_->open.database, path(), select<PointRecord>("points ORDER BY id"), row);
}

Diagnostics Store::visit_layers(const std::function<bool(const LayerRecord&)>& row) const {
  return visit_rows<LayerRecord>(state_->open.database, path(), select<LayerRecord>("layers ORDER BY point, layer"),
                                 row);
}

Result<std::vector<LayerRecord>> Store::layers(u64 point) const {
  std::vector<LayerRecord> out;
  const std::function<bool(const LayerRecord&)> keep = [&](const LayerRecord& layer) {
    out.push_back(layer);
    return true;
  };
  Diagnostics errors = visit_rows(state_->open.database, path(),
                                  select<LayerRecord>("layers WHERE point = ? ORDER BY layer"), keep, point);
  if (!errors.empty()) return errors;
  return out;
}

Diagnostics Store::check() const { return check_whole(state_->open.database, path()); }

Result<RowCounts> Store::rows() const {
  const Result<u64> points = state_->open.database.number("SELECT count(*) FROM points");
  if (!points) return points.errors();
  const Result<u64> layers = state_->open.database.number("SELECT count(*) FROM layers");
  if (!layers) return layers.errors();
  return RowCounts{*points, *layers};
}

Result<std::vector<RunRecord>> Store::runs() const {
  Result<SqlStatement> rows =
      state_->open.database.prepare("SELECT started, ended, finished, writer FROM runs ORDER BY id");
  if (!rows) return rows.errors();
  std::vector<RunRecord> out;
  for (;;) {
    const Result<bool> more = rows->next();
    if (!more) return more.errors();
    if (!*more) return out;
    const std::optional<double> ended = rows->null(1) ? std::nullopt : std::optional(rows->real(1));
    out.push_back({rows->real(0), ended, rows->integer(2) != 0, rows->text(3)});
  }
}

Result<u64> Store::points_since(double time) const {
  Result<SqlStatement> rows = state_->open.database.prepare("SELECT count(*) FROM points WHERE written >= ?");
  if (!rows) return rows.errors();
  const Result<bool> row = rows->bind(time).next();
  if (!row) return row.errors();
  return rows->integer(0);
}

Diagnostics Store::close(bool finished) {
  const std::lock_guard lock(state_->mutex);
  for (SqlStatement* s : {&state_->replace_point, &state_->replace_layer, &state_->insert_point, &state_->insert_layer})
    *s = {};
  return close_store(state_->open, finished);
}

std::optional<std::string> writer_of(const std::string& path) { return lock_holder(path); }

}  // namespace heliolite
