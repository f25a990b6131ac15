#include "engine/network/schedule_yaml.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <string_view>
#include <utility>

#include "engine/base/integers.h"
#include "engine/base/mapped.h"
#include "engine/base/text.h"
#include "engine/model/mapping_yaml.h"
#include "engine/model/running_units.h"
#include "engine/network/fused_cost.h"
#include "engine/network/group_plan.h"
#include "engine/network/schedule_text.h"

namespace heliolite {

const FieldTable& schedule_file_fields() {
  static const FieldTable table{
      "schedule file",
      "How the layers of one network run on one machine, fused or not.",
      {required(
           {"schedule", shape::text(),
            "Groups of layers in the network's order, joined by ';': a layer's name, or LEVEL[..] with the tree of "
            "layers that are fused at this level."}),
       required({"mappings", shape::names(shape::list(shape::map(mapping_level_fields()))),
                 "By layer the nest of one pass: levels, outermost first, whose factors make the sizes that the loops "
                 "of the tree leave."}),
       {"units", shape::names(shape::text()),
        "By layer the machine's compute unit that its levels lead to: one of those that can run it.", "",
        "those that run the layers' operations"},
       {"softmax", shape::one_of({"whole", "incremental"}),
        "Whether rows that a softmax is taken of stay whole, or may be cut, so that results are rescaled.", "",
        "whole"},
       {"network", shape::any(), "The network, for readers."},
       {"architecture", shape::any(), "The machine, for readers."}}};
  return table;
}

bool is_schedule(const YamlNode& document) { return document.has("schedule") && document.has("mappings"); }

Diagnostics ScheduleFile::placed(Diagnostics errors, const LinkGraph& graph) const {
  for (Diagnostic& e : errors) {
    e.file = name;
    e.line = line;
    // The field begins with the link's name; of several that it begins with the longest is meant.
    std::size_t longest = 0;
    for (std::size_t l = 0; l < lines.size(); ++l) {
      const std::string& link = graph.links[l].workload.name;
      const bool is_it = e.field == link || e.field.starts_with(link + ": ");
      if (!is_it || link.size() < longest) continue;
      longest = link.size();
      e.line = lines[l];
    }
  }
  return errors;
}

namespace {

class ScheduleFileReader {
 public:
  ScheduleFileReader(const YamlNode& document, const LinkGraph& graph, const Architecture& architecture)
      : document_(document), graph_(graph), architecture_(architecture) {
    out_.name = document.file();
  }

  Result<ScheduleFile> run() {
    FieldReader fields(document_, schedule_file_fields(), errors_);
    const std::optional<std::string> text = fields.string("schedule");
    const std::optional<YamlNode> mappings = fields.child("mappings");
    if (const auto softmax = fields.choice("softmax")) out_.rules.incremental_softmax = *softmax == "incremental";
    const std::optional<YamlNode> units = fields.child("units");
    fields.ignore("network");
    fields.ignore("architecture");
    // An answer of this program says much more.
    if (!document_.has("command")) fields.finish();
    if (units) check_units(*units);
    if (text) read_groups(*text);
    if (!errors_.empty()) return errors_;
    read_mappings(*mappings);
    if (!errors_.empty()) return errors_;
    return std::move(out_);
  }

 private:
  void read_groups(const std::string& text) {
    const YamlNode node = *document_.find("schedule");
    out_.line = node.line();
    auto groups = read_schedule(text, graph_, architecture_);
    if (!groups) {
      // A text of several lines begins on the line behind its key's.
      for (Diagnostic e : groups.errors())
        errors_.push_back({out_.name, node.line() + e.line, std::move(e.field), std::move(e.message)});
      return;
    }
    out_.schedule.groups = *std::move(groups);
    for (Diagnostic& e : check_groups(out_.schedule.groups, graph_, architecture_, out_.rules))
      errors_.push_back({out_.name, out_.line, std::move(e.field), std::move(e.message)});
    if (!errors_.empty()) return;
    for (const LinkGroup& group : out_.schedule.groups)
      for (LinkPass& pass : plan(group, graph_, architecture_, out_.rules).passes)
        out_.passes.push_back(std::move(pass));
  }

  void check_units(const YamlNode& node) {
    if (!node.is_map())
      return errors_.push_back(node.error("must have the compute unit of a layer behind its name, e.g. {l2: VPU}"));
    const std::vector<std::string> known = mapped(graph_.links, [&](const Layer& l) { return l.workload.name; });
    for (const std::string& key : node.keys()) {
      const YamlNode unit = *node.find(key);
      const std::optional<int> link = graph_.find_link(key);
      if (!link) {
        errors_.push_back(unknown_name(unit, "link", key, known));
        continue;
      }
      const std::string& runs_it = running_chain(graph_.link(*link), architecture_).compute.name;
      if (!unit.is_scalar() || unit.text() != runs_it)
        errors_.push_back(unit.error(
            fmt::format("{} runs on {} of {}: must be that, or left out", key, runs_it, architecture_.name)));
    }
  }

