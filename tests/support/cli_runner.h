#pragma once
// Runs the program as a user would, through the shell.
#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <optional>
#include <sstream>
#include <string>
#include <thread>
#include <vector>

namespace heliolite {

// A folder that is removed with its contents.
class TempFolder {
 public:
  TempFolder() {
    std::string pattern = (std::filesystem::temp_directory_path() / "heliolite-test-XXXXXX").string();
    path_ = mkdtemp(pattern.data());
  }
  ~TempFolder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  TempFolder(const TempFolder&) = delete;
  TempFolder& operator=(const TempFolder&) = delete;

  std::string path(const std::string& name) const { return path_ + "/" + name; }
  std::string write(const std::string& name, const std::string& text) const {
    std::filesystem::create_directories(std::filesystem::path(path(name)).parent_path());
    std::ofstream(path(name), std::ios::binary) << text;
    return path(name);
  }

 private:
  std::string path_;
};

inline std::string read_text(const std::string& path) {
  std::ostringstream text;
  text << std::ifstream(path, std::ios::binary).rdbuf();
  return text.str();
}

// CPU seconds of all programs run so far: unlike wall time it does not depend on what else the machine does.
inline double cpu_seconds_of_programs() {
  rusage used{};
  getrusage(RUSAGE_CHILDREN, &used);
  const auto seconds = [](const timeval& t) {
    return static_cast<double>(t.tv_sec) + static_cast<double>(t.tv_usec) / 1e6;
  };
  return seconds(used.ru_utime) + seconds(used.ru_stime);
}

// How many times slower the program may be than a release is: more than 1 where sanitizers watch it.
inline constexpr double kSlowdown = HELIOLITE_SLOWDOWN;

struct CliResult {
  int exit_code = -1;  // 128 + n when ended by signal n; 124 when it took longer than a minute (without sanitizers)
  std::string out, err;
};

// `arguments` as typed in a shell; redirections and pipes work. HELIOLITE_BINARY is the program.
inline CliResult run_cli(const std::string& arguments) {
  const TempFolder folder;
  const std::string out = folder.path("out"), err = folder.path("err");
  const std::string command = "( timeout " + std::to_string(kSlowdown > 1 ? 280 : 60) + " '" HELIOLITE_BINARY "' " +
                              arguments + " ) >" + out + " 2>" + err + " </dev/null";
  const int status = std::system(command.c_str());
  CliResult result;
  result.exit_code = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  result.out = read_text(out);
  result.err = read_text(err);
  return result;
}

// Whether the process whose number is in the file ends within ten seconds. One that nobody waits for has ended, too.
inline bool process_ends(const std::string& file) {
  const std::string number = read_text(file);
  const std::string process = number.substr(0, number.find('\n'));
  for (int k = 0; k < 1000; ++k) {
    if (process.empty() || kill(std::stoi(process), 0) != 0) return !process.empty();
    if (read_text("/proc/" + process + "/stat").find(") Z ") != std::string::npos) return true;
    usleep(10'000);
  }
  return false;
}

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

  // Waits, a minute (without sanitizers) at most, until a handler of its own stands for the signal.
  bool handles(int signal) const {
    using namespace std::chrono_literals;
    const auto until = std::chrono::steady_clock::now() + 60s * kSlowdown;
    while (std::chrono::steady_clock::now() < until) {
      std::ifstream status("/proc/" + std::to_string(pid_) + "/status");
      for (std::string line; std::getline(status, line);)
        if (line.starts_with("SigCgt:") && (std::stoull(line.substr(7), nullptr, 16) >> (signal - 1) & 1) != 0)
          return true;
      std::this_thread::sleep_for(5ms);
    }
    return false;
  }
  // Exit code, or 128 + the signal that ended it.
  int end(int signal) const {
    kill(pid_, signal);
    return wait();
  }
  int wait() const {
    int status = 0;
    rusage usage{};
    wait4(pid_, &status, 0, &usage);
    const auto seconds = [](const timeval& t) {
      return static_cast<double>(t.tv_sec) + static_cast<double>(t.tv_usec) / 1e6;
    };
    used_ = seconds(usage.ru_utime) + seconds(usage.ru_stime);
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
  }

  // Seconds of processors that it has used, by itself and for the system: so far, or until it ended. Linux counts those
  // of a process that still runs in hundredths.
  double processor_seconds() const {
    if (used_) return *used_;
    std::ifstream file("/proc/" + std::to_string(pid_) + "/stat");
    std::string text;
    std::getline(file, text);
    if (text.rfind(')') == std::string::npos) return 0;
    std::istringstream fields(text.substr(text.rfind(')') + 1));
    for (int k = 0; k < 11; ++k) fields >> text;
    double user = 0, system = 0;
    fields >> user >> system;
    return (user + system) / static_cast<double>(sysconf(_SC_CLK_TCK));
  }

 private:
  pid_t pid_;
  mutable std::optional<double> used_;
};

}  // namespace heliolite
