#pragma once
// Which Heliolite a program was linked with: version, commit and build, which every result carries.
//
//   std::puts(to_string(heliolite::version_info()).c_str());    // heliolite 0.1.0 (commit .., GNU 12.2.0, Release)
#include <string>
#include <string_view>

namespace heliolite {

// Where this binary comes from.
struct VersionInfo {
  std::string_view version;     // "0.1.0"
  std::string_view commit;      // 12 hex digits, "-dirty" when sources were edited; "unknown" outside a checkout
  std::string_view compiler;    // "GNU 12.2.0"
  std::string_view build_type;  // "Release"
  std::string_view sanitizers;  // "address,undefined"; empty = none
};

// The origin of this binary.
VersionInfo version_info();

// As one line: "heliolite 0.1.0 (commit .., compiler, build)".
std::string to_string(const VersionInfo& version);

}  // namespace heliolite
