#include "cli/ui/version.h"

#include "engine/base/version.h"

namespace heliolite::cli {
namespace {

#if defined(NDEBUG)
constexpr bool kAssertions = false;
#else
constexpr bool kAssertions = true;
#endif

}  // namespace

nlohmann::ordered_json version_json() {
  const VersionInfo v = version_info();
  return {{"program", "heliolite"},   {"version", v.version},       {"commit", v.commit},
          {"compiler", v.compiler},   {"build_type", v.build_type}, {"sanitizers", v.sanitizers},
          {"assertions", kAssertions}};
}

}  // namespace heliolite::cli
