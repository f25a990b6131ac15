// heliolite mcp: a server of the Model Context Protocol on standard input and output (docs/mcp.md).
#include <fmt/format.h>
#include <heliolite/version.h>
#include <poll.h>
#include <stdlib.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <filesystem>
#include <functional>
#include <iostream>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <thread>
#include <utility>
#include <vector>

#include "cli/mcp/mcp_tools.h"
#include "cli/ui/command.h"
#include "cli/ui/json.h"
#include "cli/ui/long_work.h"
#include "engine/base/child_process.h"
#include "engine/base/file_bytes.h"
#include "engine/base/mapped.h"
#include "engine/base/text.h"

namespace heliolite::cli {
namespace {

// The messages of the Model Context Protocol: JSON-RPC 2.0, a message a line. Whatever comes in is answered or, where
// the protocol has no answer, passed over: nothing ends the session but its client.

// What became of a tool that was called.
struct McpResult {
  std::string text;  // what the command prints
  std::string json;  // its answer; empty: none
  bool failed = false;
};

class McpSession {
 public:
  // Runs a command line, without the program's name; soon after `stop` is set it ends with what it has.
  using Run = std::function<McpResult(const std::vector<std::string>& words, const std::atomic<bool>& stop)>;
  // Takes a message for the client, without the end of the line. Calls come from one thread at a time.
  using Send = std::function<void(const std::string&)>;

  McpSession(std::vector<McpTool> tools, std::string version, Run run, Send send);
  ~McpSession();  // stops all calls and waits for them
  McpSession(const McpSession&) = delete;
  McpSession& operator=(const McpSession&) = delete;

  // A line that the client sent. Tools run beside it, so that it returns at once.
  void take(std::string_view line);
  // Waits for the calls that run.
  void finish();
  void stop();

 private:
  struct Call {
    std::atomic<bool> stop = false, done = false;
    std::thread thread;
  };
  void request(const Json& id, const std::string& method, const Json& parameters);
  void notification(const std::string& method, const Json& parameters);
  void call_tool(const Json& id, const Json& parameters);
  void send(const Json& message);
  void error(const Json& id, int code, const std::string& what);
  void answer(const Json& id, Json result);
  void forget_ended();

