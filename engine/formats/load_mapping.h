#pragma once
// Loads what `-m` is given: a mapping file of ours, of Timeloop or of AccelForge, or an answer of this program, told
// apart by content and checked to be legal on the machine.
#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "arch/architecture.h"
#include "engine/base/yaml_node.h"
#include "engine/inputs/read_options.h"
#include "engine/model/mapping.h"
#include "engine/model/running_units.h"
#include "workloads/network.h"
#include "workloads/workload.h"

namespace heliolite {

// Iterations over dimensions by their names.
using DimensionSizes = std::map<std::string, u64>;

// A file with a mapping, or with one for each of several layers, before it is known of which workload and machine.
class MappingFile {
 public:
  static Result<MappingFile> load(const std::string& path, const ReadOptions& options = {});
  // `name` stands for the file in messages.
  static Result<MappingFile> parse(std::string_view text, const std::string& name);

  // Null: the file is a printed nest.
  const YamlNode* document() const { return nest_.empty() ? &root_ : nullptr; }
  // Whether it is of a whole network, its layers fused or not: an AccelForge tree of several Einsums. Schedules of ours
  // are told by their document (schedule_yaml.h).
  bool is_tree_of_several() const;
  // The document for a network: itself, or the schedule that such a tree is, in our format.
  Result<YamlNode> document_for(const Network& network, const Architecture& architecture) const;
  // What load_mapping() gives.
  Result<Mapping> read(const Workload& workload, const Architecture& architecture) const;
  // The machine's chain that the mapping of this workload is on, as a number of Architecture::chain(): of the unit that
  // the file names, else of the only one that can run the workload.
  Result<std::size_t> unit(const Workload& workload, const Architecture& machine) const;
  // The mapping of this workload, on the chain that unit() says.
  Result<UnitMapping> read_on_unit(const Workload& workload, const Architecture& machine) const;
  // The products of the factors, if the file is Timeloop's and has no other factors than whole and stated ones.
  std::optional<DimensionSizes> sizes() const;

 private:
  std::string name_;
  std::string nest_;  // the text of a printed nest; "" if the file is a document
  YamlNode root_;
};

// The mapping of a file that holds one of: the project's own format (mapping_yaml.h); an `eval --json` answer; a `map
// --json` answer, of which the layer named like the workload is taken, or the only one; Timeloop's directives, or the
// nest that Timeloop prints (timeloop/mapping.h). Errors: what those readers refuse, and tiles beyond a capacity or a
// fan-out (mapping_check.h).
Result<Mapping> load_mapping(const std::string& path, const Workload& workload, const Architecture& architecture,
                             const ReadOptions& options = {});

// The mapping of a text; `name` stands for the file in messages.
Result<Mapping> parse_mapping(std::string_view text, const std::string& name, const Workload& workload,
                              const Architecture& architecture);

}  // namespace heliolite
