#include "engine/sweep/store.h"

#include <chrono>
#include <mutex>
#include <utility>

#include "engine/sweep/store_check.h"
#include "engine/sweep/store_lock.h"
#include "engine/sweep/store_open.h"
#include "engine/sweep/store_rows.h"
#include "engine/sweep/store_writer.h"

namespace heliolite {
namespace {

using Clock = std::chrono::steady_clock;

// The one row, if there is one; `rest` has ?s for the keys.
template <class Row>
Result<std::optional<Row>> find_row(const OpenStore& store, const std::string& rest, const auto&... keys) {
  Result<SqlStatement> statement = store.database.prepare(select_statement<Row>(store.version, rest));
  if (!statement) return statement.errors();
  (statement->bind(keys), ...);
  const Result<bool> there = statement->next();
  if (!there) return there.errors();
  if (!*there) return std::optional<Row>();
  Result<SummedRow<Row>> row = read_row<Row>(*statement, store.version, store.sweep.question, store.path);
  if (!row) return row.errors();
  return std::optional(std::move(row->row));
}

// Row by row, all of a table unless `row` ends it.
template <class Row>
Diagnostics visit_rows(const OpenStore& store, const std::function<bool(const Row&)>& row) {
  Result<TableWalk<Row>> walk = TableWalk<Row>::begin(store);
  if (!walk) return walk.errors();
  for (;;) {
    const Result<std::optional<Row>> next = walk->next();
    if (!next) return next.errors();
    if (!*next) return walk->missing();
    if (!row(**next)) return {};
  }
}

}  // namespace

struct Store::State {
  OpenStore open;
  std::recursive_mutex mutex;  // of what is below, and of the transaction it is in
  bool in_transaction = false;
  Clock::time_point begin = Clock::now();
  StoreWriter writer;

