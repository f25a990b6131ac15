#include "engine/base/field_reader.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>

namespace heliolite {

FieldReader::FieldReader(const YamlNode& node, const FieldTable& table, Diagnostics& errors)
    : map_(node, errors), table_(table), errors_(errors), asked_(table.fields.size()) {
  for (const FileField& field : table.fields) map_.ignore(field.name);
}

const FileField* FieldReader::asked(std::string_view name, std::optional<Shape::Kind> kind) {
  if (!valid()) return nullptr;
  const FileField* field = table_.find(name);
  if (field == nullptr || (kind && field->shape.kind != *kind)) {
    error(fmt::format("{} is read, but the table of a {} has {}", name, table_.name,
                      field == nullptr ? "no such field" : "another type for it"));
    return nullptr;
  }
  const auto place = static_cast<std::size_t>(field - table_.fields.data());
  if (field->required && !asked_[place] && !node().has(name)) error(fmt::format("missing key '{}'", name));
  asked_[place] = true;
  return field;
}

std::optional<YamlNode> FieldReader::child(std::string_view field) {
  return asked(field, {}) != nullptr ? map_.child(field) : std::nullopt;
}

std::optional<YamlNode> FieldReader::needed(std::string_view field) {
  std::optional<YamlNode> value = child(field);
  if (valid() && !value) error(fmt::format("missing key '{}'", field));
  return value;
}

std::optional<std::string> FieldReader::string(std::string_view field) {
  return asked(field, Shape::Kind::Text) != nullptr ? map_.string(field) : std::nullopt;
}

std::optional<bool> FieldReader::boolean(std::string_view field) {
  return asked(field, Shape::Kind::Boolean) != nullptr ? map_.boolean(field) : std::nullopt;
}

std::optional<i64> FieldReader::integer(std::string_view field) {
  return integer(field, std::numeric_limits<i64>::max());
}

std::optional<i64> FieldReader::integer(std::string_view name, i64 most) {
  const FileField* field = asked(name, Shape::Kind::Integer);
  if (field == nullptr) return std::nullopt;
  return map_.integer(name, field->shape.least, std::min(most, field->shape.most));
}

std::optional<double> FieldReader::number(std::string_view name) {
  const FileField* field = asked(name, Shape::Kind::Number);
  return field != nullptr ? map_.number(name, field->shape.low, field->shape.high) : std::nullopt;
}

std::optional<std::string> FieldReader::choice(std::string_view name) {
  const FileField* field = asked(name, Shape::Kind::Name);
  return field != nullptr ? map_.choice(name, field->shape.names) : std::nullopt;
}

std::optional<std::vector<std::string>> FieldReader::words(std::string_view field) {
  return asked(field, Shape::Kind::Words) != nullptr ? map_.words(field) : std::nullopt;
}

void FieldReader::ignore(std::string_view field) { asked(field, {}); }

void FieldReader::finish() {
  map_.finish();
  if (!valid() || !errors_.empty()) return;  // a reader that found an error may have stopped early
  for (std::size_t i = 0; i < asked_.size(); ++i)
    if (!asked_[i])
      error(fmt::format("{} is in the table of a {}, but nothing reads it", table_.fields[i].name, table_.name));
}

}  // namespace heliolite
