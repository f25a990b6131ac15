#include "engine/verify/json_record.h"

#include <fmt/format.h>
#include <filesystem>
#include <utility>

#include "engine/base/file_claims.h"
#include "engine/base/text.h"
#include "engine/formats/load_architecture.h"
#include "engine/formats/load_network.h"
#include "workloads/network.h"

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
  if (it == object.end()) complaints.add(key, "is missing");
  else if (it->type() != type) complaints.add(key, fmt::format("must be {}", what));
  else return &*it;
  return nullptr;
}

std::string record_string(const json& object, const char* key, RecordComplaints& complaints) {
  const json* value = record_member(object, key, json::value_t::string, "a string", complaints);
  return value != nullptr ? value->get<std::string>() : "";
}

std::optional<bool> record_flag(const json& object, const char* key, RecordComplaints& complaints) {
  const json* value = record_member(object, key, json::value_t::boolean, "true or false", complaints);
  return value != nullptr ? std::optional(value->get<bool>()) : std::nullopt;
}

std::string shown(const json& value) { return value.is_primitive() ? value.dump() : value.type_name(); }

bool LineReader::next(std::string& line) {
  line.clear();
  std::streambuf* buffer = stream_.rdbuf();
  for (int c = buffer->sbumpc(); c != std::char_traits<char>::eof(); c = buffer->sbumpc()) {
    if (c == '\n') return true;
    if (line.size() == kMaxLineBytes) {
      too_long_ = true;
      return true;
    }
    line += static_cast<char>(c);
  }
  return !line.empty();
}

Diagnostics for_each_line(const std::string& path, const std::function<bool(const std::string&, int)>& line) {
  std::error_code ignored;
  if (std::filesystem::is_directory(path, ignored)) return {{path, 0, "", "is a directory, not a file of records"}};
  // Records name machines and workloads beside their file; a pipe has nothing beside it, and is read only once.
  if (std::filesystem::exists(path, ignored) && !std::filesystem::is_regular_file(path, ignored))
    return {{path, 0, "", "is no regular file: records name files beside theirs"}};
  if (Diagnostics taken = FileClaims::of_program().read(path); !taken.empty()) return taken;
  LineReader lines(path);
  if (!lines.is_open()) return {{path, 0, "", "cannot be read: no such file, or no permission"}};
  std::string text;
  for (int number = 1; lines.next(text); ++number) {
    if (lines.too_long()) return {{path, number, "", "is not a file of records: a line of more than 16 MiB"}};
    if (!trim(text).empty() && !line(text, number)) break;
  }
  return {};
}

void RecordFile::read(const std::function<bool(const std::string&, int)>& record) {
  bool has_lines = false;
  const Diagnostics unreadable = for_each_line(path_, [&](const std::string& line, int number) {
    has_lines = true;
    return record(line, number) && errors_.size() < kMaxBadLines;
  });
  if (!unreadable.empty()) errors_ = unreadable;
  else if (!has_lines) refuse("has no records");
}

const Architecture* RecordFile::machine(const std::string& name) {
  const auto [entry, is_new] = machines_.try_emplace(name);
  if (is_new) {
    Result<Architecture> loaded = load_architecture(beside(machine_folder_, name));
    if (loaded) entry->second = *std::move(loaded);
    else complain(loaded.errors());
  }
  return entry->second ? &*entry->second : nullptr;
}

const Workload* RecordFile::workload(const std::string& name) {
  const auto [entry, is_new] = workloads_.try_emplace(name);
  if (is_new) {
    const std::string file = beside(workload_folder_, name);
    Result<Network> loaded = load_network(file);
    if (loaded && loaded->layers.size() == 1) entry->second = std::move(loaded->layers.front().workload);
    else if (loaded) complain({{file, 0, "", fmt::format("must be {}, not a network", one_workload_)}});
    else complain(loaded.errors());
  }
  return entry->second ? &*entry->second : nullptr;
}

void RecordFile::complain(const Diagnostics& errors) { errors_.insert(errors_.end(), errors.begin(), errors.end()); }

std::string RecordFile::beside(const char* folder, const std::string& name) const {
  const std::string file = name.find('.') == std::string::npos ? name + ".yaml" : name;
  return (std::filesystem::path(path_).parent_path() / folder / file).string();
}

}  // namespace heliolite
