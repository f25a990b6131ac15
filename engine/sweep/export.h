#pragma once
// The rows of a results database for other programs, row by row: no table is ever in memory as a whole. Rows come in
// the order of (point, layer), so that equal results give equal files, apart from the seconds.
#include <nlohmann/json_fwd.hpp>
#include <ostream>
#include <string>
#include <vector>

#include "engine/base/result.h"
#include "engine/sweep/store.h"
#include "engine/sweep/totals.h"

namespace heliolite {

// The columns of the two files: those of the table, with the unit in the name or in a column of its own; for points
// also one for each parameter, and what follows from the others: the run time in seconds, value_of_totals() of
// totals.h, the sweep's notes.
std::vector<std::string> points_csv_columns(const std::vector<std::string>& parameters);
std::vector<std::string> layers_csv_columns();

// Writes CSV (RFC 4180): a heading and a line for each point.
Diagnostics write_points_csv(const Store& store, std::ostream& out);

// Writes CSV: a heading and a line for each (point, layer); "search_seconds" is the last column.
Diagnostics write_layers_csv(const Store& store, std::ostream& out);

// Writes the object `head` with a further key "points": the points, each with its "layers" (docs/json.md).
Diagnostics write_json(const Store& store, const nlohmann::ordered_json& head, std::ostream& out);

// Writes JSON lines: a point with its "layers" each, an object on a line of its own.
Diagnostics write_json_lines(const Store& store, std::ostream& out);

// One record as an object with the keys of docs/json.md. `ranking`: of the sweep.
nlohmann::ordered_json to_json(const PointRecord& point, const SweepRecord& sweep, const Ranking& ranking);
nlohmann::ordered_json to_json(const LayerRecord& layer);

}  // namespace heliolite
