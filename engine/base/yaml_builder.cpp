// From a YAML text to the tree of its values; the only place that knows yaml-cpp.
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <yaml-cpp/eventhandler.h>
#include <yaml-cpp/exceptions.h>
#include <yaml-cpp/mark.h>
#include <yaml-cpp/parser.h>

#include <algorithm>
#include <sstream>
#include <unordered_map>
#include <utility>

#include "engine/base/text.h"
#include "engine/base/yaml_value.h"

namespace heliolite {
namespace {

constexpr u64 kMaxNodes = 1'000'000;  // with aliases expanded; the largest real files have some 10 000
constexpr std::size_t kMaxYamlComplaints = 50;

// Leaves yaml-cpp's parser early; caught in YamlNode::parse and nowhere else.
struct Stop {
  Diagnostic reason;
};

int line_of(const YAML::Mark& mark) { return mark.is_null() ? 0 : mark.line + 1; }

// Builds the values of one document out of the parser's events, checking what yaml-cpp's own tree does not:
// depth, size with aliases expanded, duplicate keys.
class Builder : public YAML::EventHandler {
 public:
  Builder(const YamlText& text, Diagnostics& errors)
      : text_(text), file_(std::make_shared<const std::string>(text.name)), errors_(errors) {}

  std::shared_ptr<const YamlValue> take_root() { return std::exchange(root_, nullptr); }
  const YAML::Mark& last_scalar() const { return last_scalar_; }

  void OnDocumentStart(const YAML::Mark&) override {}
  void OnDocumentEnd() override {}

  void OnNull(const YAML::Mark& mark, YAML::anchor_t anchor) override {
    auto value = make(YamlNode::Kind::Null, mark, "");
    add(std::move(value), anchor);
  }

  void OnAlias(const YAML::Mark& mark, YAML::anchor_t anchor) override {
    const auto it = anchors_.find(anchor);
    if (it == anchors_.end()) stop(mark, "an alias (*) refers to a value that contains it");
    if (static_cast<int>(stack_.size()) + it->second->height > kMaxYamlDepth) stop_deep(mark);
    place(it->second, line_at(mark));
  }

  void OnScalar(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                const std::string& text) override {
    last_scalar_ = mark;
    // Escapes bring them where the text itself may not have them.
    if (const auto control = std::ranges::find_if(text, is_control); control != text.end())
      stop(mark, fmt::format("contains the control character 0x{:02x}", static_cast<unsigned char>(*control)));
    if (text_.include && (tag == "!include" || tag == "!includedir" || tag == "!include_loaded")) {
      include(mark, tag, anchor, text);
      return;
    }
    auto value = make(YamlNode::Kind::Scalar, mark, tag);
    value->quoted = tag == "!" || tag == "tag:yaml.org,2002:str";
    value->text = text;
    add(std::move(value), anchor);
  }

  void OnSequenceStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                       YAML::EmitterStyle::value) override {
    open(make(YamlNode::Kind::Sequence, mark, tag), anchor, mark);
  }
  void OnSequenceEnd() override { close(); }

  void OnMapStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                  YAML::EmitterStyle::value) override {
    open(make(YamlNode::Kind::Map, mark, tag), anchor, mark);
  }
  void OnMapEnd() override { close(); }

 private:
  // A list or map that is being read. In a map, a key waits for its value.
  struct Open {
    std::shared_ptr<YamlValue> value;
    YAML::anchor_t anchor = 0;
    std::optional<std::string> key = std::nullopt;
    int key_line = 0;
    std::unordered_map<std::string, int> key_lines = {};
    std::vector<std::shared_ptr<const YamlValue>> merged = {}, merged_deep = {};  // values of `<<` and `<<<`
  };

  [[noreturn]] void stop(const YAML::Mark& mark, std::string message) const {
    const YamlLine origin = origin_at(mark);
    throw Stop{{*origin.file, origin.line, path(), std::move(message)}};
  }
  [[noreturn]] void stop_deep(const YAML::Mark& mark) const {
    const YamlLine origin = origin_at(mark);
    throw Stop{{*origin.file, origin.line, "", fmt::format("nested deeper than {} levels", kMaxYamlDepth)}};
  }

  YamlLine origin_at(const YAML::Mark& mark) const {
    const std::size_t index = static_cast<std::size_t>(std::max(mark.line, 0));
    if (!mark.is_null() && index < text_.lines.size()) return text_.lines[index];
    return {file_, line_of(mark)};
  }
  int line_at(const YAML::Mark& mark) const { return origin_at(mark).line; }

