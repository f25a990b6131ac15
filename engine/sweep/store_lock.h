#pragma once
// One process writes a database: who does holds a lock on the file "<database>.lock" beside it for as long as it lives,
// so a kill -9 frees it. The file holds the words of RunRecord::writer.
#include <optional>
#include <string>

#include "engine/base/result.h"

namespace heliolite {

class WriterLock {
 public:
  // Error if another process holds it (named), or if the file cannot be made.
  static Result<WriterLock> take(const std::string& database);

  WriterLock(WriterLock&& other) noexcept;
  WriterLock& operator=(WriterLock&& other) noexcept;
  ~WriterLock();  // the file goes too

 private:
  WriterLock(int descriptor, std::string path);
  void release();

  int descriptor_ = -1;
  std::string path_;
};

// This process, "process 4711 on host".
std::string writer_name();

// What the present holder is called.
std::optional<std::string> lock_holder(const std::string& database);

}  // namespace heliolite
