#include "engine/base/file_append.h"

#include <fcntl.h>
#include <unistd.h>
#include <cerrno>
#include <cstring>

#include "engine/base/integers.h"

namespace heliolite {

std::string append_text(const std::string& path, std::string_view text) {
  const int file = ::open(path.c_str(), O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC | O_NOCTTY, 0666);
  if (file < 0) return std::strerror(errno);
  ssize_t count = 0;
  while (!text.empty() && (count >= 0 || errno == EINTR)) {
    count = ::write(file, text.data(), text.size());
    if (count > 0) text.remove_prefix(at(count));
  }
  const std::string problem = text.empty() ? "" : std::strerror(errno);
  ::close(file);
  return problem;
}

}  // namespace heliolite
