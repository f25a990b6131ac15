#pragma once
// What a publication says of mappers, as a suite's file states it.
#include "engine/base/yaml_node.h"
#include "engine/search/study/bench_analysis.h"

namespace heliolite::cli {

// Reads one element of `published`. Complains also about mappers that the suite's strategies and tables do not have,
// so these are read before.
PublishedClaim published_claim(const YamlNode& node, const BenchSuite& suite, Diagnostics& errors);

}  // namespace heliolite::cli
