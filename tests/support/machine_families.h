#pragma once
// Families of machines for the tests of the co-search: random small ones, and that of the thesis.
#include "engine/formats/load_architecture.h"
#include "engine/search/core/machine_family.h"
#include "tests/support/exact_problem.h"

namespace heliolite::testing {

namespace detail {

// Another memory for the level: smaller or larger, cheaper or dearer, faster or slower.
inline void vary_memory(Rng& rng, StorageLevel& level) {
  if (level.entries && chance(rng, 80)) level.entries = pick(rng, 1, 2 * *level.entries + 1);
  const auto scale = [&](double& x) { x = x * static_cast<double>(pick(rng, 1, 8)) / 4; };
  if (chance(rng, 60)) scale(level.energy.read_pj), scale(level.energy.fill_pj), scale(level.energy.update_pj);
  if (chance(rng, 30)) scale(level.leak_pj_per_cycle);
  if (level.bandwidth.shared && chance(rng, 50)) scale(*level.bandwidth.shared);
  if (chance(rng, 20)) level.bandwidth.read = static_cast<double>(pick(rng, 1, 16)) / 8;
}

}  // namespace detail

// Machines of the shape of `base`, itself among them: some levels with other memories, in all combinations. `orderly`:
// larger memories of a level cost more, as real ones do.
inline MachineFamily random_family_of(u64 seed, const Architecture& base, std::size_t most, bool orderly) {
  Rng rng(seed);
  std::vector<Architecture> machines{base};
  for (std::size_t i = 0; i < base.levels.size(); ++i) {
    if (!base.levels[i].entries || !chance(rng, 70)) continue;
    const std::size_t before = machines.size();
    const u64 versions = pick(rng, 1, 2);
    for (u64 v = 0; v < versions && machines.size() + before <= most; ++v) {
      StorageLevel memory = base.levels[i];
      if (orderly) {
        const u64 factor = v + 2;
        *memory.entries *= factor;
        for (double* pj : {&memory.energy.read_pj, &memory.energy.fill_pj, &memory.energy.update_pj})
          *pj *= 1 + 0.3 * static_cast<double>(factor);
        memory.leak_pj_per_cycle *= static_cast<double>(factor);
      } else {
        detail::vary_memory(rng, memory);
      }
      for (std::size_t k = 0; k < before; ++k) {
        Architecture machine = machines[k];
        machine.levels[i] = memory;
        if (check(machine).empty()) machines.push_back(machine);
      }
    }
  }
  return *MachineFamily::create(machines);
}

// The thesis's machine and choices: three buffers beside each MAC, of 8 to 128 words, in the area of one of 128.
inline MachineFamily split_buffers() {
  const auto spec = load_architecture_spec("sunstone_arch");
  EXPECT_TRUE(spec.ok()) << to_string(spec.errors());
  std::vector<Architecture> machines;
  const std::array<u64, 5> sizes{8, 16, 32, 64, 128};
  for (u64 ifmap : sizes)
    for (u64 weight : sizes)
      for (u64 ofmap : sizes) {
        if (ifmap + weight + ofmap > 128) continue;
        ArchitectureSpec one = *spec;
        for (LevelSpec& level : one.levels) {
          if (level.name == "L1_ifmap") level.capacity = Words{ifmap};
          if (level.name == "L1_weight") level.capacity = Words{weight};
          if (level.name == "L1_ofmap") level.capacity = Words{ofmap};
        }
        machines.push_back(*resolve(one));
      }
  return *MachineFamily::create(machines);
}

// The exact search's question for a layer on all of them; one thread.
inline LayerProblem family_problem(const Workload& workload, const MachineFamily& family,
                                   const SearchOptions& options) {
  LayerProblem problem = layer_problem(workload, family.envelope(), options);
  problem.family = std::make_shared<MachineFamily>(family);
  for (const Architecture& machine : family.machines()) problem.machines.emplace_back(workload, machine);
  return problem;
}

}  // namespace heliolite::testing
