#include "engine/base/yaml_node.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <limits>
#include <unordered_map>
#include <utility>

#include "engine/base/file_bytes.h"
#include "engine/base/text.h"
#include "engine/base/yaml_value.h"

namespace heliolite {
namespace {

// The line where brackets first nest deeper than allowed, 0 if nowhere. Knows quotes and comments only roughly, so
// it may explain why a text was refused but not refuse one.
int line_of_deep_brackets(std::string_view text) {
  int line = 1;
  int depth = 0;
  char before = '\n';
  bool comment = false;
  for (const char c : text) {
    if (c == '#' && (before == ' ' || before == '\t' || before == '\n')) comment = true;
    if (c == '\n') {
      comment = false;
      ++line;
    }
    if (!comment && (c == '[' || c == '{') && ++depth > kMaxYamlDepth) return line;
    if (!comment && (c == ']' || c == '}')) --depth;
    before = c;
  }
  return 0;
}

// The first line that is indented with a tab, 0 if none. Brackets may hold such lines, so it explains a refusal and is
// none.
int line_of_tab(std::string_view text) {
  int line = 1;
  for (std::size_t at = 0; at < text.size(); ++line) {
    const std::size_t end = std::min(text.find('\n', at), text.size());
    const std::size_t first = text.find_first_not_of(" -\t\r", at);
    if (first < end && text[first] != '#' && text.substr(at, first - at).find('\t') != std::string_view::npos)
      return line;
    at = end + 1;
  }
  return 0;
}

}  // namespace

Result<YamlNode> YamlNode::load_file(const std::string& path) {
  Result<std::string> text = read_text_file(path);
  if (!text) return text.errors();
  return parse(*text, path);
}

Result<YamlNode> YamlNode::parse(std::string_view text, const std::string& name) {
  return parse(YamlText{.text = text, .name = name, .lines = {}, .include = {}});
}

Result<YamlNode> YamlNode::parse(const YamlText& given) {
  YamlText text = given;
  if (text.text.size() > kMaxTextFileBytes)
    return Diagnostic{text.name, 0, "",
                      fmt::format("larger than {} MiB, the largest text accepted", kMaxTextFileBytes >> 20)};
  Diagnostics errors = check_text(text.text, text.name);
  if (!errors.empty()) return errors;
  if (text.text.starts_with("\xef\xbb\xbf")) text.text.remove_prefix(3);  // byte order mark
  const std::shared_ptr<const YamlValue> root = build_yaml(text, errors);
  if (!errors.empty()) {
    if (const int line = line_of_deep_brackets(text.text)) {
      const YamlLine origin = origin_of(text, line);
      return Diagnostic{*origin.file, origin.line, "",
                        fmt::format("brackets nested deeper than {} levels", kMaxYamlDepth)};
    }
    if (const int line = line_of_tab(text.text)) {
      const YamlLine origin = origin_of(text, line);
      errors.insert(errors.begin(), {*origin.file, origin.line, "", "indented with a tab; YAML takes spaces only"});
    }
    return errors;
  }
  if (!root || root->kind == Kind::Null) return Diagnostic{text.name, 0, "", "is empty"};
  YamlNode node;
  node.impl_ = std::make_shared<const Impl>(Impl{std::make_shared<const std::string>(text.name), "", root});
  return node;
}

YamlNode YamlNode::of(std::shared_ptr<const YamlValue> value, std::string field) {
  YamlNode node;
  const auto file = value->file ? value->file : std::make_shared<const std::string>();
  node.impl_ = std::make_shared<const Impl>(Impl{file, std::move(field), std::move(value)});
  return node;
}

// Reading the values the parser built; see yaml_builder.cpp.

namespace {

std::optional<i64> parse_integer(std::string_view text) {
  const bool negative = text.starts_with('-');
  if (negative || text.starts_with('+')) text.remove_prefix(1);
  const bool hex = text.starts_with("0x") || text.starts_with("0X");
  if (hex) text.remove_prefix(2);
  u64 value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value, hex ? 16 : 10);
  constexpr u64 kMax = std::numeric_limits<i64>::max();
  if (text.empty() || error != std::errc() || end != text.data() + text.size() || value > kMax) return std::nullopt;
  return negative ? -static_cast<i64>(value) : static_cast<i64>(value);
}

std::optional<double> parse_real(std::string_view text) {
  if (const auto integer = parse_integer(text)) return static_cast<double>(*integer);
  if (text.starts_with('+')) text.remove_prefix(1);
  const std::string_view digits = text.starts_with('-') ? text.substr(1) : text;
  if (digits.empty() || !(digits[0] == '.' || (digits[0] >= '0' && digits[0] <= '9'))) return std::nullopt;
  return parse_number<double>(text);
}

const std::string kNothing;

YamlValue value_at(YamlNode::Kind kind, int line) {
  YamlValue value;
  value.kind = kind;
  value.line = line;
  return value;
}

}  // namespace

