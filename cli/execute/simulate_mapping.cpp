#include "cli/execute/simulate_mapping.h"

#include <fmt/format.h>

#include "cli/ui/inputs.h"
#include "cli/ui/interrupt.h"
#include "cli/ui/json.h"
#include "cli/ui/table.h"
#include "engine/base/integers.h"
#include "engine/execution/mapped_nest.h"
#include "engine/model/cost_model.h"
#include "engine/model/true_counts/cost.h"

namespace heliolite::cli {
namespace {

// Whether tiles of the tensor neither overlap nor have holes: of what stays of the others the model has Timeloop's
// rules, and of what a stride skips it counts every word.
bool model_is_exact(const Compiled& compiled, int v) {
  const CompiledTensor& tensor = compiled.tensor[at(v)];
  return tensor.plain_count == tensor.rank_count && !tensor.entangled;
}

}  // namespace

int run_mapping(const NestArguments& arguments, const Output& output) {
  ReadOptions reading = arguments.reading;
  reading.link_transfers = false;  // every word comes from the level outside
  const Result<MappedLayer> layer =
      load_mapped_layer({arguments.architecture, arguments.workload, arguments.layer, arguments.mapping}, reading);
  if (!layer) return fail(layer.errors());
  tell(layer->notes, output);
  if (!arguments.cache_texts.empty()) return fail("--cache: a machine has capacities of its own; leave out -a and -m");
  if (const Diagnostics errors = check_execution(layer->workload, layer->mapping); !errors.empty()) return fail(errors);
  const auto executed =
      until_interrupted([l = *layer] { return execute_mapping(l.workload, l.architecture, l.mapping); });
  if (!executed) return kInterrupted;
  const CostModel model(layer->workload, layer->architecture);
  const bool counted = layer->mapping.is_perfect() || has_true_counts(model.compiled());
  const Breakdown breakdown = model.explain(layer->mapping, counted ? Counts::True : Counts::Timeloop);
  Table table({"<level", "<tensor", "instances", "fills, model", "fills, executed", "drains, executed", "<model"});
  Json levels = Json::array();
  for (const ExecutedTensor& t : *executed) {
    const TensorTraffic& traffic = breakdown.level[at(t.level)].tensor[at(t.tensor)];
    const std::string& name = layer->workload.tensors[at(t.tensor)].name;
    const bool exact = counted && model_is_exact(model.compiled(), t.tensor);
    const std::string claim = !counted ? "Timeloop's averages" : exact ? "exact" : "tiles overlap or have holes";
    const bool output_tensor = layer->workload.tensors[at(t.tensor)].is_output();
    table.row({breakdown.level[at(t.level)].name, name, grouped(traffic.instances), grouped(traffic.all.fills),
               grouped(t.fills), output_tensor ? grouped(t.drains) : "", claim});
    levels.push_back({{"level", breakdown.level[at(t.level)].name},
                      {"tensor", name},
                      {"instances", traffic.instances},
                      {"model_fills", traffic.all.fills},
                      {"fills", t.fills},
                      {"drains", t.drains},
                      {"model_is_exact", exact}});
  }
  output.table(fmt::format("{} on {}: {} iterations; words into and out of all instances of a level\n\n{}",
                           layer->workload.name, layer->architecture.name, grouped(layer->workload.macs()),
                           table.to_string()));
  Json answer = answer_head("simulate");
  answer["question"] = {{"workload", question(layer->workload)}, {"architecture", question(layer->architecture)}};
  answer["levels"] = std::move(levels);
  return output.json(answer) ? kSuccess : kBadInput;
}

}  // namespace heliolite::cli
