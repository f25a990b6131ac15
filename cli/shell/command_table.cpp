#include "cli/shell/command_table.h"

#include <utility>

#include "cli/ui/command.h"
#include "engine/base/text.h"
#include "engine/formats/load_architecture.h"
#include "workloads/workload_yaml.h"

namespace heliolite::cli {
namespace {

struct ValueKind {
  const char* value;
  Offers offers;
};

// What help shows for values that are no numbers and no names of the user's own.
constexpr ValueKind kValueKinds[] = {
    {"A", {.machines = true, .files = true}},
    {"W", {.workloads = true, .files = true}},
    {"FILE", {.files = true}},
    {"DB", {.files = true}},
    {"CHIP", {.files = true}},
    {"TILING", {.files = true}},
    {"OUT", {.files = true}},
    {"SHARD..", {.files = true}},
    {"DIR", {.folders = true}},
    {"FILE|DIR", {.files = true, .folders = true}},
    {"LAYER", {.layers = true}},
};

// What is offered for a value that help shows so: "FILE", "A|W".
Offers offers_of(const std::string& value) {
  Offers all;
  for (const std::string& part : split(value, '|')) {
    for (const auto& [name, offers] : kValueKinds) {
      if (part != name) continue;
      all.machines |= offers.machines;
      all.workloads |= offers.workloads;
      all.files |= offers.files;
      all.folders |= offers.folders;
      all.layers |= offers.layers;
    }
  }
  return all;
}

OptionRow option_row(const CLI::Option& option) {
  OptionRow row;
  for (const std::string& name : option.get_snames()) row.names.push_back("-" + name);
  for (const std::string& name : option.get_lnames()) row.names.push_back("--" + name);
  if (row.names.empty()) row.argument = option.get_single_name();
  if (option.get_type_size() != 0) {
    row.value = placeholder(option);
    row.choices = choices_of(option);
    row.offers = offers_of(row.value);
    // A machine may be several files.
    row.list = option.get_delimiter() == ',' || (row.offers.machines && !row.names.empty());
    row.many = row.names.empty() && option.get_items_expected_max() > 1;
  }
  row.required = option.get_required();
  row.usual = option.get_default_str();
  row.help = option.get_description();
  return row;
}

CommandRow command_row(const CLI::App& app) {
  CommandRow row{app.get_name(), app.get_description(), app.get_footer(), {}};
  for (const CLI::Option* option : app.get_options()) row.options.push_back(option_row(*option));
  return row;
}

}  // namespace

std::vector<std::string> preset_names(const Offers& offers) {
  std::vector<std::string> names;
  if (offers.machines) names = architecture_preset_names();
  if (offers.workloads)
    for (std::string& name : workload_preset_names()) names.push_back(std::move(name));
  return names;
}

CommandTable command_table(const CLI::App& app) {
  CommandTable table{command_row(app), {}};
  for (const CLI::App* command : app.get_subcommands({})) table.commands.push_back(command_row(*command));
  return table;
}

}  // namespace heliolite::cli
