#include "engine/base/version.h"

#include <fmt/format.h>

namespace heliolite {

std::string to_string(const VersionInfo& version) {
  return fmt::format("heliolite {} (commit {}, {}, {}{}{})", version.version, version.commit, version.compiler,
                     version.build_type, version.sanitizers.empty() ? "" : ", sanitizers ", version.sanitizers);
}

}  // namespace heliolite
