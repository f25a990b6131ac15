#include "engine/sweep/store.h"

#include <chrono>
#include <mutex>
#include <utility>

#include "engine/sweep/store_open.h"

namespace heliolite {
namespace {

using Clock = std::chrono::steady_clock;

// The one number that a statement answers, none if there is no row.
Result<std::optional<u64>> answered(SqlStatement& bound) {
  std::optional<u64> out;
  Diagnostics errors = bound.each([&] { return out = bound.integer(0), false; });
  return errors.empty() ? Result(out) : errors;
}

// Writes the row if there is no checksum `old` of one that is there or if it may `replace` that; returns whether it
// did. Whoever ends the transaction writes the tallies.
template <class Row>
Result<bool> add_row(OpenStore& store, const Row& row, SqlStatement& old, bool replace, Tally& tally) {
  const Result<std::optional<u64>> before = answered(old);
  if (!before) return before.errors();
  if (*before && !replace) return false;
  const Result<u64> sum = put_row(store, row);
  if (!sum) return sum.errors();
  tally.rows += !*before;
  tally.digest += *sum - before->value_or(0);
  return true;
}

Result<bool> add(OpenStore& store, const LayerRecord& layer, bool replace) {
  SqlStatement& old = store.database.kept("SELECT checksum FROM layers WHERE point = ? AND layer = ?");
  return add_row(store, layer, old.bind(layer.point).bind(layer.layer), replace, store.run.layers);
}

// After its layers.
Result<bool> add(OpenStore& store, const PointRecord& point, bool replace) {
  const Result<std::optional<u64>> layers =
      answered(store.database.kept("SELECT count(*) FROM layers WHERE point = ?").bind(point.id));
  if (!layers) return layers.errors();
  SqlStatement& old = store.database.kept("SELECT checksum FROM points WHERE id = ?");
  const PointRow row{point, layers->value_or(0), seconds_since_1970()};
  const Result<bool> added = add_row(store, row, old.bind(point.id), replace, store.run.points);
  store.run.points_written += added && *added;
  return added;
}

// Writes a row that is not there yet.
template <class Row>
Diagnostics append_row(OpenStore& store, const Row& row, Tally& tally) {
  const Result<u64> sum = put_row(store, row);
  if (!sum) return sum.errors();
  ++tally.rows;
  tally.digest += *sum;
  return {};
}

// After its layers.
Diagnostics append(OpenStore& store, const Store::PointRows& rows) {
  for (const LayerRecord& layer : rows.layers)
    if (Diagnostics errors = append_row(store, layer, store.run.layers); !errors.empty()) return errors;
  if (!rows.point) return {};
  ++store.run.points_written;
  return append_row(store, PointRow{*rows.point, rows.layers.size(), seconds_since_1970()}, store.run.points);
}

}  // namespace

struct Store::State {
  OpenStore open;
  std::recursive_mutex mutex;  // guards the transaction
  bool in_transaction = false;
  Clock::time_point begin = Clock::now();

