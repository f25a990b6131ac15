// Right-hand sides of C assignments: what they read and how much they compute.
#include "engine/program/c_reader.h"

#include <algorithm>
#include <array>
#include <utility>

namespace heliolite {
namespace {

constexpr std::array<std::string_view, 9> kTypes{"double", "float", "int",   "long",     "unsigned",
                                                 "char",   "short", "const", "DATA_TYPE"};

constexpr std::size_t kMaxReads = 63;  // as bits of a mask

// What PolyBench writes around a number.
constexpr std::string_view kNumberMacro = "SCALAR_VAL";

// How strongly a binary operator binds; 0: it is none.
int precedence(const CToken& token) {
  static constexpr std::array<std::pair<std::string_view, int>, 18> kPrecedence{{{"||", 1},
                                                                                 {"&&", 2},
                                                                                 {"|", 3},
                                                                                 {"^", 4},
                                                                                 {"&", 5},
                                                                                 {"==", 6},
                                                                                 {"!=", 6},
                                                                                 {"<", 7},
                                                                                 {"<=", 7},
                                                                                 {">", 7},
                                                                                 {">=", 7},
                                                                                 {"<<", 8},
                                                                                 {">>", 8},
                                                                                 {"+", 9},
                                                                                 {"-", 9},
                                                                                 {"*", 10},
                                                                                 {"/", 10},
                                                                                 {"%", 10}}};
  if (token.kind != CTokenKind::sign) return 0;
  for (const auto& [sign, value] : kPrecedence)
    if (token.text == sign) return value;
  return 0;
}

}  // namespace

bool is_c_type(const CToken& token) {
  return token.kind == CTokenKind::name && std::find(kTypes.begin(), kTypes.end(), token.text) != kTypes.end();
}

u64 ValueReader::expression(std::vector<SketchAccess>& reads, std::vector<u64>& operators) {
  reads_ = &reads;
  operators_ = &operators;
  return whole();
}

u64 ValueReader::whole() {
  const CCursor::Nested nested(cursor_);
  u64 reads = binary(1);
  if (!cursor_.accept("?")) return reads;
  std::vector<u64> first, second;
  std::vector<u64>* const all = std::exchange(operators_, &first);
  reads |= whole();
  cursor_.expect(":", "between the values of '?'");
  operators_ = &second;
  reads |= whole();
  operators_ = all;
  const std::vector<u64>& longer = first.size() > second.size() ? first : second;
  all->insert(all->end(), longer.begin(), longer.end());
  return reads;
}

u64 ValueReader::binary(int least_precedence) {
  u64 reads = unary();
  while (const int own = precedence(cursor_.peek())) {
    if (own < least_precedence) break;
    cursor_.next();
    reads = operate(reads | binary(own + 1));
  }
  return reads;
}

u64 ValueReader::operate(u64 reads) {
  operators_->push_back(reads);
  return reads;
}

// A sign costs nothing: -a * b is one operation.
u64 ValueReader::unary() {
  const CCursor::Nested nested(cursor_);
  if (cursor_.accept("-") || cursor_.accept("+") || cursor_.accept("!") || cursor_.accept("~")) return unary();
  if (cursor_.is("(") && is_c_type(cursor_.peek(1))) {
    cursor_.next();
    while (is_c_type(cursor_.peek())) cursor_.next();
    cursor_.expect(")", "after the type of a conversion");
    return unary();
  }
  return primary();
}

u64 ValueReader::primary() {
  const CToken& token = cursor_.peek();
  if (cursor_.accept("(")) {
    const u64 reads = whole();
    cursor_.expect(")", "in an expression");
    return reads;
  }
  if (token.kind == CTokenKind::number) {
    cursor_.next();
    return 0;
  }
  if (token.kind == CTokenKind::name) {
    if (cursor_.peek(1).is("(")) return call();
    return add(element());
  }
  if (!cursor_.stopped())
    cursor_.stop((cursor_.is("*") || cursor_.is("&") ? "pointers are not read: " : "expected a value, found ") +
                 cursor_.found());
  return 0;
}

u64 ValueReader::call() {
  const bool is_number = cursor_.next().is(kNumberMacro);
  cursor_.expect("(", "after the name of a function");
  u64 reads = 0;
  if (!cursor_.is(")")) do {
      reads |= whole();
    } while (cursor_.accept(","));
  cursor_.expect(")", "after the arguments of a function");
  return is_number ? reads : operate(reads);
}

SketchAccess ValueReader::element() {
  SketchAccess access = target();
  for (const std::string_view other : {"++", "--"})
    if (cursor_.is(other)) cursor_.stop("'" + std::string(other) + "' in an expression is not allowed");
  return access;
}

SketchAccess ValueReader::target() {
  SketchAccess access;
  access.line = cursor_.peek().line;
  access.array = bound_name(cursor_.next().text);
  while (cursor_.accept("[")) {
    access.subscripts.push_back(affine_.expression());
    cursor_.expect("]", "after a subscript");
  }
  for (const std::string_view other : {".", "->"})
    if (cursor_.is(other)) cursor_.stop("'" + std::string(other) + "' in an expression is not allowed");
  return access;
}

u64 ValueReader::add(SketchAccess access) {
  const auto known = std::find(reads_->begin(), reads_->end(), access);
  const u64 bit = u64{1} << (known - reads_->begin());
  if (known != reads_->end()) return bit;
  if (reads_->size() == kMaxReads) {
    cursor_.stop("more than " + std::to_string(kMaxReads) + " elements are read by one assignment");
    return 0;
  }
  reads_->push_back(std::move(access));
  return bit;
}

namespace {

// Whether `other` runs in the innermost loop of `s`.
bool shares_loop(const SketchStatement& s, const SketchStatement& other) {
  const std::size_t depth = s.loops.size();
  return other.loops.size() >= depth &&
         std::equal(s.positions.begin(), s.positions.begin() + static_cast<long>(depth), other.positions.begin());
}

bool changes(const ProgramSketch& sketch, const SketchStatement& s, const SketchAccess& read) {
  const std::string& index = s.loops.back().index;
  const auto has_index = [&](const AffineForm& form) { return form.involves(index); };
  if (std::any_of(read.subscripts.begin(), read.subscripts.end(), has_index)) return true;
  if (read.subscripts.empty() && read.array == index) return true;
  return std::any_of(sketch.statements.begin(), sketch.statements.end(), [&](const SketchStatement& other) {
    return other.write.array == read.array && shares_loop(s, other);
  });
}

}  // namespace

void count_operations(ProgramSketch& sketch) {
  for (SketchStatement& s : sketch.statements) {
    u64 changing = 0;
    for (std::size_t r = 0; r < s.reads.size(); ++r)
      if (s.loops.empty() || changes(sketch, s, s.reads[r])) changing |= u64{1} << r;
    s.operations = static_cast<u64>(
        std::count_if(s.operators.begin(), s.operators.end(), [&](u64 reads) { return (reads & changing) != 0; }));
  }
}

}  // namespace heliolite
