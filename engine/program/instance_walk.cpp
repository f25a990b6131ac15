#include "engine/program/instance_walk.h"

#include "engine/base/integers.h"
#include "engine/program/loop_code.h"

namespace heliolite {

isl::union_map text_order(const AffineProgram& program) {
  isl::union_map order(program.context.get(), "{ }");
  for (const ProgramStatement& s : program.statements)
    order = order.unite(s.schedule.intersect_domain(s.domain).to_union_map());
  return order;
}

Result<u64> walk_instances(const AffineProgram& program, const ParameterValues& values, const InstanceVisitor& visit,
                           const std::optional<isl::union_map>& order, u64 limit, const ProgramStop* stop) {
  return guarded(program.context, program.file, "execution", [&]() -> Result<u64> {
    isl::union_map at_values = order ? *order : text_order(program);
    for (const std::string& name : program.parameters) {
      const auto value = values.find(name);
      if (value == values.end()) return Diagnostic{program.file, 0, name, "the parameter has no value"};
      std::string is = "[" + name;
      is += "] -> { : " + name + " = " + std::to_string(value->second) + " }";
      at_values = at_values.intersect_params(isl::set(program.context.get(), is));
    }
    constexpr u64 kBetweenLooks = 4096;
    u64 count = 0;
    bool more = false, stopped = false;
    LoopCode(at_values.project_out_all_params()).run([&](const std::string& name, std::span<const i64> at) {
      more = count == limit;
      stopped = stop != nullptr && count % kBetweenLooks == 0 && stop->requested();
      if (more || stopped) return false;
      ++count;
      visit(std::stoi(name.substr(1)), at);
      return true;
    });
    if (stopped) return Diagnostic{program.file, 0, "execution", "stopped before its end"};
    if (more) return Diagnostic{program.file, 0, "execution", "more than " + std::to_string(limit) + " instances"};
    return count;
  });
}

i64 InstanceWords::Subscript::at(std::span<const i64> instance) const {
  i64 value = constant;
  for (std::size_t k = 0; k < loops.size(); ++k) value += loops[k] * instance[k];
  for (const auto& [factor, inner] : quotients) value += factor * inner.at(instance);
  return denominator == 1 ? value : value / denominator - (value % denominator < 0 ? 1 : 0);
}

InstanceWords::Subscript InstanceWords::subscript_of(const isl::aff& aff, const std::vector<i64>& parameters) {
  const isl::val denominator = isl::manage(isl_aff_get_denominator_val(aff.get()));
  const auto whole = [&](isl_val* value) { return isl::manage(value).mul(denominator).num_si(); };
  const auto factor = [&](isl_dim_type type, int d) { return whole(isl_aff_get_coefficient_val(aff.get(), type, d)); };
  Subscript s{whole(isl_aff_get_constant_val(aff.get())), {}, {}, denominator.num_si()};
  for (int d = 0; d < isl_aff_dim(aff.get(), isl_dim_param); ++d)
    s.constant += factor(isl_dim_param, d) * parameters[at(d)];
  for (int d = 0; d < isl_aff_dim(aff.get(), isl_dim_in); ++d) s.loops.push_back(factor(isl_dim_in, d));
  for (int d = 0; d < isl_aff_dim(aff.get(), isl_dim_div); ++d)
    if (const i64 times = factor(isl_dim_div, d); times != 0)
      s.quotients.emplace_back(times, subscript_of(isl::manage(isl_aff_get_div(aff.get(), d)), parameters));
  return s;
}

InstanceWords::InstanceWords(const AffineProgram& program, const ParameterValues& values) {
  std::vector<i64> parameters;
  for (const std::string& name : program.parameters) parameters.push_back(values.at(name));
  const auto add = [&](const ArrayAccess& access) {
    Access out{access.array, {}};
    for (int k = 0; k < static_cast<int>(access.subscripts.size()); ++k)
      out.subscripts.push_back(subscript_of(access.subscripts.at(k), parameters));
    accesses_.back().push_back(std::move(out));
  };
  for (const ProgramStatement& s : program.statements) {
    accesses_.emplace_back();
    for (const ArrayAccess& read : s.reads) add(read);
    add(s.write);
  }
}

}  // namespace heliolite
