#pragma once
// Reads affine expressions and conditions of C.
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "engine/program/c_tokens.h"
#include "engine/program/program_sketch.h"

namespace heliolite {

// The name without the prefix of PolyBench's bounds: _PB_N is N.
std::string bound_name(std::string_view name);

// What is divided by a number: it must not be negative where that is evaluated, for C rounds to zero and isl down.
struct Division {
  std::string dividend;   // in isl's notation
  std::string condition;  // what holds there beside the loops and ifs around; "true" if nothing
  std::string text;       // for people: "(i - 1) % 2"
  int line = 0;
};

class AffineReader {
 public:
  // `named` is told every name and its line.
  AffineReader(CCursor& cursor, std::function<void(const std::string&, int)> named)
      : cursor_(cursor), named_(std::move(named)) {}

  // An expression; 0 after a complaint, which says what is not affine. Ends before ']', ')', ';' or a comparison.
  AffineForm expression();

  // The divisions of what was read since the last call.
  std::vector<Division> take_divisions() { return std::exchange(divisions_, {}); }

  // A condition such as i < j && (i != 0 || j >= N), in isl's notation.
  std::string condition();

 private:
  AffineForm sum_of_products();
  AffineForm product();
  AffineForm factor();
  AffineForm divided(const AffineForm& form, std::size_t begin);
  std::string conjunction();
  std::string atom();
  std::string comparison();
  bool bracket_is_condition() const;
  void refuse(int line, const std::string& message);
  AffineForm checked(const std::optional<AffineForm>& form, int line);

  CCursor& cursor_;
  std::function<void(const std::string&, int)> named_;
  std::vector<Division> divisions_;
  std::vector<std::string> known_;  // conditions that hold where the present one is evaluated
  bool wrong_ = false;              // of the expression that is being read: one complaint is enough
  int nested_conditions_ = 0;       // that are being read
  int alternatives_ = 0;            // in the outermost of them
};

}  // namespace heliolite
