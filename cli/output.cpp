#include "cli/output.h"

#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <fstream>

namespace heliolite::cli {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kMaxComplaints = 50;

// A reader that closed the pipe has seen enough; anything else (a full disk) is worth a word.
bool write_stdout(const std::string& text) {
  const bool written = std::fwrite(text.data(), 1, text.size(), stdout) == text.size() && std::fflush(stdout) == 0;
  if (written || errno == EPIPE) return true;
  fail(fmt::format("standard output cannot be written: {}", std::strerror(errno)));
  return false;
}

}  // namespace

bool Output::check_json_target() const {
  return json_target.empty() || json_to_stdout() || can_write("--json", json_target);
}

void Output::table(const std::string& text) const {
  if (!json_to_stdout() && !write_stdout(text)) lost_ = true;
}

void Output::note(const std::string& text) const {
  if (!quiet) std::fputs((text + "\n").c_str(), stderr);
}

bool Output::json(const nlohmann::ordered_json& answer) const {
  if (json_target.empty()) return true;
  // Names from files may hold broken UTF-8; they are shown with replacement characters.
  const std::string text = answer.dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace) + "\n";
  if (json_to_stdout()) return write_stdout(text);
  return write_file("--json", json_target, text);
}

bool can_write(const std::string& option, const std::string& path) {
  std::error_code ignored;
  const auto refuse = [&](const std::string& why) {
    fail(fmt::format("{}: {} cannot be written: {}", option, path, why));
    return false;
  };
  if (fs::is_directory(path, ignored)) return refuse("it is a directory");
  if (fs::exists(path, ignored)) return access(path.c_str(), W_OK) == 0 || refuse(std::strerror(errno));
  const fs::path parent = fs::path(path).parent_path();
  const std::string folder = parent.empty() ? "." : parent.string();
  if (!fs::is_directory(folder, ignored)) return refuse(fmt::format("there is no folder {}", folder));
  return access(folder.c_str(), W_OK) == 0 || refuse(fmt::format("folder {}: {}", folder, std::strerror(errno)));
}

bool write_file(const std::string& option, const std::string& path, const std::string& text) {
  std::ofstream file(path, std::ios::binary | std::ios::trunc);
  file << text;
  file.close();
  if (file) return true;
  fail(fmt::format("{}: {} cannot be written: {}", option, path, std::strerror(errno)));
  return false;
}

bool write_target(const std::string& option, const std::string& target, const std::string& text) {
  return target == "-" ? write_stdout(text) : write_file(option, target, text);
}

int fail(const Diagnostics& errors) {
  std::string text;
  for (std::size_t i = 0; i < errors.size() && i < kMaxComplaints; ++i) {
    text += "heliolite: " + errors[i].to_string() + "\n";
  }
  if (errors.size() > kMaxComplaints) text += fmt::format("heliolite: and {} more\n", errors.size() - kMaxComplaints);
  std::fwrite(text.data(), 1, text.size(), stderr);
  return kBadInput;
}

int fail(const std::string& message) { return fail(Diagnostics{{"", 0, "", message}}); }

}  // namespace heliolite::cli
