#include "workloads/onnx/options.h"

#include <fmt/format.h>

#include <algorithm>

#include "engine/base/parse_number.h"
#include "engine/base/shortened.h"
#include "engine/base/text.h"
#include "workloads/onnx/value.h"

namespace heliolite::onnx {
namespace {

constexpr std::string_view kValue = "value:", kElementwise = "elementwise";

}  // namespace

std::optional<Merge> find_merge(std::string_view name) {
  const auto found = std::ranges::find(kMergeNames, name);
  if (found == kMergeNames.end()) return std::nullopt;
  return static_cast<Merge>(found - kMergeNames.begin());
}

std::string option_key(std::string_view option) {
  const std::size_t equals = option.rfind('=');
  const std::string_view key = trim(option.substr(0, equals));
  return key == kElementwise ? fmt::format("{}={}", key, trim(option.substr(equals + 1))) : std::string(key);
}

Diagnostics add_options(std::string_view text, const std::string& file, Options& options) {
  Diagnostics errors;
  const auto complain = [&](std::string message) { errors.push_back({shortened(file), 0, "", std::move(message)}); };
  for (const std::string& option : split(text, ',')) {
    const std::size_t equals = option.rfind('=');
    const std::string key(trim(std::string_view(option).substr(0, equals)));
    const std::string value(equals == std::string::npos ? "" : trim(std::string_view(option).substr(equals + 1)));
    if (option == "skip-unknown") {
      options.skip_unknown = true;
    } else if (option == "types") {
      options.types = true;
    } else if (key == "merge") {
      options.merge = find_merge(value);
      const std::vector<std::string> names(kMergeNames.begin(), kMergeNames.end());
      if (!options.merge) complain(fmt::format("merge = {}, must be {}", shortened(value), join(names, "or")));
    } else if (key == kElementwise) {
      if (value.empty()) complain("elementwise = '', must be an operator, as my.domain::Op");
      options.elementwise.insert(value);
    } else if (key.starts_with(kValue)) {
      const std::optional<i64> number = parse_number<i64>(value);
      if (!number) complain(fmt::format("{} = {}, must be an integer", shortened(key), shortened(value)));
      options.values[key.substr(kValue.size())] = number.value_or(0);
    } else {
      const std::optional<i64> size = parse_number<i64>(value);
      if (key.empty() || !size || *size < 0 || *size > kMaxSize) {
        complain(fmt::format("{} = {}, must be a size from 0 to {} ({}=1)", shortened(key), shortened(value), kMaxSize,
                             key.empty() ? "batch" : shortened(key)));
      } else if (const auto [known, added] = options.dims.emplace(key, *size); !added && known->second != *size) {
        complain(fmt::format("{} is both {} and {}", shortened(key), known->second, *size));
      }
    }
  }
  return errors;
}

}  // namespace heliolite::onnx
