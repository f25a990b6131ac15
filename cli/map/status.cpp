#include "cli/map/status.h"

#include <fmt/format.h>

#include "cli/ui/interrupt.h"

namespace heliolite::cli {

int write_partial_answer(const Output& output, Json& answer, std::size_t done, std::size_t of, const char* parts,
                         int code) {
  const bool interrupted = done < of;
  answer["interrupted"] = interrupted;
  if (!output.json(answer)) return kBadInput;
  if (!interrupted) return code;
  output.note(fmt::format("heliolite: interrupted after {} of {} {}", done, of, parts));
  return kInterrupted;
}

}  // namespace heliolite::cli
