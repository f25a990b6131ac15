#pragma once
// --word-size TENSOR=SIZE of the kinds of bound.
#include <fmt/format.h>

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "engine/base/integers.h"
#include "engine/base/parse_number.h"
#include "engine/base/result.h"
#include "engine/base/text.h"
#include "workloads/workload.h"

namespace heliolite::cli {

// Words that an element takes, where they need not be whole.
inline constexpr double kLeastWordSize = 1.0 / 64, kMostWordSize = 64;

// Reads "A=2" into sizes[v] of tensor A and of every other access of the array that A stands for. Complains about an
// unknown tensor, and about a size that is not from `low` to `high`: `allowed` then follows "must be TENSOR=".
template <class Number>
void read_word_size(const std::string& text, const Workload& workload, Number low, Number high,
                    std::string_view allowed, std::span<Number> sizes, Diagnostics& errors) {
  const std::size_t equals = text.find('=');
  const std::string name = text.substr(0, equals);
  const std::string number = equals == std::string::npos ? "" : text.substr(equals + 1);
  const std::optional<int> tensor = workload.find_tensor(name);
  if (!tensor) {
    std::vector<std::string> names;
    for (const Tensor& t : workload.tensors) names.push_back(t.name);
    errors.push_back({"", 0, "--word-size",
                      fmt::format("unknown tensor '{}' of {}{}; tensors: {}", name, workload.name,
                                  did_you_mean(name, names), join(names))});
    return;
  }
  const std::optional<Number> size = parse_number<Number>(number);
  if (!size || !(*size >= low && *size <= high)) {
    errors.push_back({"", 0, "--word-size", fmt::format("'{}' must be TENSOR={}, like {}=2", text, allowed, name)});
    return;
  }
  // An Einsum may read one array several times.
  const auto array = [&](int v) { return workload.tensors[at(v)].access_of.value_or(v); };
  for (int v = 0; v < static_cast<int>(workload.tensors.size()); ++v)
    if (array(v) == array(*tensor)) sizes[at(v)] = *size;
}

}  // namespace heliolite::cli
