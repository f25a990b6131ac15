// The fields of our architecture files (docs/formats_architecture.md), map by map.
#include "arch/architecture.h"
#include "arch/architecture_spec.h"
#include "arch/architecture_yaml.h"
#include "arch/check.h"
#include "arch/energy_tables.h"
#include "engine/base/text.h"
#include "engine/base/types.h"

namespace heliolite {
namespace {

Shape picojoules() { return shape::number(0, kMaxAccessPicojoules); }

// What a physical buffer has: all of a level but its loops and fan-out.
std::vector<FileField> storage() {
  std::vector<FileField> fields{
      required({"name", shape::text(), "Name of the level, by which mappings and reference tables have it."}),
      {"entries", shape::integer(1, kMaxEntries), "Capacity of one instance; or give capacity.", "words"},
      {"capacity", shape::either({shape::text(kBytePattern), shape::one_of({"unbounded"})}),
       "Capacity of one instance with its unit, such as 108 KB (of 1024), or unbounded.", "", "unbounded of a DRAM"},
      {"multiple_buffering", shape::number(1, kMaxMultipleBuffering),
       "A tile may use this part of the capacity: 2 is double buffering.", "", "1"},
      {"word_bits", shape::word_length(), "Length of a word.", "bits", "the machine's"},
      {"block_words", shape::integer(1, kMaxBlockWords), "Words moved by one access.", "words", "1"},
      {"cluster_size", shape::integer(1, kMaxClusterSize), "Instances that share one physical memory and its access.",
       "", "1"},
      {"energy",
       shape::either({picojoules(), shape::text(kBitEnergyPattern), shape::map(access_energy_fields()),
                      shape::one_of({"pat", "table", "registers"})}),
       "Energy of one access to a block: pJ, or by the bit such as 1.17 pJ/bit, or by the kind of access, or from a "
       "table.",
       "pJ", "of the reference table, else by the machine's energy"},
      {"leak_pj_per_cycle", amount_shape(kMaxAccessPicojoules, {"table"}), "Leakage of one instance.", "pJ per cycle",
       "from the table if the energy is, else 0"},
      {"area_um2", amount_shape(kMaxAreaUm2, {"table"}), "Area of one instance.", "um2",
       "from the table if the energy is, else 0"}};
  for (const LevelPrice& price : kLevelPrices)
    fields.push_back({price.key, picojoules(), std::string(price.help), "pJ", "0"});
  const std::vector<FileField> rest{
      {"bandwidth", shape::either({shape::text(kByteRatePattern), shape::map(bandwidth_fields())}),
       "Bandwidth of one instance: by direction, or one value with its unit, such as 25.6 GB/s, for both together.", "",
       "unlimited"},
      {"network", shape::map(network_energy_fields()), "Energies of the network to the level below."},
      {"dram", shape::either({shape::boolean(), shape::one_of(dram_types())}),
       "Whether it is a DRAM, or of which type, as energy: table needs it.", "", "false"},
      {"reduction", shape::boolean(),
       "Whether it sums partial outputs that come in; else these cross the network to it and back.", "",
       "false of a DRAM, else true"},
      {"interconnect", shape::boolean(), "It holds nothing: a connection that all words pass.", "", "false"},
      {"keep", shape::words(),
       "Tensors that are held: all, roles (inputs, weights, outputs) or names; a name beats a role, a role beats all."},
      {"bypass", shape::words(), "Tensors that pass by: all, roles or names."},
      {"open", shape::words(), "Roles that the mapper may keep or not: all, inputs, weights, outputs."}};
  return joined(std::move(fields), rest);
}

// What belongs to the loops of a level, split or not.
std::vector<FileField> loops() {
  return {
      {"fanout",
       shape::either({shape::integer(1, kMaxFanout), shape::text("^[0-9]+(x[0-9]+)?$"), shape::map(fanout_fields())}),
       "Instances of the level below: 16, 14x12 (X x Y) or {x: 14, y: 12}.", "", "1"},
      {"constraints", shape::map(constraints_fields()), "Which mappings are allowed.", "", "all"}};
}

// What the loops of a level, or its fan-out, have in common.
std::vector<FileField> loop_constraints() {
  return {{"factors", shape::words(),
           "Factors of dimensions or of their classes: C=4, K<=16, R>=3; =0 is the whole dimension."},
          {"order", shape::words(), "Dimensions innermost first: these loops are the innermost ones, in this order."},
          {"allowed", shape::words(), "Only these dimensions may have a factor above 1.", "", "all"}};
}

Shape rate() { return shape::either({shape::number(kMinBandwidth, kMaxBandwidth), shape::text(kByteRatePattern)}); }

}  // namespace

Shape amount_shape(double most, const std::vector<std::string>& models) {
  return shape::either({shape::number(0, most), shape::one_of(models)});
}

const FieldTable& level_fields() {
  static const FieldTable table{
      "storage level", "A storage level with one buffer for all it keeps; sizes and prices are of one instance.",
      joined(joined(storage(), {{"loops", shape::boolean(), "Whether it may have temporal loops.", "", "true"}}),
             loops())};
  return table;
}

const FieldTable& split_level_fields() {
  static const FieldTable table{
      "split level", "A storage level with buffers side by side, each for tensors of its own.",
      joined({required({"buffers", shape::list(shape::map(buffer_fields())),
                        "The buffers; mappings name them, not the level."}),
              {"name", shape::text(), "Name of the level, for readers: each buffer has its own."}},
             loops())};
  return table;
}

const FieldTable& buffer_fields() {
  static const FieldTable table{"buffer", "A buffer of a split level, for the tensors that it keeps.", storage()};
  return table;
}

const FieldTable& access_energy_fields() {
  static const FieldTable table{"energies of accesses",
                                "Energies of one access to a block: read and write, or read, fill and update.",
                                {required({"read", picojoules(), "Of a read.", "pJ"}),
                                 {"write", picojoules(), "Of a fill and of an update.", "pJ"},
                                 {"fill", picojoules(), "Of a write from above.", "pJ", "write"},
                                 {"update", picojoules(), "Of a write from below.", "pJ", "write"}}};
  return table;
}

const FieldTable& bandwidth_fields() {
  static const FieldTable table{"bandwidth",
                                "Bandwidths of one instance, each in words per cycle or with a unit such as 25.6 GB/s.",
                                {{"read", rate(), "Of reads.", "words per cycle", "unlimited"},
                                 {"write", rate(), "Of fills and updates.", "words per cycle", "unlimited"},
                                 {"shared", rate(), "Of both together.", "words per cycle", "unlimited"}}};
  return table;
}

const FieldTable& network_energy_fields() {
  static const FieldTable table{"network",
                                "Energies of the network to the level below.",
                                {{"hop_pj", picojoules(), "Of a word over one hop.", "pJ", "0"},
                                 {"router_pj", picojoules(), "Of a word through a router.", "pJ", "0"},
                                 {"ingress_pj", picojoules(), "Of a word that enters the network.", "pJ", "0"}}};
  return table;
}

const FieldTable& fanout_fields() {
  static const FieldTable table{"fan-out",
                                "Instances of the level below, along two axes.",
                                {{"x", shape::integer(1, kMaxFanout), "Along X.", "", "1"},
                                 {"y", shape::integer(1, kMaxFanout), "Along Y.", "", "1"}}};
  return table;
}

const FieldTable& constraints_fields() {
  static const FieldTable table{
      "constraints",
      "Which mappings are allowed.",
      {{"temporal", shape::map(temporal_constraint_fields()), "Of the loops of the level."},
       {"spatial", shape::map(spatial_constraint_fields()), "Of its fan-out; factors are of X and Y together."}}};
  return table;
}

const FieldTable& temporal_constraint_fields() {
  static const FieldTable table{"temporal constraints", "What the loops of a level may be.", loop_constraints()};
  return table;
}

const FieldTable& spatial_constraint_fields() {
  static const FieldTable table{
      "spatial constraints", "How the fan-out of a level may be used.",
      joined(loop_constraints(),
             {{"allowed_x", shape::words(), "Only these dimensions may have a factor above 1 along X.", "", "all"},
              {"allowed_y", shape::words(), "Only these dimensions may have a factor above 1 along Y.", "", "all"},
              {"split", shape::integer(0, kMaxDimensionSize),
               "Timeloop's: the first so many dimensions of order may go to X only, all others to Y only."},
              {kPeerChannel.excludes, shape::words(),
               "Tensors, by name or role, that take no words from neighbours here."}})};
  return table;
}

namespace {

constexpr double kMinCycleNs = 1e-6;
constexpr double kMaxCycleNs = 1e9;

}  // namespace

const FieldTable& machine_file_fields() {
  static const FieldTable table{"machine file",
                                "A machine: storage levels over an array of compute units.",
                                {required({"architecture", shape::map(architecture_fields()), "The machine."})}};
  return table;
}

const FieldTable& architecture_fields() {
  static const FieldTable table{
      "machine",
      "A chain of storage levels over compute units; with a base, what differs from it.",
      {{"base", shape::text(), "A preset's name, or a file beside this one, that this machine varies."},
       {"ert", shape::text(), "File of Accelergy's energy reference table, beside this one."},
       {"art", shape::text(), "File of Accelergy's area reference table, beside this one."},
       {"name", shape::text(), "Name of the machine.", "", "the file's name"},
       {"description", shape::text(), "What it is, for readers."},
       {"technology_nm", shape::number(kMinTechnologyNm, kMaxTechnologyNm), "Technology node; needed by energy: table.",
        "nm"},
       {"cycle_ns", shape::number(kMinCycleNs, kMaxCycleNs),
        "Length of a cycle: turns leakage in mW into pJ per cycle, GB/s into words per cycle, cycles into seconds.",
        "ns", "1 where technology_nm is given"},
       {"word_bits", shape::word_length(), "Length of a word, of every level and of compute that do not say.", "bits",
        "16"},
       {"energy", shape::one_of({"pat", "table"}),
        "Where energies come from that levels and compute do not state: Timeloop's built-in table, or our tables."},
       {"one_axis_per_dimension", shape::boolean(),
        "A dimension is unrolled along X or along Y of a fan-out, not along both.", "", "false"},
       {"unit_loops_first", shape::boolean(),
        "Dimensions of one iteration that an order does not name stand before it and count in its split.", "", "false"},
       {"constraints_for", shape::one_of({"all", "channels"}),
        "Which workloads the constraints are for: all, or only convolutions and GEMMs, whose dimensions have classes.",
        "", "all"},
       {"min_parallelism", shape::number(0, 1),
        "A constraint: the share of the compute units that every mapping uses at least, as the product of its spatial "
        "factors.",
        "", "0"},
       {kPeerChannel.field, shape::one_of({"on", "off"}), "Whether units of a fan-out take words from neighbours.", "",
        "off"},
       {"drain_reads", shape::one_of({"on", "off"}),
        "Whether a level reads each word of an output that leaves its tile outwards; Timeloop charges no such read.",
        "", "off"},
       {"leakage", shape::one_of({"used", "all"}),
        "What leaks: of each level the instances that a mapping uses, as Timeloop counts, or all that there are.", "",
        "used"},
       {"latency", shape::one_of({"steady", "ramps"}),
        "What cycles count: the steady state alone, as Timeloop does, or also how long the first tiles take on their "
        "way in and the last outputs on their way out.",
        "", "steady"},
       {"cycles", shape::one_of({"exact", "timeloop"}),
        "How cycles that bandwidths need are counted: exactly, or as Timeloop does, in sums of doubles, which may be "
        "one off.",
        "", "exact"},
       {"levels", shape::list(shape::either({shape::map(level_fields()), shape::map(split_level_fields())})),
        "The storage levels, outermost first; required unless there is a base, whose levels of these names they "
        "change."},
       {"compute", shape::map(compute_fields()), "The compute units."},
       {"units", shape::list(shape::map(unit_fields())),
        "Further compute units beside them, each with its path from a level; a base's of the same name are changed."}}};
  return table;
}

namespace {

// What compute units are, wherever they stand, but for their name.
std::vector<FileField> units_of_compute(std::string usually_runs) {
  return {{"word_bits", shape::word_length(), "Length of the operands.", "bits", "the machine's"},
          {"energy", amount_shape(kMaxAccessPicojoules, {"pat", "table"}),
           "Energy of one operation, such as a multiply-accumulate.", "pJ",
           "of the reference table, else by the machine's energy"},
          {"area_um2", amount_shape(kMaxAreaUm2, {"table"}), "Area of one unit.", "um2",
           "from the table if the energy is, else 0"},
          {"cycles_per_op", shape::integer(1, static_cast<i64>(kMaxCyclesOfOperation)),
           "Cycles that a unit takes for an operation.", "cycles", "1"},
          {"runs", shape::words(),
           "Operations of the layers that it can run: all, or product, elementwise, softmax, "
           "norm, pool, resize.",
           "", std::move(usually_runs)}};
}

}  // namespace

const FieldTable& compute_fields() {
  static const FieldTable table{
      "compute", "The compute units; how many there are follows from the fan-outs.",
      joined({{"name", shape::text(), "Name of a unit, by which reference tables have its energy.", "", "MAC"}},
             units_of_compute("all; with units beside it product"))};
  return table;
}

const FieldTable& unit_fields() {
  static const FieldTable table{
      "unit", "A further compute unit beside `compute`, such as a vector unit, with its own path from a level.",
      joined(
          joined({required({"name", shape::text(), "Its name, which no level and no other unit has."}),
                  {"below", shape::text(),
                   "The level that feeds it, which it shares with all levels outside; "
                   "required unless the base has the unit."},
                  {"levels", shape::list(shape::either({shape::map(level_fields()), shape::map(split_level_fields())})),
                   "Storage levels of its own between that level and it, outermost first.", "", "none"},
                  {"network", shape::map(network_energy_fields()), "Energies of the network below that level to it."}},
                 loops()),
          units_of_compute("all but product"))};
  return table;
}

}  // namespace heliolite
