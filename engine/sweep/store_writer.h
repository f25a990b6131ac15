#pragma once
// Writes rows of points and layers, with their checksums, and keeps the tallies of what the database holds.
#include "engine/sweep/store_open.h"
#include "engine/sweep/store_rows.h"

namespace heliolite {

class StoreWriter {
 public:
  Diagnostics prepare(const OpenStore& store);

  // Whether the row was written: it is new, or `replace` says that the one that is there gives way. The tallies of
  // OpenStore::run follow; whoever ends the transaction writes that row.
  Result<bool> add(OpenStore& store, const LayerRecord& layer, bool replace);
  // After its layers.
  Result<bool> add(OpenStore& store, const PointRecord& point, bool replace);

 private:
  struct Table {
    SqlStatement write, old;  // the row; the checksum of the one that is there
  };

  template <class Row>
  static Diagnostics prepare(Table& table, const SqlDatabase& database, const std::string& where_key);
  template <class Row>
  static Result<bool> add(const OpenStore& store, Table& table, const Row& row, bool replace, Tally& tally);

  Table points_, layers_;
  SqlStatement count_layers_;
};

}  // namespace heliolite
