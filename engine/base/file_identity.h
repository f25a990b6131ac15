#pragma once
// Which file a path leads to, whatever symbolic links, hard links and folders that are mounted twice are on the way.
#include <optional>
#include <string>

#include "engine/base/types.h"

namespace heliolite {

// Two paths lead to one file when their identities are equal. A file that is not there yet is told by its folder and
// name.
struct FileIdentity {
  u64 device = 0, inode = 0;  // of the file, or of its folder when it has a `name`
  std::string name;
  bool known = false;   // false: not even a folder is there
  bool is_file = true;  // a regular file or a named pipe (also one to be made), which two cannot share; no device

  static FileIdentity of(const std::string& path);
  static FileIdentity of_descriptor(int descriptor);

  // Whether both are one regular file or pipe, so that what is written to one of them is lost to the other.
  bool clashes_with(const FileIdentity& other) const;
};

// The path to which writing to `path` leads: symbolic links are followed, also one whose target is not there yet. Paths
// below /proc stay as they are: what they link to is no path.
std::string followed_path(const std::string& path);

// The number of this program's descriptor if the path is one, as /dev/stdout, /dev/fd/63 and /proc/self/fd/63 are.
std::optional<int> own_descriptor(const std::string& path);

}  // namespace heliolite
