#include "engine/search/core/evaluator_options.h"

#include <fmt/format.h>

#include <optional>
#include <string>
#include <vector>

#include "engine/base/parse_number.h"
#include "engine/base/text.h"
#include "engine/search/core/limits.h"

namespace heliolite {

SearchOption evaluator_option() {
  return {"evaluator",
          "",
          "COMMAND",
          "minimise the number that this command answers to a mapping on its standard input; run by /bin/sh",
          "a command",
          "",
          {},
          [](SearchOptions& o, std::string_view text) {
            if (trim(text).empty()) return false;
            o.evaluator.command = text;
            return true;
          },
          [](const SearchOptions& o) {
            return o.evaluator.command.empty() ? OptionValue() : OptionValue(o.evaluator.command);
          }};
}

SearchOption evaluator_protocol_option() {
  const std::vector<std::string> names = evaluator_protocol_names();
  return {"evaluator-protocol",
          "",
          "NAME",
          "a process of the evaluator for each mapping, or one that answers a line to each: " + join(names, "or"),
          join(names, "or"),
          std::string(name(EvaluatorProtocol::Once)),
          names,
          [](SearchOptions& o, std::string_view text) {
            const auto protocol = parse_evaluator_protocol(lower(std::string(text)));
            if (protocol) o.evaluator.protocol = *protocol;
            return protocol.has_value();
          },
          [](const SearchOptions& o) { return OptionValue(std::string(name(o.evaluator.protocol))); }};
}

SearchOption evaluator_seconds_option() {
  return {"evaluator-seconds",
          "",
          "SECONDS",
          "that the evaluator's answer to a mapping may take",
          fmt::format("seconds above 0 and at most {:g}", kMaxBudgetSeconds),
          fmt::format("{:g}", kEvaluatorSeconds),
          {},
          [](SearchOptions& o, std::string_view text) {
            const std::optional<double> seconds = parse_number<double>(text);
            if (!seconds || *seconds <= 0 || *seconds > kMaxBudgetSeconds) return false;
            o.evaluator.seconds = *seconds;
            return true;
          },
          [](const SearchOptions& o) { return OptionValue(o.evaluator.seconds); },
          false,
          {},
          NumberRange{0, kMaxBudgetSeconds}};
}

}  // namespace heliolite
