#pragma once
// Reading a file that is supposed to be text.
#include <string>
#include <string_view>

#include "engine/base/result.h"

namespace heliolite {

inline constexpr std::size_t kMaxTextFileBytes = std::size_t{64} << 20;

// The file's bytes. Errors: missing (names the nearest file beside it), larger than 64 MiB, not text, and those of
// read_file_bytes().
Result<std::string> read_text_file(const std::string& path);

// Why `text` is not UTF-8 text (NUL and other control characters, invalid sequences), with the line; `name` stands for
// the file. Empty when it is text.
Diagnostics check_text(std::string_view text, const std::string& name);

// What the file `from` means when it names `what`, a file or a preset: the path of the file of that name beside `from`
// if there is one, or if `what` can only be a file (`is_path`); else `what` as it is. "file@options" is a file too.
std::string named_file(const std::string& from, const std::string& what, bool is_path);

}  // namespace heliolite
