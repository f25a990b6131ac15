#include <fmt/format.h>

#include <sstream>
#include <string>
#include <string_view>
#include <utility>

#include "arch/architecture_writer.h"
#include "arch/architecture_yaml.h"
#include "cli/convert/written_files.h"
#include "engine/base/text.h"
#include "engine/base/yaml_node.h"
#include "engine/model/fingerprint.h"
#include "engine/model/mapping_yaml.h"
#include "workloads/workload_writer.h"

namespace heliolite::cli {
namespace {

// Whether the text is read as the machine. A machine with several outermost instances is none of our format.
bool is_read_as(const std::string& text, const Architecture& machine) {
  const Result<YamlNode> document = YamlNode::parse(text, "machine.yaml");
  if (!document) return false;
  const Result<ArchitectureSpec> spec = read_architecture_yaml(*document);
  if (!spec) return false;
  const Result<Architecture> back = resolve(*spec);
  return back && fingerprint(*back) == fingerprint(machine);
}

// Layers as entries of a list.
std::string network_text(const Network& network) {
  std::string out = fmt::format("name: {}\nlayers:\n", yaml_scalar(network.name));
  for (const Layer& layer : network.layers) {
    std::string_view rest = "- ";
    std::istringstream text(write_workload(layer.workload));
    for (std::string line; std::getline(text, line);) out.append(std::exchange(rest, "  ")).append(line).append("\n");
    out += fmt::format("  count: {}\n", layer.count);
  }
  return out;
}

}  // namespace

Result<WrittenFiles> to_heliolite(const Convertible& from) {
  WrittenFiles written;
  if (from.machine) {
    std::string text = write_architecture(*from.machine);
    if (!is_read_as(text, *from.machine))
      return Diagnostic{"", 0, from.machine->name,
                        "has several instances of its outermost level, which our format does not know"};
    written.add("machine.yaml", "machine", std::move(text));
  }
  if (!from.network) return written;
  const Network& network = *from.network;
  const bool one = network.layers.size() == 1;
  if (one) written.add("workload.yaml", "workload", write_workload(network.layers.front().workload));
  else written.add("network.yaml", "network", network_text(network));
  if (!network.edges.empty())
    written.notes.push_back({"", 0, network.name, "what its layers pass to each other is not written"});
  for (std::size_t i = 0; i < from.mappings.size(); ++i)
    if (from.mappings[i])
      written.add(layer_file("mapping", network, i), "mapping",
                  write_mapping(*from.mappings[i], network.layers[i].workload, *from.machine));
  return written;
}

}  // namespace heliolite::cli
