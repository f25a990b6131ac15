#include "engine/execution/tiling_fields.h"

namespace heliolite {
namespace {

Shape dimensions() { return shape::list_or_one(shape::text()); }

}  // namespace

const FieldTable& tiling_file_fields() {
  static const FieldTable table{"tiling file",
                                "Tiles of one workload for the caches that it is executed on.",
                                {required({"tiling", shape::map(tiling_fields()), "The tiling."})}};
  return table;
}

const FieldTable& tiling_fields() {
  static const FieldTable table{
      "tiling",
      "A tile for each cache, and the order of what is in the innermost one.",
      {required({"caches", shape::list(shape::map(tile_fields())), "A tile for each cache, innermost cache first."}),
       {"points", dimensions(), "The order of the loops within the innermost tile, outermost first."}}};
  return table;
}

const FieldTable& tile_fields() {
  static const FieldTable table{"tile",
                                "The tile of one cache.",
                                {required({"tile", shape::names(shape::integer(1, static_cast<i64>(kMaxDimensionSize))),
                                           "Its extent along dimensions; those not named are whole."}),
                                 {"loops", dimensions(), "The order of the loops over the tiles, outermost first."}}};
  return table;
}

}  // namespace heliolite
