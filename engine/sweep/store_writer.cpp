#include "engine/sweep/store_writer.h"

#include <chrono>
#include <optional>
#include <utility>

namespace heliolite {
namespace {

double seconds_since_1970() {
  return std::chrono::duration<double>(std::chrono::system_clock::now().time_since_epoch()).count();
}

// The one number that a statement answers, nothing if there is no row.
Result<std::optional<u64>> answer(SqlStatement& bound) {
  const Result<bool> row = bound.next();
  if (!row) return row.errors();
  const std::optional<u64> out = *row ? std::optional(bound.integer(0)) : std::nullopt;
  bound.reset();
  return out;
}

}  // namespace

template <class Row>
Diagnostics StoreWriter::prepare(Table& table, const SqlDatabase& database, const std::string& where_key) {
  const std::pair<SqlStatement*, std::string> statements[] = {
      {&table.write, insert_statement<Row>("OR REPLACE")},
      {&table.old, std::string("SELECT checksum FROM ") + kTable<Row> + " WHERE " + where_key}};
  for (const auto& [statement, sql] : statements) {
    Result<SqlStatement> ready = database.prepare(sql);
    if (!ready) return ready.errors();
    *statement = *std::move(ready);
  }
  return {};
}

Diagnostics StoreWriter::prepare(const OpenStore& store) {
  Diagnostics errors = prepare<PointRow>(points_, store.database, "id = ?");
  if (errors.empty()) errors = prepare<LayerRecord>(layers_, store.database, "point = ? AND layer = ?");
  if (!errors.empty()) return errors;
  Result<SqlStatement> count = store.database.prepare("SELECT count(*) FROM layers WHERE point = ?");
  if (!count) return count.errors();
  count_layers_ = *std::move(count);
  return {};
}

// The key of table.old is bound.
template <class Row>
Result<bool> StoreWriter::add(const OpenStore& store, Table& table, const Row& row, bool replace, Tally& tally) {
  const Result<std::optional<u64>> before = answer(table.old);
  if (!before) return before.errors();
  if (*before && !replace) return false;
  const u64 sum = row_sum(store.sweep.question, row);
  bind_row(table.write, row, sum);
  if (Diagnostics errors = table.write.run(); !errors.empty()) return errors;
  tally.rows += !*before;
  tally.digest += sum - before->value_or(0);
  return true;
}

Result<bool> StoreWriter::add(OpenStore& store, const LayerRecord& layer, bool replace) {
  layers_.old.bind(layer.point).bind(layer.layer);
  return add(store, layers_, layer, replace, store.run.layers);
}

Result<bool> StoreWriter::add(OpenStore& store, const PointRecord& point, bool replace) {
  const Result<std::optional<u64>> count = answer(count_layers_.bind(point.id));
  if (!count) return count.errors();
  points_.old.bind(point.id);
  const PointRow row{point, count->value_or(0), seconds_since_1970()};
  const Result<bool> added = add(store, points_, row, replace, store.run.points);
  store.run.points_written += added && *added;
  return added;
}

}  // namespace heliolite
