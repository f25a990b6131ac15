#include "engine/program/bound/walk_family.h"

#include <algorithm>
#include <utility>

#include "engine/program/isl.h"

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

namespace {

isl::union_map from_points(const isl::union_map& relation, const isl::set& domain) {
  return relation.intersect_domain(domain.to_union_set());
}

Subspace collisions(const isl::union_map& relation, int dimensions) {
  Subspace span(dimensions);
  relation.apply_range(relation.reverse()).deltas().foreach_set([&](const isl::set& set) {
    span = span + linear_span(set);
  });
  return span;
}

// Circuits that are kept of those along one line.
constexpr int kMostWaysAlong = 2;

// Whether the family can bound anything: some points, but not all, are of one class.
bool is_useful(const Subspace& kernel) { return kernel.dimension() > 0 && kernel.dimension() < kernel.ambient(); }

// The kernel of one operand: classes of its sources, and the line along which it goes on in the part itself where that
// fills the domain. (Where it does not, those points are left out of the part later.)
Subspace operand_kernel(const ProgramPart& part, const isl::union_map& last) {
  const isl::set domain = part_like(last.domain(), part.domain);
  const isl::union_map at = from_points(part.at, domain);
  const isl::set again = part_like(at.intersect_range(last.range()).domain(), part.domain);
  if (dimension_of(again) == dimension_of(domain)) return kernel_of(part.at, last, domain);
  return collisions(last, part.dimensions());
}

struct Piece {
  isl::union_map last;
  int dimension = 0;
  double size = 0;
};

std::vector<Piece> pieces_of(const ProgramPart& part, const isl::union_map& source, const SizeOf& size) {
  std::vector<Piece> pieces;
  for (const isl::map& map : conjunctions(from_points(part.at, part.domain).apply_range(source))) {
    const isl::set domain = map.domain();
    pieces.push_back({map.to_union_map(), dimension_of(domain), size(domain)});
  }
  std::ranges::stable_sort(pieces, [](const Piece& a, const Piece& b) {
    return a.dimension != b.dimension ? a.dimension > b.dimension : a.size > b.size;
  });
  return pieces;
}

std::string operand_text(const AffineProgram& program, int statement, int read) {
  const ProgramStatement& s = program.statements[statement];
  return program.arrays[s.reads[read].array].name;
}

}  // namespace

isl::union_set exits(const WalkFamily& family, const isl::set& domain) {
  return from_points(family.steps(), domain).range();
}

isl::union_set ends(const ProgramPart& part) {
  isl::union_set all = isl::union_set::empty(part.domain.ctx());
  for (const WalkFamily& family : part.families) all = all.unite(from_points(family.last, part.domain).range());
  return all.subtract(from_points(part.at, part.domain).range()).coalesce();
}

ProgramPart part_of(const AffineProgram& program, int statement) {
  const isl::set domain = program.statements[statement].domain.intersect_params(program.assumed);
  ProgramPart part;
  part.statements = {statement};
  part.at = isl::manage(isl_map_reset_tuple_id(domain.identity().release(), isl_dim_in)).to_union_map();
  part.domain = isl::manage(isl_set_reset_tuple_id(domain.copy()));
  return part;
}

Subspace kernel_of(const isl::union_map& at, const isl::union_map& steps, const isl::set& domain) {
  return collisions(from_points(at.unite(steps), domain), static_cast<int>(domain.tuple_dim()));
}

