// heliolite mcp: a server of the Model Context Protocol on standard input and output (docs/mcp.md). Each call of a tool
// is a program of its own: what goes wrong there, or is cancelled, leaves the server as it was.
#include <heliolite/version.h>
#include <poll.h>
#include <stdlib.h>
#include <unistd.h>

#include <filesystem>
#include <iostream>
#include <string>
#include <utility>
#include <vector>

#include "cli/mcp/mcp_session.h"
#include "cli/ui/command.h"
#include "cli/ui/interrupt.h"
#include "engine/base/child_process.h"
#include "engine/base/file_bytes.h"

namespace heliolite::cli {
namespace {

namespace fs = std::filesystem;

constexpr int kAskedEvery = 100;                              // ms between two looks at whether to end
constexpr std::size_t kMostOfMessage = std::size_t{8} << 20;  // bytes
constexpr std::string_view kEnd = "\nheliolite-mcp-exit:";

// A folder for the answer of a call.
class AnswerFolder {
 public:
  AnswerFolder() {
    std::string pattern = (fs::temp_directory_path() / "heliolite-mcp-XXXXXX").string();
    if (mkdtemp(pattern.data()) != nullptr) path_ = pattern;
  }
  ~AnswerFolder() {
    std::error_code ignored;
    if (!path_.empty()) fs::remove_all(path_, ignored);
  }
  AnswerFolder(const AnswerFolder&) = delete;
  AnswerFolder& operator=(const AnswerFolder&) = delete;

  bool made() const { return !path_.empty(); }
  std::string file() const { return path_ + "/answer.json"; }

 private:
  std::string path_;
};

McpResult run_tool(const std::vector<std::string>& words, const std::atomic<bool>& stop) {
  std::error_code problem;
  const std::string program = fs::read_symlink("/proc/self/exe", problem).string();
  const AnswerFolder folder;
  if (problem || !folder.made())
    return {"the program cannot be started again, or has no room for its answer", "", true};
  std::string line = shell_quoted(program);
  for (const std::string& word : words) line += " " + shell_quoted(word);
  // The answer's folder after the words: an option that the caller gave twice is refused by the command itself.
  line += " --quiet --wide --color never --json " + shell_quoted(folder.file()) + " 2>&1 </dev/null; printf '" +
          "\\nheliolite-mcp-exit:%d' $?";
  auto child = ChildProcess::start(line);
  if (!child) return {to_string(child.errors()), "", true};
  const ChildProcess::Talk talk = (*child)->talk_to_the_end("", Patience(std::nullopt, &stop));
  std::string text = std::move((*child)->heard());
  if (talk == ChildProcess::Talk::Stopped) return {"cancelled", "", true};
  const std::size_t end = text.rfind(kEnd);
  if (end == std::string::npos) return {text + "\nthe command did not end by itself", "", true};
  const int code = std::atoi(text.c_str() + end + kEnd.size());
  text.resize(end);
  const Result<std::string> json = read_text_file(folder.file());
  return {std::move(text), json ? *json : "", code != kSuccess && code != kNegative};
}

// Reads lines until the end of standard input or Ctrl-C; returns whether it was Ctrl-C. Longer ones than kMostOfMessage
// are passed over but for their beginning, which is no JSON.
bool read_lines(const std::function<void(std::string_view)>& take) {
  std::string line;
  while (!interrupt_flag()) {
    pollfd look{STDIN_FILENO, POLLIN, 0};
    if (poll(&look, 1, kAskedEvery) <= 0) continue;
    char bytes[65536];
    const ssize_t got = read(STDIN_FILENO, bytes, sizeof bytes);
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) {
      if (!line.empty()) take(line);
      return false;
    }
    for (std::string_view rest(bytes, static_cast<std::size_t>(got)); !rest.empty();) {
      const std::size_t end = rest.find('\n');
      const std::string_view part = rest.substr(0, end);
      if (line.size() < kMostOfMessage) line += part.substr(0, kMostOfMessage - line.size());
      if (end == std::string_view::npos) break;
      take(line);
      line.clear();
      rest.remove_prefix(end + 1);
    }
  }
  return true;
}

int run_mcp(const CLI::App& app, const Output& output) {
  std::vector<McpTool> tools;
  const CommandTable table = command_table(app);
  for (const std::string& name : mcp_tool_names())
    for (const CommandRow& command : table.commands)
      if (command.name == name) tools.emplace_back(command);
  if (!output.json_target.empty()) return fail("mcp talks on standard output, --json must be left out");
  McpSession session(std::move(tools), std::string(version_info().version), run_tool, [](const std::string& message) {
    std::cout << message << "\n" << std::flush;
  });
  const bool interrupted = read_lines([&](std::string_view line) { session.take(line); });
  if (interrupted) session.stop();
  session.finish();
  return interrupted ? kInterrupted : kSuccess;
}

}  // namespace

void add_mcp_command(CLI::App& app, Output& output, Action& action) {
  CLI::App* command = app.add_subcommand("mcp", "Serve map, bound, explain, check and show to agents, on stdio");
  add_output_options(*command, output);
  command->footer(
      "Speaks the Model Context Protocol, a message a line; ends with its input. Tools take the options of the "
      "commands.\n\nExamples:\n  heliolite mcp");
  command->callback([&app, &action] { action = [&app](const Output& o) { return run_mcp(app, o); }; });
}

}  // namespace heliolite::cli