  explicit State(OpenStore opened) : open(std::move(opened)) {}
};

Store::Store(std::unique_ptr<State> state) : state_(std::move(state)) {}
Store::Store(Store&&) noexcept = default;
Store& Store::operator=(Store&&) noexcept = default;

Store::~Store() {
  if (state_) close();
}

Result<Store> Store::create(const std::string& path, const SweepRecord& sweep) {
  Result<OpenStore> open = open_to_write(path, sweep, false);
  if (!open) return open.errors();
  return Store(std::make_unique<State>(*std::move(open)));
}

Result<Store> Store::resume(const std::string& path, const SweepRecord& sweep, const std::atomic<bool>* stop) {
  Result<OpenStore> open = open_to_write(path, sweep, true, stop);
  if (!open) return open.errors();
  return Store(std::make_unique<State>(*std::move(open)));
}

Result<Store> Store::read(const std::string& path, const std::atomic<bool>* stop) {
  Result<OpenStore> open = open_to_read(path, stop);
  if (!open) return open.errors();
  return Store(std::make_unique<State>(*std::move(open)));
}

const std::string& Store::path() const { return state_->open.path; }
const SweepRecord& Store::sweep() const { return state_->open.sweep; }
const Ranking& Store::ranking() const { return state_->open.sums.ranking; }
const std::vector<std::string>& Store::warnings() const { return state_->open.warnings; }

Result<std::optional<PointRecord>> Store::point(u64 id) const {
  Result<std::optional<PointRow>> row = find_row<PointRow>(state_->open, "WHERE id = ?", id);
  if (!row) return row.errors();
  return *row ? std::optional(std::move((*row)->record)) : std::optional<PointRecord>();
}

Result<std::optional<LayerRecord>> Store::layer(u64 point, u64 layer) const {
  return find_row<LayerRecord>(state_->open, "WHERE point = ? AND layer = ?", point, layer);
}

Result<std::optional<LayerRecord>> Store::answer(std::string_view question) const {
  return find_row<LayerRecord>(state_->open, "WHERE question = ?", question);
}

template <class Record>
Result<bool> Store::put(const Record& record, bool replace) {
  Result<bool> added = false;
  Diagnostics errors = together([&] { return errors_of(added = add(state_->open, record, replace)); });
  return errors.empty() ? added : errors;
}

Result<bool> Store::insert(const LayerRecord& layer) { return put(layer, false); }
Result<bool> Store::insert(const PointRecord& point) { return put(point, false); }

Diagnostics Store::write(const LayerRecord& layer) { return errors_of(put(layer, true)); }

Diagnostics Store::write(const PointRecord& point, std::span<const LayerRecord> layers) {
  return together([&]() -> Diagnostics {
    for (const LayerRecord& layer : layers)
      if (Diagnostics errors = write(layer); !errors.empty()) return errors;
    return errors_of(put(point, true));
  });
}

Diagnostics Store::write_all(const std::vector<PointRecord>& points) {
  return together([&] {
    for (const PointRecord& point : points)
      if (Diagnostics problems = write(point); !problems.empty()) return problems;
    return Diagnostics{};
  });
}

// Rows in the order of their keys go to the ends of tables; questions are in no order, so their index is made of all at
// once.
Diagnostics Store::fill(const std::function<Result<std::optional<PointRows>>()>& next) {
  constexpr std::size_t kTogether = 5000;  // rows
  const SqlDatabase& database = state_->open.database;
  Diagnostics errors = database.execute(kDropQuestionIndex);
  for (bool more = true; more && errors.empty();) {
    errors = together([&]() -> Diagnostics {
      for (std::size_t rows = 0; rows < kTogether;) {
        const Result<std::optional<PointRows>> point = next();
        more = point && *point;
        if (!more) return errors_of(point);
        if (Diagnostics problems = append(state_->open, **point); !problems.empty()) return problems;
        rows += 1 + (*point)->layers.size();
      }
      return {};
    });
  }
  return errors.empty() ? database.execute(kMakeQuestionIndex) : errors;
}

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
  if (errors.empty()) errors = errors_of(put_row(open, open.run));
  if (errors.empty()) errors = open.database.execute("COMMIT");
  if (errors.empty()) return errors;
  open.run = before;
  // After some errors SQLite has done this itself and refuses; that is no further error.
  open.database.execute("ROLLBACK");
  return errors;
}

Diagnostics Store::visit_points(const std::function<bool(const PointRecord&)>& row) const {
  return walk_rows(state_->open, [&](const PointRow& point) { return row(point.record); });
}

Diagnostics Store::visit_layers(const std::function<bool(const LayerRecord&)>& row) const {
  return walk_rows(state_->open, row);
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
  Result<std::vector<LayerRecord>> out = read_rows<LayerRecord>(open, "WHERE point = ? ORDER BY layer", point.id);
  if (!out) return out;
  const Result<std::optional<PointRow>> row = find_row<PointRow>(open, "WHERE id = ?", point.id);
  if (!row) return row.errors();
  if (!*row) return out;
  if (const std::optional<Diagnostic> wrong = check_sums(open, **row, *out)) return *wrong;
  return out;
}

Diagnostics Store::check() const { return check_whole(state_->open); }

Result<RowCounts> Store::rows() const {
  const Result<u64> points = state_->open.database.number("SELECT count(*) FROM points");
  const Result<u64> layers = state_->open.database.number("SELECT count(*) FROM layers");
  if (!points || !layers) return (points ? layers : points).errors();
  return RowCounts{*points, *layers};
}

Result<std::vector<RunRecord>> Store::runs() const {
  Result<std::vector<RunRecord>> out = read_rows<RunRecord>(state_->open, "ORDER BY id");
  if (!out || state_->open.version < kChecksumVersion) return out;
  for (u64 k = 0; k < out->size(); ++k)
    if ((*out)[k].id != k + 1) return damaged(path(), "runs", "has not all its rows");
  return out;
}

Diagnostics Store::close(bool finished) {
  const std::lock_guard lock(state_->mutex);
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
  if (there->state_->open.run != state_->open.run)
    return Diagnostic{path(), 0, "", "does not hold what was written: another program wrote over it"};
  // Step 3. So it is with all other rows.
  if (finished) errors = there->check();
  if (!errors.empty()) return errors;
  return there;
}

}  // namespace heliolite
