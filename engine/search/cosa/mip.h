#pragma once
// A mixed-integer program, whoever solves it: minimise a linear cost over columns within ranges of linear rows.
#include <limits>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "engine/base/integers.h"

namespace heliolite {

// A sum of columns with factors, plus a constant.
class LinearForm {
 public:
  LinearForm() = default;
  explicit LinearForm(double constant) : constant_(constant) {}

  LinearForm& add(int column, double factor) {
    factor_[column] += factor;
    return *this;
  }
  LinearForm& add(const LinearForm& other, double factor = 1) {
    for (const auto& [column, f] : other.factor_) factor_[column] += factor * f;
    constant_ += factor * other.constant_;
    return *this;
  }
  LinearForm& add_constant(double constant) {
    constant_ += constant;
    return *this;
  }

  const std::map<int, double>& factors() const { return factor_; }
  double constant() const { return constant_; }
  bool is_constant() const { return factor_.empty(); }
  // The form's value where the columns have these values.
  double value_at(std::span<const double> values) const;

 private:
  std::map<int, double> factor_;  // [column]
  double constant_ = 0;
};

inline constexpr double kUnlimited = std::numeric_limits<double>::infinity();

struct MipColumn {
  std::string name;
  double lower = 0, upper = kUnlimited;
  bool integer = false;
  double cost = 0;
};

// lower <= sum <= upper.
struct MipRow {
  std::string name;
  std::map<int, double> factor;  // [column]
  double lower = -kUnlimited, upper = kUnlimited;
};

class Mip {
 public:
  // Returns the index of the column.
  int add_column(std::string name, double lower, double upper, bool integer);
  int add_binary(std::string name) { return add_column(std::move(name), 0, 1, true); }

  // Adds lower <= form <= upper, the form's constant taken to the limits, and returns the row's index. A form without
  // columns is added too: its row holds or makes the program infeasible.
  int add_row(std::string name, const LinearForm& form, double lower, double upper);
  int add_at_most(std::string name, const LinearForm& form, double upper) {
    return add_row(std::move(name), form, -kUnlimited, upper);
  }
  int add_at_least(std::string name, const LinearForm& form, double lower) {
    return add_row(std::move(name), form, lower, kUnlimited);
  }
  int add_equal(std::string name, const LinearForm& form, double value) {
    return add_row(std::move(name), form, value, value);
  }
  // Adds factor times the form to what is minimised.
  void add_cost(const LinearForm& form, double factor);

  MipColumn& column(int index) { return columns_[index]; }
  MipRow& row(int index) { return rows_[index]; }
  std::span<const MipColumn> columns() const { return columns_; }
  std::span<const MipRow> rows() const { return rows_; }
  // What is minimised besides the columns' costs.
  double constant_cost() const { return constant_cost_; }
  std::size_t integers() const;

 private:
  std::vector<MipColumn> columns_;
  std::vector<MipRow> rows_;
  double constant_cost_ = 0;
};

// The program as CPLEX LP text, which other solvers read. Characters that the format does not know are written as "_".
std::string lp_text(const Mip& mip, const std::string& title);

}  // namespace heliolite