YamlNode::Kind YamlNode::kind() const { return impl_ ? impl_->value->kind : Kind::Null; }
const std::string& YamlNode::file() const {
  if (!impl_) return kNothing;
  return impl_->value->file ? *impl_->value->file : *impl_->file;
}
int YamlNode::line() const { return impl_ ? impl_->value->line : 0; }
const std::string& YamlNode::field() const { return impl_ ? impl_->field : kNothing; }
std::string YamlNode::tag() const { return impl_ ? impl_->value->tag : ""; }
const std::string& YamlNode::text() const { return impl_ ? impl_->value->text : kNothing; }
bool YamlNode::quoted() const { return impl_ && impl_->value->quoted; }

std::size_t YamlNode::size() const {
  return impl_ ? std::max(impl_->value->elements.size(), impl_->value->entries.size()) : 0;
}

YamlNode YamlNode::at(std::size_t index) const {
  if (!is_sequence() || index >= size()) return {};
  YamlNode node;
  node.impl_ = std::make_shared<const Impl>(
      Impl{impl_->file, fmt::format("{}[{}]", impl_->field, index), impl_->value->elements[index]});
  return node;
}

std::vector<std::string> YamlNode::keys() const {
  std::vector<std::string> keys;
  if (!is_map()) return keys;
  for (const YamlValue::Entry& entry : impl_->value->entries) keys.push_back(entry.key);
  return keys;
}

bool YamlNode::has(std::string_view key) const { return is_map() && impl_->value->find(std::string(key)) != nullptr; }

int YamlNode::key_line(std::string_view key) const {
  const YamlValue::Entry* entry = is_map() ? impl_->value->find(std::string(key)) : nullptr;
  return entry == nullptr ? line() : entry->line;
}

std::optional<YamlNode> YamlNode::find(std::string_view key) const {
  const YamlValue::Entry* entry = is_map() ? impl_->value->find(std::string(key)) : nullptr;
  if (entry == nullptr) return std::nullopt;
  const std::string field = impl_->field.empty() ? entry->key : impl_->field + "." + entry->key;
  YamlNode node;
  node.impl_ = std::make_shared<const Impl>(Impl{impl_->file, field, entry->value});
  return node;
}

std::optional<bool> YamlNode::as_bool() const {
  if (!is_scalar() || quoted()) return std::nullopt;
  const std::string word = lower(text());
  if (word == "true" || word == "yes" || word == "on") return true;
  if (word == "false" || word == "no" || word == "off") return false;
  return std::nullopt;
}

std::optional<i64> YamlNode::as_integer() const {
  if (!is_scalar() || quoted()) return std::nullopt;
  if (const auto integer = parse_integer(text())) return integer;
  const auto number = parse_real(text());
  constexpr double kExact = 9007199254740992.0;  // 2^53: every integer up to here is a double
  if (!number || std::abs(*number) > kExact || *number != std::floor(*number)) return std::nullopt;
  return static_cast<i64>(*number);
}

std::optional<double> YamlNode::as_number() const {
  if (!is_scalar() || quoted()) return std::nullopt;
  return parse_real(text());
}

YamlNode YamlNode::made(std::shared_ptr<const YamlValue> value) const {
  YamlNode node;
  const auto file = std::make_shared<const std::string>(this->file());
  node.impl_ = std::make_shared<const Impl>(Impl{file, field(), std::move(value)});
  return node;
}

std::shared_ptr<const YamlValue> YamlNode::value() const { return impl_ ? impl_->value : nullptr; }

