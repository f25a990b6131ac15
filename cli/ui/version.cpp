#include "cli/ui/version.h"

#include <fmt/format.h>

#include "engine/base/version.h"

namespace heliolite::cli {
namespace {

#if defined(NDEBUG)
constexpr bool kAssertions = false;
#else
constexpr bool kAssertions = true;
#endif

}  // namespace

std::string version_line() {
  const VersionInfo v = version_info();
  return fmt::format("heliolite {} (commit {}, {}, {}{}{})", v.version, v.commit, v.compiler, v.build_type,
                     v.sanitizers.empty() ? "" : ", sanitizers ", v.sanitizers);
}

nlohmann::ordered_json version_json() {
  const VersionInfo v = version_info();
  return {{"program", "heliolite"},   {"version", v.version},       {"commit", v.commit},
          {"compiler", v.compiler},   {"build_type", v.build_type}, {"sanitizers", v.sanitizers},
          {"assertions", kAssertions}};
}

}  // namespace heliolite::cli
