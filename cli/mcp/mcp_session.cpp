#include "cli/mcp/mcp_session.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

#include "engine/base/text.h"

namespace heliolite::cli {
namespace {

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

}  // namespace

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
    Json tools = Json::array();
    for (const McpTool& tool : tools_) tools.push_back(tool.description());
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

}  // namespace heliolite::cli
