#include "engine/sweep/store_check.h"

#include <fmt/format.h>

#include <cmath>
#include <type_traits>
#include <utility>

#include "engine/base/text.h"
#include "engine/sweep/totals.h"

namespace heliolite {
namespace {

constexpr std::size_t kMaxComplaints = 20;

std::pair<u64, u64> key(const PointRow& row) { return {row.record.id, 0}; }
std::pair<u64, u64> key(const LayerRecord& row) { return {row.point, row.layer}; }

template <class Row>
inline constexpr const char* kRowOrder = nullptr;
template <>
inline constexpr const char* kRowOrder<PointRow> = "ORDER BY id";
template <>
inline constexpr const char* kRowOrder<LayerRecord> = "ORDER BY point, layer";

template <class Row>
const Tally& written(const OpenStore& store) {
  if constexpr (std::is_same_v<Row, PointRow>) return store.run.points;
  else return store.run.layers;
}

}  // namespace

template <class Row>
Result<TableWalk<Row>> TableWalk<Row>::begin(const OpenStore& store) {
  Result<SqlStatement> rows = store.database.prepare(select_statement<Row>(store.version, kRowOrder<Row>));
  if (!rows) return rows.errors();
  return TableWalk(store, *std::move(rows));
}

template <class Row>
Result<std::optional<Row>> TableWalk<Row>::next() {
  if (ended_) return std::optional<Row>();
  const Result<bool> more = rows_.next();
  if (!more || !*more) {
    ended_ = true;
    complete_ = complete_ && more;
    if (!more) return more.errors();
    return std::optional<Row>();
  }
  Result<SummedRow<Row>> row = read_row<Row>(rows_, store_->version, store_->sweep.question, store_->path);
  complete_ = complete_ && row;
  if (!row) return row.errors();
  if (last_ && key(row->row) <= *last_) {
    complete_ = false;
    return Diagnostic{store_->path, 0, row_place(row->row), std::string("stands out of order, damaged: ") + kRepair};
  }
  last_ = key(row->row);
  ++tally_.rows;
  tally_.digest += row->checksum;
  return std::optional(std::move(row->row));
}

template <class Row>
Diagnostics TableWalk<Row>::missing() const {
  const Tally& there = written<Row>(*store_);
  if (!complete_ || store_->version < kChecksumVersion || tally_ == there) return {};
  std::string what = fmt::format("has {} rows, {} were written", tally_.rows, there.rows);
  if (tally_.rows == there.rows) what = "has other rows than those that were written";
  return {{store_->path, 0, kTable<Row>, fmt::format("{}, it is damaged: {}", what, kRepair)}};
}

template class TableWalk<PointRow>;
template class TableWalk<LayerRecord>;

std::optional<Diagnostic> check_sums(const OpenStore& store, const PointRow& point,
                                     const std::vector<LayerRecord>& layers) {
  const auto damaged = [&](const std::string& why) {
    return Diagnostic{store.path, 0, row_place(point), fmt::format("{}, damaged: {}", why, kRepair)};
  };
  if (store.version >= kChecksumVersion && layers.size() != point.layers)
    return damaged(fmt::format("has {} of its {} layers", layers.size(), point.layers));
  if (point.record.state != PointState::Done) return std::nullopt;
  const PointRecord& p = point.record;
  const Totals sum = totals(layers, ranking_of(store.sweep), p.cycle_ns);
  const bool words = store.version < column_version("points", "words_moved") ||
                     (p.words_moved == sum.words_moved && p.least_words == sum.least_words);
  // Before version 4 cycles were not rounded; what was merged from there is not.
  const bool cycles = p.cycles == sum.cycles || std::ceil(p.cycles) == sum.cycles;
  if (words && cycles && p.energy_pj == sum.energy_pj && p.value == sum.value && p.lower_bound == sum.lower_bound &&
      p.sum_of_layer_values == sum.sum_of_layer_values)
    return std::nullopt;
  return damaged("is not the sum of its layers");
}

void walk_points(const OpenStore& store, const std::function<bool(const PointRow&, std::vector<LayerRecord>)>& point,
                 const std::function<bool(Diagnostic)>& damage) {
  const auto all = [&](const Diagnostics& errors) {
    bool on = true;
    for (const Diagnostic& error : errors) on = on && damage(error);
    return on;
  };
  Result<TableWalk<PointRow>> points = TableWalk<PointRow>::begin(store);
  Result<TableWalk<LayerRecord>> layers = TableWalk<LayerRecord>::begin(store);
  if (!points || !layers) {
    all(points ? layers.errors() : points.errors());
    return;
  }
  bool layers_damaged = false;  // somewhere: then it is not known which ones a point has
  std::optional<LayerRecord> ahead;
  // The next layer into `ahead`; false to end.
  const auto advance = [&] {
    for (ahead.reset(); !layers->ended();) {
      Result<std::optional<LayerRecord>> layer = layers->next();
      if (layer) return ahead = *std::move(layer), true;
      layers_damaged = true;
      if (!all(layer.errors())) return false;
    }
    return true;
  };
  if (!advance()) return;
  while (!points->ended()) {
    const Result<std::optional<PointRow>> row = points->next();
    if (!row && !all(row.errors())) return;
    if (!row || !*row) continue;
    std::vector<LayerRecord> own;
    while (ahead && ahead->point <= (*row)->record.id) {
      if (ahead->point == (*row)->record.id) own.push_back(*std::move(ahead));
      if (!advance()) return;
    }
    const std::optional<Diagnostic> wrong = check_sums(store, **row, own);
    if (wrong ? !layers_damaged && !damage(*wrong) : !point(**row, std::move(own))) return;
  }
  while (ahead)
    if (!advance()) return;
  if (all(points->missing())) all(layers->missing());
}

Diagnostics check_whole(const OpenStore& store) {
  Result<SqlStatement> verdicts = store.database.prepare(fmt::format("PRAGMA integrity_check({})", kMaxComplaints));
  if (!verdicts) return verdicts.errors();
  std::vector<std::string> words;
  for (;;) {
    const Result<bool> more = verdicts->next();
    if (!more) return more.errors();
    if (!*more) break;
    words.push_back(verdicts->text(0));
  }
  if (words != std::vector<std::string>{"ok"})
    return {{store.path, 0, "", fmt::format("is damaged ({}): {}", join(words), kRepair)}};
  Diagnostics errors;
  walk_points(
      store, [](const PointRow&, const std::vector<LayerRecord>&) { return true; },
      [&](Diagnostic damage) {
        errors.push_back(std::move(damage));
        return errors.size() < kMaxComplaints;
      });
  if (errors.size() == kMaxComplaints)
    errors.push_back({store.path, 0, "", "has perhaps more damage; these are the first complaints"});
  return errors;
}

}  // namespace heliolite
