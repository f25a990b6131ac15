#include "cli/bound/experiment_measures.h"

#include <algorithm>

namespace heliolite::cli {

const std::vector<Measure>& measures() {
  static const std::vector<Measure> all = [] {
    std::vector<Measure> list = curve_measures();
    for (const auto& part : {bound_measures(), published_measures(), program_measures()})
      list.insert(list.end(), part.begin(), part.end());
    return list;
  }();
  return all;
}

std::vector<std::string> measure_names() {
  std::vector<std::string> names;
  for (const Measure& m : measures()) names.emplace_back(m.name);
  return names;
}

const Measure* find_measure(std::string_view name) {
  const auto at = std::ranges::find(measures(), name, &Measure::name);
  return at == measures().end() ? nullptr : &*at;
}

}  // namespace heliolite::cli
