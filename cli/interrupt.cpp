#include "cli/interrupt.h"

#include <unistd.h>

#include <array>
#include <csignal>

namespace heliolite::cli {
namespace {

std::atomic<bool> watched{false};  // somebody looks at the flag
std::atomic<bool> interrupted{false};
std::atomic<const char*> unfinished{nullptr};
static_assert(std::atomic<bool>::is_always_lock_free && std::atomic<const char*>::is_always_lock_free);

constexpr std::array kEnding{SIGINT, SIGTERM, SIGHUP};

extern "C" void interrupt(int signal) {
  if (watched && !interrupted && signal != SIGHUP) {
    interrupted = true;
    return;
  }
  if (const char* path = unfinished.exchange(nullptr)) unlink(path);
  std::signal(signal, SIG_DFL);
  raise(signal);
}

// A signal that is ignored (nohup, a shell's background job) stays so, unless it is `asked` for.
void install(bool asked) {
  for (const int signal : kEnding)
    if (std::signal(signal, interrupt) == SIG_IGN && (!asked || signal == SIGHUP)) std::signal(signal, SIG_IGN);
}

}  // namespace

const std::atomic<bool>& interrupt_flag() {
  if (!watched.exchange(true)) install(true);
  return interrupted;
}

RemovedOnSignal::RemovedOnSignal(const char* path) {
  install(false);
  unfinished = path;
}

RemovedOnSignal::~RemovedOnSignal() { unfinished = nullptr; }

}  // namespace heliolite::cli
