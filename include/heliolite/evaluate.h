#pragma once
// What a mapping costs: the totals (evaluate), and every count by level and tensor (explain).
//
//   heliolite::Workload gemm = *heliolite::parse_einsum("o[i,j] += a[i,k]*b[k,j]; i=64,j=64,k=128");
//   heliolite::CostModel model(gemm, *heliolite::load_architecture("eyeriss"));
//   auto mapping = heliolite::load_mapping("best.yaml", gemm, model.architecture());
//   auto cost = model.evaluate(*mapping);                                 // .energy_pj, .cycles, .utilization
//   if (cost) std::printf("%.0f pJ, %llu cycles\n", cost->energy_pj, (unsigned long long)cost->cycles);
//   auto all = model.explain(*mapping);                                   // all->levels[i].tensors[v].reads
//   auto exact = model.evaluate(*mapping, "true");                        // factors that do not divide: no averages
#include <heliolite/mapping.h>  // IWYU pragma: export
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace heliolite::api {

struct CostModelState;

// The cost of the whole run, all instances together.
struct Cost {
  double energy_pj = 0;
  std::uint64_t cycles = 0;
};

// One tensor at one level and on the network below it. Words are the tensor's own. Counts are of one instance: where
// factors do not divide of an average one or, in true counts, of the one that has most of each. Energies are of all
// instances.
struct TensorCost {
  std::string tensor;
  bool counted = false;  // the level keeps it, or is an interconnect that it passes; else all but the network is 0
  std::uint64_t tile_words = 0;                                 // its largest tile
  std::uint64_t instances = 0;                                  // in use
  std::int64_t reads = 0;                                       // words read
  std::int64_t fills = 0;                                       // words written from outside
  std::int64_t updates = 0;                                     // words written from inside: partial sums
  std::uint64_t all_reads = 0, all_fills = 0, all_updates = 0;  // words of all instances
  double access_pj = 0;                                         // of reading and writing its words
  double address_pj = 0;                                        // of finding them
  double network_pj = 0;                                        // from here to the level inside
  double network_words = 0;                                     // that one instance sends into that network
  double hops = 0;                                              // of a word there, on average
  double link_words = 0;                                        // that receivers of one instance take from each other
};

// One storage level.
struct LevelCost {
  std::string level;
  std::uint64_t cycles = 0;                     // that its bandwidths need
  std::optional<std::uint64_t> capacity_words;  // of one instance, usable; none: unbounded
  std::uint64_t used_words = 0;                 // of one instance: what its tiles take
  double energy_pj = 0;                         // accesses, leakage and the network below
  double leakage_pj = 0;                        // of the instances in use, or of all
  std::vector<TensorCost> tensors;              // in the order of Einsum::tensors
};

// The compute units together.
struct ComputeCost {
  std::string name;
  std::uint64_t macs = 0;
  std::uint64_t used = 0, instances = 0;  // units that work, and units of the machine
  std::uint64_t cycles = 0;
  double energy_pj = 0;
};

// The totals of Cost, and what they consist of.
struct CostBreakdown {
  double energy_pj = 0;
  std::uint64_t cycles = 0;
  double utilization = 0;         // of the compute units, 0 to 1
  std::vector<LevelCost> levels;  // innermost first
  ComputeCost compute;
  // Where the machine counts ramps: until the first tiles are in, and the last outputs out.
  std::optional<std::uint64_t> fill_cycles{}, drain_cycles{};
};

// Prices mappings of one workload on one machine (docs/cost_model.md). For any number of threads at a time.
class CostModel {
 public:
  CostModel(const Workload& workload, const Architecture& architecture);

  const Workload& workload() const;
  const Architecture& architecture() const;

  // `counts`: "timeloop", Timeloop's averages, or "true", every word that moves; where factors divide both are the
  // same. Errors: another word; true counts that are too many to list; a mapping of another workload or machine, or
  // one whose cycles have no room in 64 bits.
  Result<Cost> evaluate(const Mapping& mapping, const std::string& counts = "timeloop") const;
  // The numbers of evaluate() with what they consist of; slower.
  Result<CostBreakdown> explain(const Mapping& mapping, const std::string& counts = "timeloop") const;

 private:
  friend struct Inside;
  std::shared_ptr<const CostModelState> state_;
};

}  // namespace heliolite::api
