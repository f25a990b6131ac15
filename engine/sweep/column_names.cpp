#include "engine/sweep/column_names.h"

#include "engine/sweep/store_rows.h"

namespace heliolite {
namespace {

template <class Row>
void add_columns(std::set<std::string>& names) {
  Row row;
  visit_fields(row, [&](const char* name, const auto&) { names.insert(name); });
}

}  // namespace

const std::set<std::string>& column_names() {
  static const std::set<std::string> all = [] {
    std::set<std::string> names{"checksum"};
    add_columns<PointRow>(names);
    add_columns<LayerRecord>(names);
    add_columns<SweepRecord>(names);
    add_columns<RunRecord>(names);
    return names;
  }();
  return all;
}

}  // namespace heliolite
