#pragma once
// An architecture: a chain of storage levels, innermost first, over an array of compute units. Between a level and the
// one below it there may be a fan-out over X and Y. Types only; readers are in architecture_yaml.h and
// engine/formats/timeloop/machine.h. Words are the level's own words; energies are of one access to a whole block.
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "engine/base/operation.h"
#include "engine/base/types.h"
#include "engine/base/word_length.h"

namespace heliolite {

// The channel between peers: receivers of a fan-out may take words from each other instead of from the level outside.
// Machines, files, options, records, reports and messages spell it by the row below; counts, prices and searches carry
// its words without knowing how they travel. The one channel there is are link transfers between neighbours
// (docs/link_transfers.md), which engine/model/links.h counts.
struct PeerChannel {
  const char* name;      // in sentences
  const char* field;     // of machines, of recorded runs, and of what a user says of machines: on or off
  const char* option;    // of commands, which overrules the machine
  const char* excludes;  // field of a fan-out's constraints and of mappings: tensors whose words do not take it
  const char* words;     // in JSON: words that receivers take from peers
  const char* energy;    // in JSON, without its unit: what these cost
  const char* column;    // of tables: the same words
  const char* without;   // in JSON: what is known of an answer where no words take it
};

inline constexpr PeerChannel kPeerChannel{.name = "link transfers",
                                          .field = "link_transfers",
                                          .option = "--link-transfers",
                                          .excludes = "no_link_transfer",
                                          .words = "links",
                                          .energy = "link_energy",
                                          .column = "over links",
                                          .without = "without_links"};

// pJ of one access to a block of `block_words` words of one instance (docs/cost_model.md, rules 19, 22).
struct AccessEnergy {
  double read_pj = 0;
  double fill_pj = 0;    // written from the level above
  double update_pj = 0;  // written from below (partial sums)
};

// Words per cycle of one instance; absent = unlimited (rule 28).
struct Bandwidth {
  std::optional<double> read;
  std::optional<double> write;   // fills and updates
  std::optional<double> shared;  // both together
};

// The network from this level to the one below (docs/cost_model.md, rule 26), pJ per word.
struct NetworkEnergy {
  double hop_pj = 0;      // over one hop
  double router_pj = 0;   // through one router
  double ingress_pj = 0;  // into the network
};

// A tensor selector: "all", a role ("inputs", "weights", "outputs"; singular too) or a tensor's name.
// What neither `keep` nor `bypass` selects is open: the mapper decides. `keep` wins over a wider `bypass`
// selector only when it names the tensor more specifically (name > role > all).
struct KeepRule {
  std::vector<std::string> keep;
  std::vector<std::string> bypass;
};

// How a factor relates to the value of its constraint.
enum class Relation : u8 { Equal, AtMost, AtLeast };

// `dimension` is a dimension's name, or a class of workloads/workload.h ("input_channel", ...), which then
// means every dimension of that class. Equal 0 = the whole dimension.
struct FactorConstraint {
  std::string dimension;
  Relation relation = Relation::Equal;
  u64 value = 1;
};

// What the temporal loops of a level may be.
struct LoopConstraints {
  std::vector<FactorConstraint> factors;
  std::vector<std::string> order;                   // innermost first: these loops come innermost, in this order
  std::optional<std::vector<std::string>> allowed;  // only these dimensions may have a factor above 1 here
};

// What the spatial loops of a fan-out may be.
struct SpatialConstraints {
  std::vector<FactorConstraint> factors;              // on the product over X and Y
  std::vector<std::string> order;                     // innermost first, X inside Y
  std::optional<std::vector<std::string>> allowed_x;  // dimensions (or classes) that may go to X
  std::optional<std::vector<std::string>> allowed_y;
  // Timeloop's `split`: as many dimensions, the first in order, go to X, all others to Y. Together with `allowed` ones:
  // both hold.
  std::optional<u64> split;
  std::vector<std::string> no_peers;  // tensor selectors: receivers take their words from the level outside alone
};

struct LevelConstraints {
  LoopConstraints temporal;
  SpatialConstraints spatial;  // of the fan-out below the level
};

// One storage level and the fan-out below it.
struct StorageLevel {
  std::string name;
  std::optional<u64> entries;     // words of one instance; absent = unbounded
  double multiple_buffering = 1;  // the usable capacity is floor(entries / multiple_buffering)
  WordLength word_bits = 16;
  u64 block_words = 1;   // words moved by one access
  u64 cluster_size = 1;  // instances that share one physical access (rule 20)
  u64 instances = 1;     // in the whole machine
  u64 mesh_x = 1;        // instances along X (Y = instances / mesh_x)
  u64 fanout_x = 1;      // to the level below (compute for level 0)
  u64 fanout_y = 1;
  AccessEnergy energy;
  double address_generation_pj = 0;  // per address (rule 23)
  double leak_pj_per_cycle = 0;      // of one instance (rule 25)
  double area_um2 = 0;               // of one instance
  Bandwidth bandwidth;
  NetworkEnergy network;
  bool is_dram = false;
  // Whether the level sums what comes in: a level that does not reads sums back, and outputs cross the network below it
  // in both directions (rule 26). Absent: all but DRAMs do.
  std::optional<bool> reduction;
  // A connection that holds nothing (between dies, or boards): every tensor passes, and each word that does costs
  // `energy` and takes `bandwidth`: `read` on its way in, `update` and `write` on its way out (rule 43).
  bool is_interconnect = false;
  KeepRule keep;              // empty = everything open
  bool loops_allowed = true;  // false: temporal loops are refused here (outer parts of a split level)
  LevelConstraints constraints;
  std::string fanout_name;  // what mapping files may call the fan-out below ("PE" of Timeloop v0.4); mostly empty

