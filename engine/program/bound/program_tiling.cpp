// Loads that a schedule of an affine program reaches: its statements one after the other, each in tiles. What lower
// bounds of programs are held against.
#include "engine/program/bound/program_answer.h"

#include <fmt/format.h>

#include <cmath>

#include "engine/base/integers.h"
#include "engine/bounds/tiling/iotile_search.h"
#include "engine/program/bound/part_bound.h"

namespace heliolite {
namespace {

// Why a statement cannot be tiled, in words.
using Reason = std::optional<std::string>;

// Whether the targets of a relation { S[i] -> S[source] } lie at or behind their sources along every loop.
bool forwards(const isl::map& operand) {
  const isl::set steps = operand.reverse().deltas();
  for (unsigned k = 0; k < steps.tuple_dim(); ++k)
    if (!isl::manage(isl_set_upper_bound_si(steps.copy(), isl_dim_set, k, -1)).is_empty()) return false;
  return true;
}

// Values come from statements before this one, from inputs, or forwards from itself.
Reason order_trouble(const ProgramPlan& plan, std::size_t s) {
  Reason trouble;
  for (const isl::union_map& operand : plan.operands.source[s]) {
    operand.foreach_map([&](const isl::map& map) {
      const std::string from = map.range_tuple_id().name();
      for (std::size_t other = s + 1; other < plan.program->statements.size(); ++other)
        if (plan.program->statements[other].name == from) trouble = "needs values of " + from + ", which follows it";
      if (plan.program->statements[s].name == from && !forwards(map)) trouble = "needs its own values backwards";
    });
  }
  return trouble;
}

bool accumulates(const ProgramStatement& statement, const ArrayAccess& read) {
  return read.array == statement.write.array && read.element.is_equal(statement.write.element);
}

// A word of memory must stand for one value while the statement runs, or for the partial sums of one chain: what is
// read there comes from one place, and what is written there is written once or begins once.
bool values_are_words(const ProgramPlan& plan, std::size_t s) {
  const ProgramStatement& statement = plan.program->statements[s];
  const isl::set domain = statement.domain.intersect_params(plan.program->assumed);
  bool sums = false;
  for (std::size_t r = 0; r < statement.reads.size(); ++r) {
    const isl::union_map& operand = plan.operands.source[s][r];
    const isl::map word = statement.reads[r].element.intersect_domain(domain);
    if (!accumulates(statement, statement.reads[r])) {
      if (!word.reverse().to_union_map().apply_range(operand).is_single_valued()) return false;
      continue;
    }
    sums = true;
    isl::union_set begins = isl::union_set::empty(plan.program->context.get());
    operand.foreach_map([&](const isl::map& map) {
      if (map.range_tuple_id().name() != statement.name) begins = begins.unite(map.domain().to_union_set());
    });
    if (!word.to_union_map().intersect_domain(begins).is_injective()) return false;
  }
  return sums || statement.write.element.intersect_domain(domain).is_injective();
}

// The ranks of an access: its subscripts without their constants, which move the array and no more.
std::optional<std::vector<Rank>> ranks_of(const ArrayAccess& access, int loops) {
  std::vector<Rank> ranks;
  for (int r = 0; r < static_cast<int>(access.subscripts.size()); ++r) {
    const isl::aff subscript = access.subscripts.at(r);
    for (int k = 0; k < isl_aff_dim(subscript.get(), isl_dim_div); ++k)
      if (!isl::manage(isl_aff_get_coefficient_val(subscript.get(), isl_dim_div, k)).is_zero()) return std::nullopt;
    Rank rank;
    for (int k = 0; k < loops; ++k) {
      const isl::val factor = isl::manage(isl_aff_get_coefficient_val(subscript.get(), isl_dim_in, k));
      if (!factor.is_int() || factor.is_neg()) return std::nullopt;
      if (!factor.is_zero()) rank.terms.push_back({k, static_cast<u64>(factor.num_si())});
    }
    if (rank.terms.size() > kMaxTerms) return std::nullopt;
    if (!rank.terms.empty()) ranks.push_back(std::move(rank));
  }
  return ranks;
}

Reason add_tensor(TiledStatement& tiled, const ArrayAccess& access, Role role, int loops) {
  auto ranks = ranks_of(access, loops);
  if (!ranks || ranks->size() > kMaxRanks) return "has a subscript that is no sum of loops with positive coefficients";
  Tensor tensor;
  tensor.name = fmt::format("t{}", tiled.workload.tensors.size());
  tensor.ranks = *std::move(ranks);
  tensor.role = role;
  tiled.workload.tensors.push_back(std::move(tensor));
  return std::nullopt;
}

Reason fill(TiledStatement& tiled, const ProgramStatement& statement, PartNumbers& numbers) {
  const std::vector<double> extents = numbers.extents(statement.domain);
  double box = 1;
  for (const double extent : extents) box *= extent;
  tiled.boxed = std::abs(box - numbers.points(statement.domain).value_or(0)) > 0.5;
  if (extents.size() > kMaxDimensions || statement.reads.size() >= kMaxTensors || box > static_cast<double>(kMaxMacs))
    return "is too large";
  for (std::size_t k = 0; k < extents.size(); ++k)
    tiled.workload.dimensions.push_back({statement.loops[k], static_cast<u64>(extents[k])});
  for (const ArrayAccess& read : statement.reads) {
    if (accumulates(statement, read)) {
      tiled.accumulates = true;
    } else if (const Reason trouble = add_tensor(tiled, read, Role::Input, statement.depth())) {
      return trouble;
    }
  }
  return add_tensor(tiled, statement.write, Role::Output, statement.depth());
}

}  // namespace

Result<TiledProgram> tile_program(const ProgramPlan& plan) {
  const AffineProgram& program = *plan.program;
  return guarded(program.context, program.file, "tiling", [&]() -> Result<TiledProgram> {
    TiledProgram tiled;
    PartNumbers numbers(program, plan.values);
    for (std::size_t s = 0; s < program.statements.size(); ++s) {
      const ProgramStatement& statement = program.statements[s];
      TiledStatement one{statement.name, statement.line, {}, false, false};
      Reason trouble = order_trouble(plan, s);
      if (!trouble && !values_are_words(plan, s))
        trouble = "has several values in one word of memory, one after the other";
      if (!trouble) trouble = fill(one, statement, numbers);
      if (trouble) return Diagnostic{program.file, statement.line, statement.name, *trouble};
      one.workload.name = statement.name;
      tiled.statements.push_back(std::move(one));
    }
    return tiled;
  });
}

std::optional<double> tiled_loads(const TiledProgram& program, double capacity) {
  double words = 0;
  for (const TiledStatement& s : program.statements) {
    const auto tiling = best_parts(s.workload, capacity, {false, s.accumulates});
    if (!tiling) return std::nullopt;
    words += tiling->words();
  }
  return words;
}

}  // namespace heliolite
