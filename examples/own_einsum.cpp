// An Einsum and a machine that no file describes, made here, and the one mapped on the other: a tensor contraction with
// three operands, T[i,j] += A[i,k,l] * B[k,j] * C[l,j], on 8 x 8 units with a register file each and one shared buffer.
#include <heliolite/map.h>

#include <cstdio>
#include <initializer_list>

namespace {

int fail(const heliolite::Diagnostics& errors) {
  std::fprintf(stderr, "%s\n", to_string(errors).c_str());
  return 2;
}

// `dimensions` of a tensor, each a rank of its own; a rank such as 2*p + r has several terms.
heliolite::Tensor tensor(const char* name, std::initializer_list<const char*> dimensions, const char* role) {
  heliolite::Tensor out{.name = name, .ranks = {}, .role = role};
  for (const char* dimension : dimensions) out.ranks.push_back({{.dimension = dimension, .coefficient = 1}});
  return out;
}

heliolite::Einsum contraction() {
  return {.name = "contraction",
          .dimensions = {{"i", 128}, {"j", 32}, {"k", 64}, {"l", 16}},
          .tensors = {tensor("A", {"i", "k", "l"}, "input"), tensor("B", {"k", "j"}, "weight"),
                      tensor("C", {"l", "j"}, "input"), tensor("T", {"i", "j"}, "output")}};
}

// In the format of our files, outermost level first. Energies of accesses and areas follow from the tables for 45 nm.
constexpr const char* kMachine = R"(
architecture:
  name: small
  technology_nm: 45
  word_bits: 16
  energy: table
  levels:
    - {name: DRAM, dram: LPDDR4}
    - {name: Buffer, capacity: 32 KB, bandwidth: {read: 16, write: 16}, fanout: 8x8}
    - {name: Registers, entries: 32}
)";

}  // namespace

int main() {
  const auto workload = heliolite::Workload::create(contraction());
  if (!workload) return fail(workload.errors());
  const auto machine = heliolite::parse_architecture(kMachine, "small.yaml");
  if (!machine) return fail(machine.errors());
  const auto answer = heliolite::map_workload(*workload, *machine);
  if (!answer) return fail(answer.errors());
  if (!answer->feasible()) return fail(answer->why_infeasible);
  std::printf("%s: EDP %.4e, lower bound %.4e\n%s", answer->status.c_str(), answer->value, answer->lower_bound,
              answer->mapping->yaml().c_str());
}
