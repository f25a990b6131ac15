#include "engine/program/sketch_check.h"

#include <algorithm>
#include <set>

#include "engine/base/text.h"

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
  std::map<std::string, SketchAccess> first_;  // of each array, where it is first met
  Diagnostics complaints_;
};

}  // namespace

Diagnostics check(const ProgramSketch& sketch) { return SketchCheck(sketch).run(); }

void drop_numbers(ProgramSketch& sketch) {
  for (SketchStatement& s : sketch.statements)
    std::erase_if(s.reads, [&](const SketchAccess& r) { return is_plain_number(sketch, s, r); });
}

}  // namespace heliolite
