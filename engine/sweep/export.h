#pragma once
// The rows of a results database for other programs, row by row: no table is ever in memory as a whole. Rows come in
// the order of (point, layer), so that equal results give equal files, apart from the seconds.
#include <nlohmann/json.hpp>
#include <ostream>

#include "engine/base/result.h"
#include "engine/sweep/store.h"

namespace heliolite {

// A heading and a line for each point: the columns of the table, with a column for each parameter, and
// value_of_totals() of sweep_facts.h. RFC 4180.
Diagnostics write_points_csv(const Store& store, std::ostream& out);

// A heading and a line for each (point, layer); "seconds" is the last column.
Diagnostics write_layers_csv(const Store& store, std::ostream& out);

// `head`, an object, with a further key "points": the points, each with its "layers" (docs/json.md).
Diagnostics write_json(const Store& store, const nlohmann::ordered_json& head, std::ostream& out);

nlohmann::ordered_json to_json(const PointRecord& point, const SweepRecord& sweep);
nlohmann::ordered_json to_json(const LayerRecord& layer);

}  // namespace heliolite