  // Puts what the scalar stands for in its place.
  void include(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor, const std::string& text) {
    auto scalar = make(YamlNode::Kind::Scalar, mark, tag);
    scalar->text = text;
    std::shared_ptr<const YamlValue> value = text_.include(YamlNode::of(scalar, path()), errors_);
    if (!value) value = make(YamlNode::Kind::Null, mark, "");  // complained about
    if (static_cast<int>(stack_.size()) + value->height > kMaxYamlDepth) stop_deep(mark);
    if (anchor != 0) anchors_[anchor] = value;
    const int line = value->line;
    place(std::move(value), line);
  }

  // The path of the value being read: "levels[1].entries".
  std::string path() const {
    std::string out;
    for (const Open& open : stack_) {
      if (open.value->kind == YamlNode::Kind::Sequence) out += fmt::format("[{}]", open.value->elements.size());
      if (open.key) out += (out.empty() ? "" : ".") + *open.key;
    }
    return out;
  }

  // Every value takes a character of the text, but for the key and the value of an empty entry of a map in braces. At a
  // comma outside of brackets the parser reads nothing, again and again.
  std::shared_ptr<YamlValue> make(YamlNode::Kind kind, const YAML::Mark& mark, const std::string& tag) {
    if (++made_ > 2 * text_.text.size() + 16)
      stop(mark, "not valid YAML: nothing can be read from here on, such as a comma outside of brackets");
    auto value = std::make_shared<YamlValue>();
    value->kind = kind;
    const YamlLine origin = origin_at(mark);
    value->line = origin.line;
    value->file = origin.file;
    if (tag.size() > 1 && tag.front() == '!')
      value->tag = tag;  // "?", "!" and tag:yaml.org,.. are implicit or standard
    return value;
  }

  void open(std::shared_ptr<YamlValue> value, YAML::anchor_t anchor, const YAML::Mark& mark) {
    if (static_cast<int>(stack_.size()) >= kMaxYamlDepth) stop_deep(mark);
    if (wants_key() && value->kind == YamlNode::Kind::Map) stop(mark, "a key must be a plain name, not a map");
    stack_.push_back({.value = std::move(value), .anchor = anchor});
  }

  void close() {
    Open done = std::move(stack_.back());
    stack_.pop_back();
    if (!done.merged.empty()) merge_into(*done.value, done.merged, false);
    if (!done.merged_deep.empty()) merge_into(*done.value, done.merged_deep, true);
    done.value->make_index();
    add(std::move(done.value), done.anchor);
  }

  void add(std::shared_ptr<const YamlValue> value, YAML::anchor_t anchor) {
    if (anchor != 0) anchors_[anchor] = value;
    const int line = value->line;
    place(std::move(value), line);
  }

  bool wants_key() const {
    return !stack_.empty() && stack_.back().value->kind == YamlNode::Kind::Map && !stack_.back().key;
  }

  void place(std::shared_ptr<const YamlValue> value, int line) {
    placed_ += value->kind == YamlNode::Kind::Map || value->kind == YamlNode::Kind::Sequence ? 1 : value->nodes;
    if (stack_.empty()) root_ = std::move(value);
    else if (wants_key()) take_key(*value, line);
    else put(stack_.back(), std::move(value));
    const u64 nodes = stack_.empty() ? root_->nodes : stack_.back().value->nodes;
    if (std::max(nodes, placed_) > kMaxNodes)
      throw Stop{{*file_, line, "", fmt::format("more than {} values (aliases expanded)", kMaxNodes)}};
  }

  void take_key(const YamlValue& key, int line) {
    Open& map = stack_.back();
    std::string text = key_text(key, line);
    const auto [it, fresh] = map.key_lines.emplace(text, line);
    if (!fresh && errors_.size() < kMaxYamlComplaints)
      errors_.push_back({file_of(key), line, path(),
                         fmt::format("duplicate key '{}', first given at line {}", shortened(text), it->second)});
    map.key = std::move(text);
    map.key_line = line;
  }

  // A list of names that is a key is its text, "[H, M]".
  std::string key_text(const YamlValue& key, int line) const {
    if (key.kind == YamlNode::Kind::Scalar) return key.text;
    std::vector<std::string_view> names;
    for (const auto& element : key.elements)
      if (element->kind == YamlNode::Kind::Scalar) names.push_back(element->text);
    if (names.empty() || names.size() != key.elements.size())
      throw Stop{{file_of(key), line, path(), "a key must be a plain name or a list of names, not empty or a map"}};
    return fmt::format("[{}]", fmt::join(names, ", "));
  }

  std::string file_of(const YamlValue& value) const { return value.file ? *value.file : *file_; }

