#pragma once
// Where files that others include are looked for.
#include <string>
#include <vector>

#include "engine/base/result.h"

namespace heliolite {

// Folders, in their order. The first is that of the file that asks.
class SearchPath {
 public:
  SearchPath(const std::string& file, std::vector<std::string> added);

  // The folder of the file that asks; names put together with it are found from everywhere.
  std::string absolute_folder() const;
  // What a file that is included looks in besides its own folder: the added ones, then this one's.
  std::vector<std::string> passed_on() const;
  void add(const std::string& folder) { added_.push_back(folder); }

  // The files that `name` stands for, sorted in each folder; '*' in its last part is any text, and only then are there
  // several. The error, without a place, says where it was looked for.
  Result<std::vector<std::string>> find(const std::string& name) const;
  bool exists(const std::string& name) const;  // a file or a folder

 private:
  std::vector<std::string> candidates(const std::string& name) const;

  std::string folder_;
  std::vector<std::string> added_;
};

}  // namespace heliolite
