#include "cli/interrupt.h"

#include <csignal>

namespace heliolite::cli {
namespace {

std::atomic<bool> interrupted{false};
static_assert(std::atomic<bool>::is_always_lock_free);

extern "C" void interrupt(int signal) {
  interrupted = true;
  std::signal(signal, SIG_DFL);
}

}  // namespace

const std::atomic<bool>& interrupt_flag() {
  for (int signal : {SIGINT, SIGTERM}) std::signal(signal, interrupt);
  return interrupted;
}

}  // namespace heliolite::cli
