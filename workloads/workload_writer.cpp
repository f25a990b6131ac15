#include "workloads/workload_writer.h"

#include <fmt/format.h>

#include <vector>

#include "engine/base/integers.h"
#include "engine/base/text.h"
#include "workloads/word_bits.h"

namespace heliolite {
namespace {

std::string rank_text(const Rank& rank, const Workload& workload) {
  std::vector<std::string> terms;
  for (const Term& term : rank.terms) {
    const std::string& name = workload.dimensions[at(term.dimension)].name;
    terms.push_back(term.coefficient == 1 ? name : fmt::format("{}*{}", term.coefficient, name));
  }
  return yaml_scalar(fmt::format("{}", fmt::join(terms, "+")));
}

}  // namespace

std::string write_workload(const Workload& workload) {
  std::vector<std::string> sizes, roles;
  std::string tensors;
  for (const Dimension& d : workload.dimensions) sizes.push_back(fmt::format("{}: {}", yaml_scalar(d.name), d.size));
  for (const Tensor& tensor : workload.tensors) {
    std::vector<std::string> ranks;
    for (const Rank& rank : tensor.ranks) ranks.push_back(rank_text(rank, workload));
    tensors += fmt::format("  {}: [{}]\n", yaml_scalar(tensor.name), fmt::join(ranks, ", "));
    if (!tensor.is_output()) roles.push_back(fmt::format("{}: {}", yaml_scalar(tensor.name), name(tensor.role)));
  }
  std::string text = fmt::format("name: {}\ndimensions: {{{}}}\ntensors:\n{}output: {}\nroles: {{{}}}\n",
                                 yaml_scalar(workload.name), fmt::join(sizes, ", "), tensors,
                                 yaml_scalar(workload.tensors[at(workload.output())].name), fmt::join(roles, ", "));
  if (states_word_bits(workload)) text += fmt::format("word_bits: {{{}}}\n", word_bits_text(workload));
  return text;
}

}  // namespace heliolite
