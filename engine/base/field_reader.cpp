#include "engine/base/field_reader.h"

#include <fmt/format.h>
#include <algorithm>
#include <limits>
#include <utility>

#include "engine/base/named.h"
#include "engine/base/text.h"

namespace heliolite {

namespace shape {
namespace {

Shape of_kind(Shape::Kind kind) {
  Shape shape;
  shape.kind = kind;
  return shape;
}

Shape made_of(Shape::Kind kind, std::vector<Shape> of) {
  Shape shape = of_kind(kind);
  shape.of = std::move(of);
  return shape;
}

}  // namespace

Shape any() { return of_kind(Shape::Kind::Any); }
Shape nothing() { return of_kind(Shape::Kind::Nothing); }
Shape boolean() { return of_kind(Shape::Kind::Boolean); }
Shape words() { return of_kind(Shape::Kind::Words); }
Shape word_length() { return either({number(1, static_cast<double>(kMaxWordLength)), text(word_length_pattern())}); }

Shape text(std::string pattern) {
  Shape shape = of_kind(Shape::Kind::Text);
  shape.pattern = std::move(pattern);
  return shape;
}

Shape integer(i64 least, i64 most) {
  Shape shape = of_kind(Shape::Kind::Integer);
  shape.least = least;
  shape.most = most;
  return shape;
}

Shape number(double low, double high) {
  Shape shape = of_kind(Shape::Kind::Number);
  shape.low = low;
  shape.high = high;
  return shape;
}

Shape number() { return number(std::numeric_limits<double>::lowest(), std::numeric_limits<double>::max()); }

Shape one_of(std::vector<std::string> names) {
  Shape shape = of_kind(Shape::Kind::Name);
  shape.names = std::move(names);
  return shape;
}

Shape one_of_any_case(std::vector<std::string> names) {
  Shape shape = one_of(std::move(names));
  shape.any_case = true;
  return shape;
}

Shape list(Shape of) { return made_of(Shape::Kind::List, {std::move(of)}); }
Shape names(Shape of) { return made_of(Shape::Kind::Names, {std::move(of)}); }
Shape either(std::vector<Shape> of) { return made_of(Shape::Kind::Either, std::move(of)); }
Shape list_or_one(const Shape& of) { return either({of, list(of)}); }

Shape map(const FieldTable& table) {
  Shape shape = of_kind(Shape::Kind::Map);
  shape.table = &table;
  return shape;
}

}  // namespace shape

FileField required(FileField field) {
  field.required = true;
  return field;
}

const FileField* FieldTable::find(std::string_view field) const { return find_row(fields, field); }

std::vector<FileField> joined(std::vector<FileField> first, const std::vector<FileField>& second) {
  first.insert(first.end(), second.begin(), second.end());
  return first;
}

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

std::optional<WordLength> FieldReader::word_length(std::string_view field) {
  const std::optional<YamlNode> value = child(field);
  return value ? read_word_length(*value, field, errors_) : std::nullopt;
}

void FieldReader::ignore(std::string_view field) { asked(field, {}); }

void FieldReader::refuse(std::string_view key, std::string message) {
  if (!valid() || !node().has(key)) return;
  map_.ignore(key);
  error(std::move(message));
}

void FieldReader::finish() {
  map_.finish();
  if (!valid() || !errors_.empty()) return;  // a reader that found an error may have stopped early
  for (std::size_t i = 0; i < asked_.size(); ++i)
    if (!asked_[i])
      error(fmt::format("{} is in the table of a {}, but nothing reads it", table_.fields[i].name, table_.name));
}

// Reading a map by its table of fields: shapes, ranges and complaints (field_reader.h).

namespace {

constexpr std::size_t kMaxUnknownKeys = 20;

// "an integer from 1 to 9", "a number of at least 0"; `type` with its article.
template <class T>
std::string range(std::string_view type, T low, T high) {
  const bool open_low = low <= std::numeric_limits<T>::lowest();
  const bool open_high = high >= std::numeric_limits<T>::max();
  if (open_low && open_high) return std::string(type);
  if (open_high) return fmt::format("{} of at least {}", type, low);
  if (open_low) return fmt::format("{} of at most {}", type, high);
  return fmt::format("{} from {} to {}", type, low, high);
}

std::vector<std::string> words_in(std::string_view text) {
  std::vector<std::string> words;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find_first_of(" ,\t\n\r", at), text.size());
    if (end > at) words.emplace_back(text.substr(at, end - at));
    at = end + 1;
  }
  return words;
}

}  // namespace

std::optional<WordLength> read_word_length(const YamlNode& node, std::string_view name, Diagnostics& errors) {
  if (const auto length = node.is_scalar() ? parse_word_length(node.text()) : std::nullopt) return length;
  errors.push_back(node.error(fmt::format("{} = {}, must be {}{}", name, shown(node), word_lengths_allowed(),
                                          node.is_scalar() ? did_you_mean(node.text(), number_format_names()) : "")));
  return std::nullopt;
}

MapReader::MapReader(const YamlNode& node, Diagnostics& errors) : node_(node), errors_(errors), valid_(node.is_map()) {
  if (!valid_) errors_.push_back(node_.error(fmt::format("must be a map of keys and values, not {}", shown(node_))));
}

