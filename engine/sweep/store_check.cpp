// The walks over the rows of store_open.h.
#include <fmt/format.h>

#include <cmath>

#include "engine/sweep/store_open.h"
#include "engine/sweep/totals.h"

namespace heliolite {
namespace {

constexpr std::size_t kMaxComplaints = 20;

template <class Row>
constexpr bool kPoints = std::is_same_v<Row, PointRow>;

std::pair<u64, u64> key(const PointRow& row) { return {row.record.id, 0}; }
std::pair<u64, u64> key(const LayerRecord& row) { return {row.point, row.layer}; }

// A walk over all rows of `points` or `layers`, by key.
template <class Row>
class TableWalk {
 public:
  explicit TableWalk(const OpenStore& store)
      : store_(store),
        rows_(store.database.prepare(
            select_statement<Row>(store.version, kPoints<Row> ? "ORDER BY id" : "ORDER BY point, layer"))) {}

  bool ended() const { return ended_; }

  // The next row; none after the last one. A damaged row is an error that names it; the walk then goes on with the
  // next.
  Result<std::optional<Row>> next() {
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

  // After the last row: a complaint if these are not all rows that were written.
  Diagnostics missing() const {
    const Tally& written = kPoints<Row> ? store_.run.points : store_.run.layers;
    if (!complete_ || store_.version < kChecksumVersion || tally_ == written) return {};
    return {damaged(store_.path, kTable<Row>,
                    tally_.rows == written.rows
                        ? "has other rows than those that were written"
                        : fmt::format("has {} rows, {} were written", tally_.rows, written.rows))};
  }

 private:
  const OpenStore& store_;
  Result<SqlStatement> rows_;
  bool ended_ = false;
  bool complete_ = true;  // nothing was in the way
  Tally tally_;
  std::optional<std::pair<u64, u64>> last_;  // key
};

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

Diagnostics walk_rows(const OpenStore& store, const std::function<bool(const PointRow&)>& row) {
  return walk_table(store, row);
}

Diagnostics walk_rows(const OpenStore& store, const std::function<bool(const LayerRecord&)>& row) {
  return walk_table(store, row);
}

std::optional<Diagnostic> check_sums(const OpenStore& store, const PointRow& point,
                                     const std::vector<LayerRecord>& layers) {
  if (store.version >= kChecksumVersion && layers.size() != point.layers)
    return damaged(store.path, row_place(point), fmt::format("has {} of its {} layers", layers.size(), point.layers));
  if (point.record.state != PointState::Done) return std::nullopt;
  const PointRecord& p = point.record;
  // The bound of layers that are mapped together is the point's: it does not follow from its layers.
  const auto asked = parse_asked_objective(store.sweep.objective);
  const bool together = (asked && asked->network) || asked_limits(store.sweep).any();
  const auto network_bound = together ? std::optional(p.lower_bound) : std::nullopt;
  const Totals sum = totals(layers, ranking_of(store.sweep), p.cycle_ns, network_bound);
  const bool words = store.version < column_version("points", "words_moved") ||
                     (p.words_moved == sum.words_moved && p.least_words == sum.least_words);
  // Before version 4 cycles were not rounded; what was merged from there is not.
  const bool cycles = p.cycles == sum.cycles || std::ceil(p.cycles) == sum.cycles;
  if (words && cycles && p.energy_pj == sum.energy_pj && p.value == sum.value && p.lower_bound == sum.lower_bound &&
      p.sum_of_layer_values == sum.sum_of_layer_values)
    return std::nullopt;
  return damaged(store.path, row_place(point), "is not the sum of its layers");
}

void walk_points(const OpenStore& store, const std::function<bool(const PointRow&, std::vector<LayerRecord>)>& point,
                 const std::function<bool(Diagnostic)>& damage) {
  const auto all = [&](const Diagnostics& errors) { return std::ranges::all_of(errors, damage); };
  TableWalk<PointRow> points(store);
  TableWalk<LayerRecord> layers(store);
  bool layers_damaged = false;  // somewhere: then it is not known which ones a point has
  std::optional<LayerRecord> ahead;
  // The next layer into `ahead`; false to end.
  const auto advance = [&] {
    for (ahead.reset(); !layers.ended();) {
      Result<std::optional<LayerRecord>> layer = layers.next();
      if (layer) return ahead = *std::move(layer), true;
      layers_damaged = true;
      if (!all(layer.errors())) return false;
    }
    return true;
  };
  if (!advance()) return;
  while (!points.ended()) {
    const Result<std::optional<PointRow>> row = points.next();
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
  if (all(points.missing())) all(layers.missing());
}

Diagnostics check_whole(const OpenStore& store) {
  const Result<std::string> words = store.database.word(
      fmt::format("SELECT group_concat(integrity_check, ', ') FROM pragma_integrity_check({})", kMaxComplaints));
  if (!words) return words.errors();
  if (*words != "ok") return {{store.path, 0, "", fmt::format("is damaged ({}): {}", *words, kRepair)}};
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
