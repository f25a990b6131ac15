#pragma once
// The one descriptor that this process has on the file of a database, whatever name it was opened by. There must not be
// a second one: POSIX removes all locks of a process on a file, SQLite's too, when the process closes any descriptor of
// it. So whoever looks at the bytes of a database, or locks them, does it through this.
#include <cstddef>
#include <string>

#include "engine/base/types.h"

namespace heliolite {

// A database's file, opened; objects of one file share the descriptor.
class DatabaseFile {
 public:
  DatabaseFile() = default;
  // Opens the regular file of that name; with `make` an empty one if there is none, else it is then not readable().
  static DatabaseFile open(const std::string& path, bool make = false);

  DatabaseFile(DatabaseFile&& other) noexcept;
  DatabaseFile& operator=(DatabaseFile&& other) noexcept;
  ~DatabaseFile();

  bool readable() const { return entry_ != nullptr; }
  // `count` bytes from the offset `from`; fewer at the end of the file.
  std::string bytes(std::size_t from, std::size_t count) const;
  bool is_at(const std::string& path) const;  // whether the file of that name is still this one
  u64 names() const;                          // how many names (hard links) the file has

  // Takes the writer's lock. It is on the file itself, so that neither another name of it nor the removal of a file
  // beside it lets a second writer in; on bytes beyond those that SQLite locks; and ends with the process or with this
  // object. Held: by somebody else. Impossible: the file cannot be locked.
  enum class Lock { Taken, Held, Impossible };
  Lock lock();
  bool held_elsewhere() const;  // whether another process holds the lock
  bool held() const;            // whether any process does

 private:
  struct Entry;
  struct Registry;
  static Registry& registry();
  void release();

  Entry* entry_ = nullptr;
  bool locked_ = false;  // by this object
};

}  // namespace heliolite
