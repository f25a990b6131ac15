#pragma once
// The page of a suite that was run: one HTML file with plots and tables, without scripts.
#include <string>
#include <vector>

#include "engine/search/study/bench_analysis.h"

namespace heliolite {

// A browser shows it from a file, without a network. `program`: which one made it.
std::string bench_page(const BenchSuite& suite, const std::vector<BenchRow>& rows, const BenchAnalysis& analysis,
                       const std::string& program);

}  // namespace heliolite
