#pragma once
// A whole workload in one word on the command line: a family with sizes ("gemm:512x512x512",
// "conv:k=64,c=64,p=56,r=3,stride=2") or an Einsum with sizes.
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "engine/base/result.h"
#include "engine/base/types.h"
#include "workloads/families.h"
#include "workloads/workload.h"

namespace heliolite {

// A reading position in a one-line text, for the small grammars of compact workloads.

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

// Whether `text` is meant to be a workload: it has brackets, or a colon after a name.
bool is_compact_text(std::string_view text);

// The workload. Complaints have the column: file = the text (shortened), field = "column 12". What of it was read
// otherwise than it is written is added to `notes`.
Result<Workload> parse_compact_text(std::string_view text, std::vector<std::string>* notes = nullptr);

// The parameters of a family from the text behind the colon: "512x512x512" or "k=64,c=64,p=56".
Result<Arguments> parse_arguments(const Family& family, std::string_view text);

}  // namespace heliolite
