#pragma once
// The page of a sweep: one HTML file with its styles, scripts, chart library and data.
#include <nlohmann/json.hpp>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "engine/base/result.h"
#include "engine/report/report_data.h"

namespace heliolite {

struct ReportData;

// JSON in ASCII that may stand inside a <script> element: whatever names and texts hold, it neither ends the element
// nor opens a comment in it. Broken UTF-8 becomes replacement characters. `program`: which one made it.
std::string report_json(const ReportData& data, const std::string& program);

// Where a layer's energy goes, read from LayerRecord::breakdown.

// The energy of a level, of the compute units, of leakage, ...
struct EnergyPart {
  std::string name;
  std::vector<std::pair<std::string, double>> tensors;  // pJ by tensor; "" stands for energy that belongs to none

  double energy_pj() const;                             // of all tensors
  void add(std::string_view tensor, double energy_pj);  // to that of the tensor

  bool operator==(const EnergyPart&) const = default;
};

// The parts in the order written, outermost level first; none if `breakdown` is no such JSON.
std::vector<EnergyPart> energy_parts(std::string_view breakdown);

// The part called `name`, appended if there is none.
EnergyPart& part_named(std::vector<EnergyPart>& parts, std::string_view name);

// The mapping of a layer as the page draws it.

// `mapping`: the text that a sweep wrote down (LayerRecord::mapping). Outermost level first: [{"level": ..., "keep":
// [tensors], "loops": ["K in 4", ..], "x": ["C 3", ..], "y": [..]}]; null if there is none. The first entry of a level
// whose room is known also has "room": {"used": words, "capacity": words or null, "words": [[tensor, words, role],
// ..]}.
nlohmann::ordered_json mapping_json(const std::string& mapping, std::span<const LevelRoom> rooms);

struct ReportData;

// The page as HTML. A browser shows it from a file, without a network. `program`: which one made it. Error: the program
// was built without the chart library. `state`: of a page that is served and asks its server for /state; it loads
// itself again when that is another one. Empty: the page asks for nothing. Letters and digits.
Result<std::string> report_page(const ReportData& data, const std::string& program, const std::string& state = "");

}  // namespace heliolite
