#include "engine/program/loop_code.h"

#include <isl/ast.h>
#include <isl/ast_build.h>

#include <algorithm>

#include "engine/base/integers.h"

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

}  // namespace heliolite
