#include "engine/program/program_build.h"

#include <algorithm>

namespace heliolite {
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

}  // namespace heliolite
