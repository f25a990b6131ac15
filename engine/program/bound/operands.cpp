#include "engine/program/bound/operands.h"

#include <string>

#include "engine/base/integers.h"

namespace heliolite {
namespace {

isl::union_map input_words(const isl::union_map& reads) {
  isl::union_map renamed = isl::union_map::empty(reads.ctx());
  reads.foreach_map([&](const isl::map& map) {
    renamed = renamed.unite(map.set_range_tuple("in_" + map.range_tuple_id().name()).to_union_map());
  });
  return renamed;
}

Operands exact_operands(const AffineProgram& program) {
  const isl::ctx context = program.context.get();
  isl::union_map writes = isl::union_map::empty(context), schedule = writes;
  for (const ProgramStatement& s : program.statements) {
    const isl::set domain = s.domain.intersect_params(program.assumed);
    writes = writes.unite(s.write.element.intersect_domain(domain).to_union_map());
    schedule = schedule.unite(s.schedule.intersect_domain(domain).to_union_map());
  }
  Operands found{{}, isl::union_set::empty(context), isl::union_set::empty(context)};
  for (const ProgramStatement& s : program.statements) {
    found.source.emplace_back();
    const isl::set domain = s.domain.intersect_params(program.assumed);
    for (const ArrayAccess& read : s.reads) {
      const isl::union_flow flow = isl::union_access_info(read.element.intersect_domain(domain).to_union_map())
                                       .set_must_source(writes)
                                       .set_schedule_map(schedule)
                                       .compute_flow();
      const isl::union_map of_instances = flow.must_dependence().reverse();
      const isl::union_map of_inputs = input_words(flow.must_no_source());
      found.inputs = found.inputs.unite(of_inputs.range());
      found.used = found.used.unite(of_instances.range());
      found.source.back().push_back(of_instances.unite(of_inputs).coalesce());
    }
  }
  found.inputs = found.inputs.coalesce();
  found.used = found.used.coalesce();
  return found;
}

}  // namespace

Result<Operands> operands_of(const AffineProgram& program) {
  return guarded(program.context, program.file, "scop", [&]() -> Result<Operands> { return exact_operands(program); });
}

}  // namespace heliolite
