// heliolite show --instance: a layer and a machine as the lines that a proof is of.
#include "engine/proof/instance.h"

#include "cli/show/show_parts.h"
#include "cli/ui/inputs.h"

namespace heliolite::cli {

int show_instance(const std::string& architecture, const std::string& workload, const std::string& layer,
                  const ReadOptions& reading, const Output& output) {
  if (architecture.empty() || workload.empty())
    return fail({{"", 0, "--instance", "is of a machine and a layer: needs -a and -w"}});
  const Result<Inputs> inputs = load_inputs(architecture, workload, reading);
  if (!inputs) return fail(inputs.errors());
  output.report_notes(inputs->notes());
  const Result<Workload> picked = pick_layer(inputs->network, layer);
  if (!picked) return fail(picked.errors());
  const Result<proof::Instance> instance = proof::instance_of(*picked, inputs->architecture);
  if (!instance) return fail(instance.errors());
  const std::string text = proof::text_of(*instance);
  if (!output.document("", text)) return kBadInput;
  Json answer = answer_head("show");
  answer["question"] = {{"machine", architecture}, {"workload", workload}, {"layer", picked->name}};
  answer["instance"] = text;
  return output.json(answer) ? kSuccess : kBadInput;
}

}  // namespace heliolite::cli
