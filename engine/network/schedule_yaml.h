#pragma once
// The file of a network's schedule, read and written (docs/formats_schedule.md): the groups as text, and the nest of
// one pass of every link in the format of mappings.
//
//   schedule: Buf[(l1.j/6 l2.j/6)[+l1.w, +l2.w, l1, l2]]
//   mappings:
//     l1: [{level: DRAM}, {level: Buf, temporal: [j: 2, i: 8]}, {level: Reg, temporal: [k: 8]}]
//     l2: [{level: DRAM}, {level: Buf, temporal: [j: 2, i: 8]}, {level: Reg, temporal: [k: 8]}]
#include <string>
#include <vector>

#include "arch/architecture.h"
#include "engine/base/field_reader.h"
#include "engine/base/result.h"
#include "engine/base/yaml_node.h"
#include "engine/network/fused_schedule.h"
#include "engine/network/link_graph.h"
#include "engine/network/residence.h"

namespace heliolite {

const FieldTable& schedule_file_fields();

// A legal schedule, with the places of its parts in the file for what is found out about them later.
struct ScheduleFile {
  FusedSchedule schedule;
  FusionRules rules;
  std::string name{};              // of the file
  int line = 0;                    // of the groups
  std::vector<int> lines{};        // [link] of its mapping
  std::vector<LinkPass> passes{};  // [link]

  // Complaints about the schedule (fused_cost.h) with the file, and the line of the link or of the groups.
  Diagnostics placed(Diagnostics errors, const LinkGraph& graph) const;
};

// Whether a document is such a file, or an answer of `eval --json` that has all of one.
bool is_schedule(const YamlNode& document);

// Names the unit that the document says in links that several compute units can run and that name none.
void take_units(const YamlNode& document, const Architecture& architecture, LinkGraph& graph);

// The schedule of such a document. Errors: what read_schedule(), check_groups() and read_mapping() refuse, links
// without a mapping, and names that are no links.
Result<ScheduleFile> read_schedule_file(const YamlNode& document, const LinkGraph& graph,
                                        const Architecture& architecture);

// A YAML document that reads back to an equal schedule, which must be legal.
std::string write_schedule_file(const FusedSchedule& schedule, const std::string& network, const LinkGraph& graph,
                                const Architecture& architecture, const FusionRules& rules = {});

// In what two schedules differ: by link its group, the loops above it, the sizes of a pass and its mapping
// (mapping_yaml.h); by array where it is held. Together they are all of a schedule.
FieldDifferences differences(const ScheduleFile& a, const ScheduleFile& b, const LinkGraph& graph,
                             const Architecture& architecture);

}  // namespace heliolite
