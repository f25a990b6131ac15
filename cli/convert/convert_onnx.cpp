#include "cli/convert/convert_onnx.h"

#include <fmt/format.h>

#include "cli/ui/json.h"
#include "engine/base/file_claims.h"
#include "engine/base/shortened.h"
#include "workloads/network_writer.h"
#include "workloads/onnx/import.h"
#include "workloads/word_bits.h"

namespace heliolite::cli {
namespace {

constexpr const char* kTarget = "-o";

// Who made the file from what, for those who find it later.
std::string header(const std::string& model, const std::string& options, const onnx::Imported& imported) {
  std::string text = fmt::format("# {}{}: made from an ONNX model by heliolite convert\n", shortened(model),
                                 options.empty() ? "" : "@" + shortened(options));
  for (const std::string& note : imported.notes()) text += fmt::format("# {}\n", note);
  for (const onnx::NodeReport* node : imported.report.refused())
    text += fmt::format("# left out: {} {}: {}\n", shortened(node->op), shortened(node->node), node->why);
  return text;
}

Json answer_json(const std::string& model, const std::string& options, const onnx::Imported& imported) {
  Json answer = answer_head("convert");
  answer["question"] = {{"given", {model}}, {"to", "heliolite"}, {"options", options}};
  answer["layers"] = imported.network.layers.size();
  answer["macs"] = imported.network.macs();
  answer["nodes"] = Json::array();
  for (const onnx::NodeReport& node : imported.report.nodes)
    answer["nodes"].push_back(
        {{"node", shortened(node.node)}, {"op", shortened(node.op)}, {"fate", name(node.fate)}, {"why", node.why}});
  answer["lost_edges"] = Json::array();
  for (const onnx::LostEdge& edge : imported.report.lost)
    answer["lost_edges"].push_back(
        {{"from", edge.from}, {"to", edge.to}, {"tensor", edge.tensor}, {"because", edge.why}});
  answer["notes"] = imported.notes();
  return answer;
}

}  // namespace

int convert_onnx(const std::string& model, const ReadOptions& reading, const std::string& target,
                 const Output& output) {
  onnx::Options read;
  const WordBits& sizes = reading.word_bits;
  const std::string text = fmt::format("{}", fmt::join(reading.models, ","));
  if (const Diagnostics errors = onnx::add_options(text, model, read); !errors.empty()) return fail(errors);
  read.types = sizes.source == WordBitsSource::Types;
  Result<onnx::Imported> imported = onnx::import_file(model, read, onnx::Merge::None);
  if (!imported) return fail(imported.errors());
  if (const Diagnostics errors = set_word_bits(imported->network, sizes); !errors.empty()) return fail(errors);
  for (const std::string& note : imported->notes()) output.note(fmt::format("heliolite: {}: {}", model, note));
  for (const onnx::NodeReport* node : imported->report.refused())
    output.note(fmt::format("heliolite: {}: left out: {} '{}': {}", model, shortened(node->op), shortened(node->node),
                            node->why));
  const Json answer = answer_json(model, text, *imported);
  if (imported->network.layers.empty()) {
    output.note("heliolite: nothing in this model multiplies matrices");
    return output.json(answer) ? kNegative : kBadInput;
  }
  const std::string network = header(model, text, *imported) + write_network(imported->network, imported->sources);
  // As it is, not as a table; with --json - the answer stands there instead.
  const bool shown = !target.empty() || !FileClaims::of_program().takes_stdout();
  if (shown && !(output.claim(kTarget, target.empty() ? "-" : target) && output.write(kTarget, network)))
    return kBadInput;
  return output.json(answer) ? kSuccess : kBadInput;
}

}  // namespace heliolite::cli
