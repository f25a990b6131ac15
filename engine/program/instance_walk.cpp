#include "engine/program/instance_walk.h"

#include <isl/ast.h>
#include <isl/ast_build.h>
#include <algorithm>

namespace heliolite {
namespace {

// isl divides by positive numbers only.
i64 divided(int operation, i64 a, i64 b) {
  if (b <= 0) return 0;
  switch (operation) {
    case isl_ast_expr_op_fdiv_q: return a / b - (a % b < 0 ? 1 : 0);
    case isl_ast_expr_op_pdiv_r:
    case isl_ast_expr_op_zdiv_r: return a % b;
    default: return a / b;  // exact, or of what is not negative
  }
}

// All operators but those that look at one operand first.
i64 applied(int operation, i64 a, i64 b) {
  switch (operation) {
    case isl_ast_expr_op_max: return std::max(a, b);
    case isl_ast_expr_op_min: return std::min(a, b);
    case isl_ast_expr_op_add: return a + b;
    case isl_ast_expr_op_sub: return a - b;
    case isl_ast_expr_op_mul: return a * b;
    case isl_ast_expr_op_div:
    case isl_ast_expr_op_pdiv_q:
    case isl_ast_expr_op_fdiv_q:
    case isl_ast_expr_op_pdiv_r:
    case isl_ast_expr_op_zdiv_r: return divided(operation, a, b);
    case isl_ast_expr_op_eq: return a == b ? 1 : 0;
    case isl_ast_expr_op_le: return a <= b ? 1 : 0;
    case isl_ast_expr_op_lt: return a < b ? 1 : 0;
    case isl_ast_expr_op_ge: return a >= b ? 1 : 0;
    case isl_ast_expr_op_gt: return a > b ? 1 : 0;
    case isl_ast_expr_op_and:
    case isl_ast_expr_op_and_then: return a != 0 && b != 0 ? 1 : 0;
    default: return a != 0 || b != 0 ? 1 : 0;  // or, or_else
  }
}

}  // namespace

LoopCode::LoopCode(const isl::union_map& order) {
  const isl::ast_build build = isl::ast_build::from_context(isl::set(order.ctx(), "{ : }"));
  whole_ = step_of(build.node_from_schedule_map(order));
}

std::size_t LoopCode::place(const std::string& variable) {
  return places_.emplace(variable, places_.size()).first->second;
}

LoopCode::Term LoopCode::term_of(const isl::ast_expr& expression) {
  Term term;
  if (expression.isa<isl::ast_expr_int>()) {
    term.value = expression.as<isl::ast_expr_int>().val().num_si();
  } else if (expression.isa<isl::ast_expr_id>()) {
    term.kind = Term::Kind::variable;
    term.value = static_cast<i64>(place(expression.as<isl::ast_expr_id>().id().name()));
  } else {
    term.kind = Term::Kind::operation;
    term.operation = isl_ast_expr_op_get_type(expression.get());
    const auto operation = expression.as<isl::ast_expr_op>();
    for (unsigned k = 0; k < operation.n_arg(); ++k)
      term.operands.push_back(term_of(operation.arg(static_cast<int>(k))));
  }
  return term;
}

LoopCode::Step LoopCode::step_of(const isl::ast_node& node) {
  Step step;
  if (node.isa<isl::ast_node_for>()) {
    const auto loop = node.as<isl::ast_node_for>();
    step.kind = Step::Kind::loop;
    step.variable = place(loop.iterator().as<isl::ast_expr_id>().id().name());
    step.terms.push_back(term_of(loop.init()));
    if (!loop.is_degenerate()) {
      step.terms.push_back(term_of(loop.cond()));
      step.terms.push_back(term_of(loop.inc()));
    }
    step.inside.push_back(step_of(loop.body()));
  } else if (node.isa<isl::ast_node_if>()) {
    const auto branch = node.as<isl::ast_node_if>();
    step.kind = Step::Kind::branch;
    step.terms.push_back(term_of(branch.cond()));
    step.inside.push_back(step_of(branch.then_node()));
    if (branch.has_else_node()) step.inside.push_back(step_of(branch.else_node()));
  } else if (node.isa<isl::ast_node_user>()) {
    const auto call = node.as<isl::ast_node_user>().expr().as<isl::ast_expr_op>();
    step.kind = Step::Kind::call;
    step.name = call.arg(0).as<isl::ast_expr_id>().id().name();
    for (unsigned k = 1; k < call.n_arg(); ++k) step.terms.push_back(term_of(call.arg(static_cast<int>(k))));
  } else if (node.isa<isl::ast_node_block>()) {
    const isl::ast_node_list children = node.as<isl::ast_node_block>().children();
    for (unsigned k = 0; k < children.size(); ++k) step.inside.push_back(step_of(children.at(static_cast<int>(k))));
  }
  return step;
}

struct LoopCode::Run {
  const std::function<bool(const std::string&, std::span<const i64>)>& visit;
  std::vector<i64> variables;
  std::vector<i64> at{};
  bool stopped = false;

  i64 value(const Term& t) const {
    if (t.kind == Term::Kind::number) return t.value;
    if (t.kind == Term::Kind::variable) return variables[heliolite::at(t.value)];
    if (t.operation == isl_ast_expr_op_minus) return -value(t.operands[0]);
    if (t.operation == isl_ast_expr_op_cond || t.operation == isl_ast_expr_op_select)
      return value(t.operands[value(t.operands[0]) != 0 ? 1 : 2]);
    i64 result = value(t.operands[0]);
    for (std::size_t k = 1; k < t.operands.size(); ++k) {
      // What a condition before rules out is not looked at: it may divide by zero.
      if (t.operation == isl_ast_expr_op_and_then && result == 0) return 0;
      if (t.operation == isl_ast_expr_op_or_else && result != 0) return 1;
      result = applied(t.operation, result, value(t.operands[k]));
    }
    return result;
  }

  void run(const Step& step) {
    if (stopped) return;
    switch (step.kind) {
      case Step::Kind::block:
        for (const Step& s : step.inside) run(s);
        break;
      case Step::Kind::loop:
        variables[step.variable] = value(step.terms[0]);
        if (step.terms.size() == 1) return run(step.inside[0]);
        for (; !stopped && value(step.terms[1]) != 0; variables[step.variable] += value(step.terms[2]))
          run(step.inside[0]);
        break;
      case Step::Kind::branch:
        if (value(step.terms[0]) != 0) run(step.inside[0]);
        else if (step.inside.size() > 1) run(step.inside[1]);
        break;
      case Step::Kind::call:
        at.clear();
        for (const Term& t : step.terms) at.push_back(value(t));
        stopped = !visit(step.name, at);
        break;
    }
  }
};

void LoopCode::run(const std::function<bool(const std::string&, std::span<const i64>)>& visit) const {
  Run state{visit, std::vector<i64>(places_.size())};
  state.run(whole_);
}

namespace {

// { S0[i, j] -> [0, i, 1, j, 0]; S1[i] -> .. } on the instances: the order of the text.
isl::union_map text_order(const AffineProgram& program) {
  isl::union_map order(program.context.get(), "{ }");
  for (const ProgramStatement& s : program.statements)
    order = order.unite(s.schedule.intersect_domain(s.domain).to_union_map());
  return order;
}

}  // namespace

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
    s.constant += factor(isl_dim_param, d) * parameters[d];
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