  void read_mappings(const YamlNode& node) {
    const std::vector<std::string> known = mapped(graph_.links, [&](const Layer& l) { return l.workload.name; });
    if (!node.is_map())
      return errors_.push_back(node.error("must have the mapping of each link behind its name, e.g. " + known.front() +
                                          ": [{level: NAME, temporal: [K: 4, ..]}, ..]"));
    for (const std::string& key : node.keys())
      if (!graph_.find_link(key)) errors_.push_back(unknown_name(*node.find(key), "link", key, known));
    std::vector<std::string> missing;
    for (std::size_t l = 0; l < known.size(); ++l) {
      const std::optional<YamlNode> levels = node.find(known[l]);
      out_.schedule.mappings.emplace_back();
      out_.lines.push_back(levels ? node.key_line(known[l]) : node.line());
      if (levels) read_mapping_of(static_cast<int>(l), *levels);
      else missing.push_back(known[l]);
    }
    if (!missing.empty())
      errors_.push_back(node.error(fmt::format("no mapping of {}, must have one of each link", join(missing))));
  }

  // Factors of a pass are easily given for the whole link: what a pass is belongs to the complaint.
  void read_mapping_of(int l, const YamlNode& levels) {
    const Workload one_pass = pass_workload(graph_.link(l), out_.passes[l]);
    const Result<Mapping> mapping = read_mapping(levels, one_pass, running_chain(one_pass, architecture_));
    if (mapping) {
      out_.schedule.mappings[l] = *mapping;
      return;
    }
    for (Diagnostic e : mapping.errors()) {
      if (out_.passes[l].passes > 1 && e.message.find("dimension") != std::string::npos)
        e.message += fmt::format("; {} runs in {} passes, each of {}", one_pass.name, out_.passes[l].passes,
                                 sizes_of_pass(one_pass));
      errors_.push_back(std::move(e));
    }
  }

  static std::string sizes_of_pass(const Workload& one_pass) {
    std::vector<std::string> sizes;
    for (const Dimension& d : one_pass.dimensions) sizes.push_back(fmt::format("{} {}", d.name, d.size));
    return fmt::format("{}", fmt::join(sizes, ", "));
  }

  const YamlNode& document_;
  const LinkGraph& graph_;
  const Architecture& architecture_;
  ScheduleFile out_;
  Diagnostics errors_;
};

// The unit that a file's `units` or an answer's `links` say of a link.
std::optional<std::string> unit_of(const YamlNode& document, const std::string& link) {
  if (const auto units = document.find("units"))
    if (const auto unit = units->find(link)) return unit->text();
  if (!document.has("command")) return std::nullopt;
  for (const YamlNode& entry : elements(document.find("links"))) {
    const auto name = entry.find("name"), unit = entry.find("unit");
    if (name && unit && name->text() == link) return unit->text();
  }
  return std::nullopt;
}

}  // namespace

void take_units(const YamlNode& document, const Architecture& architecture, LinkGraph& graph) {
  for (Layer& link : graph.links) {
    const Result<std::vector<std::size_t>> units = units_that_run(link.workload, architecture);
    const std::optional<std::string> said = unit_of(document, link.workload.name);
    if (!units || units->size() < 2 || !said) continue;
    for (const std::size_t unit : *units)
      if (architecture.chain(unit).compute.name == *said) link.workload.unit = *said;
  }
}

Result<ScheduleFile> read_schedule_file(const YamlNode& document, const LinkGraph& graph,
                                        const Architecture& architecture) {
  return ScheduleFileReader(document, graph, architecture).run();
}

std::string write_schedule_file(const FusedSchedule& schedule, const std::string& network, const LinkGraph& graph,
                                const Architecture& architecture, const FusionRules& rules) {
  std::string out =
      fmt::format("network: {}\narchitecture: {}\n", yaml_scalar(network), yaml_scalar(architecture.name));
  if (rules.incremental_softmax) out += "softmax: incremental\n";
  if (!architecture.units.empty()) {
    out += "units:\n";
    for (const Layer& link : graph.links)
      out += fmt::format("  {}: {}\n", yaml_scalar(link.workload.name),
                         yaml_scalar(running_chain(link.workload, architecture).compute.name));
  }
  out +=
      fmt::format("schedule: |\n  {}\n# The nest of one pass of each link, outermost level and outermost loop first.\n",
                  write_schedule(schedule.groups, graph, architecture, " ;\n  "));
  out += "mappings:\n";
  for (const LinkGroup& group : schedule.groups) {
    const GroupPlan p = plan(group, graph, architecture, rules);
    for (int l = group.first; l <= group.last; ++l)
      out += fmt::format("  {}:\n{}", yaml_scalar(graph.link(l).name),
                         write_levels(schedule.mappings[l], pass_workload(graph.link(l), p.passes[at(l - group.first)]),
                                      running_chain(graph.link(l), architecture), "    "));
  }
  return out;
}

}  // namespace heliolite