std::vector<std::vector<WalkFamily>> operand_families(const AffineProgram& program, const Operands& operands,
                                                      const ProgramPart& part, const SizeOf& size) {
  std::vector<std::vector<WalkFamily>> found(2);
  const int statement = part.statements.front(), dimension = dimension_of(part.domain);
  const isl::union_map none = isl::union_map::empty(part.domain.ctx());
  for (int r = 0; r < static_cast<int>(operands.source[statement].size()); ++r) {
    const std::vector<Piece> pieces = pieces_of(part, operands.of(statement, r), size);
    if (pieces.empty() || pieces.front().dimension < dimension) continue;
    isl::union_map last = pieces.front().last, all = last;
    Subspace kernel = operand_kernel(part, last);
    for (std::size_t p = 1; p < pieces.size(); ++p) {
      all = all.unite(pieces[p].last);
      const isl::union_map more = last.unite(pieces[p].last);
      if (operand_kernel(part, more) == kernel) last = more;
    }
    const std::string text = operand_text(program, statement, r);
    if (is_useful(kernel)) found[0].push_back({text, none, last.coalesce(), kernel});
    const Subspace whole = operand_kernel(part, all);
    const bool other = !(whole == kernel) && is_useful(whole);
    if (other || is_useful(kernel)) found[1].push_back({text, none, other ? all : last, other ? whole : kernel});
  }
  if (std::ranges::equal(found[0], found[1], {}, &WalkFamily::kernel, &WalkFamily::kernel)) found.pop_back();
  return found;
}

namespace {

// Goes back operand by operand, depth first.
class CircuitWalk {
 public:
  CircuitWalk(const AffineProgram& program, const Operands& operands, const ProgramPart& part, WalkLimits& limits)
      : program_(program), operands_(operands), part_(part), limits_(limits), dimension_(dimension_of(part.domain)) {}

  std::vector<WalkFamily> all() {
    const isl::union_map none = isl::union_map::empty(part_.domain.ctx());
    extend(part_.statements.front(), from_points(part_.at, part_.domain), none, "", 0);
    return std::move(found_);
  }

 private:
  void extend(int statement, const isl::union_map& here, const isl::union_map& inner, const std::string& text,
              int steps) {
    for (int r = 0; r < static_cast<int>(operands_.source[statement].size()); ++r)
      for (const isl::map& next : conjunctions(here.apply_range(operands_.of(statement, r)))) {
        const auto target = statement_of(next);
        if (target < 0) continue;
        const bool back = target == part_.statements.front();
        if (!back && (visited(target) || steps + 2 > limits_.longest)) continue;
        if (--limits_.most_ways < 0) {
          limits_.reached = true;
          return;
        }
        if (dimension_of(next.domain()) < dimension_ || dimension_of(next.range()) < dimension_) continue;
        const std::string longer = text + (steps == 0 ? "" : ", ") + operand_text(program_, statement, r);
        if (back) {
          add(next.to_union_map(), inner, longer);
          continue;
        }
        on_way_.push_back(target);
        extend(target, next.to_union_map(), inner.unite(next.to_union_map()), longer, steps + 1);
        on_way_.pop_back();
      }
  }

  void add(const isl::union_map& last, const isl::union_map& inner, const std::string& text) {
    Subspace line(part_.dimensions());
    last.apply_range(part_.at.reverse()).deltas().foreach_set([&](const isl::set& set) {
      line = line + linear_span(set);
    });
    if (line.dimension() != 1 || std::ranges::count(found_, line, &WalkFamily::kernel) >= kMostWaysAlong) return;
    const isl::set domain = part_like(last.domain(), part_.domain);
    if (line.contains(kernel_of(part_.at, last.unite(inner), domain))) found_.push_back({text, inner, last, line});
  }

  int statement_of(const isl::map& to) const {
    const std::string name = to.range_tuple_id().name();
    for (std::size_t s = 0; s < program_.statements.size(); ++s)
      if (program_.statements[s].name == name) return static_cast<int>(s);
    return -1;
  }

  bool visited(int statement) const { return std::ranges::count(on_way_, statement) > 0; }

  const AffineProgram& program_;
  const Operands& operands_;
  const ProgramPart& part_;
  WalkLimits& limits_;
  int dimension_;
  std::vector<int> on_way_;
  std::vector<WalkFamily> found_;
};

}  // namespace

std::vector<WalkFamily> circuit_families(const AffineProgram& program, const Operands& operands,
                                         const ProgramPart& part, WalkLimits& limits) {
  return CircuitWalk(program, operands, part, limits).all();
}

}  // namespace heliolite
