#include "tests/support/json_validator.h"

#include <cmath>
#include <cstdlib>
#include <map>
#include <regex>
#include <set>
#include <stdexcept>

namespace heliolite {
namespace {

using nlohmann::json;

bool matches(const std::string& text, const std::string& pattern) {
  static std::map<std::string, std::regex> compiled;
  const auto at = compiled.try_emplace(pattern, pattern, std::regex::ECMAScript).first;
  return std::regex_search(text, at->second);
}

bool is_of_type(const json& value, const std::string& type) {
  if (type == "null") return value.is_null();
  if (type == "boolean") return value.is_boolean();
  if (type == "object") return value.is_object();
  if (type == "array") return value.is_array();
  if (type == "string") return value.is_string();
  if (type == "number") return value.is_number();
  if (type != "integer") throw std::logic_error("unknown type " + type);
  return value.is_number_integer() || (value.is_number() && std::floor(value.get<double>()) == value.get<double>());
}

class Validator {
 public:
  explicit Validator(const json& root) : root_(root) {}

  std::vector<std::string> check(const json& schema, const json& value, const std::string& path) {
    std::vector<std::string> wrong;
    const auto complain = [&](const std::string& what) { wrong.push_back(path + ": " + what); };
    const auto add = [&](const std::vector<std::string>& more) { wrong.insert(wrong.end(), more.begin(), more.end()); };
    static const std::set<std::string> kAnnotations{"$schema", "title", "description", "default", "definitions"};
    for (const auto& [keyword, says] : schema.items()) {
      if (kAnnotations.contains(keyword) || keyword == "additionalProperties") continue;
      if (keyword == "$ref") {
        add(check(definition(says.get<std::string>()), value, path));
      } else if (keyword == "type") {
        if (!type(says, value)) complain("is not of type " + says.dump());
      } else if (keyword == "enum") {
        if (std::find(says.begin(), says.end(), value) == says.end()) complain("is none of " + says.dump());
      } else if (keyword == "minimum") {
        if (value.is_number() && value < says) complain("is below " + says.dump());
      } else if (keyword == "maximum") {
        if (value.is_number() && value > says) complain("is above " + says.dump());
      } else if (keyword == "pattern") {
        if (value.is_string() && !matches(value.get<std::string>(), says.get<std::string>()))
          complain("does not match " + says.dump());
      } else if (keyword == "required") {
        for (const json& key : says)
          if (value.is_object() && !value.contains(key)) complain("has no " + key.dump());
      } else if (keyword == "properties" || keyword == "patternProperties") {
        continue;  // below
      } else if (keyword == "items") {
        for (std::size_t i = 0; value.is_array() && i < value.size(); ++i)
          add(check(says, value[i], path + "[" + std::to_string(i) + "]"));
      } else if (keyword == "anyOf") {
        bool fits = false;
        for (const json& one : says) fits = fits || check(one, value, path).empty();
        if (!fits) complain("is valid under none of " + std::to_string(says.size()) + " alternatives");
      } else {
        throw std::logic_error("unknown keyword " + keyword);
      }
    }
    if (value.is_object()) add(properties(schema, value, path));
    return wrong;
  }

 private:
  const json& definition(const std::string& reference) {
    if (!reference.starts_with("#/")) throw std::logic_error("unknown reference " + reference);
    return root_.at(json::json_pointer(reference.substr(1)));
  }

  static bool type(const json& says, const json& value) {
    if (says.is_string()) return is_of_type(value, says);
    return std::any_of(says.begin(), says.end(), [&](const json& one) { return is_of_type(value, one); });
  }

  std::vector<std::string> properties(const json& schema, const json& value, const std::string& path) {
    std::vector<std::string> wrong;
    const json none = json::object();
    const json& known = schema.contains("properties") ? schema["properties"] : none;
    const json& by_pattern = schema.contains("patternProperties") ? schema["patternProperties"] : none;
    for (const auto& [key, one] : value.items()) {
      bool found = known.contains(key);
      std::vector<std::string> inner;
      if (found) inner = check(known[key], one, path + "." + key);
      for (const auto& [pattern, says] : by_pattern.items()) {
        if (!matches(key, pattern)) continue;
        found = true;
        const auto more = check(says, one, path + "." + key);
        inner.insert(inner.end(), more.begin(), more.end());
      }
      if (!found && schema.contains("additionalProperties")) {
        const json& rest = schema["additionalProperties"];
        if (rest.is_object()) inner = check(rest, one, path + "." + key);
        else if (rest == false) inner.push_back(path + ": has the unknown key " + key);
      }
      wrong.insert(wrong.end(), inner.begin(), inner.end());
    }
    return wrong;
  }

  const json& root_;
};

// Of a plain scalar, https://yaml.org/spec/1.2.2/#103-core-schema.
json plain(const std::string& text) {
  if (matches(text, "^(|~|null|Null|NULL)$")) return nullptr;
  if (matches(text, "^(true|True|TRUE)$")) return true;
  if (matches(text, "^(false|False|FALSE)$")) return false;
  if (matches(text, "^[-+]?[0-9]{1,18}$")) return std::strtoll(text.c_str(), nullptr, 10);
  if (matches(text, "^0x[0-9a-fA-F]{1,15}$")) return std::strtoll(text.c_str(), nullptr, 16);
  if (matches(text, "^0o[0-7]{1,20}$")) return std::strtoll(text.c_str() + 2, nullptr, 8);
  if (matches(text, "^[-+]?(\\.[0-9]+|[0-9]+(\\.[0-9]*)?)([eE][-+]?[0-9]+)?$"))
    return std::strtod(text.c_str(), nullptr);
  return text;
}

}  // namespace

std::vector<std::string> violations(const json& schema, const json& document) {
  return Validator(schema).check(schema, document, "document");
}

json json_of(const YamlNode& node) {
  switch (node.kind()) {
    case YamlNode::Kind::Null: return nullptr;
    case YamlNode::Kind::Scalar: return node.quoted() ? json(node.text()) : plain(node.text());
    case YamlNode::Kind::Sequence: {
      json list = json::array();
      for (std::size_t i = 0; i < node.size(); ++i) list.push_back(json_of(node.at(i)));
      return list;
    }
    case YamlNode::Kind::Map: break;
  }
  json map = json::object();
  for (const std::string& key : node.keys()) map[key] = json_of(*node.find(key));
  return map;
}

}  // namespace heliolite
