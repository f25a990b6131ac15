// Reads affine programs, a subset of C: the text's statements are checked as a whole, then made sets and relations.
#include "engine/program/affine_program.h"

#include <algorithm>
#include <set>

#include "engine/base/file_bytes.h"
#include "engine/base/text.h"
#include "engine/program/program_sketch.h"

namespace heliolite {
namespace {

constexpr std::size_t kMaxProgramParameters = 12;
constexpr std::size_t kMaxSubscripts = 8;

// What isl's notation takes for itself, in any letters.
bool is_reserved(const std::string& name) {
  static const std::set<std::string> kWords{"and",   "or",    "not",  "implies",  "exists", "min",
                                            "max",   "floor", "ceil", "mod",      "rat",    "true",
                                            "false", "infty", "nan",  "infinity", "floord", "ceild"};
  return kWords.contains(lower(name));
}

bool is_index(const SketchStatement& s, const std::string& name) {
  return std::any_of(s.loops.begin(), s.loops.end(), [&](const SketchLoop& l) { return l.index == name; });
}

// A parameter or an index, not an element.
bool is_plain_number(const ProgramSketch& sketch, const SketchStatement& s, const SketchAccess& read) {
  return read.subscripts.empty() && (sketch.parameter_line.contains(read.array) || is_index(s, read.array));
}

class SketchCheck {
 public:
  explicit SketchCheck(const ProgramSketch& sketch) : sketch_(sketch) {}

  Diagnostics run() {
    for (const auto& [name, line] : sketch_.index_line) check_name(name, line);
    for (const std::string& name : sketch_.parameters) check_parameter(name);
    if (sketch_.parameters.size() > kMaxProgramParameters)
      add(0, "more than " + std::to_string(kMaxProgramParameters) + " parameters");
    for (const SketchStatement& s : sketch_.statements) {
      check_loops(s);
      check_write(s);
      check_array(s.write);
      for (const SketchAccess& r : s.reads)
        if (!is_plain_number(sketch_, s, r)) check_array(r);
    }
    return std::move(complaints_);
  }

 private:
  void add(int line, const std::string& message) { complaints_.push_back({sketch_.file, line, "", message}); }

  void check_name(const std::string& name, int line) {
    if (is_reserved(name)) add(line, "'" + name + "' is a word of the notation of sets; use another name");
  }

  void check_parameter(const std::string& name) {
    const int line = sketch_.parameter_line.at(name);
    check_name(name, line);
    const auto index = sketch_.index_line.find(name);
    if (index != sketch_.index_line.end())
      add(line, "'" + name + "' outside of its loop, which is in line " + std::to_string(index->second));
  }

  void check_loops(const SketchStatement& s) {
    for (std::size_t k = 0; k < s.loops.size(); ++k)
      for (std::size_t outer = 0; outer < k; ++outer)
        if (s.loops[outer].index == s.loops[k].index)
          add(s.line, "a loop over '" + s.loops[k].index + "' within one over '" + s.loops[k].index + "'");
  }

  void check_write(const SketchStatement& s) {
    const std::string& name = s.write.array;
    const auto parameter = sketch_.parameter_line.find(name);
    if (parameter != sketch_.parameter_line.end())
      add(s.line, "'" + name + "' is assigned, and in a subscript or bound of line " +
                      std::to_string(parameter->second) + ": parameters do not change");
    else if (is_index(s, name)) add(s.line, "the index '" + name + "' is assigned in its loop");
  }

  void check_array(const SketchAccess& access) {
    const auto [known, fresh] = first_.emplace(access.array, access);
    if (fresh) check_name(access.array, access.line);
    const std::size_t before = known->second.subscripts.size();
    const std::size_t now = access.subscripts.size();
    if (before != now)
      add(access.line, "'" + access.array + "' with " + std::to_string(now) + " subscripts, in line " +
                           std::to_string(known->second.line) + " with " + std::to_string(before));
    if (now > kMaxSubscripts)
      add(access.line, "'" + access.array + "' has more than " + std::to_string(kMaxSubscripts) + " subscripts");
  }

  const ProgramSketch& sketch_;
  std::map<std::string, SketchAccess> first_;  // [array]: where it is first met
  Diagnostics complaints_;
};

}  // namespace

Diagnostics check(const ProgramSketch& sketch) { return SketchCheck(sketch).run(); }

void drop_numbers(ProgramSketch& sketch) {
  for (SketchStatement& s : sketch.statements)
    std::erase_if(s.reads, [&](const SketchAccess& r) { return is_plain_number(sketch, s, r); });
}

namespace {

std::string listed(const std::vector<std::string>& words) {
  std::string text;
  for (const std::string& w : words) text += (text.empty() ? "" : ", ") + w;
  return "[" + text + "]";
}

class ProgramBuilder {
 public:
  explicit ProgramBuilder(const ProgramSketch& sketch) : sketch_(sketch) {}

