#pragma once
// The pieces of a template: plain text, and what stands between braces.
#include <string>
#include <string_view>
#include <vector>

#include "engine/base/result.h"
#include "engine/base/types.h"

namespace heliolite {

enum class TemplatePieceKind : u8 { Text, Expression, Statement };

struct TemplatePiece {
  TemplatePieceKind kind = TemplatePieceKind::Text;
  std::string_view text;  // without the braces
  int line = 1;           // where it begins
};

// The pieces of `text`, which must outlive them; `file` is where it is from. Remarks are left out, and blanks that a
// '-' inside braces takes away. The error: braces that are never closed.
Result<std::vector<TemplatePiece>> template_pieces(std::string_view text, const std::string& file);

}  // namespace heliolite