  std::vector<McpTool> tools_;
  std::string version_;
  Run run_;
  Send send_;
  std::mutex sending_;
  std::map<std::string, std::unique_ptr<Call>> calls_;  // by id, as JSON
};

// Codes of JSON-RPC 2.0.
constexpr int kNoJson = -32700, kNoRequest = -32600, kNoMethod = -32601, kBadParameters = -32602;

// Versions of the protocol in which this server talks; the newest first.
constexpr std::array<std::string_view, 3> kVersions{"2025-06-18", "2025-03-26", "2024-11-05"};

constexpr std::size_t kMostCalls = 16;  // at the same time

Json member(const Json& object, const char* key) {
  const auto found = object.is_object() ? object.find(key) : object.end();
  return object.is_object() && found != object.end() ? *found : Json();
}

std::string text_of(const Json& object, const char* key) {
  const Json value = member(object, key);
  return value.is_string() ? value.get<std::string>() : "";
}

bool is_id(const Json& id) { return id.is_string() || id.is_number_integer(); }

Json content(const std::string& text) { return {{"type", "text"}, {"text", text}}; }

Json tool_result(const McpResult& result) {
  Json json = {{"content", Json::array({content(result.text)})}, {"isError", result.failed}};
  const Json answer = Json::parse(result.json, nullptr, /*allow_exceptions=*/false);
  if (result.json.empty() || !answer.is_object()) return json;
  json["content"].push_back(content(result.json));
  json["structuredContent"] = answer;
  return json;
}

McpSession::McpSession(std::vector<McpTool> tools, std::string version, Run run, Send send)
    : tools_(std::move(tools)), version_(std::move(version)), run_(std::move(run)), send_(std::move(send)) {}

McpSession::~McpSession() {
  stop();
  finish();
}

void McpSession::finish() {
  for (auto& [id, call] : calls_) call->thread.join();
  calls_.clear();
}

void McpSession::stop() {
  for (auto& [id, call] : calls_) call->stop = true;
}

void McpSession::forget_ended() {
  for (auto call = calls_.begin(); call != calls_.end();) {
    if (!call->second->done) {
      ++call;
      continue;
    }
    call->second->thread.join();
    call = calls_.erase(call);
  }
}

void McpSession::send(const Json& message) {
  const std::string text = message.dump(-1, ' ', false, Json::error_handler_t::replace);
  const std::scoped_lock lock(sending_);
  send_(text);
}

void McpSession::error(const Json& id, int code, const std::string& what) {
  send({{"jsonrpc", "2.0"}, {"id", id}, {"error", {{"code", code}, {"message", what}}}});
}

void McpSession::answer(const Json& id, Json result) {
  send({{"jsonrpc", "2.0"}, {"id", id}, {"result", std::move(result)}});
}

void McpSession::take(std::string_view line) {
  forget_ended();
  if (line.find_first_not_of(" \t\r") == std::string_view::npos) return;
  const Json message = Json::parse(line, nullptr, /*allow_exceptions=*/false);
  if (message.is_discarded()) return error(nullptr, kNoJson, "this is no JSON");
  if (!message.is_object()) return error(nullptr, kNoRequest, "a message is an object, batches are not taken");
  const Json id = member(message, "id"), parameters = member(message, "params");
  if (text_of(message, "jsonrpc") != "2.0")
    return error(is_id(id) ? id : Json(), kNoRequest, "jsonrpc must be \"2.0\"");
  const std::string method = text_of(message, "method");
  if (method.empty()) {
    // An answer to something that this server never asks.
    if (message.contains("result") || message.contains("error")) return;
    return error(is_id(id) ? id : Json(), kNoRequest, "method must be a text");
  }
  if (!message.contains("id")) return notification(method, parameters);
  if (!is_id(id)) return error(nullptr, kNoRequest, "id must be a text or a whole number");
  request(id, method, parameters);
}

void McpSession::notification(const std::string& method, const Json& parameters) {
  if (method != "notifications/cancelled") return;
  const auto call = calls_.find(member(parameters, "requestId").dump(-1, ' ', true, Json::error_handler_t::replace));
  if (call != calls_.end()) call->second->stop = true;
}

void McpSession::request(const Json& id, const std::string& method, const Json& parameters) {
  if (method == "ping") return answer(id, Json::object());
  if (method == "tools/call") return call_tool(id, parameters);
  if (method == "tools/list") {
    Json tools = mapped(tools_, &McpTool::description);
    return answer(id, {{"tools", std::move(tools)}});
  }
  if (method == "initialize") {
    const std::string asked = text_of(parameters, "protocolVersion");
    const bool known = std::ranges::find(kVersions, asked) != kVersions.end();
    return answer(id, {{"protocolVersion", known ? asked : std::string(kVersions.front())},
                       {"capabilities", {{"tools", Json::object()}}},
                       {"serverInfo", {{"name", "heliolite"}, {"version", version_}}},
                       {"instructions",
                        "Maps tensor workloads onto accelerators and proves how good the mappings are. Begin with show "
                        "for the presets of machines and workloads; map finds mappings, bound says what no mapping can "
                        "beat, explain takes a mapping apart, check reads files."}});
  }
  error(id, kNoMethod, "there is no method " + method);
}

void McpSession::call_tool(const Json& id, const Json& parameters) {
  const std::string name = text_of(parameters, "name");
  const auto tool = std::ranges::find(tools_, name, &McpTool::name);
  if (tool == tools_.end())
    return error(id, kBadParameters, fmt::format("there is no tool '{}'; tools: {}", name, join(mcp_tool_names())));
  Json arguments = member(parameters, "arguments");
  if (arguments.is_null()) arguments = Json::object();
  if (!arguments.is_object()) return error(id, kBadParameters, "arguments must be an object");
  Result<std::vector<std::string>> words = tool->words(arguments);
  if (!words) return answer(id, tool_result({to_string(words.errors()), "", true}));
  const std::string key = id.dump(-1, ' ', true, Json::error_handler_t::replace);
  if (calls_.contains(key)) return error(id, kNoRequest, "a call with this id still runs");
  if (calls_.size() >= kMostCalls)
    return answer(id, tool_result({fmt::format("{} calls run already, wait for one", kMostCalls), "", true}));
  words->insert(words->begin(), name);
  auto call = std::make_unique<Call>();
  Call& running = *call;
  calls_.emplace(key, std::move(call));
  running.thread = std::thread([this, id, line = *std::move(words), &running] {
    const McpResult result = run_(line, running.stop);
    // Who cancels wants no answer.
    if (!running.stop) answer(id, tool_result(result));
    running.done = true;
  });
}

namespace fs = std::filesystem;

constexpr int kLookEvery = 100;                               // ms between two looks at whether to end
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
    if (poll(&look, 1, kLookEvery) <= 0) continue;
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

void add_mcp_command(CommandLine& line) {
  const Command command(line, "mcp", "Serve map, bound, explain, check and show to agents, on stdio");
  command.runs(
      [&line](const Output& o) { return run_mcp(line.app, o); },
      "Speaks the Model Context Protocol, a message a line; ends with its input. Tools take the options of the "
      "commands.\n\nExamples:\n  heliolite mcp");
}

}  // namespace heliolite::cli
