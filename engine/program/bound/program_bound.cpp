#include "engine/program/bound/program_bound.h"

#include <isl/constraint.h>
#include <algorithm>
#include <cmath>
#include <optional>
#include <utility>

#include "engine/base/integers.h"
#include "engine/bounds/segment/iolb_segment.h"
#include "engine/program/bound/part_bound.h"
#include "engine/program/isl.h"

namespace heliolite {
namespace {

// isl's steps for one transitive closure. Its steps are long: of many loops at once it needs seconds for these.
constexpr u64 kClosureSteps = 40'000;

// Which instance reaches which: a subset of the truth, made of known dependences and exact closures.
class Reachability {
 public:
  Reachability(const AffineProgram& program, const Operands& operands, ReachLimits& limits)
      : program_(program), limits_(limits) {
    const std::size_t n = program.statements.size();
    for (std::size_t s = 0; s < n; ++s) {
      edges_.emplace_back();
      for (std::size_t t = 0; t < n; ++t) edges_.back().push_back(between(operands, s, t));
    }
    for (std::size_t s = 0; s < n; ++s) onward_.push_back(closure(operands, s));
  }

  // From instances of the statement, by itself and over others, to instances of the same one.
  isl::map around(std::size_t statement) {
    const isl::map start = onward_[statement];
    isl::map all = start;
    on_way_.clear();
    extend(statement, statement, start, all);
    return all;
  }

 private:
  isl::map between(const Operands& operands, std::size_t s, std::size_t t) const {
    const isl::set from = program_.statements[s].domain, to = program_.statements[t].domain;
    isl::map edge =
        isl::map::empty(from.identity().space())
            .apply_range(isl::manage(isl_map_from_domain_and_range(isl_set_empty(from.space().release()), to.copy())));
    for (const isl::union_map& source : operands.source[t]) {
      const isl::union_map forward = source.reverse();
      edge = edge.unite(forward.extract_map(edge.space()));
    }
    return edge.coalesce();
  }

  // The statement's instances and those that it reaches by itself. A closure that is not exact would claim too much.
  isl::map closure(const Operands& operands, std::size_t s) {
    const isl::map own = edges_[s][s];
    isl::map all = program_.statements[s].domain.identity();
    if (own.is_empty()) return all;
    if (const auto whole = exact_closure(own)) return all.unite(*whole);
    for (const isl::union_map& source : operands.source[s]) {
      const isl::map edge = source.reverse().extract_map(own.space());
      if (edge.is_empty()) continue;
      const auto one = exact_closure(edge);
      all = all.unite(one ? *one : edge);
    }
    limits_.inexact = true;
    return all;
  }

  std::optional<isl::map> exact_closure(const isl::map& map) const {
    const IslSteps steps(program_.context, kClosureSteps);
    try {
      isl_bool exact = isl_bool_false;
      isl::map closed = isl::manage(isl_map_transitive_closure(map.copy(), &exact));
      if (exact != isl_bool_true) return std::nullopt;
      return closed;
    } catch (const isl::exception& problem) {
      if (trouble_of(program_.context, problem) == IslTrouble::Stopped) throw;
      return std::nullopt;
    }
  }

  void extend(std::size_t here, std::size_t goal, const isl::map& reached, isl::map& all) {
    for (std::size_t t = 0; t < edges_.size(); ++t) {
      if (t == here || edges_[here][t].is_empty()) continue;
      if (t != goal && (std::ranges::count(on_way_, t) > 0 || static_cast<int>(on_way_.size()) + 2 > limits_.longest))
        continue;
      if (--limits_.most_ways < 0) {
        limits_.reached = true;
        return;
      }
      const isl::map next = reached.apply_range(edges_[here][t]);
      if (next.is_empty()) continue;
      const isl::map there = next.apply_range(onward_[t]).coalesce();
      if (t == goal) {
        all = all.unite(there).coalesce();
        continue;
      }
      on_way_.push_back(t);
      extend(t, goal, there, all);
      on_way_.pop_back();
    }
  }

