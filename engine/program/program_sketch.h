#pragma once
// An affine program as it stands in the text, before isl has seen it: conditions are texts in isl's notation.
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "engine/base/result.h"
#include "engine/base/types.h"

namespace heliolite {

// Integer linear expressions of names, and of quotients and remainders of such by numbers: 2*i - j % 2 + N / 4 + 1.

// Coefficients and constants beyond it are refused: whatever is computed with them fits.
inline constexpr i64 kMaxAffineCoefficient = 1'000'000'000;

struct AffineForm {
  std::map<std::string, i64> coefficient;  // [name, quotient or remainder in the notation of isl]; never 0
  i64 constant = 0;
  std::set<std::string> inside{};  // names within quotients and remainders

  bool is_constant() const { return coefficient.empty(); }
  bool involves(const std::string& name) const { return coefficient.contains(name) || inside.contains(name); }
  std::string to_string() const;  // in the notation of isl: "(2*i - 1*j + 1)"
};

AffineForm affine_name(const std::string& name);

// Nothing when a coefficient or a constant becomes too large.
std::optional<AffineForm> scaled(const AffineForm& form, i64 factor);
std::optional<AffineForm> sum(const AffineForm& a, const AffineForm& b);

// form / divisor and form % divisor, divisor >= 1. C rounds to zero and isl down: they agree where the form is not
// negative; of constants it is C's.
AffineForm quotient(const AffineForm& form, i64 divisor);
AffineForm remainder(const AffineForm& form, i64 divisor);

struct SketchAccess {
  std::string array;
  std::vector<AffineForm> subscripts;
  int line = 0;

  friend bool operator==(const SketchAccess& a, const SketchAccess& b) { return a.key() == b.key(); }
  std::string key() const {
    std::string text = array;
    for (const AffineForm& s : subscripts) text += "," + s.to_string();
    return text;
  }
};

// A loop around a statement; backward: its index falls.
struct SketchLoop {
  std::string index;
  bool backward = false;
};

// A division that is evaluated for the statement: its dividend must not be negative there.
struct SketchDivision {
  std::string dividend;    // in isl's notation
  std::string condition;   // what holds in addition to the first `conditions` of the statement
  std::size_t conditions;  // the statement's conditions from loops and ifs around the place
  std::string text;        // for people
  int line = 0;
};

struct SketchStatement {
  int line = 0;
  std::string text;
  std::vector<SketchLoop> loops;
  std::vector<std::string> conditions;  // all must hold: bounds and strides of the loops, and the ifs around
  std::vector<int> positions;           // [d]: which of the things in loop d this is in; one more than loops
  std::vector<SketchDivision> divisions;
  SketchAccess write;
  std::vector<SketchAccess> reads;
  char compound = 0;
  // [operator or call]: a mask of the reads it depends on, in their order before drop_numbers().
  std::vector<u64> operators;
  u64 operations = 0;  // those of them that are computed in each iteration of the innermost loop
};

struct ProgramSketch {
  std::string file;
  std::vector<std::string> parameters;        // in the order in which they are met
  std::map<std::string, int> parameter_line;  // where
  std::map<std::string, int> index_line;      // [loop's index]: where it is first met
  std::vector<SketchStatement> statements;
  std::vector<std::string> notes;  // what was left out, for people
};

// The statements of a C text with their loops and conditions.

// What is between "#pragma scop" and "#pragma endscop". All complaints about meaning, or the first about syntax.
Result<ProgramSketch> read_sketch(std::string_view text, const std::string& file);

}  // namespace heliolite
