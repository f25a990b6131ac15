#pragma once
// The bytes of a file, or of what comes through a pipe.
#include <cstddef>
#include <string>

#include "engine/base/result.h"

namespace heliolite {

// All bytes of a file or pipe (/dev/stdin, a shell's <(command), named ones). Errors: it is going to be written
// (FileClaims), a directory, unreadable, larger than `most` bytes, a named pipe that nobody opens to write, a pipe that
// nothing came from for a minute, a signal while waiting.
Result<std::string> read_file_bytes(const std::string& path, std::size_t most);

}  // namespace heliolite
