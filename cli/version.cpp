#include "cli/version.h"

#include <fmt/format.h>

#include "version_info.h"

namespace heliolite::cli {
namespace {

#if defined(__clang__)
constexpr const char* kCompiler = "clang " __clang_version__;
#else
constexpr const char* kCompiler = "g++ " __VERSION__;
#endif

#if defined(NDEBUG)
constexpr bool kAssertions = false;
#else
constexpr bool kAssertions = true;
#endif

}  // namespace

std::string version_line() {
  return fmt::format("heliolite {} (commit {}, {}, {}{}{})", HELIOLITE_VERSION, HELIOLITE_COMMIT, kCompiler,
                     HELIOLITE_BUILD_TYPE, HELIOLITE_SANITIZE[0] != '\0' ? ", sanitizers " : "", HELIOLITE_SANITIZE);
}

nlohmann::ordered_json version_json() {
  return {{"program", "heliolite"},      {"version", HELIOLITE_VERSION},
          {"commit", HELIOLITE_COMMIT},  {"compiler", kCompiler},
          {"build_type", HELIOLITE_BUILD_TYPE}, {"sanitizers", HELIOLITE_SANITIZE},
          {"assertions", kAssertions}};
}

}  // namespace heliolite::cli
