#pragma once
// Files of records: one JSON object on a line, its members by type, the lines themselves, and the machines and
// workloads that records name.
#include <cstddef>
#include <fstream>
#include <functional>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>

#include "arch/architecture.h"
#include "engine/base/result.h"
#include "engine/base/types.h"
#include "workloads/workload.h"

namespace heliolite {

// Reading records that are one JSON object on a line: members by type, complaints with file and line.

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

// The member `key`, which must be true or false; none, after a complaint, if it is not.
std::optional<bool> record_flag(const nlohmann::json& object, const char* key, RecordComplaints& complaints);

// Reads a text file of records line by line; refuses lines that are longer than any record instead of filling the
// memory.

// A file with this many bad lines is not read further.
inline constexpr std::size_t kMaxBadLines = 20;

// Reads the lines of one file.
class LineReader {
 public:
  // Longer lines are refused; real records have some 3 kB.
  static constexpr std::size_t kMaxLineBytes = 16u << 20;

  explicit LineReader(const std::string& path) : stream_(path, std::ios::binary) {}

  bool is_open() const { return stream_.is_open(); }
  // The next line without its end; false when there is none.
  bool next(std::string& line);
  // Whether next() ended at a line that is too long.
  bool too_long() const { return too_long_; }

 private:
  std::ifstream stream_;
  bool too_long_ = false;
};

// Calls `line` with every line that is not blank and its number, from 1, until it returns false. Errors: no such file,
// a folder, a line that is too long.
Diagnostics for_each_line(const std::string& path, const std::function<bool(const std::string&, int)>& line);

// Which records of a file are verified.
struct RecordSelection {
  std::optional<std::string> group;  // only records of this mode, set or machine, whichever the file has
  std::optional<std::string> id;     // only this record
  std::optional<u64> limit;          // at most this many records, skipped ones included
  u64 show = 5;                      // keep this many mismatched records with their differences
};

// A file of records, and the machines and workloads in folders beside it that they name, each read once. What cannot be
// read is complained about once, and is null from then on.
class RecordFile {
 public:
  // `one_workload`: what a workload's file must be, for complaints: "a single workload".
  RecordFile(const std::string& path, const char* machines, const char* workloads, const char* one_workload)
      : path_(path), machine_folder_(machines), workload_folder_(workloads), one_workload_(one_workload) {}

  // Calls `record` with each line until it returns false, or until too many lines are bad.
  void read(const std::function<bool(const std::string&, int)>& record);

  const Architecture* machine(const std::string& name);
  const Workload* workload(const std::string& name);

  const std::string& path() const { return path_; }
  bool has_errors() const { return !errors_.empty(); }
  const Diagnostics& errors() const { return errors_; }
  void complain(const Diagnostics& errors);
  void refuse(const std::string& why) { complain({{path_, 0, "", why}}); }  // the file as a whole

 private:
  std::string beside(const char* folder, const std::string& name) const;

  std::string path_;
  const char *machine_folder_, *workload_folder_, *one_workload_;
  Diagnostics errors_;
  std::map<std::string, std::optional<Architecture>> machines_;
  std::map<std::string, std::optional<Workload>> workloads_;
};

}  // namespace heliolite
