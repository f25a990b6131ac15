#include "engine/program/program_trace.h"

#include <map>

#include "engine/base/integers.h"

namespace heliolite {
namespace {

// constant + coefficients of the loops, the parameters being numbers.
struct Subscript {
  i64 constant = 0;
  std::vector<i64> loops;
};

struct Access {
  int array = 0;
  std::vector<Subscript> subscripts;

  TraceWord at(std::span<const i64> instance) const {
    TraceWord word{array, {}};
    for (const Subscript& s : subscripts) {
      i64 value = s.constant;
      for (std::size_t k = 0; k < s.loops.size(); ++k) value += s.loops[k] * instance[k];
      word.subscripts.push_back(value);
    }
    return word;
  }
};

Access access_of(const ArrayAccess& access, const std::vector<i64>& parameters) {
  const isl::multi_aff subscripts =
      isl::manage(isl_pw_multi_aff_as_multi_aff(isl_pw_multi_aff_from_map(access.element.copy())));
  Access out{access.array, {}};
  for (int k = 0; k < static_cast<int>(subscripts.size()); ++k) {
    const isl::aff aff = subscripts.at(k);
    const auto factor = [&](isl_dim_type type, int d) {
      return isl::manage(isl_aff_get_coefficient_val(aff.get(), type, d)).num_si();
    };
    Subscript s{aff.constant_val().num_si(), {}};
    for (int d = 0; d < isl_aff_dim(aff.get(), isl_dim_param); ++d)
      s.constant += factor(isl_dim_param, d) * parameters[at(d)];
    for (int d = 0; d < isl_aff_dim(aff.get(), isl_dim_in); ++d) s.loops.push_back(factor(isl_dim_in, d));
    out.subscripts.push_back(std::move(s));
  }
  return out;
}

class Tracer {
 public:
  Tracer(const AffineProgram& program, const ParameterValues& values) {
    std::vector<i64> parameters;
    for (const std::string& name : program.parameters) parameters.push_back(values.at(name));
    for (const ProgramStatement& s : program.statements) {
      accesses_.emplace_back();
      for (const ArrayAccess& r : s.reads) accesses_.back().push_back(access_of(r, parameters));
      accesses_.back().push_back(access_of(s.write, parameters));
    }
  }

  void visit(int statement, std::span<const i64> at) {
    TraceStep step{statement, {at.begin(), at.end()}, {}, 0};
    for (const Access& a : accesses_[heliolite::at(statement)]) step.reads.push_back(word(a.at(at)));
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

  std::vector<std::vector<Access>> accesses_;  // [statement]: reads, then the write
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