  void put(Open& parent, std::shared_ptr<const YamlValue> value) {
    if (parent.value->kind == YamlNode::Kind::Sequence) {
      parent.value->account(*value);
      parent.value->elements.push_back(std::move(value));
      return;
    }
    if (*parent.key == "<<" || *parent.key == "<<<") {
      take_merge(parent, value);
    } else {
      parent.value->account(*value);
      parent.value->entries.push_back({*parent.key, parent.key_line, std::move(value)});
    }
    parent.key.reset();
  }

  // `<<: *base` or `<<: [*a, *b]`: entries of other maps, used where the map itself has none.
  void take_merge(Open& parent, const std::shared_ptr<const YamlValue>& value) {
    auto& merged = *parent.key == "<<" ? parent.merged : parent.merged_deep;
    if (value->kind == YamlNode::Kind::Map) merged.push_back(value);
    if (value->kind == YamlNode::Kind::Sequence) merged = value->elements;
    const bool maps = std::ranges::all_of(merged, [](const auto& m) { return m->kind == YamlNode::Kind::Map; });
    if (value->kind == YamlNode::Kind::Scalar || value->kind == YamlNode::Kind::Null || !maps)
      throw Stop{{file_of(*value), parent.key_line, path(), "must be a map or a list of maps"}};
  }

  const YamlText& text_;
  std::shared_ptr<const std::string> file_;
  Diagnostics& errors_;
  std::vector<Open> stack_;
  std::unordered_map<YAML::anchor_t, std::shared_ptr<const YamlValue>> anchors_;
  std::shared_ptr<const YamlValue> root_;
  YAML::Mark last_scalar_ = YAML::Mark::null_mark();
  u64 made_ = 0;    // values read so far, an alias being none
  u64 placed_ = 0;  // values read so far, of all open maps and lists
};

Diagnostic second_document(const std::string& name, std::string_view text, int line) {
  const bool marked = text.starts_with("---") || text.find("\n---") != std::string_view::npos;
  return {name, line, "",
          marked ? "a second document starts here; a file holds one"
                 : "text that belongs to nothing: the value above it has already ended"};
}

// Whether the scalar at `at` is in quotes that are not closed, which the parser accepts at the end of a text.
bool is_open_quote(std::string_view text, std::size_t at) {
  while (at < text.size() && (text[at] == '!' || text[at] == '&')) {  // a tag or an anchor before it
    at = text.find_first_not_of(" \t\r\n", std::min(text.find_first_of(" \t\r\n", at), text.size()));
  }
  if (at >= text.size() || (text[at] != '"' && text[at] != '\'')) return false;
  const char quote = text[at];
  for (++at; at < text.size(); ++at) {
    const bool escape = quote == '"' ? text[at] == '\\' : text.substr(at).starts_with("''");
    if (escape) ++at;
    else if (text[at] == quote) return false;
  }
  return true;
}

}  // namespace

YamlLine origin_of(const YamlText& text, int line) {
  const std::size_t index = static_cast<std::size_t>(std::max(line, 1)) - 1;
  if (line > 0 && index < text.lines.size()) return text.lines[index];
  return {std::make_shared<const std::string>(text.name), line};
}

std::shared_ptr<const YamlValue> build_yaml(const YamlText& text, Diagnostics& errors) {
  std::istringstream stream{std::string(text.text)};
  const auto complain = [&](const YAML::Mark& mark, std::string message) {
    const YamlLine origin = origin_of(text, line_of(mark));
    errors.push_back({*origin.file, origin.line, "", "not valid YAML: " + std::move(message)});
  };
  try {
    YAML::Parser parser(stream);
    Builder builder(text, errors);
    std::shared_ptr<const YamlValue> root;
    while (parser.HandleNextDocument(builder)) {
      std::shared_ptr<const YamlValue> next = builder.take_root();
      if (root && next && next->kind != YamlNode::Kind::Null) {
        errors.push_back(second_document(next->file ? *next->file : text.name, text.text, next->line));
        return nullptr;
      }
      if (!root) root = std::move(next);
    }
    const YAML::Mark& last = builder.last_scalar();
    if (!last.is_null() && is_open_quote(text.text, static_cast<std::size_t>(last.pos)))
      complain(last, "the quote opened here is never closed");
    return root;
  } catch (const Stop& stop) {
    errors.push_back(stop.reason);
  } catch (const YAML::Exception& e) {
    complain(e.mark, e.msg);
  } catch (const std::exception& e) {
    complain(YAML::Mark::null_mark(), e.what());
  }
  return nullptr;
}

}  // namespace heliolite
