// heliolite schema: our file formats as JSON Schemas, for editors.
#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include "cli/schema/json_schema.h"
#include "cli/ui/command.h"
#include "cli/ui/json.h"
#include "cli/ui/search_arguments.h"
#include "cli/ui/table.h"
#include "engine/base/named.h"

namespace heliolite::cli {
namespace {

struct SchemaArguments {
  std::string format;
  std::string target;  // -o
};

int list_formats(const SchemaArguments& arguments, const Output& output) {
  if (!arguments.target.empty()) return fail({{"", 0, "-o", "needs the format whose schema it is to be"}});
  Json answer = answer_head("schema");
  answer["question"] = Json::object();
  answer["formats"] = Json::array();
  Table table({"<format", "<what", "<used by", "<described in"});
  for (const FileFormat& format : file_formats()) {
    table.row({std::string(format.name), std::string(what_it_is(format.part)), std::string(taken_by(format.part)),
               std::string(format.page)});
    answer["formats"].push_back({{"name", format.name},
                                 {"what", what_it_is(format.part)},
                                 {"used_by", taken_by(format.part)},
                                 {"page", format.page}});
  }
  output.table(table.to_string() + "\n  heliolite schema FORMAT prints the JSON Schema of one of them.\n");
  return output.json(answer) ? kSuccess : kBadInput;
}

int run(const SchemaArguments& arguments, const Output& output) {
  if (arguments.format.empty()) return list_formats(arguments, output);
  const FileFormat& format = *std::ranges::find(file_formats(), arguments.format, &FileFormat::name);
  const Json schema = json_schema(fmt::format("Heliolite: {}", what_it_is(format.part)), format.document());
  Json answer = answer_head("schema");
  answer["question"] = {{"format", format.name}};
  answer["schema"] = schema;
  if (!output.document(arguments.target, schema.dump(2) + "\n")) return kBadInput;
  return output.json(answer) ? kSuccess : kBadInput;
}

}  // namespace

void add_schema_command(CLI::App& app, Output& output, Action& action) {
  auto arguments = std::make_shared<SchemaArguments>();
  CLI::App* command = app.add_subcommand("schema", "The JSON Schema of a file format, for editors");
  command->add_option("format", arguments->format, "Of which format; none: list them")
      ->type_name("FORMAT")
      ->transform(one_of(names_of(file_formats())));
  add_target_option(*command, output, "-o", arguments->target, "Write it into a file; on stdout unless given");
  add_output_options(*command, output);
  command->footer(
      "A first line in a file tells editors with a YAML language server which schema it has:\n"
      "  # yaml-language-server: $schema=machine.json\n\n"
      "Examples:\n  heliolite schema\n  heliolite schema machine -o machine.json");
  command->callback([&action, arguments] { action = [arguments](const Output& o) { return run(*arguments, o); }; });
}

}  // namespace heliolite::cli
