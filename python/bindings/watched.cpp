#include "python/bindings/watched.h"

namespace heliolite::python {
namespace {

// Work that was given up. The list waits for it when the module is unloaded at the end of the program.
std::vector<std::future<void>>& abandoned() {
  static std::vector<std::future<void>> work;
  return work;
}

}  // namespace

void abandon(std::future<void> work) {
  std::erase_if(abandoned(), [](const auto& old) { return old.wait_for(kLook * 0) == std::future_status::ready; });
  abandoned().push_back(std::move(work));
}

}  // namespace heliolite::python
