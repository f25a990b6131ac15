#pragma once
// Conditions on design points, "l1 * 2 <= l2_words && area_mm2 <= 5": muParser's syntax over named numbers.
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "arch/architecture.h"
#include "engine/sweep/sweep_spec.h"

namespace heliolite {

// Numbers of a design point's machine that constraints may use besides the parameters: area, capacities, compute units.

// The names of these numbers: pes, area_um2, area_mm2, total_bytes; for every level LEVEL_words, LEVEL_bytes,
// LEVEL_area_um2 (of one instance) and LEVEL_instances. Characters of a level's name that an expression does not allow
// in names become '_'.
std::vector<std::string> derived_names(const ArchitectureSpec& machine);
// The values of derived_names() in that order; unbounded capacities are infinite.
std::vector<double> derived_values(const Architecture& machine);

// All names that constraints may use: the parameters, then derived_names().
std::vector<std::string> constraint_names(const SweepSpec& spec);

// Bytes of all instances of all bounded memories.
double total_capacity_bytes(const Architecture& machine);

// A parsed condition.
class Expression {
 public:
  // `names`: of the numbers that it may use, in the order in which holds() gets them. Errors, without file and line:
  // syntax (with the column), unknown names (with a suggestion), anything that is no condition.
  static Result<Expression> parse(const std::string& text, std::span<const std::string> names);

  Expression(Expression&&) noexcept;
  Expression& operator=(Expression&&) noexcept;
  ~Expression();

  const std::string& text() const;
  bool uses(std::size_t name) const;  // whether it uses names[name]

  // Whether the condition is true; false also where it has no value (0/0). Must not be called from two threads at once.
  bool holds(std::span<const double> values) const;

  // Whether muParser would take `name` for a function or a constant.
  static bool reserved(const std::string& name);

 private:
  struct State;
  explicit Expression(std::unique_ptr<State> state);

  std::unique_ptr<State> state_;
};

}  // namespace heliolite
