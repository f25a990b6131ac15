#include "engine/base/field_table.h"

#include <algorithm>
#include <limits>
#include <utility>

#include "engine/base/named.h"
#include "engine/base/word_length.h"

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

}  // namespace heliolite
