#include "tests/support/affine_trace.h"

#include <map>

#include "engine/base/integers.h"
#include "engine/program/instance_walk.h"

namespace heliolite {
namespace {

class Tracer {
 public:
  Tracer(const AffineProgram& program, const ParameterValues& values) : words_(program, values) {}

  void visit(int statement, std::span<const i64> at) {
    TraceStep step{statement, {at.begin(), at.end()}, {}, 0};
    words_.visit(statement, at, [&](int array, std::span<const i64> subscripts, bool) {
      step.reads.push_back(word({array, {subscripts.begin(), subscripts.end()}}));
    });
    step.write = step.reads.back();
    step.reads.pop_back();
    trace_.steps.push_back(std::move(step));
  }

  ProgramTrace take() { return std::move(trace_); }

 private:
  u32 word(TraceWord w) {
    const auto [known, fresh] = index_.emplace(w, static_cast<u32>(trace_.words.size()));
    if (fresh) trace_.words.push_back(std::move(w));
    return known->second;
  }

  InstanceWords words_;
  std::map<TraceWord, u32> index_;
  ProgramTrace trace_;
};

}  // namespace

Result<ProgramTrace> trace(const AffineProgram& program, const ParameterValues& values,
                           const std::optional<isl::union_map>& order, u64 limit) {
  for (const std::string& name : program.parameters)
    if (!values.contains(name)) return Diagnostic{program.file, 0, name, "the parameter has no value"};
  return guarded(program.context, program.file, "execution", [&]() -> Result<ProgramTrace> {
    Tracer tracer(program, values);
    const Result<u64> done = walk_instances(
        program, values, [&](int s, std::span<const i64> at) { tracer.visit(s, at); }, order, limit);
    if (!done) return done.errors();
    return tracer.take();
  });
}

}  // namespace heliolite
