// heliolite schema: our file formats as JSON Schemas, for editors.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "arch/architecture_yaml.h"
#include "cli/bench/bench_config.h"
#include "cli/bound/experiment.h"
#include "cli/convert/recognise.h"
#include "cli/ui/command.h"
#include "cli/ui/json.h"
#include "cli/ui/table.h"
#include "engine/base/field_reader.h"
#include "engine/base/mapped.h"
#include "engine/base/named.h"
#include "engine/base/text.h"
#include "engine/execution/tiled_nest.h"
#include "engine/model/mapping_yaml.h"
#include "engine/network/schedule_yaml.h"
#include "engine/search/bayes/bayes_search.h"
#include "engine/sweep/sweep_yaml.h"
#include "workloads/workload_fields.h"

namespace heliolite::cli {
namespace {

// A file format of ours that has a JSON Schema.
struct FileFormat {
  std::string_view name;  // "machine": of the schema, and of schemas/machine.json
  Part part;              // what such a file is recognised as
  std::string_view page;  // of the documentation
  Shape (*document)();
};

template <const FieldTable& (*fields)()>
Shape map_of() {
  return shape::map(fields());
}

constexpr std::array kFormats{
    FileFormat{"machine", Part::Machine, "docs/formats_architecture.md", map_of<machine_file_fields>},
    FileFormat{"workload", Part::Workload, "docs/formats_workload.md", map_of<workload_file_fields>},
    FileFormat{"mapping", Part::Mapping, "docs/formats_mapping.md", mapping_document_shape},
    FileFormat{"schedule", Part::Schedule, "docs/formats_schedule.md", map_of<schedule_file_fields>},
    FileFormat{"tiling", Part::Tiling, "docs/execution.md", map_of<tiling_file_fields>},
    FileFormat{"sweep", Part::Sweep, "docs/formats_sweep.md", map_of<sweep_file_fields>},
    FileFormat{"bench", Part::Bench, "docs/formats_bench.md", map_of<bench_file_fields>},
    FileFormat{"experiment", Part::Experiment, "docs/orojenesis.md", map_of<experiment_fields>},
    FileFormat{"chip", Part::Chip, "docs/orojenesis.md", map_of<chip_fields>},
    FileFormat{"learned", Part::Learned, "docs/bayes.md", map_of<learned_file_fields>},
};

constexpr const char* kDraft = "http://json-schema.org/draft-07/schema#";
// The readers take these too, which YAML 1.2 has as texts.
constexpr const char* kSwitchWords = "^(yes|Yes|YES|no|No|NO|on|On|ON|off|Off|OFF)$";

std::string key_of(const FieldTable& table) {
  std::string key = table.name;
  std::ranges::replace(key, ' ', '_');
  return key;
}

// What holds without the field, if that is a value and not a phrase.
std::optional<Json> default_of(const FileField& field) {
  const std::string& usual = field.usual;
  switch (field.shape.kind) {
    case Shape::Kind::Boolean:
      if (usual == "true" || usual == "false") return Json(usual == "true");
      break;
    case Shape::Kind::Integer:
      if (const auto value = parse_number<i64>(usual)) return Json(*value);
      break;
    case Shape::Kind::Number:
      if (const auto value = parse_number<double>(usual)) return Json(*value);
      break;
    case Shape::Kind::Name:
      if (std::ranges::find(field.shape.names, usual) != field.shape.names.end()) return Json(usual);
      break;
    default: break;
  }
  return std::nullopt;
}

std::string description_of(const FileField& field) {
  std::string text = field.help;
  if (!field.unit.empty()) text += fmt::format(" Unit: {}.", field.unit);
  if (!field.usual.empty()) text += fmt::format(" Default: {}.", field.usual);
  return text;
}

// "^[pP][aA][dD]$"
std::string in_any_case(std::string_view key) {
  std::string pattern = "^";
  for (const char c : key) {
    const char capital = static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
    pattern += capital == c ? std::string(1, c) : fmt::format("[{}{}]", c, capital);
  }
  return pattern + "$";
}

class Writer {
 public:
  Json document(const std::string& title, const Shape& shape) {
    Json root{{"$schema", kDraft}, {"title", title}};
    // Next to a reference other keywords mean nothing, so the document's own table stands at the root.
    root.update(shape.kind == Shape::Kind::Map ? of_table(*shape.table) : of(shape));
    if (!definitions_.empty()) root["definitions"] = std::move(definitions_);
    return root;
  }

