#pragma once
// What is computed on: a chain of storage levels over an array of compute units.
//
//   auto eyeriss = heliolite::load_architecture("eyeriss");          // a preset, or a file of ours or of Timeloop
//   if (!eyeriss) std::puts(to_string(eyeriss.errors()).c_str());
//   auto variant = eyeriss->with("GLB.capacity", "64 KB");           // its energies follow where they come from tables
//   if (variant) std::printf("%s: %.2f mm2\n", variant->name().c_str(), variant->area_um2() / 1e6);
//
// A machine that no file describes is a text in the format of our files (docs/formats_architecture.md):
// parse_architecture() checks it as a file is checked.
#include <heliolite/read_options.h>  // IWYU pragma: export
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace heliolite::api {

struct ArchitectureState;

// One storage level and the fan-out below it. Words are the level's own, of word_bits bits.
struct StorageLevel {
  std::string name;
  std::optional<std::uint64_t> capacity_words;  // usable words of one instance; none: unbounded
  double word_bits = 16;
  std::uint64_t block_words = 1;                          // words that one access moves
  std::uint64_t instances = 1;                            // in the whole machine
  std::uint64_t fanout_x = 1, fanout_y = 1;               // from one instance to the level below, or to compute units
  double read_pj = 0;                                     // pJ of one access to a block of one instance
  double fill_pj = 0;                                     // of one that writes words from the level outside
  double update_pj = 0;                                   // of one that writes partial sums from inside
  double leak_pj_per_cycle = 0;                           // of one instance
  double area_um2 = 0;                                    // of one instance
  std::optional<double> read_bandwidth, write_bandwidth;  // words per cycle of one instance; none: unlimited
  std::optional<double> shared_bandwidth;                 // of reads and writes together
  bool is_dram = false;
  bool is_interconnect = false;  // it holds nothing: words pass
};

struct ComputeUnits {
  std::string name;
  std::uint64_t instances = 1;
  double word_bits = 16;
  double op_pj = 0;     // of one multiply-accumulate
  double area_um2 = 0;  // of one unit
};

// A machine that was read and checked. Copies share it; it never changes.
class Architecture {
 public:
  const std::string& name() const;
  const std::string& description() const;
  std::vector<StorageLevel> levels() const;  // innermost first; the last holds every tensor
  ComputeUnits compute() const;
  double area_um2() const;  // all instances of all levels and the compute units
  std::optional<double> technology_nm() const;
  std::optional<double> cycle_ns() const;
  const std::vector<std::string>& notes() const;  // what of its files was read otherwise than it is written

  // The machine with one field of its file set, as parameters of sweeps set them (docs/formats_sweep.md): LEVEL.key,
  // compute.key or a key of the machine, and a value as a file would have it: ("GLB.capacity", "64 KB"),
  // ("GLB.fanout", "14x12"), ("technology_nm", "28"). What follows from tables, as energies, is worked out anew.
  // Errors: there is no such field, the value is not allowed, or the machine would be none.
  Result<Architecture> with(const std::string& field, const std::string& value) const;

  // The text of a file of ours that describes the machine, with every energy and area as a number.
  std::string yaml() const;

 private:
  friend struct Inside;
  explicit Architecture(std::shared_ptr<const ArchitectureState> state) : state_(std::move(state)) {}
  std::shared_ptr<const ArchitectureState> state_;
};

// The machine that -a of the program would name: a preset, a file of ours or of Timeloop, or several files with commas
// between them ("arch.yaml,ERT.yaml"). Errors have file and line; all of a file come at once.
Result<Architecture> load_architecture(const std::string& what, const ReadOptions& options = {});
// The machine of a text that such a file could hold. `name` stands for the file in errors, and paths in the text are
// relative to it.
Result<Architecture> parse_architecture(std::string_view text, const std::string& name);
// The names of the presets, sorted.
std::vector<std::string> architecture_presets();

}  // namespace heliolite::api
