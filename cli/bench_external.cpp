#include "cli/bench_external.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <map>
#include <optional>

#include "engine/base/text.h"
#include "engine/base/text_file.h"

namespace heliolite::cli {
namespace {

constexpr std::size_t kNoColumn = ~std::size_t{0};
constexpr double kMostValue = 1e90;  // products of three stay finite
constexpr double kMostEvaluated = 9e15;

// Parts between commas, empty ones included.
std::vector<std::string> cells_of(std::string_view line) {
  std::vector<std::string> out;
  for (std::size_t begin = 0; begin <= line.size();) {
    const std::size_t end = std::min(line.find(',', begin), line.size());
    out.emplace_back(trim(line.substr(begin, end - begin)));
    begin = end + 1;
  }
  return out;
}

class RowsReader {
 public:
  RowsReader(const std::string& path, Objective objective) : path_(path), objective_(objective) {}

  Result<std::vector<ExternalResult>> run(std::string_view text) {
    for (std::size_t begin = 0; begin < text.size();) {
      const std::size_t end = std::min(text.find('\n', begin), text.size());
      const std::string_view line = trim(text.substr(begin, end - begin));
      begin = end + 1;
      ++line_;
      if (line.empty() || line.front() == '#') continue;
      if (!headed_) {
        read_header(cells_of(line));
      } else {
        read_row(cells_of(line));
      }
      if (!headed_) break;
    }
    if (line_ == 0 || (!headed_ && errors_.empty())) complain("", "has no header line with the names of its columns");
    if (!errors_.empty()) return std::move(errors_);
    return std::move(rows_);
  }

 private:
  void complain(const std::string& field, std::string message) {
    errors_.push_back({path_, std::max(line_, 1), field, std::move(message)});
  }

  // Place of the first of these columns.
  std::size_t column(std::initializer_list<const char*> names) const {
    for (const char* name : names) {
      const auto at = std::find(header_.begin(), header_.end(), name);
      if (at != header_.end()) return static_cast<std::size_t>(at - header_.begin());
    }
    return kNoColumn;
  }

  void read_header(std::vector<std::string> names) {
    for (std::string& name : names) name = lower(name);
    header_ = std::move(names);
    column_ = {{"machine", column({"machine"})},       {"layer", column({"layer"})},
               {"mapper", column({"mapper", "tool"})}, {"setting", column({"setting"})},
               {"value", column({"value"})},           {"energy_pj", column({"energy_pj"})},
               {"cycles", column({"cycles"})},         {"objective", column({"objective"})},
               {"evaluated", column({"evaluated"})},   {"seconds", column({"seconds", "cpu_s"})}};
    for (const char* name : {"machine", "layer", "mapper"})
      if (column_[name] == kNoColumn)
        complain("",
                 fmt::format("missing column '{}'{}; columns: {}", name, did_you_mean(name, header_), join(header_)));
    if (column_["value"] == kNoColumn && (column_["energy_pj"] == kNoColumn || column_["cycles"] == kNoColumn))
      complain("", fmt::format("missing column 'value', or 'energy_pj' and 'cycles'; columns: {}", join(header_)));
    headed_ = errors_.empty();
  }

  void read_row(const std::vector<std::string>& cells) {
    if (cells.size() != header_.size())
      return complain("", fmt::format("{} cells, the header has {}", cells.size(), header_.size()));
    const auto text = [&](const char* name) {
      const std::size_t at = column_.at(name);
      return at == kNoColumn ? std::string() : cells[at];
    };
    if (!text("objective").empty()) {
      const auto objective = parse_objective(lower(text("objective")));
      if (!objective)
        return complain("objective", fmt::format("'{}', must be edp, energy, delay or ed2p", text("objective")));
      if (*objective != objective_) return;
    }
    ExternalResult row{text("machine"), text("layer"), text("mapper"), 0, {}, {}};
    if (row.machine.empty() || row.layer.empty() || row.mapper.empty())
      return complain("", "machine, layer and mapper must not be empty");
    if (!text("setting").empty()) row.mapper += " (" + text("setting") + ")";
    if (!text("seconds").empty()) row.seconds = number("seconds", text("seconds"));
    if (!text("evaluated").empty())
      if (const auto n = number("evaluated", text("evaluated"), kMostEvaluated)) row.evaluated = static_cast<u64>(*n);
    if (const auto value = value_of(text("value"), text("energy_pj"), text("cycles"))) {
      row.value = *value;
      rows_.push_back(std::move(row));
    }
  }

  std::optional<double> value_of(const std::string& value, const std::string& energy, const std::string& cycles) {
    if (!value.empty()) return number("value", value);
    const auto pj = number("energy_pj", energy), time = number("cycles", cycles);
    if (!pj || !time) return std::nullopt;
    switch (objective_) {
      case Objective::Energy: return pj;
      case Objective::Delay: return time;
      case Objective::Edp: return *pj * *time;
      case Objective::Ed2p: return *pj * *time * *time;
    }
    return std::nullopt;
  }

  std::optional<double> number(const char* name, const std::string& text, double most = kMostValue) {
    double value = 0;
    const auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), value);
    if (problem == std::errc() && end == text.data() + text.size() && value > 0 && value <= most) return value;
    complain(name, fmt::format("'{}', must be a number above 0 and at most {:g}", text, most));
    return std::nullopt;
  }

  const std::string& path_;
  Objective objective_;
  int line_ = 0;
  bool headed_ = false;
  std::vector<std::string> header_;
  std::map<std::string, std::size_t> column_;
  std::vector<ExternalResult> rows_;
  Diagnostics errors_;
};

}  // namespace

Result<std::vector<ExternalResult>> load_external_results(const std::string& path, Objective objective) {
  const Result<std::string> text = read_text_file(path);
  if (!text) return text.errors();
  return RowsReader(path, objective).run(*text);
}

}  // namespace heliolite::cli
