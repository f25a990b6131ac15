#include "engine/verify/json_record.h"

#include <fmt/format.h>

namespace heliolite {

using nlohmann::json;

namespace {

// Finds the byte where parsing stops, without exceptions.
class SyntaxProbe : public nlohmann::json_sax<json> {
 public:
  std::size_t position = 0;
  bool null() override { return true; }
  bool boolean(bool) override { return true; }
  bool number_integer(number_integer_t) override { return true; }
  bool number_unsigned(number_unsigned_t) override { return true; }
  bool number_float(number_float_t, const string_t&) override { return true; }
  bool string(string_t&) override { return true; }
  bool binary(binary_t&) override { return true; }
  bool start_object(std::size_t) override { return true; }
  bool key(string_t&) override { return true; }
  bool end_object() override { return true; }
  bool start_array(std::size_t) override { return true; }
  bool end_array() override { return true; }
  bool parse_error(std::size_t at, const std::string&, const nlohmann::detail::exception&) override {
    position = at;
    return false;
  }
};

}  // namespace

Result<json> parse_record_line(std::string_view text, const std::string& file, int line) {
  json root = json::parse(text, nullptr, /*allow_exceptions=*/false);
  if (root.is_discarded()) {
    SyntaxProbe probe;
    json::sax_parse(text, &probe);
    return Diagnostic{file, line, "", fmt::format("is not JSON: unexpected text at column {}", probe.position)};
  }
  if (!root.is_object()) return Diagnostic{file, line, "", "must be a JSON object, one record a line"};
  return root;
}

const json* record_member(const json& object, const char* key, json::value_t type, const char* what,
                          RecordComplaints& complaints) {
  const auto it = object.find(key);
  if (it == object.end()) {
    complaints.add(key, "is missing");
  } else if (it->type() != type) {
    complaints.add(key, fmt::format("must be {}", what));
  } else {
    return &*it;
  }
  return nullptr;
}

std::string record_string(const json& object, const char* key, RecordComplaints& complaints) {
  const json* value = record_member(object, key, json::value_t::string, "a string", complaints);
  return value != nullptr ? value->get<std::string>() : "";
}

std::string shown(const json& value) { return value.is_primitive() ? value.dump() : value.type_name(); }

}  // namespace heliolite
