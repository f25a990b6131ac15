#pragma once
// A mixed-integer program, and its solver: minimise a linear cost over columns within ranges of linear rows.
#include <functional>
#include <limits>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "engine/base/types.h"

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

// Solves mixed-integer programs with CBC, where the program was built with it.

// Whether this program was built with CBC; without it solve() must not be called.
bool has_mip_solver();
// What to install, as the end of a sentence.
inline constexpr std::string_view kMipSolverPackage =
    "CBC (Debian: coinor-libcbc-dev): ./heliolite --packages cosa installs it, and the program is built again";

struct MipLimits {
  std::optional<double> seconds{};     // on the clock; none: no limit
  double gap = 0;                      // an answer will do whose cost is above the least by at most this
  std::function<bool()> stopped = {};  // asked now and then: whether to return what there is; empty: never
  std::vector<double> start{};         // [column]: an answer known; the one returned costs no more. Empty: none
};

struct MipAnswer {
  bool infeasible = false;     // proven to have no answer
  bool proven = false;         // `values` are the best, or it is infeasible: no limit ended the search
  std::vector<double> values;  // [column]; empty: none was found. Integers are whole numbers.
  double value = 0;            // the cost of `values`
  double bound = 0;            // no answer costs less, but for the solver's tolerances; -infinity: nothing is known
  u64 nodes = 0;               // nodes of the search tree
};

// One thread, a fixed seed: without a limit of time the answer is the same on every run.
MipAnswer solve(const Mip& mip, const MipLimits& limits);

}  // namespace heliolite