YamlNode YamlNode::without(const std::function<bool(const std::string& key, const YamlNode& value)>& drop) const {
  if (!is_map() && !is_sequence()) return *this;
  YamlValue copy = *impl_->value;
  copy.elements.clear();
  copy.entries.clear();
  copy.index.clear();
  copy.nodes = 1;
  copy.height = 1;
  bool changed = false;
  const auto add = [&](const YamlNode& child, const std::shared_ptr<const YamlValue>& old) {
    const std::shared_ptr<const YamlValue> kept = child.without(drop).value();
    changed = changed || kept != old;
    copy.account(*kept);
    return kept;
  };
  for (std::size_t i = 0; is_sequence() && i < size(); ++i)
    copy.elements.push_back(add(at(i), impl_->value->elements[i]));
  for (const YamlValue::Entry& entry : impl_->value->entries) {
    const YamlNode child = *find(entry.key);
    if (drop(entry.key, child)) changed = true;
    else copy.entries.push_back({entry.key, entry.line, add(child, entry.value)});
  }
  if (!changed) return *this;
  copy.make_index();
  return made(std::make_shared<const YamlValue>(std::move(copy)));
}

YamlNode YamlNode::scalar(std::string text) const {
  YamlValue value = value_at(Kind::Scalar, line());
  value.text = std::move(text);
  return made(std::make_shared<const YamlValue>(std::move(value)));
}

YamlNode YamlNode::listed() const {
  YamlValue list = value_at(Kind::Sequence, line());
  if (impl_) list.elements.push_back(impl_->value);
  return made(std::make_shared<const YamlValue>(std::move(list)));
}

YamlNode YamlNode::wrapped(std::string key) const {
  return made(std::make_shared<const YamlValue>(value_at(Kind::Map, line()))).with(std::move(key), *this);
}

YamlNode YamlNode::with(std::string key, const YamlNode& value) const {
  YamlValue map = impl_ ? *impl_->value : value_at(Kind::Map, 0);
  if (value.impl_) map.entries.push_back({std::move(key), value.line(), value.impl_->value});
  return made(std::make_shared<const YamlValue>(std::move(map)));
}

Diagnostic YamlNode::error(std::string message) const {
  // A complaint may quote the value as it is: what is too long to read is cut here.
  if (text().size() > kLongestShown)
    if (const std::size_t at = message.find(text()); at != std::string::npos)
      message.replace(at, text().size(), shortened(text()));
  return {file(), line(), field(), std::move(message)};
}

std::string shown(const YamlNode& node) {
  switch (node.kind()) {
    case YamlNode::Kind::Null: return "nothing";
    case YamlNode::Kind::Sequence: return "a list";
    case YamlNode::Kind::Map: return "a map";
    case YamlNode::Kind::Scalar: break;
  }
  const std::string text = shortened(node.text());
  return node.quoted() ? '"' + text + '"' : text;
}

std::vector<YamlNode> elements(const std::optional<YamlNode>& node) {
  std::vector<YamlNode> out;
  if (!node) return out;
  if (!node->is_sequence()) return {*node};
  for (std::size_t i = 0; i < node->size(); ++i) out.push_back(node->at(i));
  return out;
}

namespace {

constexpr std::string_view kNoMerge = "!nomerge";

std::shared_ptr<const YamlValue> joined(const std::shared_ptr<const YamlValue>& own,
                                        const std::shared_ptr<const YamlValue>& other) {
  if (own->kind != other->kind || own->tag == kNoMerge) return own;
  if (own->kind != YamlNode::Kind::Map && own->kind != YamlNode::Kind::Sequence) return own;
  auto both = std::make_shared<YamlValue>(*own);
  if (own->kind == YamlNode::Kind::Map) {
    merge_into(*both, {other}, true);
    return both;
  }
  for (const auto& element : other->elements) {
    both->account(*element);
    both->elements.push_back(element);
  }
  return both;
}

}  // namespace

void merge_into(YamlValue& map, const std::vector<std::shared_ptr<const YamlValue>>& sources, bool deep) {
  std::unordered_map<std::string_view, std::size_t> known;
  std::vector<YamlValue::Entry> entries = std::move(map.entries);
  std::size_t most = entries.size();
  for (const auto& source : sources) most += source->entries.size();
  entries.reserve(most);  // `known` refers to the keys
  for (std::size_t i = 0; i < entries.size(); ++i) known.emplace(entries[i].key, i);
  for (const auto& source : sources) {
    for (const YamlValue::Entry& entry : source->entries) {
      const auto it = known.find(entry.key);
      if (it == known.end()) {
        entries.push_back(entry);
        known.emplace(entries.back().key, entries.size() - 1);
      } else if (deep) {
        entries[it->second].value = joined(entries[it->second].value, entry.value);
      }
    }
  }
  map.entries = std::move(entries);
  map.nodes = 1;
  map.height = 1;
  for (const YamlValue::Entry& entry : map.entries) map.account(*entry.value);
  map.index.clear();
  map.make_index();
}

}  // namespace heliolite
