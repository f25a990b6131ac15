// A machine and an Einsum that no file describes, built here and mapped: a tensor contraction with three operands,
// T[i,j] += A[i,k,l] * B[k,j] * C[l,j], on 8 x 8 units with a register file each and one shared buffer.
#include <heliolite/map.h>

#include <cstdio>

namespace {

// `dimensions` of a tensor, each a rank of its own; a rank such as 2*p + r has several terms.
heliolite::Tensor tensor(const char* name, std::initializer_list<int> dimensions, heliolite::Role role) {
  heliolite::Tensor out{.name = name, .ranks = {}, .role = role};
  for (const int d : dimensions) out.ranks.push_back({{{.dimension = d, .coefficient = 1}}});
  return out;
}

heliolite::Workload contraction() {
  enum { I, J, K, L };
  heliolite::Workload out;
  out.name = "contraction";
  out.dimensions = {{"i", 128}, {"j", 32}, {"k", 64}, {"l", 16}};
  out.tensors = {tensor("A", {I, K, L}, heliolite::Role::Input), tensor("B", {K, J}, heliolite::Role::Weight),
                 tensor("C", {L, J}, heliolite::Role::Input), tensor("T", {I, J}, heliolite::Role::Output)};
  return out;
}

// Innermost level first. Energies of accesses and areas follow from the tables for 45 nm.
heliolite::Result<heliolite::Architecture> machine() {
  heliolite::ArchitectureSpec spec;
  spec.name = "small";
  spec.technology_nm = 45;
  spec.word_bits = 16;
  spec.energy = heliolite::EnergyModel::Table;
  spec.levels.resize(3);
  spec.levels[0].name = "Registers";
  spec.levels[0].capacity = heliolite::Words{32};
  spec.levels[1].name = "Buffer";
  spec.levels[1].capacity = heliolite::Bytes{32 * 1024};
  spec.levels[1].bandwidth = {.read = 16, .write = 16, .shared = {}};  // words per cycle
  spec.levels[1].fanout_x = 8;
  spec.levels[1].fanout_y = 8;
  spec.levels[2].name = "DRAM";
  spec.levels[2].dram = {.is_dram = true, .type = "LPDDR4"};
  return resolve(spec);
}

}  // namespace

int main() {
  const heliolite::Workload workload = contraction();
  if (const auto errors = check(workload); !errors.empty()) {
    std::fprintf(stderr, "%s\n", to_string(errors).c_str());
    return 2;
  }
  const auto architecture = machine();
  if (!architecture) {
    std::fprintf(stderr, "%s\n", to_string(architecture.errors()).c_str());
    return 2;
  }
  const auto answer = heliolite::map_workload(workload, *architecture, {});
  if (!answer || answer->status == heliolite::Status::Infeasible) {
    std::fprintf(stderr, "%s\n", to_string(answer ? answer->why_infeasible : answer.errors()).c_str());
    return 1;
  }
  std::printf("%s: EDP %.4e, lower bound %.4e\n%s", name(answer->status).data(), answer->value, answer->lower_bound,
              write_mapping(answer->mapping, workload, *architecture).c_str());
}
