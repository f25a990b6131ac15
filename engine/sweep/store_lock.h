#pragma once
// One process writes a database. Who does holds two locks for as long as it lives, so a kill -9 frees them: one on the
// file "<database>.lock" beside it, which guards the name while there is no database yet and holds the words of
// RunRecord::writer; one on the database's file itself (store_file.h), which guards it under every other name too.
#include <optional>
#include <string>

#include "engine/base/result.h"
#include "engine/sweep/store_file.h"

namespace heliolite {

class WriterLock {
 public:
  // The lock of the name, and of the file if there is one. Error if another process holds one of them (named), if the
  // file has several names (the log of a killed writer lies beside one of them only), or if it cannot be locked.
  static Result<WriterLock> take(const std::string& database);
  // The same of a file that is new; made if there is still none.
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

// This process, "process 4711 on host".
std::string writer_name();

// What the present holder is called.
std::optional<std::string> lock_holder(const std::string& database);

}  // namespace heliolite
