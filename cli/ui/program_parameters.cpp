#include "cli/ui/program_parameters.h"

#include <fmt/format.h>

#include <algorithm>

#include "engine/search/core/limits.h"

namespace heliolite::cli {
namespace {

Result<std::pair<std::string, i64>> read_parameter(const std::string& text) {
  const std::size_t equals = text.find('=');
  const Diagnostic wrong{"", 0, "--param", fmt::format("'{}': must be NAME=NUMBER, e.g. N=1000", text)};
  if (equals == std::string::npos || equals == 0) return wrong;
  const std::string digits = text.substr(equals + 1);
  if (digits.empty() || digits.size() > 12 || !std::ranges::all_of(digits, [](char c) { return c >= '0' && c <= '9'; }))
    return wrong;
  return std::pair{text.substr(0, equals), static_cast<i64>(std::stoll(digits))};
}

}  // namespace

bool is_program(std::string_view workload) { return workload.ends_with(".c"); }

void add_budget_option(CLI::App& command, std::optional<double>& seconds) {
  command.add_option("--budget", seconds, "C programs: end after so many seconds with what is known")
      ->type_name("SECONDS")
      ->check(CLI::Range(1e-3, kMaxBudgetSeconds).description(""));
}

Result<std::vector<std::pair<std::string, i64>>> read_parameters(const std::vector<std::string>& texts) {
  std::vector<std::pair<std::string, i64>> parameters;
  Diagnostics errors;
  for (const std::string& text : texts) {
    const auto parameter = read_parameter(text);
    if (parameter) parameters.push_back(*parameter);
    else errors.insert(errors.end(), parameter.errors().begin(), parameter.errors().end());
  }
  if (!errors.empty()) return errors;
  return parameters;
}

}  // namespace heliolite::cli
