#include "engine/execution/c_text.h"

#include <fmt/format.h>
#include <algorithm>
#include <cctype>

#include "engine/base/integers.h"

namespace heliolite {

std::string CNames::unique(std::string_view name) {
  std::string text;
  for (const char c : name) text += std::isalnum(static_cast<unsigned char>(c)) != 0 ? c : '_';
  // Names that begin with an underscore belong to the language.
  if (text.empty() || text.front() == '_' || std::isdigit(static_cast<unsigned char>(text.front())) != 0)
    text = "v" + text;
  // Neither the language, nor its headers, nor the emitted program have names that end so; letters alone are free, but
  // for those of the program.
  if (text.size() > 1 || taken_.contains(text)) text += '_';
  while (!taken_.insert(text).second) text += '_';
  return text;
}

CNest::CNest(const LoopNest& nest, const EmitOptions& options) : nest_(nest), options_(options) {
  CNames names;
  for (const MemoryArray& array : nest.arrays) arrays_.push_back(names.unique(array.name));
  for (std::size_t a = 0; a < nest.arrays.size(); ++a)
    if (nest.arrays[a].is_output) expected_ = names.unique(nest.arrays[a].name + "_expected");
  for (const LoopVariable& v : nest.variables) {
    std::string lower = v.name;
    std::ranges::transform(lower, lower.begin(), [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
    variables_.push_back(names.unique(lower));
  }
}

std::string CNest::tile(const LoopNestPart& part, std::size_t i) const {
  const u8 variable = part.loops[i].variable;
  const auto inner = std::count_if(part.loops.begin() + static_cast<std::ptrdiff_t>(i), part.loops.end(),
                                   [&](const BoxLoop& l) { return l.variable == variable && l.step > 1; });
  return fmt::format("{}_{}", variables_[variable], inner);
}

std::string CNest::dimension(int d, const std::vector<std::string>& value) const {
  std::string sum;
  for (std::size_t v = 0; v < nest_.variables.size(); ++v) {
    if (nest_.variables[v].dimension != d || value[v] == "0") continue;
    if (!sum.empty()) sum += " + ";
    sum += nest_.variables[v].factor == 1 ? value[v] : fmt::format("{} * {}", nest_.variables[v].factor, value[v]);
  }
  return sum.empty() ? "0" : sum;
}

std::vector<std::string> CNest::subscripts(const NestAccess& access, const std::vector<std::string>& value) const {
  std::vector<std::string> result;
  for (const Rank& rank : nest_.workload.tensors[access.tensor].ranks) {
    std::string sum;
    for (const Term& term : rank.terms) {
      std::string text = dimension(term.dimension, value);
      if (text == "0") continue;
      if (term.coefficient != 1)
        text = text.find(' ') == std::string::npos ? fmt::format("{} * {}", term.coefficient, text)
                                                   : fmt::format("{} * ({})", term.coefficient, text);
      if (!sum.empty()) sum += " + ";
      sum += text;
    }
    result.push_back(sum.empty() ? "0" : sum);
  }
  if (result.empty()) result.emplace_back("0");
  return result;
}

std::string CNest::element(const std::vector<std::string>& subscripts) const {
  return fmt::format("[{}]{}", fmt::join(subscripts, "]["), options_.pad_bytes != 0 ? ".value" : "");
}

std::string CNest::extents(const MemoryArray& array) const {
  return array.extents.empty() ? "[1]" : fmt::format("[{}]", fmt::join(array.extents, "]["));
}

std::string CNest::number(const NestAccess& access, const std::vector<std::string>& value) const {
  const std::vector<std::string> at_rank = subscripts(access, value);
  const MemoryArray& array = nest_.arrays[access.array];
  std::string text = "(" + at_rank.front() + ")";
  for (std::size_t r = 1; r < array.extents.size(); ++r)
    text = fmt::format("({} * {} + {})", text, array.extents[r], at_rank[r]);
  return text;
}

void add_statement(CLines& out, const CNest& c, const std::vector<std::string>& value,
                   const std::vector<std::string>& operands) {
  const LoopNest& nest = c.nest();
  std::vector<std::string> guards;
  if (nest.guarded) {
    for (std::size_t d = 0; d < nest.workload.dimensions.size(); ++d) {
      const auto parts = std::ranges::count(nest.variables, static_cast<int>(d), &LoopVariable::dimension);
      if (parts > 1)
        guards.push_back(
            fmt::format("{} < {}", c.dimension(static_cast<int>(d), value), nest.workload.dimensions[d].size));
    }
  }
  if (!guards.empty()) out.open(fmt::format("if ({})", fmt::join(guards, " && ")));
  if (c.options().trace) {
    for (const NestAccess& access : nest.accesses)
      out.line(fmt::format("touch(\"{}\", {}, '{}');", nest.arrays[access.array].name, c.number(access, value),
                           access.is_output ? 'w' : 'r'));
  }
  const std::vector<std::string> inputs(operands.begin(), operands.end() - 1);
  out.line(fmt::format("{} += {};", operands.back(), fmt::join(inputs, " * ")));
  if (!guards.empty()) out.close();
}

}  // namespace heliolite