  std::optional<u64> capacity_words() const;  // usable words of one instance; absent = unbounded
  u64 fanout() const { return fanout_x * fanout_y; }
  bool reduces() const { return reduction.value_or(!is_dram); }
};

// The compute units.
struct Compute {
  std::string name = "MAC";  // also that of the unit as a whole, where a machine has several
  u64 instances = 1;
  u64 mesh_x = 1;  // instances along X
  WordLength word_bits = 16;
  double op_pj = 1;     // of one operation, such as a MAC
  double area_um2 = 0;  // of one instance
  u64 cycles_per_op = 1;
  OperationMask runs = kAllOperations;  // layers that it can run
};

struct Architecture {
  std::string name;
  std::string description;
  std::vector<StorageLevel> levels;  // innermost first; the last holds every tensor
  Compute compute;
  // Timeloop's space: a dimension is unrolled along X or along Y of a fan-out, not both.
  bool one_axis_per_dimension = false;
  // As Timeloop's front end of v0.4 does: where a file orders loops, dimensions of one iteration that it does not name
  // stand before the others, and count in a split (engine/space/machine_words.h).
  bool unit_loops_first = false;
  // The constraints hold for convolutions and GEMMs only (classify() of workloads/workload.h).
  bool constraints_for_channels_only = false;
  // A constraint: the share of the compute units that every mapping uses at least; 0: any.
  double min_parallelism = 0;
  // Receivers of a fan-out take words from their peers (arch/architecture.h).
  bool peer_channel = false;
  // A level reads each word of an output that leaves its tile outwards (docs/cost_model.md, rule 18); Timeloop charges
  // no such read.
  bool drain_reads = false;
  // All instances leak, in use or not (docs/cost_model.md, rule 25); Timeloop charges those in use.
  bool all_leaks = false;
  // Cycles count the first tiles' way in and the last outputs' way out, too (docs/cost_model.md, rule 46).
  bool ramps = false;
  // Cycles of bandwidths are sums of doubles, as in Timeloop's files; otherwise they are exact (rule 28).
  bool timeloop_cycles = false;
  std::optional<double> technology_nm;  // when energies come from the tables
  std::optional<double> cycle_ns;
  std::vector<std::string> notes;  // what of its files was read otherwise than it is written
  // Further compute units beside these: each the whole chain that leads to them, whose outer levels, those of the same
  // name, are this machine's own (docs/formats_architecture.md). They have no units themselves.
  std::vector<Architecture> units{};
  // What stands beside this chain of levels, in its other units' chains: area, and what leaks there in each cycle.
  double beside_um2 = 0, beside_pj_per_cycle = 0;

  double area_um2() const;  // all instances of all levels and of the compute units, and what stands beside
  u64 least_units() const;  // compute units that min_parallelism asks for; 1: any
  std::optional<int> find_level(std::string_view name) const;  // index into `levels`
  // The chain of compute unit `unit`: 0 is this machine itself, k + 1 its units[k].
  const Architecture& chain(std::size_t unit) const { return unit == 0 ? *this : units[unit - 1]; }
  std::size_t chains() const { return 1 + units.size(); }
};

// The compute unit of that name, as a number of chain(); none: there is no such one.
std::optional<std::size_t> find_unit(const Architecture& architecture, std::string_view name);

// Units that depend on the length of a word: bytes per second, for words per cycle (GB/s are 10^9, as bandwidths of
// memories are given), and energies of a bit.

inline double gigabytes_per_second(double words_per_cycle, double word_bits, double cycle_ns) {
  return words_per_cycle * word_bits / 8 / cycle_ns;
}

inline double words_per_cycle(double gigabytes_per_second, double word_bits, double cycle_ns) {
  return gigabytes_per_second * 8 * cycle_ns / word_bits;
}

// "25.6 GB/s" as GB/s; MB/s and TB/s are taken too. Nothing for anything else, numbers without a unit included.
std::optional<double> parse_gigabytes_per_second(std::string_view text);

// "1.17 pJ/bit" as pJ; fJ/bit is taken too. Nothing for anything else, numbers without a unit included.
std::optional<double> parse_picojoules_per_bit(std::string_view text);

inline constexpr std::string_view kByteRateUnits = "MB/s, GB/s or TB/s, of 1000";  // for messages

// Regular expressions that every such text matches.
inline constexpr const char* kByteRatePattern = "^\\s*[0-9.eE+-]+\\s*[MGT]B/s\\s*$";
inline constexpr const char* kBitEnergyPattern = "^\\s*[0-9.eE+-]+\\s*[pf]J/bit\\s*$";

}  // namespace heliolite
