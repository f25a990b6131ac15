#include "engine/base/yaml_node.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "engine/base/file_bytes.h"
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
  if (text.text.size() > kMaxTextFileBytes) {
    return Diagnostic{text.name, 0, "",
                      fmt::format("larger than {} MiB, the largest text accepted", kMaxTextFileBytes >> 20)};
  }
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

}  // namespace heliolite
