// Reads machines of Timeloop and Accelergy files: which of the three formats it is, and what comes with it.
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <optional>
#include <string_view>
#include <utility>

#include "arch/check.h"
#include "arch/reference_tables.h"
#include "engine/base/integers.h"
#include "engine/base/mapped.h"
#include "engine/base/text.h"
#include "engine/formats/timeloop/component.h"
#include "engine/formats/timeloop/constraints.h"
#include "engine/formats/timeloop/machine.h"
#include "engine/inputs/read_options.h"

namespace heliolite {
namespace {

enum class Format : u8 { Flat, Tree, Nodes };

// What a top-level key means to this reader.
enum class Section : u8 {
  Architecture,
  Ert,
  Art,
  Constraints,
  Variables,
  Mapspace,
  Mapper,
  Switches,
  NotHere,
  Refused,
};

struct SectionName {
  std::string_view key;
  Section section;
};

constexpr SectionName kSections[] = {
    {"architecture", Section::Architecture},
    {"arch", Section::Architecture},  // the oldest files
    {"ERT", Section::Ert},
    {"ART", Section::Art},
    {"arch_constraints", Section::Constraints},
    {"architecture_constraints", Section::Constraints},
    {"constraints", Section::Constraints},
    {"mapspace_constraints", Section::Constraints},
    {"variables", Section::Variables},
    {"heliolite", Section::Switches},
    // Estimators' classes, workloads and searches: other readers' business, of no consequence to the machine.
    {"components", Section::NotHere},
    {"compound_components", Section::NotHere},
    {"problem", Section::NotHere},
    {"mapping", Section::NotHere},
    {"mapper", Section::Mapper},
    {"mapspace", Section::Mapspace},
    {"globals", Section::NotHere},
    {"dumped_by_timeloop_front_end", Section::NotHere},
    {"sparse_optimizations", Section::Refused},
};

// Constraints, and the key under which they stand: "mapspace", also where that has several lists.
struct ConstraintSection {
  std::string key;
  YamlNode node;
};

struct Sections {
  std::optional<YamlNode> architecture;
  std::optional<YamlNode> ert;
  std::optional<YamlNode> art;
  std::vector<ConstraintSection> constraints;
  TimeloopAttributes variables;
  std::vector<YamlNode> mappers;
  std::optional<bool> unit_loops_first;
};

// How this program is to read the files, in a file of its own beside them.
void read_switches(const YamlNode& node, Sections& sections, Diagnostics& errors) {
  MapReader reader(node, errors);
  if (const auto word = reader.choice("unit_loops", {"first", "as_written"}))
    sections.unit_loops_first = *word == "first";
  reader.finish();
}

void set_once(std::optional<YamlNode>& slot, const YamlNode& value, std::string_view key, Diagnostics& errors) {
  if (slot) {
    errors.push_back(value.error(fmt::format("a second '{}', the first is {}:{}", key, slot->file(), slot->line())));
    return;
  }
  slot = value;
}

std::vector<std::string> section_names() { return mapped<std::string>(kSections, &SectionName::key); }

void unknown_section(const YamlNode& document, const std::string& key, Diagnostics& errors) {
  const std::vector<std::string> names = section_names();
  const YamlNode value = *document.find(key);
  if (key == "ERT_summary" || key == "ART_summary" || key == "table_summary") {
    errors.push_back(value.error(fmt::format("'{}' is a summary for reading; give the ERT or ART file itself", key)));
    return;
  }
  if (key == "flattened_architecture") {
    errors.push_back(
        value.error("Accelergy's flattened architecture of version 0.2 lists components by their names, and the order "
                    "of the memories is lost; give the architecture file itself, or one flattened by version 0.3"));
    return;
  }
  std::string hint = did_you_mean(key, names);
  if (hint.empty()) hint = ", must be one of " + join(names, "or");
  errors.push_back({document.file(), document.key_line(key), key, fmt::format("unknown key '{}'{}", key, hint)});
}

// A map, or a list of maps that are put together.
void add_variables(const YamlNode& node, TimeloopAttributes& variables, Diagnostics& errors) {
  if (node.is_sequence()) {
    for (const YamlNode& part : elements(node)) add_variables(part, variables, errors);
    return;
  }
  for (auto& [name, attribute] : read_attributes(node, {"version"}, errors))
    if (!variables.emplace(name, attribute).second)
      errors.push_back(attribute->node.error(fmt::format("variable '{}' is given twice", name)));
}

// The oldest files have their constraints here, as a list or as the name of one of several lists; newer ones have a
// template, which is the search's business.
void add_mapspace(const YamlNode& mapspace, Sections& sections, Diagnostics& errors) {
  for (const char* key : {"constraints", "targets"}) {
    const std::optional<YamlNode> list = mapspace.find(key);
    if (!list) continue;
    const bool named = list->is_scalar() && !list->is_null() && !list->text().empty();
    const std::string name = named ? fmt::format("{}_{}", key, list->text()) : key;
    const std::optional<YamlNode> constraints = mapspace.find(name);
    if (constraints) sections.constraints.push_back({"mapspace", *constraints});
    else errors.push_back(list->error(fmt::format("{} = {}, and there is no '{}'", key, list->text(), name)));
  }
}

Sections sort_sections(const std::vector<YamlNode>& documents, Diagnostics& errors) {
  Sections sections;
  for (const YamlNode& document : documents) {
    if (!document.is_map()) {
      errors.push_back(document.error("must be a map with keys such as architecture, ERT or constraints"));
      continue;
    }
    for (const std::string& key : document.keys()) {
      const auto* section = std::ranges::find(kSections, std::string_view(key), &SectionName::key);
      // The front end's word for homes of anchors: "defaults_ignore: &defaults".
      if (section == std::end(kSections) && key.find("ignore") != std::string::npos) continue;
      // The front end takes any key that contains "constraints" ("extra_mapping_constraints").
      if (section == std::end(kSections) && key.find("constraints") != std::string::npos) {
        sections.constraints.push_back({key, *document.find(key)});
        continue;
      }
      if (section == std::end(kSections)) {
        unknown_section(document, key, errors);
        continue;
      }
      const YamlNode value = *document.find(key);
      switch (section->section) {
        case Section::Architecture: set_once(sections.architecture, value, key, errors); break;
        case Section::Ert: set_once(sections.ert, value, key, errors); break;
        case Section::Art: set_once(sections.art, value, key, errors); break;
        case Section::Constraints: sections.constraints.push_back({key, value}); break;
        case Section::Variables: add_variables(value, sections.variables, errors); break;
        case Section::Switches: read_switches(value, sections, errors); break;
        case Section::Mapper: sections.mappers.push_back(value); break;
        case Section::Mapspace: add_mapspace(value, sections, errors); break;
        case Section::NotHere: break;
        case Section::Refused:
          if (!says_nothing(value)) errors.push_back(value.error(fmt::format("sparse machines: {}", kSparseAdvice)));
          break;
      }
    }
  }
  return sections;
}

std::optional<Format> format_of(const YamlNode& architecture) {
  if (!architecture.is_map()) return std::nullopt;
  if (architecture.has("nodes")) return Format::Nodes;
  if (architecture.has("subtree") || architecture.has("local")) return Format::Tree;
  // Ours has neither of these at this place.
  if (architecture.has("storage") || architecture.has("arithmetic")) return Format::Flat;
  return std::nullopt;
}

void check_version(const YamlNode& architecture, Format format, Diagnostics& errors) {
  const auto version = architecture.find("version");
  if (!version || version->is_null() || format == Format::Flat) return;
  const std::string& text = version->text();
  // Trees of version 0.4 are what Timeloop's front end makes of nodes.
  const bool known = text == "0.4" || (format == Format::Tree && (text == "0.1" || text == "0.2" || text == "0.3"));
  if (!known)
    errors.push_back(version->error(fmt::format(
        "version = {}, must be {}", text,
        format == Format::Nodes ? "0.4 where there are nodes" : "from 0.1 to 0.4 where there is a subtree")));
}

// The constraints that hold. Of nodes, which are the front end's, all do. Of other files those that Timeloop reads: of
// the machine the ones inside it, else `arch_constraints`, else `architecture_constraints`, and of the search those of
// `mapspace`, else `mapspace_constraints`. It reads no `constraints` next to the machine; in the machine's own file
// they are its author's, and hold. Notes say what does not hold, and what holds here only.
std::vector<YamlNode> constraints_that_hold(const Sections& sections, Format format, std::vector<std::string>& notes,
                                            Diagnostics& errors) {
  std::vector<ConstraintSection> all = sections.constraints;
  const YamlNode& machine = *sections.architecture;
  if (const auto inside = machine.find("constraints"); inside && format != Format::Nodes)
    all.insert(all.begin(), {"architecture.constraints", *inside});
  const auto first_of = [&](std::initializer_list<std::string_view> keys) -> std::string_view {
    for (const std::string_view key : keys)
      if (std::ranges::find(all, key, &ConstraintSection::key) != all.end()) return key;
    return "";
  };
  const std::string_view of_machine =
      first_of({"architecture.constraints", "arch_constraints", "architecture_constraints"});
  const std::string_view of_search = first_of({"mapspace", "mapspace_constraints"});
  std::vector<YamlNode> out;
  for (const ConstraintSection& section : all) {
    const auto note = [&](std::string_view what) {
      if (!says_nothing(section.node))
        notes.push_back(fmt::format("{}:{}: {}: {}", section.node.file(), section.node.line(), section.key, what));
    };
    const std::string& key = section.key;
    const bool known = key == of_machine || std::ranges::find(kSections, key, &SectionName::key) != std::end(kSections);
    const std::string meant = known ? "" : did_you_mean(key, section_names());
    if (format != Format::Nodes && !meant.empty()) {
      errors.push_back(section.node.error(fmt::format("unknown key '{}'{}", key, meant)));
    } else if (format == Format::Nodes) {
      if (!known)
        note("constraints for Timeloop's front end, which takes every key of this kind; Timeloop alone does not");
      out.push_back(section.node);
    } else if (key == of_machine || key == of_search) {
      out.push_back(section.node);
    } else if (key == "constraints" && section.node.file() == machine.file()) {
      note("taken as the machine's; Timeloop does not read them there, but as architecture_constraints");
      out.push_back(section.node);
    } else if (key == "constraints" || !known) {
      note("not read, as Timeloop does not read them; they are read as architecture_constraints");
    } else {
      note(fmt::format("not read: Timeloop reads {} instead", key == "mapspace_constraints" ? of_search : of_machine));
    }
  }
  return out;
}

TimeloopMachine read_machine(const YamlNode& architecture, Format format, const Sections& sections,
                             Diagnostics& errors) {
  const TimeloopAttributes& variables = sections.variables;
  check_version(architecture, format, errors);
  switch (format) {
    case Format::Flat: return read_flat_machine(architecture, variables, errors);
    case Format::Tree: return read_tree_machine(architecture, variables, errors);
    case Format::Nodes: break;
  }
  const std::vector<YamlNode> lists = mapped(sections.constraints, &ConstraintSection::node);
  return read_nodes_machine(architecture, variables, keep_targets(lists), errors);
}

template <class T>
T take(Result<T> result, Diagnostics& errors) {
  if (result.ok()) return std::move(result).value();
  errors.insert(errors.end(), result.errors().begin(), result.errors().end());
  return {};
}

Diagnostic place_of(const TimeloopMachine& machine, const YamlNode& architecture, int level) {
  const YamlNode* node = &architecture;
  if (level == kComputeUnits && machine.compute) node = &machine.compute->place;
  if (level >= 0 && level < static_cast<int>(machine.storage.size())) node = &machine.storage[level].place;
  return node->error("");
}

// Every tensor passes by a storage of 0 words; what a file wants kept there cannot be.
void pass_by_empty(const TimeloopMachine& machine, Architecture& architecture, Diagnostics& errors) {
  for (std::size_t i = 0; i < architecture.levels.size(); ++i) {
    if (!machine.storage[i].holds_nothing) continue;
    KeepRule& keep = architecture.levels[i].keep;
    if (keep.keep.empty()) keep.bypass = {"all"};
    else
      errors.push_back(machine.storage[i].place.error(
          fmt::format("{} has 0 words and is to keep {}: give it a size, or none for an unbounded one",
                      architecture.levels[i].name, join(keep.keep, "and"))));
  }
}

// Settings of Timeloop's search, which does not run here.
void note_mapper(const YamlNode& mapper, std::vector<std::string>& notes) {
  if (!mapper.is_map()) return;
  std::string metric;
  std::vector<std::string> others;
  for (const std::string& key : mapper.keys()) {
    std::string name = key;
    std::ranges::replace(name, '-', '_');
    const std::vector<YamlNode> values = elements(mapper.find(key));
    if (name == "version" || values.empty()) continue;
    if (name.starts_with("optimization_metric") && values.front().is_scalar()) metric = lower(values.front().text());
    else others.push_back(key);
  }
  std::vector<std::string> parts;
  if (!metric.empty()) {
    const bool known = metric == "edp" || metric == "energy" || metric == "delay";
    parts.push_back(fmt::format("its metric {}{}", metric, known ? fmt::format(" (give --objective {})", metric) : ""));
  }
  if (!others.empty()) parts.push_back(join(others));
  if (!parts.empty())
    notes.push_back(fmt::format("the mapper of {}:{} is of Timeloop's search and not used here: {}", mapper.file(),
                                mapper.line(), fmt::format("{}", fmt::join(parts, "; "))));
}

}  // namespace

bool is_timeloop_architecture(const YamlNode& document) {
  const auto architecture = document.find(document.has("arch") ? "arch" : "architecture");
  return (architecture && format_of(*architecture).has_value()) || document.has("flattened_architecture");
}

Result<Architecture> read_timeloop_architecture(const std::vector<YamlNode>& documents) {
  Result<TimeloopSource> source = read_timeloop_source(documents);
  if (!source) return source.errors();
  return std::move(source->architecture);
}

Result<TimeloopSource> read_timeloop_source(const std::vector<YamlNode>& documents) {
  Diagnostics errors;
  Sections sections = sort_sections(documents, errors);
  if (!sections.architecture && !errors.empty()) return errors;
  if (!sections.architecture) {
    const char* message = "no 'architecture': the files describe no machine";
    errors.push_back(documents.empty() ? Diagnostic{"", 0, "", message} : documents.front().error(message));
    return errors;
  }
  const YamlNode& node = *sections.architecture;
  const std::optional<Format> format = format_of(node);
  if (!format) {
    errors.push_back(node.error("must have arithmetic and storage, a subtree (v0.3), or nodes (v0.4)"));
    return errors;
  }

  Architecture architecture;
  architecture.name = std::filesystem::path(node.file()).stem().string();
  architecture.one_axis_per_dimension = true;
  architecture.unit_loops_first = sections.unit_loops_first.value_or(*format == Format::Nodes);
  architecture.peer_channel = true;
  architecture.timeloop_cycles = true;
  const std::optional<double> variable = cycle_seconds_in(sections.variables, sections.variables, errors);
  const TimeloopMachine machine = read_machine(node, *format, sections, errors);
  if (const std::optional<double> seconds = variable ? variable : machine.cycle_seconds)
    architecture.cycle_ns = *seconds * 1e9;
  const EnergyReferenceTable ert = sections.ert ? take(read_ert(*sections.ert), errors) : EnergyReferenceTable{};
  if (const auto wire = ert.components.find("wire");
      wire != ert.components.end() && compute_energy(ert, "wire")->op_pj != 0.0)
    errors.push_back(sections.ert->error("a wire: wires are not floorplanned here, give energy_per_hop (pJ) instead"));
  TimeloopCosts costs = finish_machine(machine, ert, architecture, errors);
  check_networks(machine, ert, costs.notes, errors);
  if (sections.ert && errors.empty()) {
    Architecture copy = architecture;  // an ERT of another machine would leave built-in energies unnoticed
    for (const Diagnostic& e : apply_ert(ert, copy)) errors.push_back(sections.ert->error(e.message));
  }
  if (sections.art) {
    const AreaReferenceTable art = take(read_art(*sections.art), errors);
    for (std::size_t i = 0; i < architecture.levels.size(); ++i)
      if (art.components.contains(architecture.levels[i].name)) costs.levels[i].area = CostSource::Reference;
    if (art.components.contains(architecture.compute.name)) costs.compute.area = CostSource::Reference;
    const Diagnostics art_errors = apply_art(art, architecture);
    for (const Diagnostic& e : art_errors) errors.push_back(sections.art->error(e.message));
  }
  for (const YamlNode& constraints : constraints_that_hold(sections, *format, architecture.notes, errors))
    read_constraint_targets(constraints, {*format == Format::Nodes, machine.without_fanout}, architecture, errors);
  pass_by_empty(machine, architecture, errors);
  if (!errors.empty()) return errors;

  errors = check(architecture, [&](int level) { return place_of(machine, node, level); });
  if (!errors.empty()) return errors;
  architecture.notes.insert(architecture.notes.end(), costs.notes.begin(), costs.notes.end());
  for (const YamlNode& mapper : sections.mappers) note_mapper(mapper, architecture.notes);
  if (!machine.unread.empty())
    architecture.notes.push_back("attributes that nothing here reads, as Timeloop passes over them: " +
                                 listed(machine.unread));
  return TimeloopSource{std::move(architecture), std::move(costs.levels), costs.compute};
}

}  // namespace heliolite
