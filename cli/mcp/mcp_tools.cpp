#include "cli/mcp/mcp_tools.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <string_view>
#include <utility>

#include "engine/base/named.h"
#include "engine/base/text.h"

namespace heliolite::cli {
namespace {

// Options of the terminal: the answer goes to who asked, as text and as JSON.
constexpr std::string_view kOfTheTerminal[] = {"help", "json", "color", "wide", "quiet"};

// What stands for an option: its last long name.
std::string long_name(const OptionRow& row) {
  for (auto name = row.names.rbegin(); name != row.names.rend(); ++name)
    if (name->starts_with("--")) return name->substr(2);
  return row.names.empty() ? "" : row.names.front().substr(1);
}

bool is_list(const OptionRow& row) { return row.list || row.many; }

// A value of an argument as the command line has it; none: a text, a number or a truth it is not.
std::optional<std::string> as_word(const Json& value) {
  if (value.is_string()) return value.get<std::string>();
  if (value.is_number()) return value.dump();
  return std::nullopt;
}

Diagnostic complaint(const std::string& parameter, std::string what) { return {"", 0, parameter, std::move(what)}; }

}  // namespace

std::vector<std::string> mcp_tool_names() { return {"map", "bound", "explain", "check", "show"}; }

McpTool::McpTool(CommandRow command) : command_(std::move(command)) {
  for (const OptionRow& row : command_.options) {
    const bool argument = row.names.empty();
    const std::string name = argument ? row.argument : long_name(row);
    if (std::ranges::find(kOfTheTerminal, name) != std::end(kOfTheTerminal)) continue;
    const std::string option = argument ? "" : (row.names.back().starts_with("--") ? "--" : "-") + name;
    parameters_.push_back({name, option, row});
  }
}

Json McpTool::schema(const Parameter& parameter) const {
  const OptionRow& row = parameter.row;
  Json json;
  if (row.value.empty()) {
    json["type"] = "boolean";
  } else {
    Json one = {{"type", Json::array({"string", "number"})}};
    if (!row.choices.empty()) one = {{"type", "string"}, {"enum", row.choices}};
    json = is_list(row) ? Json{{"anyOf", Json::array({one, Json{{"type", "array"}, {"items", one}}})}} : one;
  }
  json["description"] = row.value.empty() ? row.help : fmt::format("{}: {}", row.value, row.help);
  if (!row.usual.empty()) json["description"] = json["description"].get<std::string>() + " (default " + row.usual + ")";
  return json;
}

Json McpTool::description() const {
  Json properties = Json::object(), required = Json::array();
  for (const Parameter& parameter : parameters_) {
    properties[parameter.name] = schema(parameter);
    if (parameter.row.required) required.push_back(parameter.name);
  }
  return {{"name", command_.name},
          {"description", command_.help + ". " + command_.footer},
          {"inputSchema",
           {{"type", "object"},
            {"properties", std::move(properties)},
            {"required", std::move(required)},
            {"additionalProperties", false}}}};
}

Result<std::vector<std::string>> McpTool::words(const Json& arguments) const {
  Diagnostics errors;
  std::vector<std::string> options, alone;
  for (const auto& [name, value] : arguments.items()) {
    const auto found = std::ranges::find(parameters_, name, &Parameter::name);
    if (found == parameters_.end()) {
      const std::vector<std::string> known = names_of(parameters_);
      errors.push_back(complaint(name, fmt::format("is no argument of {}; it has: {}", command_.name, join(known))));
      continue;
    }
    if (value.is_null()) continue;
    if (found->row.value.empty()) {
      if (!value.is_boolean()) errors.push_back(complaint(name, "must be true or false"));
      else if (value.get<bool>()) options.push_back(found->option);
      continue;
    }
    std::vector<std::string> texts;
    bool good = true;
    for (const Json& one : value.is_array() && is_list(found->row) ? value : Json::array({value})) {
      const std::optional<std::string> word = as_word(one);
      good = good && word.has_value() && word->find('\0') == std::string::npos;
      if (good) texts.push_back(*word);
    }
    if (!good) {
      const char* what =
          is_list(found->row) ? "must be a text or number, or an array of them" : "must be a text or number";
      errors.push_back(complaint(name, what));
    } else if (found->option.empty()) {
      // A word that looks like an option would be read as one.
      for (const std::string& text : texts) alone.push_back(text.starts_with('-') ? "./" + text : text);
    } else if (found->option.starts_with("--")) {
      for (const std::string& text : texts) options.push_back(found->option + "=" + text);
    } else {
      for (const std::string& text : texts) options.push_back(found->option + text);
    }
  }
  for (const Parameter& parameter : parameters_)
    if (parameter.row.required && !arguments.contains(parameter.name))
      errors.push_back(complaint(parameter.name, fmt::format("is missing, {} needs it", command_.name)));
  if (!errors.empty()) return errors;
  options.insert(options.end(), alone.begin(), alone.end());
  return options;
}

}  // namespace heliolite::cli
