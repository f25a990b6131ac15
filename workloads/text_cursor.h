#pragma once
// A reading position in a one-line text, for the small grammars of compact workloads.
#include <cstddef>
#include <optional>
#include <string_view>

#include "engine/base/result.h"
#include "engine/base/types.h"

namespace heliolite {

// Longer texts are refused before they are looked at.
inline constexpr std::size_t kLongestText = 10'000;

// A run of digits; `value` is the largest u64 when it does not fit.
struct Digits {
  std::string_view text;
  u64 value = 0;
};

// A position in a text, which must outlive it.
class TextCursor {
 public:
  explicit TextCursor(std::string_view text) : text_(text) {}

  // Each of these skips spaces first, and leaves the position alone if it does not find what it looks for.
  bool take(std::string_view token);
  std::optional<std::string_view> identifier();  // letter or _, then letters, digits, _
  std::optional<Digits> digits();
  std::string_view value();  // everything up to a separator, for complaints about what should be a size
  bool at_end();

  std::size_t column();                   // 1-based, of the next token
  Diagnostic error(std::string message);  // at the next token
  Diagnostic error_at(std::size_t column, std::string message) const;
  std::string found();  // the next token for "expected .., found ..": "'x'" or "the end"

 private:
  void skip_space();

  std::string_view text_;
  std::size_t at_ = 0;
};

}  // namespace heliolite
