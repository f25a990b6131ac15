#pragma once
// A YAML value that knows its file, line and field path, so that every reader's complaint names the place. Reading
// never throws; all errors are collected and reported at once. Only yaml_builder.cpp uses yaml-cpp.
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "engine/base/result.h"
#include "engine/base/types.h"

namespace heliolite {

struct YamlValue;

// A line of a file.
struct YamlLine {
  std::shared_ptr<const std::string> file;
  int line = 0;  // 1-based
};

// A text to parse that was put together from several files.
struct YamlText {
  std::string_view text;
  std::string name;             // stands for the file in messages about the whole text
  std::vector<YamlLine> lines;  // where each line of the text comes from
  // What a scalar with one of the tags !include, !includedir and !include_loaded stands for; empty when `errors` says
  // why there is nothing.
  std::function<std::shared_ptr<const YamlValue>(const class YamlNode& scalar, Diagnostics& errors)> include;
};

// One value of a document; copies share the document.
class YamlNode {
 public:
  enum class Kind { Null, Scalar, Sequence, Map };

  // Parses one document. Errors: missing file, directory, not text, larger than 64 MiB, nested deeper than
  // 64 levels, YAML syntax, duplicate keys, empty document, more than one document.
  static Result<YamlNode> load_file(const std::string& path);
  // `name` stands for the file in messages.
  static Result<YamlNode> parse(std::string_view text, const std::string& name);
  static Result<YamlNode> parse(const YamlText& text);
  // A tree as a node; `field` is its path from the root.
  static YamlNode of(std::shared_ptr<const YamlValue> value, std::string field);

  Kind kind() const;
  bool is_null() const { return kind() == Kind::Null; }
  bool is_scalar() const { return kind() == Kind::Scalar; }
  bool is_sequence() const { return kind() == Kind::Sequence; }
  bool is_map() const { return kind() == Kind::Map; }

  const std::string& file() const;
  int line() const;                  // 1-based
  const std::string& field() const;  // path from the root, "levels[1].entries"
  std::string tag() const;           // "!Component", or "" without an explicit tag
  const std::string& text() const;   // the scalar's text, "" for other kinds
  bool quoted() const;               // scalar written in quotes (never a number then)

  std::size_t size() const;                                  // elements of a sequence, entries of a map
  YamlNode at(std::size_t index) const;                      // of a sequence
  std::vector<std::string> keys() const;                     // of a map, in file order
  bool has(std::string_view key) const;                      // false for anything but a map
  std::optional<YamlNode> find(std::string_view key) const;  // the value of the key, if the map has it
  int key_line(std::string_view key) const;  // where the key itself stands; the map's line when it has no such key

  // Typed reads of a scalar; empty when the text is not of that type.
  std::optional<bool> as_bool() const;
  std::optional<i64> as_integer() const;    // decimal, or 0x..; also 1e6 when integral
  std::optional<double> as_number() const;  // finite

  Diagnostic error(std::string message) const;  // at this place

  // This map without the entries that `drop` names, in it and in all maps below it.
  YamlNode without(const std::function<bool(const std::string& key, const YamlNode& value)>& drop) const;
  std::shared_ptr<const YamlValue> value() const;  // the tree from here on

  // New values that complain as if they stood at this value's place. With them a reader of whole documents can be given
  // one field alone.
  YamlNode scalar(std::string text) const;                      // text
  YamlNode listed() const;                                      // [this]
  YamlNode wrapped(std::string key) const;                      // {key: this}
  YamlNode with(std::string key, const YamlNode& value) const;  // this map and one more entry

 private:
  struct Impl;
  YamlNode made(std::shared_ptr<const YamlValue> value) const;
  std::shared_ptr<const Impl> impl_;
};

// A value as complaints "key = VALUE, must be .." show it: its text, or what it is if it has none ("nothing", "a
// list").
std::string shown(const YamlNode& value);

// The elements of a list, or the one value that stands for a list; none without a value.
std::vector<YamlNode> elements(const std::optional<YamlNode>& node);

// Reads one map key by key; complaints go to `errors`. finish() complains about keys nobody asked for,
// with a suggestion. Every read returns empty (or the default) after complaining, so that a reader goes on
// and reports all of a file's errors.
class MapReader {
 public:
  // Complains if `node` is not a map; then every read returns nothing and finish() is silent.
  MapReader(const YamlNode& node, Diagnostics& errors);

  const YamlNode& node() const { return node_; }
  bool valid() const { return valid_; }

  // The value of a key as a node; marks the key as known. The required_ functions complain when it is missing.
  std::optional<YamlNode> child(std::string_view key);
  std::optional<YamlNode> required_child(std::string_view key);

  std::optional<std::string> string(std::string_view key);
  std::optional<std::string> required_string(std::string_view key);
  std::optional<bool> boolean(std::string_view key);
  // Numbers outside [low, high] are complained about: "entries = -3, must be an integer from 1 to 2147483647".
  std::optional<i64> integer(std::string_view key, i64 low, i64 high);
  std::optional<i64> required_integer(std::string_view key, i64 low, i64 high);
  std::optional<double> number(std::string_view key, double low, double high);
  std::optional<double> required_number(std::string_view key, double low, double high);
  // One of `allowed`; complains with the list and a suggestion.
  std::optional<std::string> choice(std::string_view key, const std::vector<std::string>& allowed);
  // A list of scalars, or one string of words separated by spaces or commas.
  std::optional<std::vector<std::string>> words(std::string_view key);

  void ignore(std::string_view key);  // marks a key as known that is not used
  void error(std::string message);    // complains at this map
  void finish();                      // complains about unknown keys

 private:
  std::optional<YamlNode> read(std::string_view key, bool required);

  YamlNode node_;
  Diagnostics& errors_;
  bool valid_ = false;
  std::vector<std::string> known_;
};

}  // namespace heliolite
