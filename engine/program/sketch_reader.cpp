// Reads the statements of a C text with their loops and conditions.
#include "engine/program/program_sketch.h"

#include <algorithm>

#include "engine/program/affine_program.h"
#include "engine/program/c_reader.h"

namespace heliolite {
namespace {

constexpr std::size_t kMaxProgramStatements = 200;
constexpr std::size_t kMaxProgramDepth = 12;
constexpr std::string_view kAround = "'#pragma scop' and '#pragma endscop' around the loops";

class SketchReader {
 public:
  SketchReader(std::vector<CToken> tokens, const std::string& file)
      : cursor_(std::move(tokens), file),
        affine_(cursor_, [this](const std::string& name, int line) { met(name, line); }),
        values_(cursor_, affine_) {
    sketch_.file = file;
  }

  Result<ProgramSketch> run() {
    while (pragmas(), !cursor_.at_end()) statement();
    if (sketch_.statements.empty()) cursor_.stop("no assignment in the program");
    Diagnostics complaints = cursor_.complaints();
    if (!cursor_.stopped())
      for (Diagnostic& d : check(sketch_)) complaints.push_back(std::move(d));
    if (!complaints.empty()) return complaints;
    for (const auto& [word, times] : ignored_)
      sketch_.notes.push_back("'#pragma " + word + "' is ignored" +
                              (times > 1 ? ", " + std::to_string(times) + " times" : "") +
                              ": the program runs in the order of its text");
    count_operations(sketch_);
    drop_numbers(sketch_);
    return std::move(sketch_);
  }

 private:
  // Hints for compilers: what they may do at the same time, unroll, ..; the order stays that of the text.
  void pragmas() {
    while (cursor_.peek().kind == CTokenKind::directive || cursor_.is("_Pragma")) {
      const CToken token = cursor_.peek();
      std::vector<std::string> words{"pragma"};
      if (token.kind == CTokenKind::directive) words = directive_words(token);
      if (words.empty() || words.front() != "pragma") return;
      cursor_.next();
      if (token.kind != CTokenKind::directive) {
        words.emplace_back("..");
        cursor_.expect("(", "after '_Pragma'");
        cursor_.next();
        cursor_.expect(")", "after the text of '_Pragma'");
      }
      ++ignored_[words.size() > 1 ? words[1] : ""];
    }
  }

  void statement() {
    const CCursor::Nested nested(cursor_);
    pragmas();
    const CToken token = cursor_.peek();
    if (token.kind == CTokenKind::directive)
      cursor_.stop("'" + std::string(token.text.substr(0, 40)) + "' inside the program is not read");
    else if (cursor_.accept(";")) return;
    else if (cursor_.accept("{")) block(token.line);
    else if (token.is("for")) loop();
    else if (token.is("if")) condition();
    else if (is_c_type(token)) declaration();
    else assignment();
  }

  void block(int line) {
    while (pragmas(), !cursor_.at_end() && !cursor_.is("}")) statement();
    cursor_.expect("}", "for the '{' of line " + std::to_string(line));
  }

  // for (int i = lower; i < upper; i += step)
  void loop() {
    const int line = cursor_.next().line;
    cursor_.expect("(", "after 'for'");
    while (is_c_type(cursor_.peek())) cursor_.next();
    const CToken name = index_name("'for' begins with the loop's index");
    cursor_.expect("=", "after the loop's index");
    const AffineForm lower = affine_.expression();
    cursor_.expect(";", "after the first value of the index");
    same_index(name);
    const CToken sign = cursor_.next();
    const bool upwards = sign.is("<") || sign.is("<=");
    if (!upwards && !sign.is(">") && !sign.is(">="))
      cursor_.stop("the condition of a loop is index < bound, or with <=, > or >=, found '" + std::string(sign.text) +
                   "'");
    const AffineForm bound = affine_.expression();
    if (cursor_.is("&&") || cursor_.is("||"))
      cursor_.stop("a loop has one bound; " + cursor_.found() + " needs an 'if' around the body");
    cursor_.expect(";", "after the condition of the loop");
    const i64 step = loop_step(name);
    cursor_.expect(")", "after the step of the loop");
    if (cursor_.stopped()) return;
    if ((step > 0) != upwards)
      cursor_.complain(line, "the loop over '" + std::string(name.text) + "' runs away from its bound");
    const std::size_t divisions = open_divisions();
    enter(name, lower, std::string(sign.text) + " " + bound.to_string(), step);
    statement();
    leave();
    divisions_.resize(divisions);
  }

  CToken index_name(const std::string& what) {
    const CToken token = cursor_.peek();
    if (token.kind != CTokenKind::name) cursor_.stop("expected a name, found " + cursor_.found() + ": " + what);
    return cursor_.next();
  }

  void same_index(const CToken& name) {
    const CToken again = index_name("the index is compared");
    if (!again.is(name.text)) wrong_index(name, again);
  }
  void wrong_index(const CToken& name, const CToken& other) {
    cursor_.complain(other.line, "'" + std::string(other.text) + "' where the index '" + std::string(name.text) +
                                     "' of the loop is expected");
  }

