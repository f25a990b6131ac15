#pragma once
// Writes rows of points and layers, with their checksums, and keeps the tallies of what the database holds.
#include "engine/sweep/store_open.h"
#include "engine/sweep/store_rows.h"

namespace heliolite {

// The statements that write into one database.
class StoreWriter {
 public:
  // Prepares the statements; to be called once, before the first row.
  Diagnostics prepare(const OpenStore& store);

  // Writes the row if it is new, or if `replace` allows it to replace the one that is there; returns whether it did.
  // Updates the tallies of OpenStore::run; whoever ends the transaction writes that row.
  Result<bool> add(OpenStore& store, const LayerRecord& layer, bool replace);
  // The same for a point, whose layers must have been written before.
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
