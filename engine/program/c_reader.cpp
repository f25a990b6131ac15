#include "engine/program/c_reader.h"

#include <array>

#include "engine/base/text.h"

namespace heliolite {
namespace {

constexpr std::array<std::string_view, 23> kLongSigns{"<<=", ">>=", "...", "->", "++", "--", "<<", ">>",
                                                      "<=",  ">=",  "==",  "!=", "&&", "||", "+=", "-=",
                                                      "*=",  "/=",  "%=",  "&=", "|=", "^=", "##"};

class CLexer {
 public:
  explicit CLexer(std::string_view text) : text_(text) {}

  std::vector<CToken> run() {
    while (skip_space(), at_ < text_.size()) add();
    tokens_.push_back({CTokenKind::end, text_.substr(text_.size()), line_});
    return std::move(tokens_);
  }

 private:
  char peek(std::size_t ahead = 0) const { return at_ + ahead < text_.size() ? text_[at_ + ahead] : '\0'; }
  bool starts(std::string_view word) const { return text_.substr(at_, word.size()) == word; }

  void step() {
    if (text_[at_] == '\n') ++line_, line_begins_ = true;
    ++at_;
  }

  // White space, comments and continued lines.
  void skip_space() {
    while (at_ < text_.size()) {
      if (starts("//")) {
        while (at_ < text_.size() && text_[at_] != '\n') ++at_;
      } else if (starts("/*")) {
        const std::size_t end = std::min(text_.find("*/", at_ + 2), text_.size());
        while (at_ < end) step();
        at_ = std::min(at_ + 2, text_.size());
      } else if (starts("\\\n") || std::string_view(" \t\r\n\f\v").find(text_[at_]) != std::string_view::npos) {
        step();
      } else {
        return;
      }
    }
  }

  void add() {
    const std::size_t begin = at_;
    const int line = line_;
    CTokenKind kind = CTokenKind::sign;
    if (text_[at_] == '#' && line_begins_) {
      kind = CTokenKind::directive;
      while (at_ < text_.size() && text_[at_] != '\n') starts("\\\n") ? (++at_, step()) : void(++at_);
    } else if (is_letter(text_[at_])) {
      kind = CTokenKind::name;
      while (is_letter(peek()) || is_digit(peek())) ++at_;
    } else if (is_digit(text_[at_]) || (text_[at_] == '.' && is_digit(peek(1)))) {
      kind = CTokenKind::number;
      number();
    } else if (text_[at_] == '"' || text_[at_] == '\'') {
      kind = CTokenKind::number;
      quoted(text_[at_]);
    } else {
      sign();
    }
    line_begins_ = false;
    tokens_.push_back({kind, text_.substr(begin, at_ - begin), line});
  }

  void number() {
    while (is_letter(peek()) || is_digit(peek()) || peek() == '.') {
      const bool exponent = std::string_view("eEpP").find(peek()) != std::string_view::npos;
      ++at_;
      if (exponent && (peek() == '+' || peek() == '-')) ++at_;
    }
  }

  // To the closing quote, or to the end of the line where there is none.
  void quoted(char quote) {
    ++at_;
    while (at_ < text_.size() && text_[at_] != quote && text_[at_] != '\n')
      at_ += text_[at_] == '\\' && peek(1) != '\n' && peek(1) != '\0' ? 2 : 1;
    if (peek() == quote) ++at_;
  }

  void sign() {
    const auto found = std::find_if(kLongSigns.begin(), kLongSigns.end(), [&](auto s) { return starts(s); });
    at_ += found == kLongSigns.end() ? 1 : found->size();
  }

  std::string_view text_;
  std::size_t at_ = 0;
  int line_ = 1;
  bool line_begins_ = true;
  std::vector<CToken> tokens_;
};

}  // namespace

std::vector<CToken> c_tokens(std::string_view text) { return CLexer(text).run(); }

std::vector<std::string> directive_words(const CToken& directive) {
  std::string_view line = directive.text.substr(1);
  line = line.substr(0, std::min(line.find("//"), line.find("/*")));
  std::vector<std::string> words(1);
  for (const char c : line)
    if (c == ' ' || c == '\t' || c == '\r') {
      if (!words.back().empty()) words.emplace_back();
    } else {
      words.back() += c;
    }
  if (words.back().empty()) words.pop_back();
  return words;
}

std::string CCursor::text_from(std::size_t begin) const {
  constexpr std::size_t kLongest = 200;
  if (begin >= at_) return "";
  std::string out;
  const char* const first = tokens_[begin].text.data();
  const CToken& last = tokens_[at_ - 1];
  const std::string_view text(first, static_cast<std::size_t>(last.text.data() + last.text.size() - first));
  for (const char c : text) {
    const bool space = c == ' ' || c == '\t' || c == '\n' || c == '\r';
    if (space && (out.empty() || out.back() == ' ')) continue;
    out += space ? ' ' : c;
    if (out.size() == kLongest) return out + "..";
  }
  return out;
}

// Right-hand sides of C assignments: what they read and how much they compute.

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
