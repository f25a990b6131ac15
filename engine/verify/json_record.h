#pragma once
// Reading records that are one JSON object on a line: members by type, complaints with file and line.
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

#include "engine/base/result.h"

namespace heliolite {

// Complaints about one record.
class RecordComplaints {
 public:
  RecordComplaints(std::string file, int line) : file_(std::move(file)), line_(line) {}

  void add(std::string field, std::string message) {
    errors_.push_back({file_, line_, std::move(field), std::move(message)});
  }
  const Diagnostics& errors() const { return errors_; }
  bool empty() const { return errors_.empty(); }

 private:
  std::string file_;
  int line_;
  Diagnostics errors_;
};

// The object of one line. Errors: not JSON (with the column), not an object.
Result<nlohmann::json> parse_record_line(std::string_view text, const std::string& file, int line);

// The member `key` if it is of the wanted type; complains and returns null otherwise. `what` names the type in the
// complaint: "a string".
const nlohmann::json* record_member(const nlohmann::json& object, const char* key, nlohmann::json::value_t type,
                                    const char* what, RecordComplaints& complaints);

// The text of the member `key`; empty, after a complaint, if it is missing or no string.
std::string record_string(const nlohmann::json& object, const char* key, RecordComplaints& complaints);

// A value as complaints show it.
std::string shown(const nlohmann::json& value);

}  // namespace heliolite
