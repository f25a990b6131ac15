#include "engine/formats/network_request.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <string_view>
#include <utility>
#include <vector>

#include "engine/base/embedded.h"
#include "engine/base/text.h"

namespace heliolite {
namespace {

// Both sides of "key = value"; the value is empty where there is none.
std::pair<std::string_view, std::string_view> key_and_value(std::string_view option) {
  const std::size_t equals = option.find('=');
  return {trim(option.substr(0, equals)), equals == std::string_view::npos ? "" : trim(option.substr(equals + 1))};
}

}  // namespace

NetworkRequest parse_network_request(const std::string& what) {
  NetworkRequest request;
  const std::size_t at = what.rfind('@');
  if (at != std::string::npos) request.options = what.substr(at + 1);
  request.name = what.substr(0, at);
  const std::size_t slash = request.name.find('/');
  if (slash != std::string::npos && workload_preset(request.name.substr(0, slash))) {
    request.layer = request.name.substr(slash + 1);
    request.name.resize(slash);
  }
  return request;
}

Result<NetworkOptions> parse_network_options(const NetworkRequest& request) {
  NetworkOptions options;
  if (!request.options) return options;
  const std::string what = request.name + "@" + *request.options;
  Diagnostics errors;
  const auto complain = [&](std::string message) { errors.push_back({shortened(what), 0, "", std::move(message)}); };
  if (trim(*request.options).empty()) complain("nothing after '@', must be batch=N or pass=weight_update");
  for (const std::string& option : split(*request.options, ',')) {
    const auto [key, value] = key_and_value(option);
    if (key == "batch") {
      const bool digits = !value.empty() && value.size() <= 7 &&
                          std::ranges::all_of(value, [](char c) { return c >= '0' && c <= '9'; });
      const u64 batch = digits ? static_cast<u64>(std::stoul(std::string(value))) : 0;
      if (batch < 1 || batch > kMaxBatch)
        complain(fmt::format("batch = {}, must be an integer from 1 to {}", shortened(value), kMaxBatch));
      else options.batch = batch;
    } else if (key == "pass") {
      options.pass = find_pass(value);
      if (!options.pass) complain(fmt::format("pass = {}, must be forward or weight_update", shortened(value)));
    } else {
      const std::vector<std::string> known{"batch", "pass"};
      complain(fmt::format("unknown option '{}', must be batch or pass{}", shortened(key), did_you_mean(key, known)));
    }
  }
  if (!errors.empty()) return errors;
  return options;
}

Result<OperatorRequest> parse_operators(const std::string& what) {
  OperatorRequest out{what};
  const std::size_t at = what.rfind('@');
  if (at == std::string::npos || what.find("operators=", at) == std::string::npos) return out;
  Diagnostics errors;
  std::vector<std::string> others;
  const std::map<std::string_view, u64*, std::less<>> prices{{"exponential", &out.prices.exponential},
                                                             {"activation", &out.prices.activation}};
  for (const std::string& option : split(what.substr(at + 1), ',')) {
    const auto [key, value] = key_and_value(option);
    if (key == "operators") {
      out.layers = value == "unit";
      if (value != "unit" && value != "free")
        errors.push_back(
            {shortened(what), 0, "", fmt::format("operators = {}, must be free or unit", shortened(value))});
    } else if (const auto price = prices.find(key); price != prices.end()) {
      const std::optional<u64> number = parse_number<u64>(value);
      if (number && *number >= 1 && *number <= kMaxOperationsOfPoint / 2) *price->second = *number;
      else
        errors.push_back({shortened(what), 0, "",
                          fmt::format("{} = {}, must be an integer from 1 to {}: operations of a compute unit", key,
                                      shortened(value), kMaxOperationsOfPoint / 2)});
    } else {
      others.push_back(option);
    }
  }
  if (!errors.empty()) return errors;
  out.what = what.substr(0, at) + (others.empty() ? "" : fmt::format("@{}", fmt::join(others, ",")));
  return out;
}

}  // namespace heliolite
