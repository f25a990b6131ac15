#pragma once
// What may stand in a file of ours: the fields of each kind of map, declared once, and the reader that goes by them.
// The JSON Schemas that editors use are written from them, too (cli/schema).
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "engine/base/types.h"
#include "engine/base/word_length.h"
#include "engine/base/yaml_node.h"

namespace heliolite {

struct FieldTable;

// What a value may be. What a shape cannot say (a name that must exist, two fields that exclude each other) is for the
// reader; a value that does not have its field's shape is always refused.
struct Shape {
  enum class Kind : u8 {
    Any,
    Nothing,  // a key without a value
    Text,     // a scalar; of `pattern` unless that is empty
    Integer,  // from `least` to `most`
    Number,   // from `low` to `high`
    Boolean,
    Name,    // one of `names`, of `any_case` if that is set
    Words,   // a list of scalars, or one text with spaces or commas between them
    List,    // of `of[0]`
    Names,   // a map from names to `of[0]`
    Map,     // of the fields of `table`
    Either,  // one of `of`
  };

  Kind kind = Kind::Any;
  i64 least = 0, most = 0;
  double low = 0, high = 0;
  std::string pattern;  // a regular expression of ECMAScript, which a part of the text must match
  std::vector<std::string> names;
  bool any_case = false;
  std::vector<Shape> of;
  const FieldTable* table = nullptr;
};

namespace shape {

Shape any();
Shape nothing();
Shape text(std::string pattern = "");
Shape integer(i64 least, i64 most);
Shape number(double low, double high);
Shape number();
Shape boolean();
Shape one_of(std::vector<std::string> names);
Shape one_of_any_case(std::vector<std::string> names);
Shape words();
Shape word_length();
Shape list(Shape of);
Shape list_or_one(const Shape& of);  // one value stands for a list of it
Shape names(Shape of);
Shape map(const FieldTable& table);
Shape either(std::vector<Shape> of);

}  // namespace shape

struct FileField {
  std::string_view name;
  Shape shape;
  std::string help;        // a sentence: what it is
  std::string unit = {};   // of a number; empty: it has none
  std::string usual = {};  // what holds without it, as a user would write or say it; empty: nothing to say
  bool required = false;
};

FileField required(FileField field);

// The fields of one kind of map; other keys are refused. A table lives as long as the program.
struct FieldTable {
  std::string name;  // of the kind, "storage level"; no two tables have the same
  std::string help;  // a sentence
  std::vector<FileField> fields;
  bool any_case = false;  // keys may be in capitals too

  const FileField* find(std::string_view field) const;
};

// The fields of one list and then those of another.
std::vector<FileField> joined(std::vector<FileField> first, const std::vector<FileField>& second);

// Reads a map as its table of fields says.

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