  // i++, ++i, i += 2, i = i + 2, i = 2 + i, and with minus. Never 0.
  i64 loop_step(const CToken& name) {
    const bool before = cursor_.is("++") || cursor_.is("--");
    const bool down_before = cursor_.is("--");
    if (before) cursor_.next();
    const CToken index = index_name("the index is changed");
    if (!index.is(name.text)) wrong_index(name, index);
    if (before) return down_before ? -1 : 1;
    if (cursor_.accept("++")) return 1;
    if (cursor_.accept("--")) return -1;
    const CToken sign = cursor_.next();
    if (!sign.is("=") && !sign.is("+=") && !sign.is("-="))
      cursor_.stop("the step of a loop is i++, i--, i += number or i -= number, found '" + std::string(sign.text) +
                   "'");
    const int line = cursor_.peek().line;
    stepped_ = name.text;
    AffineForm form = affine_.expression();
    stepped_ = {};
    if (cursor_.stopped()) return 1;
    if (sign.is("=")) {
      const auto change = sum(form, *scaled(affine_name(std::string(name.text)), -1));
      if (!form.coefficient.contains(std::string(name.text)) || !change) {
        cursor_.complain(line, "the step of a loop over '" + std::string(name.text) + "' must begin with its index");
        return 1;
      }
      form = *change;
    }
    if (!form.is_constant() || form.constant == 0) {
      cursor_.complain(line, "the step of a loop must be a number other than 0, not " + form.to_string());
      return 1;
    }
    return sign.text[0] == '-' ? -form.constant : form.constant;
  }

  // Adds those of what was read last, of which the conditions around hold; how many there were before.
  std::size_t open_divisions() {
    const std::size_t before = divisions_.size();
    for (Division& d : affine_.take_divisions())
      divisions_.push_back(
          {std::move(d.dividend), std::move(d.condition), conditions_.size(), std::move(d.text), d.line});
    return before;
  }

  void enter(const CToken& name, const AffineForm& lower, const std::string& bound, i64 step) {
    const std::string index(name.text);
    if (loops_.size() == kMaxProgramDepth)
      cursor_.stop("more than " + std::to_string(kMaxProgramDepth) + " loops within each other");
    sketch_.index_line.emplace(index, name.line);
    loops_.push_back({index, step < 0});
    std::string text = index + (step > 0 ? " >= " : " <= ") + lower.to_string() + " and " + index + " " + bound;
    if (const i64 stride = std::abs(step); stride > 1)
      text += " and (" + index + " - " + lower.to_string() + ") mod " + std::to_string(stride) + " = 0";
    conditions_.push_back("(" + text + ")");
    positions_.push_back(0);
  }
  void leave() {
    loops_.pop_back();
    conditions_.pop_back();
    positions_.pop_back();
    ++positions_.back();
  }

  void condition() {
    cursor_.next();
    cursor_.expect("(", "after 'if'");
    const std::string text = affine_.condition();
    cursor_.expect(")", "after the condition of 'if'");
    const std::size_t divisions = open_divisions();
    conditions_.push_back(text);
    statement();
    conditions_.back() = "(not " + text + ")";
    pragmas();
    if (cursor_.accept("else")) statement();
    conditions_.pop_back();
    divisions_.resize(divisions);
  }

  // double x;  double x = value;
  void declaration() {
    while (is_c_type(cursor_.peek())) cursor_.next();
    if (cursor_.peek(1).is(";") && cursor_.peek().kind == CTokenKind::name) {
      cursor_.next();
      cursor_.next();
      return;
    }
    if (!cursor_.peek(1).is("="))
      cursor_.stop("a declaration inside the program is of one scalar, found " + cursor_.found());
    assignment();
  }

  void assignment() {
    const CToken token = cursor_.peek();
    const bool steps = token.is("++") || token.is("--");
    if ((token.kind != CTokenKind::name && !steps) || cursor_.peek(1).is("(")) {
      cursor_.stop("expected 'for', 'if', '{' or an assignment, found " + cursor_.found());
      return;
    }
    if (token.is("while") || token.is("do") || token.is("return") || token.is("else") || token.is("break")) {
      cursor_.stop("'" + std::string(token.text) + "' is not allowed here");
      return;
    }
    const std::size_t divisions = open_divisions();
    const std::string_view step = token.text;
    if (step == "++" || step == "--") {
      const std::size_t begin = cursor_.position();
      cursor_.next();
      if (cursor_.peek().kind != CTokenKind::name) cursor_.stop("expected a name after '" + std::string(step) + "'");
      SketchStatement s = changed(values_.element(), step, token.line);
      s.text = cursor_.text_from(begin) + ";";
      finish(std::move(s));
    } else {
      assign();
    }
    cursor_.expect(";", "after an assignment");
    divisions_.resize(divisions);
  }

