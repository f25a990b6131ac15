#pragma once
// Loops that isl writes to walk over sets in an order, made ready to run.
#include <functional>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "engine/base/types.h"
#include "engine/program/isl.h"

namespace heliolite {

class LoopCode {
 public:
  // Of { S[i] -> [time] } without parameters.
  explicit LoopCode(const isl::union_map& order);

  // Calls visit(name of the tuple, coordinates) until it returns false.
  void run(const std::function<bool(const std::string&, std::span<const i64>)>& visit) const;

 private:
  // A number, a variable or an operator with its operands.
  struct Term {
    enum class Kind : u8 { number, variable, operation } kind = Kind::number;
    int operation = 0;  // isl_ast_expr_op_type
    i64 value = 0;      // of a number; of a variable its place
    std::vector<Term> operands;
  };
  struct Step {
    enum class Kind : u8 { block, loop, branch, call } kind = Kind::block;
    std::size_t variable = 0;  // of a loop
    std::vector<Term> terms;   // loop: first value, condition, increment; branch: condition; call: coordinates
    std::string name;          // of a call
    std::vector<Step> inside;  // branch: one for true, and one for false if there is one
  };
  struct Run;

  Step step_of(const isl::ast_node& node);
  Term term_of(const isl::ast_expr& expression);
  std::size_t place(const std::string& variable);

  std::map<std::string, std::size_t> places_;
  Step whole_;
};

}  // namespace heliolite
