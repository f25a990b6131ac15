#pragma once
// Which file a name stands for: through symbolic links, hard links and folders that are mounted twice.
#include <optional>
#include <string>

#include "engine/base/types.h"

namespace heliolite {

// Two names are one file when their identities are equal. A file that is not there yet is told by its folder and name.
struct FileIdentity {
  u64 device = 0, inode = 0;  // of the file, or of its folder when it has a `name`
  std::string name;
  bool known = false;   // false: not even a folder is there
  bool is_file = true;  // or will be one: a regular file or a named pipe, which two cannot share. No device, no socket

  static FileIdentity of(const std::string& path);
  static FileIdentity of_descriptor(int descriptor);

  // Whether what goes to one of them is lost to the other.
  bool clashes_with(const FileIdentity& other) const;
};

// Where writing to `path` ends: symbolic links followed, also one whose target is not there yet. Names below /proc stay
// as they are: what they link to is no path.
std::string followed_path(const std::string& path);

// N if the path is this program's descriptor N, as /dev/stdout, /dev/fd/63 and /proc/self/fd/63 are.
std::optional<int> own_descriptor(const std::string& path);

}  // namespace heliolite
