#include "arch/csv_numbers.h"

#include <cassert>
#include <functional>

#include "engine/base/embedded.h"
#include "engine/base/parse_number.h"

namespace heliolite {

std::span<const EmbeddedFile> embedded_energy_tables();  // generated from arch/tables

namespace {

double number(std::string_view text) {
  const std::optional<double> value = parse_number<double>(text);
  assert(value);
  return *value;
}

std::vector<std::string_view> cells(std::string_view line) {
  std::vector<std::string_view> parts;
  for (std::size_t begin = 0; begin <= line.size();) {
    const std::size_t end = std::min(line.find(',', begin), line.size());
    parts.push_back(line.substr(begin, end - begin));
    begin = end + 1;
  }
  return parts;
}

void for_each_row(std::string_view file, const std::function<void(const std::vector<std::string_view>&)>& use) {
  for (const EmbeddedFile& table : embedded_energy_tables()) {
    if (table.name != file) continue;
    bool header_seen = false;
    for (std::size_t begin = 0; begin < table.text.size();) {
      const std::size_t end = std::min(table.text.find('\n', begin), table.text.size());
      const std::string_view line = table.text.substr(begin, end - begin);
      begin = end + 1;
      if (line.empty() || line.front() == '#') continue;
      if (header_seen) use(cells(line));
      header_seen = true;
    }
    return;
  }
  assert(false && "no such table");
}

}  // namespace

std::vector<std::vector<double>> embedded_rows(std::string_view file) {
  std::vector<std::vector<double>> rows;
  for_each_row(file, [&](const std::vector<std::string_view>& row) {
    std::vector<double>& numbers = rows.emplace_back();
    for (const std::string_view cell : row) numbers.push_back(number(cell));
  });
  return rows;
}

std::map<std::string, std::vector<double>, std::less<>> embedded_named_rows(std::string_view file) {
  std::map<std::string, std::vector<double>, std::less<>> rows;
  for_each_row(file, [&](const std::vector<std::string_view>& row) {
    std::vector<double>& numbers = rows[std::string(row.front())];
    for (std::size_t i = 1; i < row.size(); ++i) numbers.push_back(number(row[i]));
  });
  return rows;
}

}  // namespace heliolite
