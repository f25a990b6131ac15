#include "engine/formats/onnx/report.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "engine/base/text.h"

namespace heliolite::onnx {

std::string_view name(Fate fate) {
  switch (fate) {
    case Fate::Layer: return "layer";
    case Fate::Passed: return "passed";
    case Fate::Ignored: return "ignored";
    case Fate::Constant: return "constant";
    case Fate::Inlined: return "inlined";
    case Fate::Refused: return "refused";
  }
  return "";
}

std::vector<const NodeReport*> Report::refused() const {
  std::vector<const NodeReport*> out;
  for (const NodeReport& node : nodes)
    if (node.fate == Fate::Refused) out.push_back(&node);
  return out;
}

std::string Report::counts(Fate fate) const {
  std::map<std::string, std::size_t> by_operator;
  for (const NodeReport& node : nodes)
    if (node.fate == fate) ++by_operator[node.op];
  std::vector<std::pair<std::string, std::size_t>> sorted(by_operator.begin(), by_operator.end());
  std::ranges::stable_sort(sorted, [](const auto& a, const auto& b) { return a.second > b.second; });
  std::vector<std::string> texts;
  for (const auto& [op, count] : sorted) texts.push_back(fmt::format("{} {}", count, shortened(op)));
  return join(texts);
}

}  // namespace heliolite::onnx
