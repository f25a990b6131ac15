// Machines, workloads and mappings in our own formats.
#include <string>
#include <utility>

#include "arch/architecture_writer.h"
#include "arch/architecture_yaml.h"
#include "cli/convert/written_files.h"
#include "engine/base/text.h"
#include "engine/base/yaml_node.h"
#include "engine/model/fingerprint.h"
#include "engine/model/mapping_yaml.h"
#include "workloads/network_writer.h"
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
  // A workload by itself has neither a count nor edges.
  const bool one = network.layers.size() == 1 && network.layers[0].count == 1 && network.edges.empty();
  if (one) written.add("workload.yaml", "workload", write_workload(network.layers.front().workload));
  else written.add("network.yaml", "network", write_network(network));
  for (std::size_t i = 0; i < from.mappings.size(); ++i)
    if (from.mappings[i])
      written.add(layer_file("mapping", network, i), "mapping",
                  write_mapping(*from.mappings[i], network.layers[i].workload, *from.machine));
  return written;
}

}  // namespace heliolite::cli
