#include "cli/sweep/sweep_export.h"

#include <ostream>

#include "cli/map/status.h"
#include "cli/sweep/opened_store.h"
#include "cli/ui/json.h"
#include "engine/sweep/export.h"
#include "engine/sweep/sweep_facts.h"

namespace heliolite::cli {
namespace {

Json json_head(const Store& store) {
  const SweepRecord& sweep = store.sweep();
  Json answer = answer_head("sweep");
  answer["question"] = {{"export", store.path()},
                        {"name", sweep.name},
                        {"hash", sweep.question},
                        {"version", sweep.version},
                        {"objective", sweep.objective},
                        {"strategy", sweep.strategy},
                        {"goal", sweep.goal},
                        {"rank", sweep.rank},
                        {"delay_unit", sweep.delay_unit},
                        {"parameters", sweep.parameters},
                        {"text", sweep.text}};
  answer["notes"] = sweep.notes;
  answer["mapspace"] = mapspace_json(imperfect_factors(sweep), counts_of(sweep), tiles_of(sweep));
  return answer;
}

}  // namespace

int run_sweep_export(const SweepExport& arguments, const Output& output) {
  const Result<Store> store = open_to_read(arguments.database, output);
  if (!store) return fail_reading(store.errors());
  if (arguments.points_csv.empty() && arguments.layers_csv.empty() && output.json_target.empty())
    return fail("--export needs --csv FILE, --layers-csv FILE or --json FILE");
  const bool written =
      output.write("--csv", [&](std::ostream& out) { return write_points_csv(*store, out); }) &&
      output.write("--layers-csv", [&](std::ostream& out) { return write_layers_csv(*store, out); }) &&
      output.write("--json", [&](std::ostream& out) { return write_json(*store, json_head(*store), out); });
  return written ? kSuccess : interrupt_flag() ? kInterrupted : kBadInput;
}

}  // namespace heliolite::cli