std::optional<YamlNode> MapReader::read(std::string_view key, bool required) {
  if (!valid_) return std::nullopt;
  if (std::ranges::find(known_, key) == known_.end()) known_.emplace_back(key);
  std::optional<YamlNode> value = node_.find(key);
  if (!value && required) error(fmt::format("missing key '{}'", key));
  return value;
}

std::optional<YamlNode> MapReader::child(std::string_view key) { return read(key, false); }
std::optional<YamlNode> MapReader::required_child(std::string_view key) { return read(key, true); }

namespace {

std::optional<std::string> text_of(const std::optional<YamlNode>& node, std::string_view key, Diagnostics& errors) {
  if (!node) return std::nullopt;
  if (node->is_scalar()) return node->text();
  errors.push_back(node->error(fmt::format("{} = {}, must be a text", key, shown(*node))));
  return std::nullopt;
}

std::optional<i64> integer_of(const std::optional<YamlNode>& node, std::string_view key, i64 low, i64 high,
                              Diagnostics& errors) {
  if (!node) return std::nullopt;
  const std::optional<i64> value = node->as_integer();
  if (value && *value >= low && *value <= high) return value;
  errors.push_back(node->error(fmt::format("{} = {}, must be {}", key, shown(*node), range("an integer", low, high))));
  return std::nullopt;
}

std::optional<double> number_of(const std::optional<YamlNode>& node, std::string_view key, double low, double high,
                                Diagnostics& errors) {
  if (!node) return std::nullopt;
  const std::optional<double> value = node->as_number();
  if (value && *value >= low && *value <= high) return value;
  errors.push_back(node->error(fmt::format("{} = {}, must be {}", key, shown(*node), range("a number", low, high))));
  return std::nullopt;
}

}  // namespace

std::optional<std::string> MapReader::string(std::string_view key) { return text_of(read(key, false), key, errors_); }
std::optional<std::string> MapReader::required_string(std::string_view key) {
  return text_of(read(key, true), key, errors_);
}

std::optional<bool> MapReader::boolean(std::string_view key) {
  const std::optional<YamlNode> node = read(key, false);
  if (!node) return std::nullopt;
  const std::optional<bool> value = node->as_bool();
  if (!value) errors_.push_back(node->error(fmt::format("{} = {}, must be true or false", key, shown(*node))));
  return value;
}

std::optional<i64> MapReader::integer(std::string_view key, i64 low, i64 high) {
  return integer_of(read(key, false), key, low, high, errors_);
}
std::optional<i64> MapReader::required_integer(std::string_view key, i64 low, i64 high) {
  return integer_of(read(key, true), key, low, high, errors_);
}
std::optional<double> MapReader::number(std::string_view key, double low, double high) {
  return number_of(read(key, false), key, low, high, errors_);
}
std::optional<double> MapReader::required_number(std::string_view key, double low, double high) {
  return number_of(read(key, true), key, low, high, errors_);
}

std::optional<std::string> MapReader::choice(std::string_view key, const std::vector<std::string>& allowed) {
  const std::optional<YamlNode> node = read(key, false);
  if (!node) return std::nullopt;
  if (node->is_scalar() && std::ranges::find(allowed, node->text()) != allowed.end()) return node->text();
  errors_.push_back(node->error(fmt::format("{} = {}, must be {}{}", key, shown(*node), join(allowed, "or"),
                                            did_you_mean(node->text(), allowed))));
  return std::nullopt;
}

std::optional<std::vector<std::string>> MapReader::words(std::string_view key) {
  const std::optional<YamlNode> node = read(key, false);
  if (!node) return std::nullopt;
  if (node->is_null()) return std::vector<std::string>{};
  if (node->is_scalar()) return words_in(node->text());
  std::vector<std::string> words;
  for (std::size_t i = 0; node->is_sequence() && i < node->size(); ++i)
    if (node->at(i).is_scalar()) words.push_back(node->at(i).text());
  if (node->is_sequence() && words.size() == node->size()) return words;
  errors_.push_back(node->error(fmt::format("{} must be a list of words", key)));
  return std::nullopt;
}

namespace {

// Whether a key without a value is what a comma cut off a text: "k=8" of {conv: c=4,k=8}.
bool is_cut(const YamlNode& node, const std::string& key) {
  const std::optional<YamlNode> value = node.find(key);
  return value && value->is_null() && key.find_first_of("=[];") != std::string::npos;
}

constexpr const char* kCutHint = ": in { } a comma ends a value; write a text that has commas between quotes";

}  // namespace

void MapReader::ignore(std::string_view key) { read(key, false); }

void MapReader::error(std::string message) { errors_.push_back(node_.error(std::move(message))); }

void MapReader::finish() {
  if (!valid_) return;
  std::size_t unknown = 0;
  for (const std::string& key : node_.keys()) {
    if (std::ranges::find(known_, key) != known_.end()) continue;
    if (++unknown > kMaxUnknownKeys) continue;
    std::string hint = is_cut(node_, key) ? kCutHint : did_you_mean(key, known_);
    if (hint.empty() && !known_.empty()) hint = ", must be one of " + join(known_, "or");
    errors_.push_back(
        {node_.file(), node_.key_line(key), node_.field(), fmt::format("unknown key '{}'{}", shortened(key), hint)});
  }
  if (unknown > kMaxUnknownKeys) error(fmt::format("and {} more unknown keys", unknown - kMaxUnknownKeys));
}

}  // namespace heliolite
