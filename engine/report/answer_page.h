#pragma once
// Pages of one answer each, for people who decide and do not have the program: a network on a machine as
// `heliolite map --json` writes it, the same with layers fused, and a suite that was run. One HTML file without
// scripts, in the colours of a sweep's page; it opens without a network and prints.
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "engine/base/result.h"

namespace heliolite {

struct BenchAnalysis;
struct BenchRow;
struct BenchSuite;

// `answer`: the text of the JSON file `file` (docs/json.md). `program`: what made the page. Errors: not JSON, not an
// answer of `map`, or one without the breakdowns that the page shows.
Result<std::string> answer_page(std::string_view answer, const std::string& file, const std::string& program);

// The text of `file` if it holds a JSON object, as an answer does. None: it is a database, or nothing that can be read.
std::optional<std::string> map_answer_text(const std::string& file);

// The page of a suite that was run, with plots and tables.
std::string bench_page(const BenchSuite& suite, const std::vector<BenchRow>& rows, const BenchAnalysis& analysis,
                       const std::string& program);

// Whether an answer is of a network whose layers may be fused, as `map --fuse --json` writes it.
bool is_schedule_answer(const nlohmann::ordered_json& answer);

// The page of such an answer: what it costs and how sure that is, fused and not; the layers as a graph with their
// groups, and what lives at the fusing level over time; groups, layers and edges.
std::string schedule_page(const nlohmann::ordered_json& answer, const std::string& program);

}  // namespace heliolite