  explicit State(OpenStore opened) : open(std::move(opened)) {}
};

Store::Store(std::unique_ptr<State> state) : state_(std::move(state)) {}
Store::Store(Store&&) noexcept = default;
Store& Store::operator=(Store&&) noexcept = default;

Store::~Store() {
  if (state_) close();
}

Result<Store> Store::to_write(const std::string& path, const SweepRecord& sweep, bool may_exist,
                              const std::atomic<bool>* stop) {
  Result<OpenStore> open = open_to_write(path, sweep, may_exist, stop);
  if (!open) return open.errors();
  Store out(std::make_unique<State>(*std::move(open)));
  Diagnostics errors = out.state_->writer.prepare(out.state_->open);
  if (!errors.empty()) return errors;
  return out;
}

Result<Store> Store::create(const std::string& path, const SweepRecord& sweep) {
  return to_write(path, sweep, false, nullptr);
}

Result<Store> Store::resume(const std::string& path, const SweepRecord& sweep, const std::atomic<bool>* stop) {
  return to_write(path, sweep, true, stop);
}

Result<Store> Store::read(const std::string& path, const std::atomic<bool>* stop) {
  Result<OpenStore> open = open_to_read(path, stop);
  if (!open) return open.errors();
  return Store(std::make_unique<State>(*std::move(open)));
}

const std::string& Store::path() const { return state_->open.path; }
const SweepRecord& Store::sweep() const { return state_->open.sweep; }
const std::vector<std::string>& Store::warnings() const { return state_->open.warnings; }

Result<std::optional<PointState>> Store::state(u64 id) const {
  const auto found = point(id);
  if (!found) return found.errors();
  if (!*found) return std::optional<PointState>();
  return std::optional((*found)->state);
}

Result<std::optional<PointRecord>> Store::point(u64 id) const {
  Result<std::optional<PointRow>> row = find_row<PointRow>(state_->open, "WHERE id = ?", id);
  if (!row) return row.errors();
  if (!*row) return std::optional<PointRecord>();
  return std::optional(std::move((*row)->record));
}

Result<std::optional<LayerRecord>> Store::layer(u64 point, u64 layer) const {
  return find_row<LayerRecord>(state_->open, "WHERE point = ? AND layer = ?", point, layer);
}

Result<std::optional<LayerRecord>> Store::answer(std::string_view question) const {
  return find_row<LayerRecord>(state_->open, "WHERE question = ?", question);
}

Diagnostics Store::write(const LayerRecord& layer) {
  return together([&] {
    const Result<bool> added = state_->writer.add(state_->open, layer, true);
    return added ? Diagnostics{} : added.errors();
  });
}

Diagnostics Store::write(const PointRecord& point, std::span<const LayerRecord> layers) {
  return together([&]() -> Diagnostics {
    for (const LayerRecord& layer : layers)
      if (Diagnostics errors = write(layer); !errors.empty()) return errors;
    const Result<bool> added = state_->writer.add(state_->open, point, true);
    return added ? Diagnostics{} : added.errors();
  });
}

template <class Record>
Result<bool> Store::insert_row(const Record& record) {
  Result<bool> added = false;
  Diagnostics errors = together([&] {
    added = state_->writer.add(state_->open, record, false);
    return added ? Diagnostics{} : added.errors();
  });
  if (!errors.empty()) return errors;
  return added;
}

Result<bool> Store::insert(const LayerRecord& layer) { return insert_row(layer); }
Result<bool> Store::insert(const PointRecord& point) { return insert_row(point); }

// The outermost of those that are within each other is the transaction, and notes what the database holds.
Diagnostics Store::together(const std::function<Diagnostics()>& work) {
  const std::lock_guard lock(state_->mutex);
  if (state_->in_transaction) return work();
  OpenStore& open = state_->open;
  Diagnostics errors = open.database.still_there();
  if (errors.empty()) errors = open.database.execute("BEGIN");
  if (!errors.empty()) return errors;
  const RunRecord before = open.run;
  state_->in_transaction = true;
  errors = work();
  state_->in_transaction = false;
  open.run.seconds = std::chrono::duration<double>(Clock::now() - state_->begin).count();
  if (errors.empty()) errors = write_run(open);
  if (errors.empty()) errors = open.database.execute("COMMIT");
  if (errors.empty()) return errors;
  open.run = before;
  // After some errors SQLite has done this itself and refuses; that is no further error.
  open.database.execute("ROLLBACK");
  return errors;
}

Diagnostics Store::visit_points(const std::function<bool(const PointRecord&)>& row) const {
  return visit_rows<PointRow>(state_->open, [&](const PointRow& point) { return row(point.record); });
}

Diagnostics Store::visit_layers(const std::function<bool(const LayerRecord&)>& row) const {
  return visit_rows<LayerRecord>(state_->open, row);
}

Diagnostics Store::visit(const std::function<bool(const PointRecord&, const std::vector<LayerRecord>&)>& row) const {
  Diagnostics errors;
  walk_points(
      state_->open, [&](const PointRow& point, const std::vector<LayerRecord>& own) { return row(point.record, own); },
      [&](Diagnostic damage) {
        errors.push_back(std::move(damage));
        return false;
      });
  return errors;
}

Result<std::vector<LayerRecord>> Store::layers(const PointRecord& point) const {
  const OpenStore& open = state_->open;
  Result<SqlStatement> rows =
      open.database.prepare(select_statement<LayerRecord>(open.version, "WHERE point = ? ORDER BY layer"));
  if (!rows) return rows.errors();
  rows->bind(point.id);
  std::vector<LayerRecord> out;
  for (;;) {
    const Result<bool> more = rows->next();
    if (!more) return more.errors();
    if (!*more) break;
    Result<SummedRow<LayerRecord>> layer = read_row<LayerRecord>(*rows, open.version, open.sweep.question, open.path);
    if (!layer) return layer.errors();
    out.push_back(std::move(layer->row));
  }
  const Result<std::optional<PointRow>> row = find_row<PointRow>(open, "WHERE id = ?", point.id);
  if (!row) return row.errors();
  if (!*row) return out;
  if (const std::optional<Diagnostic> wrong = check_sums(open, **row, out)) return *wrong;
  return out;
}

Diagnostics Store::check() const { return check_whole(state_->open); }

Result<RowCounts> Store::rows() const {
  const Result<u64> points = state_->open.database.number("SELECT count(*) FROM points");
  if (!points) return points.errors();
  const Result<u64> layers = state_->open.database.number("SELECT count(*) FROM layers");
  if (!layers) return layers.errors();
  return RowCounts{*points, *layers};
}

Result<std::vector<RunRecord>> Store::runs() const {
  const OpenStore& open = state_->open;
  Result<SqlStatement> rows = open.database.prepare(select_statement<RunRecord>(open.version, "ORDER BY id"));
  if (!rows) return rows.errors();
  std::vector<RunRecord> out;
  for (;;) {
    const Result<bool> more = rows->next();
    if (!more) return more.errors();
    if (!*more) return out;
    Result<SummedRow<RunRecord>> run = read_row<RunRecord>(*rows, open.version, open.sweep.question, open.path);
    if (!run) return run.errors();
    out.push_back(std::move(run->row));
    if (open.version >= kChecksumVersion && out.back().id != out.size())
      return Diagnostic{open.path, 0, "runs", std::string("has not all its rows, it is damaged: ") + kRepair};
  }
}

Diagnostics Store::close(bool finished) {
  const std::lock_guard lock(state_->mutex);
  state_->writer = {};
  return close_store(state_->open, finished);
}

Result<Store> Store::close_and_look(bool finished, const std::atomic<bool>* stop) {
  // Step 1. Nothing has happened to the file yet.
  Diagnostics errors = state_->open.database.still_there();
  if (Diagnostics closing = close(finished); errors.empty()) errors = std::move(closing);
  if (!errors.empty()) return errors;
  // Step 2. What is there ends with the row of this run.
  Result<Store> there = read(path(), stop);
  if (!there) return there.errors();
  const RunRecord &written = state_->open.run, &last = there->state_->open.run;
  if (last.id != written.id || last.writer != written.writer || last.points != written.points ||
      last.layers != written.layers)
    return Diagnostic{path(), 0, "", "does not hold what was written: another program wrote over it"};
  // Step 3. So it is with all other rows.
  if (finished) errors = there->check();
  if (!errors.empty()) return errors;
  return there;
}

std::optional<std::string> writer_of(const std::string& path) { return lock_holder(path); }

}  // namespace heliolite
