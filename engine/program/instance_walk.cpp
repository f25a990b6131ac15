#include "engine/program/instance_walk.h"

#include "engine/program/loop_code.h"

namespace heliolite {

isl::union_map text_order(const AffineProgram& program) {
  isl::union_map order(program.context.get(), "{ }");
  for (const ProgramStatement& s : program.statements)
    order = order.unite(s.schedule.intersect_domain(s.domain).to_union_map());
  return order;
}

Result<u64> walk_instances(const AffineProgram& program, const ParameterValues& values, const InstanceVisitor& visit,
                           const std::optional<isl::union_map>& order, u64 limit) {
  return guarded(program.context, program.file, "execution", [&]() -> Result<u64> {
    isl::union_map at_values = order ? *order : text_order(program);
    for (const std::string& name : program.parameters) {
      const auto value = values.find(name);
      if (value == values.end()) return Diagnostic{program.file, 0, name, "the parameter has no value"};
      std::string is = "[" + name;
      is += "] -> { : " + name + " = " + std::to_string(value->second) + " }";
      at_values = at_values.intersect_params(isl::set(program.context.get(), is));
    }
    u64 count = 0;
    LoopCode(at_values.project_out_all_params()).run([&](const std::string& name, std::span<const i64> at) {
      if (count == limit) return false;
      ++count;
      visit(std::stoi(name.substr(1)), at);
      return true;
    });
    if (count == limit)
      return Diagnostic{program.file, 0, "execution", "more than " + std::to_string(limit) + " instances"};
    return count;
  });
}

}  // namespace heliolite
