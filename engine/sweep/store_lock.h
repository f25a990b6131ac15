#pragma once
// One process writes a database. Who does holds two locks for as long as it lives, so a kill -9 frees them: one on the
// file "<database>.lock" beside it, which guards the name while there is no database yet and holds the words of
// RunRecord::writer; one on the database's file itself (store_file.h), which guards it under every other name too.
#include <optional>
#include <string>

#include "engine/base/result.h"
#include "engine/sweep/store_file.h"

namespace heliolite {

// Both locks of one database.
class WriterLock {
 public:
  // Takes the lock of the name, and of the file if there is one. Error if another process holds one of them (named), if
  // the file has several names (the log of a killed writer lies beside one of them only), or if it cannot be locked.
  static Result<WriterLock> take(const std::string& database);
  // Takes the lock of a file that was not there then, and makes it if there is still none. The same errors.
  Diagnostics take_file(const std::string& database);

  WriterLock(WriterLock&& other) noexcept;
  WriterLock& operator=(WriterLock&& other) noexcept;
  ~WriterLock();  // the file beside the database goes too

 private:
  WriterLock(int descriptor, std::string path);
  void release();

  int descriptor_ = -1;
  std::string path_;
  DatabaseFile file_;
};

// The name of this process as a writer: "process 4711 on host".
std::string writer_name();

// The writer_name() of the process that holds the lock; none if nobody does.
std::optional<std::string> lock_holder(const std::string& database);

}  // namespace heliolite
