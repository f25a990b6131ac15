// The text of the version; the commit is in a source that each build writes (engine/base/version.cpp.in).
#include <fmt/format.h>
#include <heliolite/version.h>

namespace heliolite {

std::string to_string(const VersionInfo& version) {
  return fmt::format("heliolite {} (commit {}, {}, {}{}{})", version.version, version.commit, version.compiler,
                     version.build_type, version.sanitizers.empty() ? "" : ", sanitizers ", version.sanitizers);
}

}  // namespace heliolite