  Result<AffineProgram> run() {
    program_.file = sketch_.file;
    program_.parameters = sketch_.parameters;
    program_.notes = sketch_.notes;
    const auto build = [&]() -> Result<bool> {
      std::string assumed = "true";
      for (const std::string& p : sketch_.parameters) assumed += " and " + p + " >= 1";
      program_.assumed = isl::set(program_.context.get(), listed(sketch_.parameters) + " -> { : " + assumed + " }");
      for (const SketchStatement& s : sketch_.statements) deepest_ = std::max(deepest_, s.loops.size());
      for (const SketchStatement& s : sketch_.statements) add(s);
      return true;
    };
    if (Result<bool> done = guarded(program_.context, sketch_.file, "", build); !done) return done.errors();
    if (!complaints_.empty()) return complaints_;
    return std::move(program_);
  }

 private:
  void add(const SketchStatement& sketch) {
    ProgramStatement s;
    s.name = "S" + std::to_string(program_.statements.size());
    s.line = sketch.line;
    s.text = sketch.text;
    for (const SketchLoop& l : sketch.loops) s.loops.push_back(l.index);
    const std::string instance = s.name + listed(s.loops);
    std::string conditions = "true";
    for (const std::string& c : sketch.conditions) conditions += " and " + c;
    s.domain = isl::set(program_.context.get(), begin_ + instance + " : " + conditions + " }").coalesce();
    s.schedule = relation(instance, listed(times(sketch)));
    s.write = access(instance, sketch.write);
    for (const SketchAccess& r : sketch.reads) s.reads.push_back(access(instance, r));
    check_divisions(sketch, instance);
    s.compound = sketch.compound;
    s.operations = sketch.operations;
    program_.statements.push_back(std::move(s));
  }

  // C rounds quotients to zero and isl down: the same where nothing negative is divided.
  void check_divisions(const SketchStatement& sketch, const std::string& instance) {
    for (const SketchDivision& d : sketch.divisions) {
      std::string there = "true";
      for (std::size_t k = 0; k < d.conditions; ++k) there += " and " + sketch.conditions[k];
      const isl::set negative(program_.context.get(), begin_ + instance + " : " + there + " and " + d.condition +
                                                          " and " + d.dividend + " < 0 }");
      if (negative.intersect_params(program_.assumed).is_empty()) continue;
      const std::string what = "'" + d.text + "' divides what may be negative";
      const bool known = std::ranges::any_of(
          complaints_, [&](const Diagnostic& c) { return c.line == d.line && c.message.starts_with(what); });
      if (!known)
        complaints_.push_back({sketch_.file, d.line, "",
                               what + " (parameters are at least 1): C rounds that to zero; an 'if' or another bound "
                                      "around it can rule it out"});
    }
  }

  // Position, index, position, index, .., position; filled up with zeros.
  std::vector<std::string> times(const SketchStatement& s) const {
    std::vector<std::string> out;
    for (std::size_t d = 0; d < s.loops.size(); ++d) {
      out.push_back(std::to_string(s.positions[d]));
      out.push_back((s.loops[d].backward ? "-" : "") + s.loops[d].index);
    }
    out.push_back(std::to_string(s.positions.back()));
    out.resize(2 * deepest_ + 1, "0");
    return out;
  }

  isl::map relation(const std::string& from, const std::string& to) const {
    return isl::map(program_.context.get(), begin_ + from + " -> " + to + " }");
  }

  ArrayAccess access(const std::string& instance, const SketchAccess& a) {
    const auto named = [&](const ProgramArray& known) { return known.name == a.array; };
    auto found = std::find_if(program_.arrays.begin(), program_.arrays.end(), named);
    if (found == program_.arrays.end())
      found = program_.arrays.insert(found, {a.array, static_cast<int>(a.subscripts.size()), a.line});
    std::vector<std::string> subscripts;
    for (const AffineForm& form : a.subscripts) subscripts.push_back(form.to_string());
    const isl::multi_aff element(program_.context.get(),
                                 begin_ + instance + " -> " + a.array + listed(subscripts) + " }");
    return {static_cast<int>(found - program_.arrays.begin()), element.as_map(), element};
  }

  const ProgramSketch& sketch_;
  const std::string begin_ = listed(sketch_.parameters) + " -> { ";
  AffineProgram program_;
  Diagnostics complaints_;
  std::size_t deepest_ = 0;
};

}  // namespace

Result<AffineProgram> build_program(const ProgramSketch& sketch) { return ProgramBuilder(sketch).run(); }

Result<AffineProgram> parse_program(std::string_view text, const std::string& name) {
  const Result<ProgramSketch> sketch = read_sketch(text, name);
  if (!sketch) return sketch.errors();
  return build_program(*sketch);
}

Result<AffineProgram> load_program(const std::string& path) {
  const Result<std::string> text = read_text_file(path);
  if (!text) return text.errors();
  return parse_program(*text, path);
}

int AffineProgram::parameter(const std::string& name) const {
  const auto found = std::find(parameters.begin(), parameters.end(), name);
  return found == parameters.end() ? -1 : static_cast<int>(found - parameters.begin());
}

}  // namespace heliolite
