#pragma once
// Reads a map as its table of fields says.
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "engine/base/field_table.h"
#include "engine/base/word_length.h"
#include "engine/base/yaml_node.h"

namespace heliolite {

// The length of words that a scalar states, complained about as `name` = .. unless it is one.
std::optional<WordLength> read_word_length(const YamlNode& node, std::string_view name, Diagnostics& errors);

// Reads one map key by key. Types, ranges, allowed names and whether a field must be there are its table's; complaints
// are those of MapReader. The table and its reader cannot drift apart: a field that the table has not, or has with
// another type, is an error when it is asked for, and a field that nobody asked for is one of finish().
class FieldReader {
 public:
  // Complains if `node` is not a map; then every read returns nothing and finish() is silent.
  FieldReader(const YamlNode& node, const FieldTable& table, Diagnostics& errors);

  const YamlNode& node() const { return map_.node(); }
  bool valid() const { return map_.valid(); }

  // The value of a field as a node, of any shape. A field that is required and missing is complained about once.
  std::optional<YamlNode> child(std::string_view field);
  // The value of a field that is required because of its neighbours.
  std::optional<YamlNode> needed(std::string_view field);

  std::optional<std::string> string(std::string_view field);              // Text
  std::optional<bool> boolean(std::string_view field);                    // Boolean
  std::optional<i64> integer(std::string_view field);                     // Integer
  std::optional<i64> integer(std::string_view field, i64 most);           // Integer, of at most that here
  std::optional<double> number(std::string_view field);                   // Number
  std::optional<std::string> choice(std::string_view field);              // Name
  std::optional<std::vector<std::string>> words(std::string_view field);  // Words
  std::optional<WordLength> word_length(std::string_view field);          // shape::word_length()
  void ignore(std::string_view field);                                    // one that is for people's eyes
  void refuse(std::string_view key, std::string message);                 // one of no table, complained about

  void error(std::string message) { map_.error(std::move(message)); }  // complains at this map
  void finish();                                                       // complains about unknown keys

 private:
  // The field, marked as asked for, after complaining that it is required and missing; null after complaining that
  // there is none of this kind.
  const FileField* asked(std::string_view field, std::optional<Shape::Kind> kind);

  MapReader map_;
  const FieldTable& table_;
  Diagnostics& errors_;
  std::vector<bool> asked_;  // of each field of the table
};

}  // namespace heliolite
