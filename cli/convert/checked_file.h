#pragma once
// What `check` finds out about one file.
#include <string>
#include <string_view>
#include <vector>

#include "cli/convert/check_partners.h"
#include "cli/convert/recognise.h"
#include "engine/base/result.h"

namespace heliolite::cli {

enum class CheckState : u8 {
  Read,        // a command can use it
  Recognised,  // told by its content; only its own command reads it
  Waits,       // needs a machine or a workload that was not among the files
  Refused,     // with the reasons
  NotOurs,     // no file of ours or of Timeloop
};

inline constexpr std::size_t kCheckStates = 5;
std::string_view name(CheckState state);  // "read", "recognised", "waits", "refused", "not ours"

struct CheckedFile {
  std::string path;
  std::vector<Part> parts;
  CheckState state = CheckState::NotOurs;
  Diagnostics why;   // Refused, Waits: why
  std::string with;  // the machine and workload that constraints or a mapping were read with
};

// Reads everything that can be read by itself. What needs partners waits.
CheckedFile check_file(const std::string& path, const ReadOptions& reading = {});

// Reads a file that waits with one of the partners after the other until one suits it. If none of those that were given
// does, it is refused with the complaints of the one that has fewest; of those that only lie beside it, it still waits.
void check_with(CheckPartners& partners, CheckedFile& file);

// The files of a path: itself, or all regular files in a folder and below, in order; hidden ones are left out.
std::vector<std::string> files_of(const std::string& path);

}  // namespace heliolite::cli