 private:
  Json of(const Shape& shape) {
    switch (shape.kind) {
      case Shape::Kind::Any: return Json::object();
      case Shape::Kind::Nothing: return {{"type", "null"}};
      case Shape::Kind::Text: return of_text(shape);
      case Shape::Kind::Integer: return {{"type", "integer"}, {"minimum", shape.least}, {"maximum", shape.most}};
      case Shape::Kind::Number: return of_number(shape);
      case Shape::Kind::Boolean: return {{"type", {"boolean", "string"}}, {"pattern", kSwitchWords}};
      case Shape::Kind::Name: return of_names(shape);
      case Shape::Kind::Words: {
        const Json word = of_text({});
        return {{"type", {"array", "string", "number", "boolean", "null"}}, {"items", word}};
      }
      case Shape::Kind::List: return {{"type", "array"}, {"items", of(shape.of.front())}};
      case Shape::Kind::Names: return {{"type", "object"}, {"additionalProperties", of(shape.of.front())}};
      case Shape::Kind::Map: return reference(*shape.table);
      case Shape::Kind::Either: break;
    }
    Json alternatives = mapped(shape.of, [&](const Shape& one) { return of(one); });
    return {{"anyOf", alternatives}};
  }

  // Any scalar is a text: 16 is the name "16".
  static Json of_text(const Shape& shape) {
    if (shape.pattern.empty()) return {{"type", {"string", "number", "boolean"}}};
    return {{"type", "string"}, {"pattern", shape.pattern}};
  }

  static Json of_names(const Shape& shape) {
    Json names{{"enum", shape.names}};
    if (!shape.any_case) return names;
    std::vector<std::string> patterns;
    for (const std::string& name : shape.names) patterns.push_back(in_any_case(name));
    return {{"anyOf", {names, {{"type", "string"}, {"pattern", fmt::format("{}", fmt::join(patterns, "|"))}}}}};
  }

  static Json of_number(const Shape& shape) {
    Json json{{"type", "number"}};
    if (shape.low > std::numeric_limits<double>::lowest()) json["minimum"] = shape.low;
    if (shape.high < std::numeric_limits<double>::max()) json["maximum"] = shape.high;
    return json;
  }

  Json reference(const FieldTable& table) {
    const std::string key = key_of(table);
    if (!definitions_.contains(key)) {
      definitions_[key] = Json();  // keeps its place before those of its fields
      Json json = of_table(table);
      definitions_[key] = std::move(json);
    }
    return {{"$ref", "#/definitions/" + key}};
  }

  Json of_table(const FieldTable& table) {
    Json json{{"description", table.help}, {"type", "object"}, {"properties", Json::object()}};
    Json needed = Json::array();
    for (const FileField& field : table.fields) {
      Json value{{"description", description_of(field)}};
      value.update(of(field.shape));
      if (const auto usual = default_of(field)) value["default"] = *usual;
      if (table.any_case) json["patternProperties"][in_any_case(field.name)] = value;
      json["properties"][std::string(field.name)] = std::move(value);
      if (field.required) needed.push_back(field.name);
    }
    if (!needed.empty()) json["required"] = std::move(needed);
    json["additionalProperties"] = false;
    return json;
  }

  Json definitions_ = Json::object();
};

// The schema of documents of this shape, in draft-07, which the language servers of editors know best. What it refuses
// the readers refuse; they refuse more, for it knows neither names nor what fields say together.
Json json_schema(const std::string& title, const Shape& document) { return Writer().document(title, document); }

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
  for (const FileFormat& format : kFormats) {
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
  const FileFormat& format = *std::ranges::find(kFormats, arguments.format, &FileFormat::name);
  const Json schema = json_schema(fmt::format("Heliolite: {}", what_it_is(format.part)), format.document());
  Json answer = answer_head("schema");
  answer["question"] = {{"format", format.name}};
  answer["schema"] = schema;
  if (!output.document(arguments.target, schema.dump(2) + "\n")) return kBadInput;
  return output.json(answer) ? kSuccess : kBadInput;
}

}  // namespace

void add_schema_command(CommandLine& line) {
  auto arguments = std::make_shared<SchemaArguments>();
  const Command command(line, "schema", "The JSON Schema of a file format, for editors");
  command.value("format", arguments->format, "FORMAT", "Of which format; none: list them")
      ->transform(one_of(names_of(kFormats)));
  command.target("-o", arguments->target, "Write it into a file; on stdout unless given");
  command.runs(arguments, run,
               "A first line in a file tells editors with a YAML language server which schema it has:\n"
               "  # yaml-language-server: $schema=machine.json\n\n"
               "Examples:\n  heliolite schema\n  heliolite schema machine -o machine.json");
}

}  // namespace heliolite::cli
