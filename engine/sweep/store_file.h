#pragma once
// The one descriptor that this process has on the file of a database, whatever name it was opened by. There must not be
// a second one: POSIX takes a process's locks on a file away, SQLite's too, when any of its descriptors of the file is
// closed. So whoever looks at the bytes of a database, or locks them, does it through this.
#include <cstddef>
#include <string>

#include "engine/base/types.h"

namespace heliolite {

class DatabaseFile {
 public:
  DatabaseFile() = default;
  // Of the regular file of that name; not readable() if there is none. The file is made if `make` says so.
  static DatabaseFile open(const std::string& path, bool make = false);

  DatabaseFile(DatabaseFile&& other) noexcept;
  DatabaseFile& operator=(DatabaseFile&& other) noexcept;
  ~DatabaseFile();

  bool readable() const { return entry_ != nullptr; }
  std::string bytes(std::size_t from, std::size_t count) const;  // fewer at the end of the file
  u64 names() const;                                             // hard links

  // The writer's lock: on the file itself, so that neither another name of it nor the removal of a file beside it lets
  // a second writer in. It lies beyond the bytes that SQLite locks, and ends with the process or with this object.
  enum class Lock { Taken, Held, Impossible };
  Lock lock();
  bool held_elsewhere() const;  // by another process
  bool held() const;            // by any

 private:
  struct Entry;
  struct Registry;
  static Registry& registry();
  void release();

  Entry* entry_ = nullptr;
  bool locked_ = false;  // by this object
};

}  // namespace heliolite
