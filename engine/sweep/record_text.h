#pragma once
// Fields of records as text for people, spreadsheets and columns of tables.
#include <optional>
#include <string>
#include <vector>

#include "engine/sweep/record_fields.h"

namespace heliolite {

// A field as text.
std::string field_text(u64 field);
std::string field_text(double field);                        // the shortest digits that give the same number again
std::string field_text(const std::optional<double>& field);  // "" if there is none
std::string field_text(const std::string& field);
std::string field_text(PointState field);
std::string field_text(const std::vector<std::string>& field);  // "a, b and c"

// A list of texts as JSON, and back: none if the text is no such list.
std::string list_text(const std::vector<std::string>& list);
std::optional<std::vector<std::string>> read_list(const std::string& text);

// "energy_pj is 3 and 4, cycles is 7 and 8": the fields in which two records differ; "seconds" does not count.
template <class Record>
std::string difference(const Record& a, const Record& b) {
  std::vector<std::string> texts;
  visit_fields(a, [&](const char*, const auto& field) { texts.push_back(field_text(field)); });
  std::string out;
  std::size_t i = 0;
  visit_fields(b, [&](const char* name, const auto& field) {
    const std::string& old = texts[i++];
    const std::string now = field_text(field);
    if (old != now && name != std::string_view("seconds"))
      out += (out.empty() ? "" : ", ") + std::string(name) + " is " + old + " and " + now;
  });
  return out;
}

}  // namespace heliolite
