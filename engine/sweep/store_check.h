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

// All rows of `points` by id, or of `layers` by point and layer.
template <class Row>
class TableWalk {
 public:
  static Result<TableWalk> begin(const OpenStore& store);

  // Nothing after the last row. After a row that is damaged (an error that names it) the walk goes on with the next.
  Result<std::optional<Row>> next();
  bool ended() const { return ended_; }
  // After the last row: complaint if these are not the rows that were written.
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

// Every point with the rows of its layers, by id; `point` returns false to end. What is damaged goes to `damage`, and
// such a point not to `point`; the walk ends when `damage` returns false.
void walk_points(const OpenStore& store, const std::function<bool(const PointRow&, std::vector<LayerRecord>)>& point,
                 const std::function<bool(Diagnostic)>& damage);

// Complaint if these are not all layers of the point, or if it is done and its costs are not their sums.
std::optional<Diagnostic> check_sums(const OpenStore& store, const PointRow& point,
                                     const std::vector<LayerRecord>& layers);

// The file's structure, its indices, and every row; error if anything is damaged.
Diagnostics check_whole(const OpenStore& store);

}  // namespace heliolite
