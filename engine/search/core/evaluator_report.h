#pragma once
// What an evaluator is asked for, and what came of it (docs/evaluator.md). evaluator.h talks to it.
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "engine/base/types.h"

namespace heliolite {

// How a command is talked to. Once: a process for each mapping, which has its standard input to itself. Stream: a
// process that answers one mapping after the other.
enum class EvaluatorProtocol : u8 { Once, Stream };
std::string_view name(EvaluatorProtocol protocol);  // "once", "stream"
std::optional<EvaluatorProtocol> parse_evaluator_protocol(std::string_view name);
std::vector<std::string> evaluator_protocol_names();

inline constexpr double kEvaluatorSeconds = 60;  // time for one mapping, unless asked otherwise
// How many failures in a row end a search, as Timeloop's mappers do after mappings that do not fit.
inline constexpr u64 kMostFailures = 1'000;

struct EvaluatorOptions {
  std::string command;  // run by /bin/sh; empty: values are the cost model's
  EvaluatorProtocol protocol = EvaluatorProtocol::Once;
  double seconds = kEvaluatorSeconds;  // that an answer may take
};

// What came of it in one layer's search.
struct EvaluatorReport {
  double value = 0;           // that the command gave to the mapping found, if there is one
  u64 evaluations = 0;        // mappings that the command was asked about, each once
  u64 failures = 0;           // mappings that got no value
  u64 repeated = 0;           // mappings met again, whose answer was known
  std::string first_failure;  // what was wrong; empty without failures
};

}  // namespace heliolite
