#include "cli/bench/bench_short.h"

#include <algorithm>
#include <utility>
#include <vector>

namespace heliolite::cli {

void shorten(BenchSuite& suite, const ShortForm& form) {
  if (form.layers && *form.layers < suite.layers.size()) {
    std::vector<BenchLayer> chosen;
    for (std::size_t k = 0; k < *form.layers; ++k)
      chosen.push_back(std::move(suite.layers[k * suite.layers.size() / *form.layers]));
    suite.layers = std::move(chosen);
  }
  if (!form.seconds) return;
  for (BenchStrategy& s : suite.strategies)
    s.options.budget_seconds = std::min(*form.seconds, s.options.budget_seconds.value_or(*form.seconds));
}

}  // namespace heliolite::cli
