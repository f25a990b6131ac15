#pragma once
// How input files are to be read, as far as a user can say (--define, --sparse).
#include <map>
#include <string>

namespace heliolite {

struct ReadOptions {
  std::map<std::string, std::string> defines{};  // names of templates and their values
  bool ignore_sparse = false;                    // read sparse machines and problems as dense ones, with notes
};

}  // namespace heliolite
