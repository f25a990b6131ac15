#include "engine/search/options_yaml.h"

#include <fmt/format.h>

#include <algorithm>

#include "engine/base/byte_size.h"
#include "engine/base/text.h"
#include "engine/search/search_limits.h"

namespace heliolite {

void read_search_options(MapReader& reader, SearchOptions& options, Diagnostics& errors) {
  const auto most = static_cast<i64>(kMaxCount);
  if (const auto seconds = read_budget(reader, kMaxBudgetSeconds, errors)) options.budget_seconds = seconds;
  if (const auto n = reader.integer("evaluations", 1, most)) options.budget_evaluations = static_cast<u64>(*n);
  if (const auto memory = reader.child("memory")) {
    if (const auto bytes = parse_memory(memory->text())) options.memory_bytes = *bytes;
    else errors.push_back(memory->error(fmt::format("memory = {}, must be {}", memory->text(), kMemorySizes)));
  }
  if (const auto n = reader.integer("seed", 0, most)) options.seed = static_cast<u64>(*n);
  if (const auto n = reader.integer("victory", 1, most)) options.victory = static_cast<u64>(*n);
  options.imperfect = reader.boolean("imperfect").value_or(options.imperfect);
  options.free = reader.boolean("free").value_or(options.free);
  for (const std::string& word : reader.words("without").value_or(std::vector<std::string>{})) {
    if (const auto rule = parse_rule(word)) {
      options.rules.set(*rule, false);
    } else {
      errors.push_back(reader.child("without")->error(
          fmt::format("'{}' is not a rule{}; rules: {}", word, did_you_mean(word, rule_names()), join(rule_names()))));
    }
  }
}

std::optional<double> read_budget(MapReader& reader, double most, Diagnostics& errors) {
  const auto seconds = reader.number("budget", 0, most);
  if (!seconds || *seconds > 0) return seconds;
  errors.push_back(reader.child("budget")->error("budget = 0, must be seconds above 0"));
  return std::nullopt;
}

std::optional<u64> parse_memory(std::string_view text) {
  const std::optional<double> bytes = parse_bytes(text);
  if (!bytes || *bytes < 1 || *bytes > static_cast<double>(kMaxCount)) return std::nullopt;
  return static_cast<u64>(*bytes);
}

void check_strategy(const YamlNode& node, const std::string& name, Diagnostics& errors) {
  const std::vector<std::string> known = strategy_names();
  if (std::ranges::find(known, name) != known.end()) return;
  errors.push_back(node.error(
      fmt::format("'{}' is not a strategy{}; strategies: {}", name, did_you_mean(name, known), join(known))));
}

}  // namespace heliolite
