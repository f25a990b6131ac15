#pragma once
// The instances of an affine program in the order in which they run, by loops that isl writes.
#include <functional>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "engine/base/integers.h"
#include "engine/base/types.h"
#include "engine/program/affine_program.h"
#include "engine/program/count.h"

namespace heliolite {

// Loops that isl writes to walk over sets in an order, made ready to run.

class LoopCode {
 public:
  // `order`: { S[i] -> [time] } without parameters.
  explicit LoopCode(const isl::union_map& order);

  // Calls visit(name of the tuple, coordinates) until it returns false.
  void run(const std::function<bool(const std::string&, std::span<const i64>)>& visit) const;

 private:
  // A number, a variable or an operator with its operands.
  struct Term {
    enum class Kind : u8 { number, variable, operation } kind = Kind::number;
    int operation = 0;  // isl_ast_expr_op_type
    i64 value = 0;      // a number's value; a variable's place
    std::vector<Term> operands;
  };
  struct Step {
    enum class Kind : u8 { block, loop, branch, call } kind = Kind::block;
    std::size_t variable = 0;  // the loop's variable
    std::vector<Term> terms;   // loop: first value, condition, increment; branch: condition; call: coordinates
    std::string name;          // the tuple that the call visits
    std::vector<Step> inside;  // branch: one for true, and one for false if there is one
  };
  struct Run;

  Step step_of(const isl::ast_node& node);
  Term term_of(const isl::ast_expr& expression);
  std::size_t place(const std::string& variable);

  std::map<std::string, std::size_t> places_;
  Step whole_;
};

// The instances of an affine program in the order in which they run.

// Statement and coordinates of an instance.
using InstanceVisitor = std::function<void(int statement, std::span<const i64> at)>;

// Calls `visit` for every instance, smaller times of `order` first; instances of the same time in any order, the same
// on every run. `order` gives each instance one time, all of the same length; by default the order of the text. The
// number of instances. Complains about parameters without a value, above `limit` instances, some of which are visited
// then, and when `stop` asks for the end.
Result<u64> walk_instances(const AffineProgram& program, const ParameterValues& values, const InstanceVisitor& visit,
                           const std::optional<isl::union_map>& order = {}, u64 limit = 100'000'000,
                           const ProgramStop* stop = nullptr);

// The words that instances touch, at given parameter values.
class InstanceWords {
 public:
  InstanceWords(const AffineProgram& program, const ParameterValues& values);

  // Calls touch(array, subscripts, whether it is written) for the reads of the instance in their order, then the write.
  template <class Touch>
  void visit(int statement, std::span<const i64> at, Touch touch) {
    const std::vector<Access>& accesses = accesses_[heliolite::at(statement)];
    for (const Access& access : accesses) {
      word_.clear();
      for (const Subscript& s : access.subscripts) word_.push_back(s.at(at));
      touch(access.array, std::span<const i64>(word_), &access == &accesses.back());
    }
  }

 private:
  // floor((constant + loops + quotients) / denominator), the parameters being numbers.
  struct Subscript {
    i64 constant = 0;
    std::vector<i64> loops;
    std::vector<std::pair<i64, Subscript>> quotients{};
    i64 denominator = 1;

    i64 at(std::span<const i64> instance) const;
  };
  struct Access {
    int array = 0;
    std::vector<Subscript> subscripts;
  };
  static Subscript subscript_of(const isl::aff& aff, const std::vector<i64>& parameters);

  std::vector<std::vector<Access>> accesses_;  // [statement]: reads, then the write
  std::vector<i64> word_;
};

}  // namespace heliolite
