#pragma once
// Machines, workloads and mappings as files of Timeloop and Accelergy. Reading needs none of this: load_architecture(),
// load_network() and load_mapping() know these formats by their content.
//
//   auto machine = heliolite::load_architecture("eyeriss");
//   auto gemm = heliolite::parse_einsum("o[i,j] += a[i,k]*b[k,j]; i=64,j=64,k=128");
//   auto files = heliolite::timeloop_machine(*machine, *gemm, "0.4");     // files->architecture, ->ert, ..
//   auto problem = heliolite::timeloop_problem(*gemm, "0.4");
//   auto layer = heliolite::map_workload(*gemm, *machine);
//   auto text = heliolite::timeloop_mapping(*layer->mapping, "0.4");
#include <heliolite/map.h>  // IWYU pragma: export
#include <string>

namespace heliolite::api {

// The version of the files is "0.3", a tree of subtrees and components that Timeloop itself reads, or "0.4", a list of
// nodes for its Python front end. Another text is an error.

// A machine's files; each is a whole YAML document.
struct TimeloopMachine {
  std::string architecture;
  std::string constraints;  // empty: there are none
  std::string ert, art;     // energies and areas as numbers
  std::string components;   // 0.4: classes for Accelergy that have these energies; empty in 0.3
  Diagnostics notes;        // what the files do not say; costs are not concerned
};

// The machine, and its constraints as those for one workload, whose dimensions and tensors they name. Read together
// they give the costs of the machine. Errors, each naming the level: what would change a cost.
Result<TimeloopMachine> timeloop_machine(const Architecture& architecture, const Workload& workload,
                                         const std::string& version);

struct TimeloopProblem {
  std::string problem;  // a whole YAML document
  Diagnostics notes;    // what the format does not say
};
// Error: tensors that state the sizes of their words, which the format has not.
Result<TimeloopProblem> timeloop_problem(const Workload& workload, const std::string& version);

// The mapping as directives for the files of timeloop_machine(). Errors: what the format cannot say, as tiles of one
// level that end at different loops.
Result<std::string> timeloop_mapping(const Mapping& mapping, const std::string& version);
// The mapping as directives for the machine as it was read: in the version of its files, or 0.3 if they are ours.
Result<std::string> timeloop_mapping(const Mapping& mapping);

}  // namespace heliolite::api