  const AffineProgram& program_;
  ReachLimits& limits_;
  std::vector<std::vector<isl::map>> edges_;  // [from][to]
  std::vector<isl::map> onward_;              // [statement]: reflexive closure of its own edges
  std::vector<std::size_t> on_way_;
};

// { [o.., c, i..] -> [o.., c - 1, i'..] }: from a slice to the one before, for `outer` loops o and c.
isl::map slice_before(const isl::set& domain, int outer) {
  isl::map pairs = isl::manage(isl_map_universe(isl_space_map_from_set(domain.space().release())));
  isl_map* raw = pairs.release();
  for (int k = 0; k + 1 < outer; ++k)
    raw = isl_map_equate(raw, isl_dim_in, static_cast<unsigned>(k), isl_dim_out, static_cast<unsigned>(k));
  isl_constraint* step = isl_constraint_alloc_equality(isl_local_space_from_space(isl_map_get_space(raw)));
  step = isl_constraint_set_coefficient_si(step, isl_dim_in, outer - 1, 1);
  step = isl_constraint_set_coefficient_si(step, isl_dim_out, outer - 1, -1);
  step = isl_constraint_set_constant_si(step, -1);
  return isl::manage(isl_map_add_constraint(raw, step));
}

isl::map as_points(const isl::union_map& relation, const isl::map& like) { return relation.extract_map(like.space()); }

std::optional<Wavefront> wavefront_of(const ProgramPart& part, const WalkFamily& circuit, const isl::map& reach,
                                      int outer) {
  const isl::map before = slice_before(part.domain, outer);
  const isl::map ways = as_points(circuit.last.apply_range(part.at.reverse()), before).intersect(before);
  if (ways.is_empty()) return std::nullopt;
  Wavefront found{part, outer};
  const isl::set ahead = ways.domain(), behind = ways.range();
  // All pairs of a point and one of the slice before, except those that are known to be connected.
  const isl::map pairs = before.intersect_domain(ahead).intersect_range(behind);
  const isl::map open = pairs.reverse().subtract(reach);
  isl::set kept = ahead.subtract(ways.reverse().intersect_domain(open.domain()).range());
  if (dimension_of(kept) < dimension_of(ahead)) kept = ahead.subtract(open.range());
  if (dimension_of(kept) < dimension_of(ahead)) return std::nullopt;
  found.part.domain = kept.coalesce();
  found.part.families = {circuit};
  // Ways of different points, of the same slice or not, must share no value.
  const isl::union_map steps = circuit.steps().intersect_domain(kept.to_union_set());
  Subspace shared(part.dimensions());
  steps.apply_range(steps.reverse()).deltas().foreach_set([&](const isl::set& set) {
    shared = shared + linear_span(set);
  });
  if (shared.dimension() > 0) return std::nullopt;
  return found;
}

}  // namespace

std::vector<Wavefront> wavefronts(const AffineProgram& program, const Operands& operands, const ProgramPart& part,
                                  const std::vector<WalkFamily>& circuits, ReachLimits& limits) {
  std::vector<Wavefront> found;
  if (circuits.empty() || part.dimensions() < 2) return found;
  const isl::map around = Reachability(program, operands, limits).around(at(part.statements.front()));
  const isl::union_map in_points = around.to_union_map().apply_domain(part.at.reverse()).apply_range(part.at.reverse());
  const isl::map reach = as_points(in_points, slice_before(part.domain, 1));
  if (reach.is_empty()) return found;
  for (int outer = 1; outer < part.dimensions(); ++outer) {
    // Too few pairs to connect whole slices: each point only its neighbours.
    const isl::set pairs = reach.intersect(slice_before(part.domain, outer).reverse()).wrap().flatten();
    if (dimension_of(pairs) < 2 * part.dimensions() - outer) continue;
    for (const WalkFamily& circuit : circuits)
      if (auto wave = wavefront_of(part, circuit, reach, outer)) {
        found.push_back(std::move(*wave));
        break;
      }
  }
  return found;
}

namespace {

constexpr u64 kPlanSteps = 60'000'000;  // of isl

}  // namespace

std::vector<std::string> GivenUp::names() const {
  std::vector<std::string> list;
  if (ways) list.emplace_back("dataflow-ways");
  if (reach) list.emplace_back("slice-ways");
  if (closure) list.emplace_back("inexact-closure");
  if (complicated) list.emplace_back("too-complicated");
  if (uncounted) list.emplace_back("uncounted");
  if (stopped) list.emplace_back("stopped");
  return list;
}

double part_words(const ProgramPlan& plan, const PartBound& bound, double capacity) {
  if (bound.method == PartMethod::wavefront)
    return wavefront_words(*plan.program, plan.values, bound, capacity).value_or(0);
  return partition_words(bound, capacity);
}

u64 program_words(const ProgramPlan& plan, double capacity) {
  double words = plan.inputs.value_or(0);
  for (const PartBound& bound : plan.parts) words += std::floor(part_words(plan, bound, capacity));
  return words < 0x1p64 ? static_cast<u64>(words) : ~u64{0};
}

Result<ProgramPlan> plan_bound(std::shared_ptr<const AffineProgram> program, const ParameterValues& values,
                               const ProgramRules& rules) {
  const AffineProgram& p = *program;
  return guarded(
      p.context, p.file, "scop",
      [&]() -> Result<ProgramPlan> {
        const Result<Operands> operands = operands_of(p);
        if (!operands) return operands.errors();
        ProgramPlan plan{program, *operands, values, {}, {}, {}};
        PartNumbers numbers(p, values);
        plan.inputs = numbers.points(operands->inputs);
        plan.parts = PlanBuilder(p, *operands, numbers, rules, plan.given_up).parts();
        plan.given_up.uncounted = numbers.uncounted();
        return plan;
      },
      kPlanSteps);
}

}  // namespace heliolite
