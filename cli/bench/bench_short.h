#pragma once
// The short form of a suite: fewer layers, less time for each search.
#include <optional>
#include <string>

#include "engine/search/study/bench_suite.h"

namespace heliolite::cli {

struct ShortForm {
  std::optional<std::size_t> layers;  // so many of the suite's, evenly spread over its list
  std::optional<double> seconds;      // no search may take longer; smaller budgets of the suite stay

  bool asked() const { return layers || seconds; }
};

// A suite that has not more layers stays whole.
void shorten(BenchSuite& suite, const ShortForm& form);

}  // namespace heliolite::cli
