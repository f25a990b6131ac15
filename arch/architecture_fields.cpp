#include "arch/architecture_fields.h"

#include "arch/energy_tables.h"
#include "arch/level_fields.h"
#include "arch/limits.h"
#include "engine/base/energy.h"

namespace heliolite {
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
       {"word_bits", shape::integer(1, kMaxWordBits),
        "Length of a word, of every level and of compute that do not say.", "bits", "16"},
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
       {"link_transfers", shape::one_of({"on", "off"}), "Whether units of a fan-out take words from neighbours.", "",
        "off"},
       {"levels", shape::list(shape::either({shape::map(level_fields()), shape::map(split_level_fields())})),
        "The storage levels, outermost first; required unless there is a base, whose levels of these names they "
        "change."},
       {"compute", shape::map(compute_fields()), "The compute units."}}};
  return table;
}

const FieldTable& compute_fields() {
  static const FieldTable table{
      "compute",
      "The compute units; how many there are follows from the fan-outs.",
      {{"name", shape::text(), "Name of a unit, by which reference tables have its energy.", "", "MAC"},
       {"word_bits", shape::integer(1, kMaxWordBits), "Length of the operands.", "bits", "the machine's"},
       {"energy", amount_shape(kMaxAccessPicojoules, {"pat", "table"}), "Energy of one multiply-accumulate.", "pJ",
        "of the reference table, else by the machine's energy"},
       {"area_um2", amount_shape(kMaxAreaUm2, {"table"}), "Area of one unit.", "um2",
        "from the table if the energy is, else 0"}}};
  return table;
}

}  // namespace heliolite
