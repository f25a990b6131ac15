#include "engine/sweep/column_names.h"

#include <nlohmann/json.hpp>

#include "engine/sweep/export.h"
#include "engine/sweep/store_rows.h"

namespace heliolite {
namespace {

template <class Row>
void add_columns(std::set<std::string>& names) {
  Row row;
  visit_fields(row, [&](const char* name, const auto&) { names.insert(name); });
}

// The exports have more than the tables.
void add_exported(std::set<std::string>& names) {
  for (std::string& column : points_csv_columns({})) names.insert(std::move(column));
  for (std::string& column : layers_csv_columns()) names.insert(std::move(column));
  for (const auto& object : {to_json(PointRecord{}, SweepRecord{}), to_json(LayerRecord{})})
    for (const auto& member : object.items()) names.insert(member.key());
}

}  // namespace

const std::set<std::string>& column_names() {
  static const std::set<std::string> all = [] {
    std::set<std::string> names{"checksum"};
    add_columns<PointRow>(names);
    add_columns<LayerRecord>(names);
    add_columns<SweepRecord>(names);
    add_columns<RunRecord>(names);
    add_exported(names);
    return names;
  }();
  return all;
}

}  // namespace heliolite
