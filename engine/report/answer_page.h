#pragma once
// The page of one answer: a network on a machine as `heliolite map --json` writes it, for people who decide and do not
// have the program. One HTML file without scripts, in the colours of a sweep's page; it opens without a network and
// prints.
#include <optional>
#include <string>
#include <string_view>

#include "engine/base/result.h"

namespace heliolite {

// `answer`: the text of the JSON file `file` (docs/json.md). `program`: what made the page. Errors: not JSON, not an
// answer of `map`, or one without the breakdowns that the page shows.
Result<std::string> answer_page(std::string_view answer, const std::string& file, const std::string& program);

// The text of `file` if it holds a JSON object, as an answer does. None: it is a database, or nothing that can be read.
std::optional<std::string> map_answer_text(const std::string& file);

}  // namespace heliolite