  // x = value, x += value, x++; x = y = value is y = value, and x = y after it. What was written.
  SketchAccess assign() {
    const CCursor::Nested nested(cursor_);
    const std::size_t begin = cursor_.position();
    SketchStatement s;
    s.line = cursor_.peek().line;
    s.write = values_.target();
    const CToken sign = cursor_.peek();
    if (sign.is("++") || sign.is("--")) {
      cursor_.next();
      s = changed(std::move(s.write), sign.text, s.line);
      s.text = cursor_.text_from(begin) + ";";
      SketchAccess written = s.write;
      finish(std::move(s));
      return written;
    }
    if (!is_assignment(sign)) {
      cursor_.stop("expected =, +=, -=, *= or another assignment, found " + cursor_.found());
      return {};
    }
    cursor_.next();
    if (!sign.is("=")) {
      s.compound = sign.text[0];
      s.reads.push_back(s.write);
    }
    u64 value = 0;
    if (begins_assignment()) {
      const SketchAccess inner = assign();
      if (cursor_.stopped()) return {};
      if (std::ranges::find(s.reads, inner) == s.reads.end()) s.reads.push_back(inner);
      value = u64{1} << (std::ranges::find(s.reads, inner) - s.reads.begin());
    } else {
      value = values_.expression(s.reads, s.operators);
    }
    if (s.compound != 0) s.operators.push_back(value | 1);  // with the written element, the first of the reads
    s.text = cursor_.text_from(begin) + ";";
    SketchAccess written = s.write;
    finish(std::move(s));
    return written;
  }

  static bool is_assignment(const CToken& token) {
    static const std::set<std::string_view> kAssignments{
        "=", "+=", "-=", "*=", "/=", "%=", "&=", "|=", "^=", "<<=", ">>="};
    return token.kind == CTokenKind::sign && kAssignments.contains(token.text);
  }

  // Whether what follows is an element and then an assignment.
  bool begins_assignment() const {
    if (cursor_.peek().kind != CTokenKind::name) return false;
    std::size_t k = 1;
    for (int open = 0; open > 0 || cursor_.peek(k).is("["); ++k) {
      if (cursor_.peek(k).kind == CTokenKind::end || cursor_.peek(k).is(";")) return false;
      if (cursor_.peek(k).is("[")) ++open;
      if (cursor_.peek(k).is("]")) --open;
    }
    return is_assignment(cursor_.peek(k));
  }

  // ++ or -- of the element.
  static SketchStatement changed(SketchAccess element, std::string_view sign, int line) {
    SketchStatement s;
    s.line = line;
    s.write = std::move(element);
    s.compound = sign[0];
    s.reads.push_back(s.write);
    s.operators.push_back(1);
    return s;
  }

  void finish(SketchStatement s) {
    if (cursor_.stopped()) return;
    s.loops = loops_;
    s.conditions = conditions_;
    s.positions = positions_;
    open_divisions();
    s.divisions = divisions_;
    ++positions_.back();
    if (sketch_.statements.size() == kMaxProgramStatements)
      cursor_.stop("more than " + std::to_string(kMaxProgramStatements) + " statements");
    sketch_.statements.push_back(std::move(s));
  }

  // A name in a subscript or bound.
  void met(const std::string& name, int line) {
    if (name == stepped_) return;
    for (const SketchLoop& loop : loops_)
      if (loop.index == name) return;
    if (sketch_.parameter_line.emplace(name, line).second) sketch_.parameters.push_back(name);
  }

  CCursor cursor_;
  AffineReader affine_;
  ValueReader values_;
  ProgramSketch sketch_;
  std::vector<SketchLoop> loops_;
  std::vector<std::string> conditions_;
  std::vector<int> positions_{0};
  std::string_view stepped_;               // the index whose step is read: its loop does not stand yet
  std::vector<SketchDivision> divisions_;  // of the loops and ifs around, and of the statement
  std::map<std::string, int> ignored_;     // pragmas, by their first word
};

bool is_pragma(const CToken& token, const std::string& word) {
  if (token.kind != CTokenKind::directive) return false;
  return directive_words(token) == std::vector<std::string>{"pragma", word};
}

}  // namespace

Result<ProgramSketch> read_sketch(std::string_view text, const std::string& file) {
  std::vector<CToken> tokens = c_tokens(text);
  const auto is_begin = [](const CToken& t) { return is_pragma(t, "scop"); };
  const auto is_end = [](const CToken& t) { return is_pragma(t, "endscop"); };
  const auto begin = std::find_if(tokens.begin(), tokens.end(), is_begin);
  if (begin == tokens.end()) return Diagnostic{file, 0, "", "no program: expected " + std::string(kAround)};
  const auto end = std::find_if(begin, tokens.end(), is_end);
  if (end == tokens.end()) return Diagnostic{file, begin->line, "", "'#pragma scop' without '#pragma endscop'"};
  const auto second = std::find_if(end, tokens.end(), is_begin);
  if (second != tokens.end())
    return Diagnostic{file, second->line, "", "a second '#pragma scop'; a file has one program"};
  std::vector<CToken> inside(begin + 1, end);
  inside.push_back({CTokenKind::end, end->text, end->line});
  return SketchReader(std::move(inside), file).run();
}

}  // namespace heliolite
