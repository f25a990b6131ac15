#pragma once
// The words of a C text, with their lines.
#include <string>
#include <string_view>
#include <vector>

#include "engine/base/types.h"

namespace heliolite {

enum class CTokenKind : u8 { name, number, sign, directive, end };

// A view into the text, which must outlive it.
struct CToken {
  CTokenKind kind = CTokenKind::end;
  std::string_view text;  // of a directive: the line, without what is before '#'
  int line = 1;

  bool is(std::string_view other) const { return text == other && kind != CTokenKind::directive; }
};

// All words of the text without comments; a directive ("#pragma scop") is one word, a literal in quotes is a number.
// Any text has words: what C does not know is a sign of one character. The last one is `end`.
std::vector<CToken> c_tokens(std::string_view text);

// The words of a directive: "pragma", "scop".
std::vector<std::string> directive_words(const CToken& directive);

}  // namespace heliolite
