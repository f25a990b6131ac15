// Writes a workload as a Timeloop problem file (problem.h).
#include "engine/formats/timeloop/problem.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <vector>

#include "engine/base/integers.h"
#include "engine/base/text.h"

namespace heliolite {
namespace {

// Timeloop wants a name for every stride and dilation.
std::string coefficient_name(u64 value) { return fmt::format("coefficient_{}", value); }

std::string projection(const Tensor& tensor, const Workload& workload) {
  std::vector<std::string> ranks;
  for (const Rank& rank : tensor.ranks) {
    std::vector<std::string> terms;
    for (const Term& term : rank.terms) {
      const std::string name = yaml_scalar(workload.dimensions[term.dimension].name);
      terms.push_back(term.coefficient == 1 ? fmt::format("[{}]", name)
                                            : fmt::format("[{}, {}]", name, coefficient_name(term.coefficient)));
    }
    ranks.push_back(fmt::format("[{}]", fmt::join(terms, ", ")));
  }
  return fmt::format("[{}]", fmt::join(ranks, ", "));
}

std::set<u64> coefficients(const Workload& workload) {
  std::set<u64> values;
  for (const Tensor& tensor : workload.tensors)
    for (const Rank& rank : tensor.ranks)
      for (const Term& term : rank.terms)
        if (term.coefficient != 1) values.insert(term.coefficient);
  return values;
}

Diagnostics problem_notes(const Workload& workload) {
  Diagnostics notes;
  for (const Dimension& d : workload.dimensions)
    if (!std::ranges::all_of(d.name, [](char c) { return is_letter(c) && c != '_'; }))
      notes.push_back({"", 0, "dimension " + d.name,
                       "Timeloop's factors know names of letters only: its mappings and constraints cannot name it"});
  Workload guessed = workload;
  for (Tensor& tensor : guessed.tensors)
    if (!tensor.is_output()) tensor.role = Role::Input;
  infer_roles(guessed);
  for (std::size_t v = 0; v < workload.tensors.size(); ++v)
    if (guessed.tensors[v].role != workload.tensors[v].role)
      notes.push_back({"", 0, "tensor " + workload.tensors[v].name,
                       fmt::format("is the {} here; Timeloop's problems have no roles, and by its name and place it is "
                                   "read as the {}",
                                   name(workload.tensors[v].role), name(guessed.tensors[v].role))});
  return notes;
}

}  // namespace

TimeloopProblem write_timeloop_problem(const Workload& workload, std::string_view version) {
  std::vector<std::string> names, sizes, factors;
  for (const Dimension& d : workload.dimensions) {
    names.push_back(yaml_scalar(d.name));
    sizes.push_back(fmt::format("{}: {}", yaml_scalar(d.name), d.size));
  }
  for (const u64 value : coefficients(workload))
    factors.push_back(fmt::format("{{name: {}, default: {}}}", coefficient_name(value), value));
  std::string out = fmt::format("problem:\n  version: {}\n  shape:\n    name: {}\n    dimensions: [{}]\n", version,
                                yaml_scalar(workload.name), fmt::join(names, ", "));
  if (!factors.empty()) out += fmt::format("    coefficients: [{}]\n", fmt::join(factors, ", "));
  out += "    data_spaces:\n";
  for (const Tensor& tensor : workload.tensors)
    out += fmt::format("    - {{name: {}, projection: {}{}}}\n", yaml_scalar(tensor.name), projection(tensor, workload),
                       tensor.is_output() ? ", read_write: true" : "");
  out += fmt::format("  instance: {{{}}}\n", fmt::join(sizes, ", "));
  return {std::move(out), problem_notes(workload)};
}

}  // namespace heliolite
