// The walks over the rows of store_open.h.
#include <fmt/format.h>

#include <cmath>
#include <utility>

#include "engine/sweep/store_open.h"

namespace heliolite {
namespace {

constexpr std::size_t kMaxComplaints = 20;

template <class Row>
constexpr bool kPoints = std::is_same_v<Row, PointRow>;

std::pair<u64, u64> key(const PointRow& row) { return {row.record.id, 0}; }
std::pair<u64, u64> key(const LayerRecord& row) { return {row.point, row.layer}; }

template <class Row>
Diagnostics walk_table(const OpenStore& store, const std::function<bool(const Row&)>& row) {
  TableWalk<Row> walk(store);
  for (;;) {
    const Result<std::optional<Row>> next = walk.next();
    if (!next) return next.errors();
    if (!*next) return walk.missing();
    if (!row(**next)) return {};
  }
}

}  // namespace

template <class Row>
TableWalk<Row>::TableWalk(const OpenStore& store)
    : store_(store),
      rows_(store.database.prepare(
          select_statement<Row>(store.version, kPoints<Row> ? "ORDER BY id" : "ORDER BY point, layer"))) {}

template <class Row>
Result<std::optional<Row>> TableWalk<Row>::next() {
  if (ended_) return std::optional<Row>();
  const Result<bool> more = rows_ ? rows_->next() : rows_.errors();
  ended_ = !more || !*more;
  complete_ = complete_ && more;
  if (!more) return more.errors();
  if (ended_) return std::optional<Row>();
  Result<SummedRow<Row>> row = read_row<Row>(*rows_, store_.version, store_.sweep.question, store_.path);
  const bool in_order = row && !(last_ && key(row->row) <= *last_);
  complete_ = complete_ && in_order;
  if (!row) return row.errors();
  if (!in_order) return damaged(store_.path, row_place(row->row), "stands out of order");
  last_ = key(row->row);
  ++tally_.rows;
  tally_.digest += row->checksum;
  return std::optional(std::move(row->row));
}

template <class Row>
Diagnostics TableWalk<Row>::missing() const {
  const Tally& written = kPoints<Row> ? store_.run.points : store_.run.layers;
  if (!complete_ || store_.version < kChecksumVersion || tally_ == written) return {};
  return {damaged(store_.path, kTable<Row>,
                  tally_.rows == written.rows
                      ? "has other rows than those that were written"
                      : fmt::format("has {} rows, {} were written", tally_.rows, written.rows))};
}

Diagnostics walk_rows(const OpenStore& store, const std::function<bool(const PointRow&)>& row) {
  return walk_table(store, row);
}

Diagnostics walk_rows(const OpenStore& store, const std::function<bool(const LayerRecord&)>& row) {
  return walk_table(store, row);
}

SumRule sum_rule_of(const SweepRecord& sweep) {
  const auto asked = parse_asked_objective(sweep.objective);
  return {ranking_of(sweep), (asked && asked->network) || asked_limits(sweep).any()};
}

std::optional<Diagnostic> check_sums(const OpenStore& store, const PointRow& point,
                                     const std::vector<LayerRecord>& layers) {
  if (store.version >= kChecksumVersion && layers.size() != point.layers)
    return damaged(store.path, row_place(point), fmt::format("has {} of its {} layers", layers.size(), point.layers));
  if (point.record.state != PointState::Done) return std::nullopt;
  const PointRecord& p = point.record;
  const auto own_bound = store.sums.together ? std::optional(p.lower_bound) : std::nullopt;
  const Totals sum = totals(layers, store.sums.ranking, p.cycle_ns, own_bound);
  const bool words = store.version < column_version("points", "words_moved") ||
                     (p.words_moved == sum.words_moved && p.least_words == sum.least_words);
  // Before version 4 cycles were not rounded; what was merged from there is not.
  const bool cycles = p.cycles == sum.cycles || std::ceil(p.cycles) == sum.cycles;
  if (words && cycles && p.energy_pj == sum.energy_pj && p.value == sum.value && p.lower_bound == sum.lower_bound &&
      p.sum_of_layer_values == sum.sum_of_layer_values)
    return std::nullopt;
  return damaged(store.path, row_place(point), "is not the sum of its layers");
}

Result<std::optional<RowsOfPoint>> PointWalk::next() {
  for (;;) {
    // Step 1. The next row of each table.
    if (!layer_ && !layers_.ended()) {
      Result<std::optional<LayerRecord>> layer = layers_.next();
      layers_damaged_ |= !layer;
      if (!layer) return layer.errors();
      layer_ = *std::move(layer);
    }
    if (!point_ && !points_.ended()) {
      Result<std::optional<PointRow>> point = points_.next();
      if (!point) return point.errors();
      point_ = *std::move(point);
    }
    // Step 2. What belongs to the point that is begun.
    if (begun_ && layer_ && layer_->point == begun_->id) {
      begun_->layers.push_back(*std::exchange(layer_, {}));
      continue;
    }
    if (begun_ && point_ && point_->record.id == begun_->id && !begun_->point) {
      begun_->point = std::exchange(point_, {});
      continue;
    }
    // Step 3. It has all its rows.
    if (std::optional<RowsOfPoint> whole = std::exchange(begun_, {})) {
      const auto wrong = whole->point ? check_sums(store_, *whole->point, whole->layers) : std::nullopt;
      if (!wrong) return whole;
      if (!layers_damaged_) return *wrong;
      continue;
    }
    if (!point_ && !layer_) break;
    const u64 id = !layer_ ? point_->record.id : point_ ? std::min(point_->record.id, layer_->point) : layer_->point;
    begun_.emplace().id = id;
  }
  // Step 4. Nothing is missing.
  if (std::exchange(ended_, true)) return std::optional<RowsOfPoint>();
  Diagnostics errors = points_.missing();
  const Diagnostics layers = layers_.missing();
  errors.insert(errors.end(), layers.begin(), layers.end());
  return errors.empty() ? Result<std::optional<RowsOfPoint>>(std::optional<RowsOfPoint>()) : errors;
}

void walk_points(const OpenStore& store, const std::function<bool(const PointRow&, std::vector<LayerRecord>)>& point,
                 const std::function<bool(Diagnostic)>& damage) {
  PointWalk walk(store);
  for (;;) {
    Result<std::optional<RowsOfPoint>> rows = walk.next();
    if (!rows && !std::ranges::all_of(rows.errors(), damage)) return;
    if (!rows) continue;
    if (!*rows) return;
    if ((*rows)->point && !point(*(*rows)->point, std::move((*rows)->layers))) return;
  }
}

Diagnostics check_structure(const OpenStore& store) {
  const Result<std::string> words = store.database.word(
      fmt::format("SELECT group_concat(integrity_check, ', ') FROM pragma_integrity_check({})", kMaxComplaints));
  if (!words) return words.errors();
  if (*words != "ok") return {{store.path, 0, "", fmt::format("is damaged ({}): {}", *words, kRepair)}};
  return {};
}

Diagnostics check_whole(const OpenStore& store) {
  Diagnostics errors = check_structure(store);
  if (!errors.empty()) return errors;
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
