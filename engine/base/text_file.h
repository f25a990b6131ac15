#pragma once
// Reading a file that is supposed to be text.
#include <string>
#include <string_view>

#include "engine/base/result.h"

namespace heliolite {

inline constexpr std::size_t kMaxTextFileBytes = std::size_t{64} << 20;

// The file's bytes. Errors: missing (names the nearest file beside it), directory, unreadable, larger than
// 64 MiB, not text.
Result<std::string> read_text_file(const std::string& path);

// What makes `text` not be UTF-8 text (NUL and other control characters, invalid sequences), with the line;
// `name` stands for the file. Empty when it is text.
Diagnostics check_text(std::string_view text, const std::string& name);

}  // namespace heliolite
