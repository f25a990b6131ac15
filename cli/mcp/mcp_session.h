#pragma once
// The messages of the Model Context Protocol: JSON-RPC 2.0, a message a line. Whatever comes in is answered or, where
// the protocol has no answer, passed over: nothing ends the session but its client.
#include <atomic>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "cli/mcp/mcp_tools.h"
#include "cli/ui/json.h"

namespace heliolite::cli {

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

}  // namespace heliolite::cli
