#pragma once
// What may stand in a file of ours: the fields of each kind of map, declared once. Readers read by these tables
// (engine/base/field_reader.h), and the JSON Schemas that editors use are written from them (cli/schema).
#include <string>
#include <string_view>
#include <vector>

#include "engine/base/types.h"

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

}  // namespace heliolite
