#pragma once
// Walks over the tables of a database that notice what is damaged: a row by its checksum, a place by the order of the
// keys, rows that are missing or there twice by the tally of what was written, a point by its layers.
#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "engine/sweep/store_open.h"
#include "engine/sweep/store_rows.h"

namespace heliolite {

// A walk over all rows of `points` by id, or of `layers` by point and layer.
template <class Row>
class TableWalk {
 public:
  static Result<TableWalk> begin(const OpenStore& store);

  // The next row; none after the last one. A damaged row is an error that names it; the walk then goes on with the
  // next.
  Result<std::optional<Row>> next();
  bool ended() const { return ended_; }
  // To be called after the last row: a complaint if these are not all rows that were written; else empty.
  Diagnostics missing() const;

 private:
  TableWalk(const OpenStore& store, SqlStatement rows) : store_(&store), rows_(std::move(rows)) {}

  const OpenStore* store_;
  SqlStatement rows_;
  bool ended_ = false;
  bool complete_ = true;  // nothing was in the way
  Tally tally_;
  std::optional<std::pair<u64, u64>> last_;  // key
};

extern template class TableWalk<PointRow>;
extern template class TableWalk<LayerRecord>;

// Calls `point` for every point, by id, with the rows of its layers; `point` returns false to end. Damage is reported
// to `damage` instead, which returns false to end.
void walk_points(const OpenStore& store, const std::function<bool(const PointRow&, std::vector<LayerRecord>)>& point,
                 const std::function<bool(Diagnostic)>& damage);

// A complaint if these are not all layers of the point, or if it is done and its costs are not their sums.
std::optional<Diagnostic> check_sums(const OpenStore& store, const PointRow& point,
                                     const std::vector<LayerRecord>& layers);

// Checks the file's structure, its indices, and every row; errors tell what is damaged.
Diagnostics check_whole(const OpenStore& store);

}  // namespace heliolite
