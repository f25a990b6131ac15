#pragma once
// Runs the program beside the test.
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <string>
#include <vector>

namespace heliolite::testing {

// The program in the background, ended by a signal.
class Background {
 public:
  explicit Background(const std::vector<std::string>& arguments) : pid_(fork()) {
    if (pid_ != 0) return;
    std::freopen("/dev/null", "w", stdout);
    std::freopen("/dev/null", "w", stderr);
    std::vector<char*> words{const_cast<char*>(HELIOLITE_BINARY)};
    for (const std::string& argument : arguments) words.push_back(const_cast<char*>(argument.c_str()));
    words.push_back(nullptr);
    execv(HELIOLITE_BINARY, words.data());
    _exit(127);
  }

  // Exit code, or 128 + the signal that ended it.
  int end(int signal) const {
    kill(pid_, signal);
    return wait();
  }
  int wait() const {
    int status = 0;
    waitpid(pid_, &status, 0);
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  }

 private:
  pid_t pid_;
};

}  // namespace heliolite::testing
